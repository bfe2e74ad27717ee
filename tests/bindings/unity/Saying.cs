using System;
using System.Collections.Generic;
using Palaver.Wire;

namespace Palaver.Tests
{
    /// <summary>Says by the package's own means what a client's message says.</summary>
    internal static class Saying
    {
        /// <summary>
        /// Sends what a client's message says by the package's own means; false for a type it never sends.
        /// </summary>
        internal static bool Say(MsgPackWriter to, Map message)
        {
            string type = message.Need<string>("type");
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
                case "choose":
                    SayChoose(to, request, message);
                    return true;
                case "prompt.get":
                    var context = new PromptOptions();
                    Persona persona = Context(message, context);
                    PromptOptions.CheckPrompt(message.Need<string>("text"), context);
                    Outgoing.PromptGet(to, request, persona, message.Need<string>("text"), context);
                    return true;
                case "world.put":
                    Outgoing.WorldPut(to, request, WorldOf(message.Need<Map>("world")));
                    return true;
                case "npc.summary":
                    SaySummary(to, request, message);
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
            var options = new AskOptions
            {
                Seed = OptionalOf(message, "seed"),
                Steps = (int?)OptionalOf(message, "steps"),
                MaxTokens = (int?)OptionalOf(message, "max_tokens"),
                DraftEveryMs = (int?)OptionalOf(message, "draft_every_ms"),
                StopAfterSteps = (int?)OptionalOf(message, "stop_after_steps"),
                Sampler = message.Get<string>("sampler", null),
                Deterministic = message.Get("deterministic", true),
                Template = message.Get<string>("template", null),
                MustInclude = TextsOf(message, "must_include"),
                Situation = message.Get<string>("situation", null),
                Escape = EnumOf<LineEscape>(message, "escape", "plain"),
                Record = message.Get("record", true),
            };
            Persona persona = Timing(message, options);
            AskOptions.CheckAsk(message.Need<string>("text"), options);
            Outgoing.Ask(to, request, persona, message.Need<string>("text"), options, options.DeadlineMs);
        }

        private static void SayChoose(MsgPackWriter to, long request, Map message)
        {
            var options = new ChooseOptions();
            Persona persona = Timing(message, options);
            List<string> answers = TextsOf(message, "options");
            ChooseOptions.CheckChoose(message.Need<string>("text"), answers, options);
            Outgoing.Choose(to, request, persona, message.Need<string>("text"), answers, options, options.DeadlineMs);
        }

        private static void SaySummary(MsgPackWriter to, long request, Map message)
        {
            var client = new PalaverClient();
            client.PutNpc(new Persona(message.Need<string>("id"), "name", "role"));
            int keep = (int)message.Get("keep", 4L);
            client.SetSummary(message.Need<string>("id"), message.Need<string>("text"), keep);
            Outgoing.NpcSummary(to, request, message.Need<string>("id"), message.Need<string>("text"), keep);
        }

        private static Persona Timing(Map message, ChooseOptions options)
        {
            options.DeadlineMs = (int?)OptionalOf(message, "deadline_ms");
            options.Priority = (int)message.Get("priority", 0L);
            options.Policy = EnumOf<AskPolicy>(message, "policy", "queue");
            return Context(message, options);
        }

        /// <summary>Fills in what a prompt is made of; returns who is meant.</summary>
        private static Persona Context(Map message, PromptOptions options)
        {
            Map whole = message.Get<object>("npc", null) as Map;
            options.Summary = message.Get("summary", "");
            options.World = WorldOf(message.Get("world", new Map()));
            options.History = HistoryOf(message);
            Persona persona = whole != null ? PersonaOf(whole) : new Persona(message.Need<string>("npc"), "name", "role");
            persona.Check();
            if (whole == null)
            {
                if (options.Summary.Length + options.World.Sections.Count + options.History.Count > 0)
                {
                    throw new PalaverException("bad-request", "an id and a context: the options cannot say it", "");
                }
                options.World = null;
                options.History = null;
            }
            return persona;
        }

        private static Persona PersonaOf(Map npc)
        {
            string[] known =
            {
                "id", "name", "role", "place", "mood", "manner", "language", "knowledge", "secrets", "names", "actions",
                "fallbacks", "situations", "banned", "max_sentences", "max_chars",
            };
            OnlyKeys(npc, known);
            var persona = new Persona(npc.Need<string>("id"), npc.Need<string>("name"), npc.Need<string>("role"))
            {
                Place = npc.Get("place", ""),
                Mood = npc.Get("mood", ""),
                Manner = npc.Get("manner", ""),
                Language = npc.Get("language", ""),
                Knowledge = TextsOf(npc, "knowledge"),
                Secrets = TextsOf(npc, "secrets"),
                Names = TextsOf(npc, "names"),
                Actions = TextsOf(npc, "actions"),
                Fallbacks = TextsOf(npc, "fallbacks"),
                Situations = npc.Get("situations", new Map()).Pairs.ConvertAll(
                    pair => new Situation(pair.Key, Texts(pair.Value).ToArray())),
                Banned = TextsOf(npc, "banned"),
                MaxSentences = (int?)OptionalOf(npc, "max_sentences"),
                MaxChars = (int?)OptionalOf(npc, "max_chars"),
            };
            persona.Check();
            return persona;
        }

        private static World WorldOf(Map map)
        {
            var world = new World();
            foreach (KeyValuePair<string, object> pair in map.Pairs)
            {
                if (pair.Value is Map section)
                {
                    OnlyKeys(section, "facts", "budget_tokens");
                    int? budget = (int?)OptionalOf(section, "budget_tokens");
                    world.Add(new WorldSection(pair.Key, TextsOf(section, "facts"), budget));
                }
                else
                {
                    world.Add(new WorldSection(pair.Key, Texts(pair.Value)));
                }
            }
            world.Check();
            return world;
        }

        private static void OnlyKeys(Map map, params string[] known)
        {
            if (map.Pairs.Exists(pair => Array.IndexOf(known, pair.Key) < 0))
            {
                throw new PalaverException("bad-request", "a key that cannot be said", "");
            }
        }

        private static T EnumOf<T>(Map message, string key, string usual) where T : struct
        {
            return Enum.TryParse(message.Get(key, usual), true, out T parsed) ? parsed
                : throw new PalaverException("bad-request", key, "");
        }

        private static List<string> TextsOf(Map map, string key)
        {
            return Texts(map.Get(key, new List<object>()));
        }

        private static List<string> Texts(object list)
        {
            return list is List<object> texts
                ? texts.ConvertAll(text => text as string ?? throw new PalaverException("bad-request", "a text", ""))
                : throw new PalaverException("bad-request", "a list", "");
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
    }
}
