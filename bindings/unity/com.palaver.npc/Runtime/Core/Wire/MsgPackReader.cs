using System;
using System.Collections.Generic;
using System.Text;

namespace Palaver.Wire
{
    internal enum MsgPackType
    {
        Nil,
        Bool,
        Int,
        Float,
        String,
        Array,
        Map,
    }

    /// <summary>
    /// Reads MessagePack out of a piece of a buffer, without copying it. Whatever is wrong with the bytes becomes a
    /// PalaverException of code "malformed-message"; nothing else is thrown.
    /// </summary>
    internal struct MsgPackReader
    {
        private static readonly UTF8Encoding Utf8 = new UTF8Encoding(false, true);
        private readonly byte[] _buffer;
        private readonly int _end;
        private int _at;
        private long _values;

        internal MsgPackReader(ArraySegment<byte> bytes)
        {
            _buffer = bytes.Array;
            _values = 0;
            _at = bytes.Offset;
            _end = bytes.Offset + bytes.Count;
        }

        internal bool AtEnd => _at == _end;

        internal static PalaverException Malformed(string what)
        {
            return new PalaverException(
                "malformed-message", $"a message is no valid MessagePack ({what})", "See that the port is a sidecar's");
        }

        /// <summary>What comes next.</summary>
        internal MsgPackType Peek()
        {
            Need(1);
            byte head = _buffer[_at];
            if (head < 0x80 || head >= 0xe0)
            {
                return MsgPackType.Int;
            }
            if (head < 0xc0)
            {
                return head < 0x90 ? MsgPackType.Map : head < 0xa0 ? MsgPackType.Array : MsgPackType.String;
            }
            switch (head)
            {
                case 0xc0:
                    return MsgPackType.Nil;
                case 0xc2:
                case 0xc3:
                    return MsgPackType.Bool;
                case 0xca:
                case 0xcb:
                    return MsgPackType.Float;
                case 0xd9:
                case 0xda:
                case 0xdb:
                    return MsgPackType.String;
                case 0xdc:
                case 0xdd:
                    return MsgPackType.Array;
                case 0xde:
                case 0xdf:
                    return MsgPackType.Map;
            }
            if (head >= 0xcc && head <= 0xd3)
            {
                return MsgPackType.Int;
            }
            throw Malformed("an extension type, a byte string or a byte that is never used");
        }

        internal void ReadNil()
        {
            Expect(MsgPackType.Nil);
            _at++;
        }

        internal bool ReadBool()
        {
            Expect(MsgPackType.Bool);
            return _buffer[_at++] == 0xc3;
        }

        /// <summary>A whole number; false, with the number passed over, where it is above 2^63 - 1.</summary>
        internal bool TryReadInt(out long value)
        {
            Expect(MsgPackType.Int);
            byte head = _buffer[_at++];
            if (head < 0x80 || head >= 0xe0)
            {
                value = (sbyte)head;
                return true;
            }
            bool signed = head >= 0xd0;
            int bytes = 1 << (head - (signed ? 0xd0 : 0xcc));
            ulong raw = ReadBigEndian(bytes);
            int unused = 64 - 8 * bytes;
            value = signed ? (long)(raw << unused) >> unused : (long)raw;
            return signed || raw <= long.MaxValue;
        }

        internal double ReadFloat()
        {
            Expect(MsgPackType.Float);
            if (_buffer[_at++] == 0xcb)
            {
                return BitConverter.Int64BitsToDouble((long)ReadBigEndian(8));
            }
            uint bits = (uint)ReadBigEndian(4);
            return BitConverter.ToSingle(BitConverter.GetBytes(bits), 0);
        }

        internal string ReadString()
        {
            ArraySegment<byte> bytes = ReadStringBytes();
            try
            {
                return Utf8.GetString(bytes.Array, bytes.Offset, bytes.Count);
            }
            catch (ArgumentException)
            {
                throw Malformed("a text that is not UTF-8");
            }
        }

        internal ArraySegment<byte> ReadStringBytes()
        {
            Expect(MsgPackType.String);
            byte head = _buffer[_at++];
            ulong count = head < 0xd9 ? (ulong)(head - 0xa0) : ReadBigEndian(1 << (head - 0xd9));
            Need(count);
            var bytes = new ArraySegment<byte>(_buffer, _at, (int)count);
            _at += (int)count;
            return bytes;
        }

        internal int ReadArrayHeader()
        {
            Expect(MsgPackType.Array);
            int count = ReadCount(0x90, 0xdc);
            return Bounded(count, count);
        }

        internal int ReadMapHeader()
        {
            Expect(MsgPackType.Map);
            int count = ReadCount(0x80, 0xde);
            return Bounded(count, 2L * count);
        }

        /// <summary>Passes over one value of whatever kind.</summary>
        /// <param name="depth">How many containers it is inside of.</param>
        internal void Skip(int depth)
        {
            switch (Peek())
            {
                case MsgPackType.Nil:
                case MsgPackType.Bool:
                    _at++;
                    return;
                case MsgPackType.Int:
                    TryReadInt(out long _);
                    return;
                case MsgPackType.Float:
                    ReadFloat();
                    return;
                case MsgPackType.String:
                    ReadString();
                    return;
            }
            if (depth == Limits.Depth)
            {
                throw Malformed($"more than {Limits.Depth} containers inside one another");
            }
            bool map = Peek() == MsgPackType.Map;
            int count = map ? ReadMapHeader() : ReadArrayHeader();
            List<string> keys = map ? new List<string>(count) : null;
            for (int index = 0; index < count; index++)
            {
                if (map)
                {
                    NoteKey(keys, ReadString());
                }
                Skip(depth + 1);
            }
        }

        /// <summary>Adds a key to those of its map; none may come twice.</summary>
        internal static void NoteKey(List<string> keys, string key)
        {
            if (keys.Contains(key))
            {
                throw Malformed("a key comes twice");
            }
            keys.Add(key);
        }

        private int ReadCount(byte small, byte wide)
        {
            byte head = _buffer[_at++];
            ulong count = head < wide ? (ulong)(head - small) : ReadBigEndian(2 << (head - wide));
            if (count > Limits.Elements)
            {
                throw Malformed($"a list or map of {count} elements, at most {Limits.Elements} are allowed");
            }
            return (int)count;
        }

        // Each value takes a byte at least: a header that claims more than there is costs nothing.
        private int Bounded(int count, long values)
        {
            Need((ulong)values);
            _values += values;
            if (_values > Limits.Values)
            {
                throw Malformed($"more than {Limits.Values} values");
            }
            return count;
        }

        private ulong ReadBigEndian(int bytes)
        {
            Need((ulong)bytes);
            ulong value = 0;
            for (; bytes > 0; bytes--)
            {
                value = value << 8 | _buffer[_at++];
            }
            return value;
        }

        private void Expect(MsgPackType type)
        {
            MsgPackType found = Peek();
            if (found != type)
            {
                throw Malformed($"{found} where {type} was due");
            }
        }

        private void Need(ulong bytes)
        {
            if (bytes > (ulong)(_end - _at))
            {
                throw Malformed("it ends too early");
            }
        }
    }
}
