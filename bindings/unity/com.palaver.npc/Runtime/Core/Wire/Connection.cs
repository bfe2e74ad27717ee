using System;
using System.Net;
using System.Net.Sockets;

namespace Palaver.Wire
{
    internal enum LinkState
    {
        Closed,
        Connecting,
        Handshake,
        Open,
    }

    /// <summary>
    /// A DEALER's connection to a port of this machine. Nothing in it waits: each call does what can be done at once.
    /// </summary>
    internal sealed class Connection : IDisposable
    {
        private const int SendBytes = 2048;

        // A sidecar that leaves this much unread does not read at all.
        private const int MaxUnsentBytes = 4 * Limits.MessageBytes;

        private readonly ZmtpDecoder _decoder = new ZmtpDecoder();
        private Socket _socket;
        private byte[] _unsent = new byte[16 * 1024];
        private int _unsentStart;
        private int _unsentEnd;

        internal LinkState State { get; private set; }

        /// <summary>Why the connection was closed last; null when it was closed on purpose.</summary>
        internal string Reason { get; private set; }

        internal bool HasUnsent => _unsentStart < _unsentEnd;

        /// <summary>Bytes that came since the last reset to 0: whether anything was heard.</summary>
        internal int HeardBytes { get; set; }

        public void Dispose()
        {
            Close(null);
        }

        internal void Open(int port)
        {
            Close(null);
            var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            socket.Blocking = false;
            socket.NoDelay = true;
            _socket = socket;
            State = LinkState.Connecting;
            try
            {
                socket.Connect(new IPEndPoint(IPAddress.Loopback, port));
            }
            catch (SocketException error)
            {
                if (error.SocketErrorCode != SocketError.WouldBlock && error.SocketErrorCode != SocketError.InProgress)
                {
                    Close($"connecting failed ({error.SocketErrorCode})");
                }
            }
        }

        internal void Close(string reason)
        {
            Reason = reason;
            State = LinkState.Closed;
            _socket?.Close();
            _socket = null;
            _decoder.Reset();
            _unsentStart = _unsentEnd = 0;
            HeardBytes = 0;
        }

        /// <summary>Queues a message; Flush sends it.</summary>
        internal void Send(ArraySegment<byte> message)
        {
            if (State == LinkState.Open)
            {
                Enqueue(message, 0);
            }
        }

        /// <summary>Sends of what is queued as much as the system takes now.</summary>
        internal void Flush()
        {
            // Mono's Send spins until all is sent, even on a socket that does not block: it gets no more than what
            // every system takes at once when it calls a socket writable.
            while (HasUnsent && State >= LinkState.Handshake && _socket.Poll(0, SelectMode.SelectWrite))
            {
                int count = Math.Min(_unsentEnd - _unsentStart, SendBytes);
                int sent = _socket.Send(_unsent, _unsentStart, count, SocketFlags.None, out SocketError error);
                if (error == SocketError.WouldBlock)
                {
                    return;
                }
                if (error != SocketError.Success)
                {
                    Close($"sending failed ({error})");
                    return;
                }
                _unsentStart += sent;
            }
        }

        /// <summary>
        /// Takes the next step there is: false when there is nothing more to do now. A step may bring a message, which
        /// stays valid until the next call.
        /// </summary>
        /// <exception cref="PalaverException">The peer speaks something else.</exception>
        internal bool Advance(out ArraySegment<byte> message)
        {
            message = default(ArraySegment<byte>);
            if (State == LinkState.Closed || (State == LinkState.Connecting && !Connected()))
            {
                return false;
            }
            ZmtpEvent happened = _decoder.Next(out ArraySegment<byte> body);
            while (happened == ZmtpEvent.None)
            {
                if (!Receive())
                {
                    return false;
                }
                happened = _decoder.Next(out body);
            }
            if (happened == ZmtpEvent.Greeting)
            {
                EnqueueRaw(Zmtp.Ready, 0, Zmtp.Ready.Length);
            }
            else if (happened == ZmtpEvent.Command)
            {
                Obey(body);
            }
            else if (State != LinkState.Open)
            {
                throw Foreign("a message before the handshake");
            }
            else if (happened == ZmtpEvent.Message)
            {
                message = body;
            }
            return true;
        }

        private static PalaverException Foreign(string what)
        {
            return new PalaverException("transport", what, "See that the port is a Palaver sidecar's");
        }

        private bool Connected()
        {
            // Windows tells of a refused connection by the one, other systems by the other.
            if (!_socket.Poll(0, SelectMode.SelectWrite) && !_socket.Poll(0, SelectMode.SelectError))
            {
                return false;
            }
            var error = (int)_socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.Error);
            if (error != 0)
            {
                Close($"connecting failed ({(SocketError)error})");
                return false;
            }
            State = LinkState.Handshake;
            EnqueueRaw(Zmtp.Greeting, 0, Zmtp.Greeting.Length);
            Flush();
            return State == LinkState.Handshake;
        }

        private bool Receive()
        {
            ArraySegment<byte> free = _decoder.Free();
            int bytes = _socket.Receive(free.Array, free.Offset, free.Count, SocketFlags.None, out SocketError error);
            if (error == SocketError.WouldBlock)
            {
                return false;
            }
            if (error != SocketError.Success || bytes == 0)
            {
                bool ended = error == SocketError.Success;
                Close(ended ? "the sidecar closed the connection" : $"receiving failed ({error})");
                return false;
            }
            _decoder.Commit(bytes);
            HeardBytes += bytes;
            return true;
        }

        private void Obey(ArraySegment<byte> command)
        {
            if (Zmtp.IsCommand(command, "READY", out int dataOffset) && State == LinkState.Handshake)
            {
                string peer = Zmtp.SocketType(command, dataOffset);
                if (peer != "ROUTER")
                {
                    throw Foreign($"the peer is a {peer ?? "peer without a type"}, not a ROUTER");
                }
                State = LinkState.Open;
            }
            else if (Zmtp.IsCommand(command, "ERROR", out dataOffset))
            {
                throw Foreign("the peer refused the handshake");
            }
            else if (Zmtp.IsCommand(command, "PING", out dataOffset))
            {
                // Behind the name stand two bytes of a time to live, and a context that goes back.
                int contextOffset = Math.Min(dataOffset + 2, command.Offset + command.Count);
                int contextBytes = Math.Min(command.Offset + command.Count - contextOffset, 16);
                var pong = new byte[5 + contextBytes];
                new byte[] { 4, (byte)'P', (byte)'O', (byte)'N', (byte)'G' }.CopyTo(pong, 0);
                Buffer.BlockCopy(command.Array, contextOffset, pong, 5, contextBytes);
                Enqueue(new ArraySegment<byte>(pong), Zmtp.Command);
            }
        }

        private void Enqueue(ArraySegment<byte> body, byte flags)
        {
            Reserve(Zmtp.FrameHeadBytes + body.Count);
            _unsentEnd += Zmtp.WriteFrameHead(_unsent, _unsentEnd, body.Count, flags);
            EnqueueRaw(body.Array, body.Offset, body.Count);
        }

        private void EnqueueRaw(byte[] bytes, int offset, int count)
        {
            Reserve(count);
            Buffer.BlockCopy(bytes, offset, _unsent, _unsentEnd, count);
            _unsentEnd += count;
        }

        private void Reserve(int more)
        {
            int used = _unsentEnd - _unsentStart;
            if (used + more > MaxUnsentBytes)
            {
                throw new PalaverException(
                    "unreachable", "the sidecar does not read what it is sent", "See whether its process still runs");
            }
            if (_unsentEnd + more <= _unsent.Length)
            {
                return;
            }
            byte[] roomy = used + more > _unsent.Length ? new byte[Math.Max(_unsent.Length * 2, used + more)] : _unsent;
            Buffer.BlockCopy(_unsent, _unsentStart, roomy, 0, used);
            _unsent = roomy;
            _unsentStart = 0;
            _unsentEnd = used;
        }
    }
}
