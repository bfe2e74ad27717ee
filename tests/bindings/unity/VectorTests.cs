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
                if (from == "client" && Say(writer, type, Decoded(bytes)))
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
                    Check.Refused(
                        code, () => Say(new MsgPackWriter(), Decoded(bytes).Need<string>("type"), Decoded(bytes)), name);
                }
            });
            Check.That(count > 50, $"{count} vectors");
        }

        /// <summary>
        /// Sends what a client's message says by the package's own means; false for a type it never sends.
        /// </summary>
        private static bool Say(MsgPackWriter to, string type, Map message)
        {
            long request = type == "tick" ? 0 : message.Need<long>("request");
            Limits.CheckRange("request", request, 0, long.MaxValue);
            switch (type)
            {
                case "hello":
                    Limits.CheckText("client", message.Get("client", "-"), Limits.FieldChars);
                    if (message.Need<long>("protocol") != 1)
                    {
                        return false;
                    }
                    Outgoing.Hello(to, request, message.Get<string>("secret", null), message.Get<string>("client", null));
                    return true;
                case "ping":
                    Outgoing.Ping(to, request);
                    return true;
                case "stats":
                    Outgoing.Stats(to, request);
                    return true;
                case "npc.put":
                    Outgoing.NpcPut(to, request, PersonaOf(message.Need<Map>("npc")));
                    return true;
                case "npc.forget":
                    Limits.CheckText("id", message.Need<string>("id"), Limits.FieldChars);
                    Outgoing.NpcForget(to, request, message.Need<string>("id"));
                    return true;
                case "npc.load":
                    Outgoing.NpcLoad(to, request, message.Need<string>("data"));
                    return true;
                case "npc.get":
                case "npc.save":
                    Limits.CheckText("id", message.Need<string>("id"), Limits.FieldChars);
                    return false;
                case "ask":
                    SayAsk(to, request, message);
                    return true;
                case "cancel":
                    Limits.CheckRange("target", message.Need<long>("target"), 0, long.MaxValue);
                    Outgoing.Cancel(to, request, message.Need<long>("target"));
                    return true;
                case "tick":
                    new PalaverClient().Tick(message.Need<long>("frame"), message.Need<double>("budget_ms"));
                    Outgoing.Tick(to, message.Need<long>("frame"), message.Need<double>("budget_ms"));
                    return true;
                case "budget":
                    new PalaverClient().SetBudget(message.Need<double>("max_load"), message.Get("fps", 60.0));
                    Outgoing.Budget(to, request, message.Need<double>("max_load"), message.Get("fps", 60.0));
                    return true;
                default:
                    Check.Equal("bye", type, "the type");
                    Outgoing.Bye(to, request);
                    return true;
            }
        }

        private static void SayAsk(MsgPackWriter to, long request, Map message)
        {
            Map whole = message.Get<object>("npc", null) as Map;
            Persona persona = whole != null ? PersonaOf(whole) : new Persona(message.Need<string>("npc"), "name", "role");
            persona.Check();
            string policy = message.Get("policy", "queue");
            var options = new AskOptions
            {
                Seed = OptionalOf(message, "seed"),
                Steps = (int?)OptionalOf(message, "steps"),
                MaxTokens = (int?)OptionalOf(message, "max_tokens"),
                DeadlineMs = (int?)OptionalOf(message, "deadline_ms"),
                Priority = (int)message.Get("priority", 0L),
                Policy = Enum.TryParse(policy, true, out AskPolicy parsed) ? parsed
                    : throw new PalaverException("bad-request", "policy", ""),
                DraftEveryMs = (int?)OptionalOf(message, "draft_every_ms"),
                StopAfterSteps = (int?)OptionalOf(message, "stop_after_steps"),
                Sampler = message.Get<string>("sampler", null),
                Deterministic = message.Get("deterministic", true),
                Record = message.Get("record", true),
                History = whole == null ? null : HistoryOf(message),
            };
            if (whole == null && HistoryOf(message).Count > 0)
            {
                throw new PalaverException("bad-request", "a history beside an id: the options cannot say it", "");
            }
            AskOptions.CheckAsk(message.Need<string>("text"), options);
            Outgoing.Ask(to, request, persona, message.Need<string>("text"), options, options.DeadlineMs);
        }

        private static Persona PersonaOf(Map npc)
        {
            string[] known = { "id", "name", "role", "place", "mood", "manner", "knowledge", "fallbacks", "banned" };
            if (npc.Pairs.Exists(pair => Array.IndexOf(known, pair.Key) < 0))
            {
                throw new PalaverException("bad-request", "a key that a Persona cannot have", "");
            }
            var persona = new Persona(npc.Need<string>("id"), npc.Need<string>("name"), npc.Need<string>("role"))
            {
                Place = npc.Get("place", ""),
                Mood = npc.Get("mood", ""),
                Manner = npc.Get("manner", ""),
                Knowledge = TextsOf(npc, "knowledge"),
                Fallbacks = TextsOf(npc, "fallbacks"),
                Banned = TextsOf(npc, "banned"),
            };
            persona.Check();
            return persona;
        }

        private static List<string> TextsOf(Map npc, string key)
        {
            return npc.Get(key, new List<object>()).ConvertAll(
                text => text as string ?? throw new PalaverException("bad-request", key, ""));
        }

        private static List<Turn> HistoryOf(Map message)
        {
            return message.Get("history", new List<object>()).ConvertAll(turn =>
            {
                var pair = turn as List<object>;
                return pair != null && pair.Count == 2 ? new Turn((string)pair[0], (string)pair[1])
                    : throw new PalaverException("bad-request", "a turn that is no pair", "");
            });
        }

        private static long? OptionalOf(Map message, string key)
        {
            return message.Get<object>(key, null) == null ? null : (long?)message.Need<long>(key);
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
                if (pair.Value is Map)
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
