using System;
using System.Text;

namespace Palaver.Wire
{
    /// <summary>Writes MessagePack in its canonical form into a buffer that is used again and again.</summary>
    internal sealed class MsgPackWriter
    {
        private static readonly UTF8Encoding Utf8 = new UTF8Encoding(false, true);
        private byte[] _buffer = new byte[1024];
        private int _length;

        internal ArraySegment<byte> Written => new ArraySegment<byte>(_buffer, 0, _length);

        internal void Clear()
        {
            _length = 0;
        }

        internal void Map(int count)
        {
            Container(count, 0x80, 0xde);
        }

        internal void Array(int count)
        {
            Container(count, 0x90, 0xdc);
        }

        internal void String(string value)
        {
            int count = Utf8.GetByteCount(value);
            if (count < 32)
            {
                Head((byte)(0xa0 | count), 0, 0);
            }
            else if (count <= byte.MaxValue)
            {
                Head(0xd9, (ulong)count, 1);
            }
            else if (count <= ushort.MaxValue)
            {
                Head(0xda, (ulong)count, 2);
            }
            else
            {
                Head(0xdb, (ulong)count, 4);
            }
            Reserve(count);
            Utf8.GetBytes(value, 0, value.Length, _buffer, _length);
            _length += count;
        }

        internal void Int(long value)
        {
            if (value >= 0)
            {
                Positive((ulong)value);
            }
            else if (value >= -32)
            {
                Head((byte)value, 0, 0);
            }
            else if (value >= sbyte.MinValue)
            {
                Head(0xd0, (ulong)value, 1);
            }
            else if (value >= short.MinValue)
            {
                Head(0xd1, (ulong)value, 2);
            }
            else if (value >= int.MinValue)
            {
                Head(0xd2, (ulong)value, 4);
            }
            else
            {
                Head(0xd3, (ulong)value, 8);
            }
        }

        internal void Double(double value)
        {
            Head(0xcb, (ulong)BitConverter.DoubleToInt64Bits(value), 8);
        }

        internal void Bool(bool value)
        {
            Head(value ? (byte)0xc3 : (byte)0xc2, 0, 0);
        }

        internal void Nil()
        {
            Head(0xc0, 0, 0);
        }

        private void Positive(ulong value)
        {
            if (value < 128)
            {
                Head((byte)value, 0, 0);
            }
            else if (value <= byte.MaxValue)
            {
                Head(0xcc, value, 1);
            }
            else if (value <= ushort.MaxValue)
            {
                Head(0xcd, value, 2);
            }
            else if (value <= uint.MaxValue)
            {
                Head(0xce, value, 4);
            }
            else
            {
                Head(0xcf, value, 8);
            }
        }

        // No container of the protocol has more than 1024 elements: two bytes of length are enough.
        private void Container(int count, byte small, byte wide)
        {
            if (count < 16)
            {
                Head((byte)(small | count), 0, 0);
            }
            else
            {
                Head(wide, (ulong)count, 2);
            }
        }

        /// <summary>One byte, and behind it the low bytes of a number, the highest first.</summary>
        private void Head(byte first, ulong value, int bytes)
        {
            Reserve(1 + bytes);
            _buffer[_length++] = first;
            for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
            {
                _buffer[_length++] = (byte)(value >> shift);
            }
        }

        private void Reserve(int more)
        {
            if (_length + more > _buffer.Length)
            {
                System.Array.Resize(ref _buffer, Math.Max(_buffer.Length * 2, _length + more));
            }
        }
    }
}
