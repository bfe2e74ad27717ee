using System.Collections.Generic;
using Palaver.Wire;

namespace Palaver.Tests
{
    /// <summary>Any message as plain objects, read and written by the package's own MessagePack.</summary>
    internal static class Tree
    {
        internal static object Read(ref MsgPackReader reader)
        {
            switch (reader.Peek())
            {
                case MsgPackType.Nil:
                    reader.ReadNil();
                    return null;
                case MsgPackType.Bool:
                    return reader.ReadBool();
                case MsgPackType.Int:
                    return reader.TryReadInt(out long whole) ? whole
                        : throw new PalaverException("bad-request", "a number above 2^63 - 1", "");
                case MsgPackType.Float:
                    return reader.ReadFloat();
                case MsgPackType.String:
                    return reader.ReadString();
                case MsgPackType.Array:
                    var list = new List<object>();
                    for (int left = reader.ReadArrayHeader(); left > 0; left--)
                    {
                        list.Add(Read(ref reader));
                    }
                    return list;
            }
            var map = new Map();
            for (int left = reader.ReadMapHeader(); left > 0; left--)
            {
                map.Add(reader.ReadString(), Read(ref reader));
            }
            return map;
        }

        internal static void Write(MsgPackWriter to, object value)
        {
            if (value == null)
            {
                to.Nil();
            }
            else if (value is bool)
            {
                to.Bool((bool)value);
            }
            else if (value is long)
            {
                to.Int((long)value);
            }
            else if (value is double)
            {
                to.Double((double)value);
            }
            else if (value is string)
            {
                to.String((string)value);
            }
            else if (value is List<object>)
            {
                to.Array(((List<object>)value).Count);
                ((List<object>)value).ForEach(item => Write(to, item));
            }
            else
            {
                to.Map(((Map)value).Pairs.Count);
                foreach (KeyValuePair<string, object> pair in ((Map)value).Pairs)
                {
                    to.String(pair.Key);
                    Write(to, pair.Value);
                }
            }
        }
    }

    /// <summary>
    /// A map that keeps the order of its keys. Reading a field of another kind than asked for is refused.
    /// </summary>
    internal sealed class Map
    {
        internal readonly List<KeyValuePair<string, object>> Pairs = new List<KeyValuePair<string, object>>();

        internal void Add(string key, object value)
        {
            Pairs.Add(new KeyValuePair<string, object>(key, value));
        }

        /// <summary>The field; the other value where it is missing or nil.</summary>
        internal T Get<T>(string key, T otherwise)
        {
            object found = Pairs.Find(pair => pair.Key == key).Value;
            if (found == null)
            {
                return otherwise;
            }
            if (typeof(T) == typeof(double) && found is long)
            {
                // The protocol takes a whole number for a float.
                found = (double)(long)found;
            }
            return found is T ? (T)found : throw new PalaverException("bad-request", $"{key} is of a wrong kind", "");
        }

        /// <summary>The field, which has to be there.</summary>
        internal T Need<T>(string key)
        {
            bool there = Pairs.Exists(pair => pair.Key == key && pair.Value != null);
            return there ? Get(key, default(T)) : throw new PalaverException("bad-request", $"{key} is missing", "");
        }
    }
}
