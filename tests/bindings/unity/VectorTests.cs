using System;
using System.Collections.Generic;
using System.IO;
using Palaver.Wire;

namespace Palaver.Tests
{
    /// <summary>
    /// The protocol's byte vectors. Arguments: a file with one a line, as name, from, hex, and type or !code.
    /// </summary>
    internal static class VectorTests
    {
        internal static void ValidOnesComeBackAsTheSameBytes(string file)
        {
            int count = ForEach(file, true, (name, from, bytes, type) =>
            {
                var writer = new MsgPackWriter();
                Map message = Decoded(bytes);
                Check.Equal(type, message.Need<string>("type"), name);
                Tree.Write(writer, message);
                Check.Equal(Hex(bytes), Hex(writer.Written), name);
            });
            Check.That(count > 50, $"{count} vectors");
        }

        internal static void WhatThisClientSaysIsCanonical(string file)
        {
            int count = ForEach(file, true, (name, from, bytes, type) =>
            {
                var writer = new MsgPackWriter();
                if (from == "client" && Saying.Say(writer, Decoded(bytes)))
                {
                    Check.Equal(Hex(bytes), Hex(writer.Written), name);
                }
            });
            Check.That(count > 50, $"{count} vectors");
        }

        internal static void WhatTheSidecarSaysIsUnderstood(string file)
        {
            var incoming = new Incoming();
            int count = ForEach(file, true, (name, from, bytes, type) =>
            {
                if (from != "sidecar")
                {
                    return;
                }
                incoming.Decode(bytes);
                Check.Equal(type, incoming.Type.ToString().ToLowerInvariant(), name);
                CompareFields(incoming, Decoded(bytes), name);
            });
            Check.That(count > 50, $"{count} vectors");
        }

        internal static void InvalidOnesAreRefused(string file)
        {
            var incoming = new Incoming();
            int count = ForEach(file, false, (name, from, bytes, code) =>
            {
                if (from == "sidecar" || code == "malformed-message" || code == "message-too-large")
                {
                    Check.Refused(code, () => incoming.Decode(bytes), name);
                }
                else if (code == "bad-request")
                {
                    // The client's own messages: what the public types take is checked before it is sent.
                    Check.Refused(code, () => Saying.Say(new MsgPackWriter(), Decoded(bytes)), name);
                }
            });
            Check.That(count > 50, $"{count} vectors");
        }

        internal static void WhatIsAcceptedSaysTheSame(string file)
        {
            var incoming = new Incoming();
            int count = ForEach(file, true, (name, from, bytes, canonical) =>
            {
                Map message = Decoded(bytes);
                if (from == "sidecar")
                {
                    incoming.Decode(bytes);
                    CompareFields(incoming, Decoded(Bytes(canonical)), name);
                    return;
                }
                var writer = new MsgPackWriter();
                if (Saying.Say(writer, message))
                {
                    Check.Equal(canonical, Hex(writer.Written), name);
                }
            });
            Check.That(count > 20, $"{count} messages");
        }

        private static void CompareFields(Incoming incoming, Map map, string name)
        {
            foreach (KeyValuePair<string, object> pair in map.Pairs)
            {
                if (pair.Key == "type" || pair.Key == "npc" || (pair.Key == "request" && pair.Value == null))
                {
                    continue;
                }
                var field = (Field)Enum.Parse(typeof(Field), pair.Key.Replace("_", ""), true);
                if (field == Field.Action)
                {
                    CompareAction(incoming.Action, (Map)pair.Value, name);
                }
                else if (field == Field.Probabilities)
                {
                    Check.Equal(Joined((List<object>)pair.Value), Joined(incoming.Probabilities), $"{name}: {pair.Key}");
                }
                else if (pair.Value is List<object>)
                {
                    Check.Equal(Joined((List<object>)pair.Value), Joined(incoming.List), $"{name}: {pair.Key}");
                }
                else if (pair.Value is Map)
                {
                    CompareFields(incoming, (Map)pair.Value, name);
                }
                else if (pair.Value is string)
                {
                    Check.Equal((string)pair.Value, incoming.Text(field), $"{name}: {pair.Key}");
                }
                else if (pair.Value is double)
                {
                    Check.Equal((double)pair.Value, incoming.Real(field), $"{name}: {pair.Key}");
                }
                else
                {
                    long expected = pair.Value is bool ? ((bool)pair.Value ? 1 : 0) : (long)pair.Value;
                    Check.Equal(expected, incoming.Whole(field), $"{name}: {pair.Key}");
                }
            }
        }

        private static void CompareAction(ActionCall action, Map expected, string name)
        {
            Check.Equal(expected.Need<string>("name"), action.Name, $"{name}: the action");
            Check.Equal(
                Joined(expected.Need<Map>("args").Pairs), Joined(action.Args), $"{name}: the action's arguments");
        }

        private static string Joined<T>(IEnumerable<T> values)
        {
            return string.Join("|", values);
        }

        private static int ForEach(
            string file, bool valid, Action<string, string, ArraySegment<byte>, string> test)
        {
            int count = 0;
            foreach (string line in File.ReadAllLines(file))
            {
                string[] columns = line.Split('\t');
                if (columns[3].StartsWith("!", StringComparison.Ordinal) != valid)
                {
                    count++;
                    test(columns[0], columns[1], Bytes(columns[2]), columns[3].TrimStart('!'));
                }
            }
            return count;
        }

        internal static ArraySegment<byte> Bytes(string hex)
        {
            var bytes = new byte[hex.Length / 2];
            for (int index = 0; index < bytes.Length; index++)
            {
                bytes[index] = Convert.ToByte(hex.Substring(2 * index, 2), 16);
            }
            return new ArraySegment<byte>(bytes);
        }

        internal static string Hex(ArraySegment<byte> bytes)
        {
            return BitConverter.ToString(bytes.Array, bytes.Offset, bytes.Count).Replace("-", "").ToLowerInvariant();
        }

        private static Map Decoded(ArraySegment<byte> bytes)
        {
            var reader = new MsgPackReader(bytes);
            return (Map)Tree.Read(ref reader);
        }
    }
}
