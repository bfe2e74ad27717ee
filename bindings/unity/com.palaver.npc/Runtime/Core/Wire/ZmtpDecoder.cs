using System;

namespace Palaver.Wire
{
    internal enum ZmtpEvent
    {
        /// <summary>Not enough bytes yet.</summary>
        None,

        /// <summary>The peer's greeting came; it comes once, first.</summary>
        Greeting,

        /// <summary>A message of one frame.</summary>
        Message,

        /// <summary>A command.</summary>
        Command,

        /// <summary>A frame of a message of several, which the protocol does not have.</summary>
        Part,
    }

    /// <summary>
    /// Takes in a byte stream piece by piece and finds greeting, commands and messages in it. A PalaverException of
    /// code "transport" says that the peer speaks something else.
    /// </summary>
    internal sealed class ZmtpDecoder
    {
        private const int LeastFreeBytes = 4096;

        // Grows with what has really come, never with what a frame's head merely claims.
        private byte[] _buffer = new byte[16 * 1024];
        private int _start;
        private int _end;
        private bool _greeted;
        private bool _inParts;

        /// <summary>Where the next bytes of the stream belong; call Commit after writing some.</summary>
        internal ArraySegment<byte> Free()
        {
            if (_start == _end)
            {
                _start = _end = 0;
            }
            if (_buffer.Length - _end < LeastFreeBytes)
            {
                int used = _end - _start;
                byte[] roomy = used + LeastFreeBytes > _buffer.Length / 2 ? new byte[_buffer.Length * 2] : _buffer;
                Buffer.BlockCopy(_buffer, _start, roomy, 0, used);
                _buffer = roomy;
                _start = 0;
                _end = used;
            }
            return new ArraySegment<byte>(_buffer, _end, _buffer.Length - _end);
        }

        internal void Commit(int bytes)
        {
            _end += bytes;
        }

        internal void Reset()
        {
            _start = _end = 0;
            _greeted = _inParts = false;
        }

        /// <summary>The next thing in the stream. Its body stays valid until the next call of Free.</summary>
        internal ZmtpEvent Next(out ArraySegment<byte> body)
        {
            body = default(ArraySegment<byte>);
            return _greeted ? NextFrame(ref body) : NextGreeting();
        }

        private static PalaverException Foreign(string what)
        {
            return new PalaverException("transport", what, "See that the port is a Palaver sidecar's");
        }

        private ZmtpEvent NextGreeting()
        {
            int have = _end - _start;
            // Looked at as early as it can be: who speaks something else might never send 64 bytes.
            if ((have > 0 && _buffer[_start] != 0xff) || (have > 9 && (_buffer[_start + 9] & 1) == 0))
            {
                throw Foreign("the peer does not speak ZMTP");
            }
            if (have > 10 && _buffer[_start + 10] < 3)
            {
                throw Foreign($"the peer speaks ZMTP {_buffer[_start + 10]}, 3 is needed");
            }
            if (have < Zmtp.GreetingBytes)
            {
                return ZmtpEvent.None;
            }
            for (int index = 12; index < 32; index++)
            {
                if (_buffer[_start + index] != Zmtp.Greeting[index])
                {
                    throw Foreign("the peer wants another security mechanism than NULL");
                }
            }
            _start += Zmtp.GreetingBytes;
            _greeted = true;
            return ZmtpEvent.Greeting;
        }

        private ZmtpEvent NextFrame(ref ArraySegment<byte> body)
        {
            int have = _end - _start;
            if (have < 2)
            {
                return ZmtpEvent.None;
            }
            byte flags = _buffer[_start];
            bool command = (flags & Zmtp.Command) != 0;
            if (flags > 7 || (command && (flags & Zmtp.More) != 0))
            {
                throw Foreign($"a frame begins with {flags}");
            }
            int headBytes = (flags & Zmtp.Long) != 0 ? Zmtp.FrameHeadBytes : 2;
            if (have < headBytes)
            {
                return ZmtpEvent.None;
            }
            ulong bodyBytes = 0;
            for (int index = 1; index < headBytes; index++)
            {
                bodyBytes = bodyBytes << 8 | _buffer[_start + index];
            }
            if (bodyBytes > Limits.MessageBytes)
            {
                throw new PalaverException(
                    "message-too-large", $"a frame of {bodyBytes} bytes, at most {Limits.MessageBytes} are allowed",
                    "See that the port is a Palaver sidecar's");
            }
            if (have - headBytes < (int)bodyBytes)
            {
                return ZmtpEvent.None;
            }
            body = new ArraySegment<byte>(_buffer, _start + headBytes, (int)bodyBytes);
            _start += headBytes + (int)bodyBytes;
            if (command)
            {
                return ZmtpEvent.Command;
            }
            bool more = (flags & Zmtp.More) != 0;
            bool part = more || _inParts;
            _inParts = more;
            return part ? ZmtpEvent.Part : ZmtpEvent.Message;
        }
    }
}
