using System.Collections.Generic;

namespace Palaver.Wire
{
    /// <summary>
    /// Writes the messages of a client, each into an empty writer. Fields left at their defaults are left out.
    /// </summary>
    internal static class Outgoing
    {
        private const int Protocol = 1;
        private const double UsualFps = 60;

        internal static void Hello(MsgPackWriter to, long request, string secret, string client)
        {
            Begin(to, "hello", request, 1 + (secret == null ? 0 : 1) + (client == null ? 0 : 1));
            Field(to, "protocol", Protocol);
            Optional(to, "secret", secret);
            Optional(to, "client", client);
        }

        internal static void Ping(MsgPackWriter to, long request)
        {
            Begin(to, "ping", request, 0);
        }

        internal static void Stats(MsgPackWriter to, long request)
        {
            Begin(to, "stats", request, 0);
        }

        internal static void NpcPut(MsgPackWriter to, long request, Persona persona)
        {
            Begin(to, "npc.put", request, 1);
            to.String("npc");
            Npc(to, persona);
        }

        internal static void NpcForget(MsgPackWriter to, long request, string id)
        {
            Begin(to, "npc.forget", request, 1);
            Field(to, "id", id);
        }

        internal static void NpcLoad(MsgPackWriter to, long request, string data)
        {
            Begin(to, "npc.load", request, 1);
            Field(to, "data", data);
        }

        /// <param name="to">An empty writer.</param>
        /// <param name="request">The id of the request.</param>
        /// <param name="persona">Who is asked: sent by id, or whole where the options give a history.</param>
        /// <param name="text">What the player says.</param>
        /// <param name="options">The rest.</param>
        /// <param name="deadlineMs">What is left of the deadline; null for none.</param>
        internal static void Ask(
            MsgPackWriter to, long request, Persona persona, string text, AskOptions options, long? deadlineMs)
        {
            bool byId = options.History == null;
            int turns = byId ? 0 : options.History.Count;
            int fields = 2 + Given(options.Seed) + Given(options.Steps) + Given(options.MaxTokens)
                + (turns == 0 ? 0 : 1) + Given(deadlineMs) + (options.Priority == 0 ? 0 : 1) + (options.Policy == AskPolicy.Queue ? 0 : 1)
                + Given(options.DraftEveryMs) + Given(options.StopAfterSteps) + (options.Sampler == null ? 0 : 1)
                + (options.Deterministic ? 0 : 1) + (options.Record ? 0 : 1);
            Begin(to, "ask", request, fields);
            to.String("npc");
            if (byId)
            {
                to.String(persona.Id);
            }
            else
            {
                Npc(to, persona);
            }
            Field(to, "text", text);
            Optional(to, "seed", options.Seed);
            Optional(to, "steps", options.Steps);
            Optional(to, "max_tokens", options.MaxTokens);
            if (turns > 0)
            {
                History(to, options.History);
            }
            Optional(to, "deadline_ms", deadlineMs);
            Optional(to, "priority", options.Priority == 0 ? null : (long?)options.Priority);
            Optional(to, "policy", NameOf(options.Policy));
            Optional(to, "draft_every_ms", options.DraftEveryMs);
            Optional(to, "stop_after_steps", options.StopAfterSteps);
            Optional(to, "sampler", options.Sampler);
            False(to, "deterministic", options.Deterministic);
            False(to, "record", options.Record);
        }

        internal static void Cancel(MsgPackWriter to, long request, long target)
        {
            Begin(to, "cancel", request, 1);
            Field(to, "target", target);
        }

        internal static void Tick(MsgPackWriter to, long frame, double budgetMs)
        {
            to.Map(3);
            Field(to, "type", "tick");
            Field(to, "frame", frame);
            to.String("budget_ms");
            to.Double(budgetMs);
        }

        internal static void Budget(MsgPackWriter to, long request, double maxLoad, double fps)
        {
            bool usual = fps == UsualFps;
            Begin(to, "budget", request, usual ? 1 : 2);
            to.String("max_load");
            to.Double(maxLoad);
            if (!usual)
            {
                to.String("fps");
                to.Double(fps);
            }
        }

        internal static void Bye(MsgPackWriter to, long request)
        {
            Begin(to, "bye", request, 0);
        }

        private static void Begin(MsgPackWriter to, string type, long request, int fields)
        {
            to.Map(2 + fields);
            Field(to, "type", type);
            Field(to, "request", request);
        }

        private static void Npc(MsgPackWriter to, Persona persona)
        {
            to.Map(3 + Given(persona.Place) + Given(persona.Mood) + Given(persona.Manner) + Given(persona.Knowledge)
                + Given(persona.Fallbacks) + Given(persona.Banned));
            Field(to, "id", persona.Id);
            Field(to, "name", persona.Name);
            Field(to, "role", persona.Role);
            NotEmpty(to, "place", persona.Place);
            NotEmpty(to, "mood", persona.Mood);
            NotEmpty(to, "manner", persona.Manner);
            Texts(to, "knowledge", persona.Knowledge);
            Texts(to, "fallbacks", persona.Fallbacks);
            Texts(to, "banned", persona.Banned);
        }

        private static void History(MsgPackWriter to, IReadOnlyList<Turn> history)
        {
            to.String("history");
            to.Array(history.Count);
            for (int index = 0; index < history.Count; index++)
            {
                to.Array(2);
                to.String(history[index].Player);
                to.String(history[index].Answer);
            }
        }

        private static void Texts(MsgPackWriter to, string name, IReadOnlyList<string> texts)
        {
            if (texts.Count == 0)
            {
                return;
            }
            to.String(name);
            to.Array(texts.Count);
            for (int index = 0; index < texts.Count; index++)
            {
                to.String(texts[index]);
            }
        }

        private static void Field(MsgPackWriter to, string name, string value)
        {
            to.String(name);
            to.String(value);
        }

        private static void Field(MsgPackWriter to, string name, long value)
        {
            to.String(name);
            to.Int(value);
        }

        private static void Optional(MsgPackWriter to, string name, string value)
        {
            if (value != null)
            {
                Field(to, name, value);
            }
        }

        private static void NotEmpty(MsgPackWriter to, string name, string value)
        {
            Optional(to, name, value.Length == 0 ? null : value);
        }

        private static void Optional(MsgPackWriter to, string name, long? value)
        {
            if (value != null)
            {
                Field(to, name, value.Value);
            }
        }

        private static void False(MsgPackWriter to, string name, bool value)
        {
            if (!value)
            {
                to.String(name);
                to.Bool(false);
            }
        }

        private static int Given(long? value)
        {
            return value == null ? 0 : 1;
        }

        private static int Given(string text)
        {
            return text.Length == 0 ? 0 : 1;
        }

        private static int Given(IReadOnlyList<string> texts)
        {
            return texts.Count == 0 ? 0 : 1;
        }

        private static string NameOf(AskPolicy policy)
        {
            return policy == AskPolicy.Replace ? "replace" : policy == AskPolicy.Reject ? "reject" : null;
        }
    }
}
