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

        /// <summary>Turns that a summary leaves as they were, if nothing else is said.</summary>
        internal const int UsualKeep = 4;

        // In the order of LineEscape.
        private static readonly string[] EscapeNames = { "plain", "bbcode", "richtext", "yarn", "ink" };

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
            Payload.Npc(to, persona);
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

        internal static void NpcSummary(MsgPackWriter to, long request, string id, string text, int keep)
        {
            bool usual = keep == UsualKeep;
            Begin(to, "npc.summary", request, usual ? 2 : 3);
            Field(to, "id", id);
            Field(to, "text", text);
            Optional(to, "keep", usual ? null : (long?)keep);
        }

        internal static void WorldPut(MsgPackWriter to, long request, World world)
        {
            Begin(to, "world.put", request, 1);
            to.String("world");
            Payload.World(to, world);
        }

        /// <param name="to">An empty writer.</param>
        /// <param name="request">The id of the request.</param>
        /// <param name="persona">Who is asked: by id, or whole where the options bring a history or the like.</param>
        /// <param name="text">What the player says.</param>
        /// <param name="options">The rest.</param>
        /// <param name="deadlineMs">What is left of the deadline; null for none.</param>
        internal static void Ask(
            MsgPackWriter to, long request, Persona persona, string text, AskOptions options, long? deadlineMs)
        {
            string escape = NameOf(options.Escape);
            int fields = 2 + Given(options.Seed) + Given(options.Steps) + Given(options.MaxTokens)
                + Context(options) + Timing(options, deadlineMs)
                + Given(options.DraftEveryMs) + Given(options.StopAfterSteps) + Given(options.Sampler)
                + (options.Deterministic ? 0 : 1) + Given(options.Template) + Payload.Given(options.MustInclude)
                + Given(options.Situation) + Given(escape) + (options.Record ? 0 : 1);
            Begin(to, "ask", request, fields);
            Whom(to, persona, text, options);
            Optional(to, "seed", options.Seed);
            Optional(to, "steps", options.Steps);
            Optional(to, "max_tokens", options.MaxTokens);
            History(to, options.History);
            Timed(to, options, deadlineMs);
            Optional(to, "draft_every_ms", options.DraftEveryMs);
            Optional(to, "stop_after_steps", options.StopAfterSteps);
            Optional(to, "sampler", options.Sampler);
            False(to, "deterministic", options.Deterministic);
            Optional(to, "template", options.Template);
            Payload.Texts(to, "must_include", options.MustInclude);
            Optional(to, "situation", options.Situation);
            Optional(to, "escape", escape);
            WorldAndSummary(to, options);
            False(to, "record", options.Record);
        }

        /// <param name="to">An empty writer.</param>
        /// <param name="request">The id of the request.</param>
        /// <param name="persona">Who is asked, as in an ask.</param>
        /// <param name="text">What the player says.</param>
        /// <param name="answers">What there is to choose from.</param>
        /// <param name="options">The rest.</param>
        /// <param name="deadlineMs">What is left of the deadline; null for none.</param>
        internal static void Choose(
            MsgPackWriter to, long request, Persona persona, string text, IReadOnlyList<string> answers,
            ChooseOptions options, long? deadlineMs)
        {
            Begin(to, "choose", request, 3 + Context(options) + Timing(options, deadlineMs));
            Whom(to, persona, text, options);
            Payload.Texts(to, "options", answers);
            History(to, options.History);
            WorldAndSummary(to, options);
            Timed(to, options, deadlineMs);
        }

        internal static void PromptGet(
            MsgPackWriter to, long request, Persona persona, string text, PromptOptions options)
        {
            Begin(to, "prompt.get", request, 2 + Context(options));
            Whom(to, persona, text, options);
            History(to, options.History);
            WorldAndSummary(to, options);
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

        private static void Whom(MsgPackWriter to, Persona persona, string text, PromptOptions options)
        {
            to.String("npc");
            if (options.ById)
            {
                to.String(persona.Id);
            }
            else
            {
                Payload.Npc(to, persona);
            }
            Field(to, "text", text);
        }

        private static int Context(PromptOptions options)
        {
            return (options.History == null || options.History.Count == 0 ? 0 : 1)
                + (HasWorld(options) ? 1 : 0) + (options.Summary.Length == 0 ? 0 : 1);
        }

        private static bool HasWorld(PromptOptions options)
        {
            return options.World != null && options.World.Sections.Count > 0;
        }

        private static void WorldAndSummary(MsgPackWriter to, PromptOptions options)
        {
            if (HasWorld(options))
            {
                to.String("world");
                Payload.World(to, options.World);
            }
            Optional(to, "summary", options.Summary.Length == 0 ? null : options.Summary);
        }

        private static int Timing(ChooseOptions options, long? deadlineMs)
        {
            return Given(deadlineMs) + (options.Priority == 0 ? 0 : 1) + Given(NameOf(options.Policy));
        }

        private static void Timed(MsgPackWriter to, ChooseOptions options, long? deadlineMs)
        {
            Optional(to, "deadline_ms", deadlineMs);
            Optional(to, "priority", options.Priority == 0 ? null : (long?)options.Priority);
            Optional(to, "policy", NameOf(options.Policy));
        }

        private static void History(MsgPackWriter to, IReadOnlyList<Turn> history)
        {
            if (history == null || history.Count == 0)
            {
                return;
            }
            to.String("history");
            to.Array(history.Count);
            for (int index = 0; index < history.Count; index++)
            {
                to.Array(2);
                to.String(history[index].Player);
                to.String(history[index].Answer);
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
            return text == null ? 0 : 1;
        }

        private static string NameOf(LineEscape escape)
        {
            return escape == LineEscape.Plain ? null : EscapeNames[(int)escape];
        }

        private static string NameOf(AskPolicy policy)
        {
            return policy == AskPolicy.Replace ? "replace" : policy == AskPolicy.Reject ? "reject" : null;
        }
    }
}
