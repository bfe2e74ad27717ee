using System.Collections.Generic;

namespace Palaver.Wire
{
    /// <summary>
    /// Reads the lists and maps inside of messages. Each is read to its end, and false tells that something in it is of
    /// another kind than the protocol says.
    /// </summary>
    internal static class Nested
    {
        /// <summary>How many containers the values of a list in a message are inside of.</summary>
        private const int ListDepth = 2;

        internal static bool TryReadTexts(ref MsgPackReader reader, out List<string> texts)
        {
            int count = reader.ReadArrayHeader();
            texts = new List<string>(count);
            for (int index = 0; index < count; index++)
            {
                if (reader.Peek() == MsgPackType.String)
                {
                    texts.Add(reader.ReadString());
                }
                else
                {
                    reader.Skip(ListDepth);
                }
            }
            return texts.Count == count;
        }

        /// <summary>At least one finite number.</summary>
        internal static bool TryReadReals(ref MsgPackReader reader, out List<double> reals)
        {
            int count = reader.ReadArrayHeader();
            reals = new List<double>(count);
            for (int index = 0; index < count; index++)
            {
                if (reader.Peek() == MsgPackType.Float)
                {
                    Keep(reader.ReadFloat(), reals);
                }
                else if (reader.Peek() == MsgPackType.Int)
                {
                    if (reader.TryReadInt(out long whole))
                    {
                        reals.Add(whole);
                    }
                }
                else
                {
                    reader.Skip(ListDepth);
                }
            }
            return reals.Count == count && count > 0;
        }

        internal static bool TryReadAction(ref MsgPackReader reader, out ActionCall action)
        {
            string name = null;
            List<KeyValuePair<string, object>> args = null;
            bool good = true;
            var keys = new List<string>();
            for (int left = reader.ReadMapHeader(); left > 0; left--)
            {
                string key = reader.ReadString();
                MsgPackReader.NoteKey(keys, key);
                if (key == "name" && reader.Peek() == MsgPackType.String)
                {
                    name = reader.ReadString();
                }
                else if (key == "args" && reader.Peek() == MsgPackType.Map)
                {
                    good = TryReadArgs(ref reader, out args);
                }
                else
                {
                    reader.Skip(ListDepth);
                }
            }
            good = good && !string.IsNullOrEmpty(name) && args != null;
            action = good ? new ActionCall(name, args) : null;
            return good;
        }

        private static bool TryReadArgs(ref MsgPackReader reader, out List<KeyValuePair<string, object>> args)
        {
            int count = reader.ReadMapHeader();
            args = new List<KeyValuePair<string, object>>(count);
            var keys = new List<string>(count);
            for (int index = 0; index < count; index++)
            {
                string key = reader.ReadString();
                MsgPackReader.NoteKey(keys, key);
                if (reader.Peek() == MsgPackType.String)
                {
                    args.Add(new KeyValuePair<string, object>(key, reader.ReadString()));
                }
                else if (reader.Peek() == MsgPackType.Int)
                {
                    if (reader.TryReadInt(out long whole))
                    {
                        args.Add(new KeyValuePair<string, object>(key, whole));
                    }
                }
                else
                {
                    reader.Skip(ListDepth + 1);
                }
            }
            return args.Count == count;
        }

        private static void Keep(double value, List<double> reals)
        {
            if (!double.IsNaN(value) && !double.IsInfinity(value))
            {
                reals.Add(value);
            }
        }
    }
}
