using System;
using System.Text;

namespace Palaver.Wire
{
    /// <summary>What a DEALER sends before and around its messages: ZMTP 3.0, mechanism NULL.</summary>
    internal static class Zmtp
    {
        internal const int GreetingBytes = 64;
        internal const int FrameHeadBytes = 9;

        internal const byte More = 1;
        internal const byte Long = 2;
        internal const byte Command = 4;

        /// <summary>Signature, version 3.0, mechanism NULL, no server, padded to 64 bytes.</summary>
        internal static readonly byte[] Greeting = MakeGreeting();

        /// <summary>The READY command of a DEALER without an identity, as a whole frame.</summary>
        internal static readonly byte[] Ready = MakeReady();

        /// <summary>Writes the head of a frame at the beginning of the buffer and returns its length, 2 or 9.</summary>
        internal static int WriteFrameHead(byte[] buffer, int offset, int bodyBytes, byte flags)
        {
            if (bodyBytes <= byte.MaxValue)
            {
                buffer[offset] = flags;
                buffer[offset + 1] = (byte)bodyBytes;
                return 2;
            }
            buffer[offset] = (byte)(flags | Long);
            for (int index = 0; index < 8; index++)
            {
                buffer[offset + 1 + index] = (byte)((ulong)bodyBytes >> (56 - 8 * index));
            }
            return FrameHeadBytes;
        }

        /// <summary>Whether a command has this name; its data begin at dataOffset in the segment's array.</summary>
        internal static bool IsCommand(ArraySegment<byte> body, string name, out int dataOffset)
        {
            dataOffset = body.Offset + 1 + name.Length;
            if (body.Count < 1 + name.Length || body.Array[body.Offset] != name.Length)
            {
                return false;
            }
            for (int index = 0; index < name.Length; index++)
            {
                if (body.Array[body.Offset + 1 + index] != name[index])
                {
                    return false;
                }
            }
            return true;
        }

        /// <summary>The peer's socket type from its READY command; null where it names none or is malformed.</summary>
        internal static string SocketType(ArraySegment<byte> ready, int dataOffset)
        {
            byte[] buffer = ready.Array;
            int end = ready.Offset + ready.Count;
            int at = dataOffset;
            while (at < end)
            {
                int nameBytes = buffer[at++];
                if (end - at < nameBytes + 4)
                {
                    return null;
                }
                string name = Encoding.ASCII.GetString(buffer, at, nameBytes);
                at += nameBytes;
                uint valueBytes = 0;
                for (int left = 4; left > 0; left--)
                {
                    valueBytes = valueBytes << 8 | buffer[at++];
                }
                if (valueBytes > end - at)
                {
                    return null;
                }
                if (string.Equals(name, "Socket-Type", StringComparison.OrdinalIgnoreCase))
                {
                    return Encoding.ASCII.GetString(buffer, at, (int)valueBytes);
                }
                at += (int)valueBytes;
            }
            return null;
        }

        private static byte[] MakeGreeting()
        {
            var greeting = new byte[GreetingBytes];
            greeting[0] = 0xff;
            greeting[9] = 0x7f;
            greeting[10] = 3;
            Encoding.ASCII.GetBytes("NULL", 0, 4, greeting, 12);
            return greeting;
        }

        private static byte[] MakeReady()
        {
            byte[] body = Encoding.ASCII.GetBytes("\x05READY\x0bSocket-Type\0\0\0\x06" + "DEALER\x08Identity\0\0\0\0");
            var frame = new byte[2 + body.Length];
            WriteFrameHead(frame, 0, body.Length, Command);
            body.CopyTo(frame, 2);
            return frame;
        }
    }
}
