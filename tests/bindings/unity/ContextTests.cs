namespace Palaver.Tests
{
    /// <summary>
    /// Worlds, summaries, choices, prompts and pinned words against the sidecar of test_context.py. Argument: its port.
    /// </summary>
    internal static class ContextTests
    {
        private static readonly string[] Answers = { "Yes.", "No.", "Ask me later." };

        internal static void ANewConnectionIsToldEverything(string port)
        {
            using (PalaverClient client = ClientTests.Connected(port))
            {
                client.PutWorld(new World().Add("time", "It is evening."));
                Check.Equal("One?", Check.Line(client, client.Ask("smith", "One?")).PlainText, "the first line");
                client.SetSummary("smith", "They met.", 1);
                ChooseHandle choose = client.Choose("smith", "Well?", Answers, new ChooseOptions { DeadlineMs = 60000 });
                Check.Equal(1, Choice(client, choose).Index, "the choice");
                Check.Equal("No.", choose.Choice.Text, "what was chosen");
                Check.Equal(LineSource.Model, choose.Choice.Source, "the source");
                Check.Equal("They met.", client.Summary("smith"), "the summary");
                Check.Equal(1, client.Turns("smith").Count, "turns");
            }
        }

        internal static void EveryChooseEnds(string port)
        {
            long nowMs = 0;
            using (PalaverClient client = ClientTests.Connected(port, () => nowMs))
            {
                PalaverChoice refused = Choice(client, client.Choose("smith", "busy", Answers));
                Check.Equal("busy", refused.FinishReason, "the reason");
                Check.Equal(LineSource.Fallback, refused.Source, "the source");
                Check.Equal(0, refused.Index, "the index");
                Check.Equal(1.0 / 3, refused.Probabilities[2], "the last probability");

                ChooseHandle silent = client.Choose("smith", "silent", Answers, new ChooseOptions { DeadlineMs = 100 });
                ChooseHandle given = client.Choose("smith", "silent", Answers);
                given.Cancel();
                nowMs += 350;
                client.Update();
                Check.Equal("timeout", silent.Choice.FinishReason, "the reason of a silent sidecar");
                Check.Equal(AskState.Cancelled, given.State, "a cancelled one");
                Check.Equal(0, client.OpenAsks, "open asks");
                Check.Refused("bad-request", () => client.Choose("smith", "?", new[] { "Yes." }), "one option");
                Check.Refused("bad-request", () => client.Choose("smith", "?", null), "no options");
            }
        }

        internal static void FallbacksHoldWhatIsPinned(string port)
        {
            using (PalaverClient client = ClientTests.Connected(port))
            {
                client.PutNpc(new Persona("smith", "Borin", "blacksmith")
                {
                    Fallbacks = new[] { "Not now." },
                    Situations = new[] { new Situation("closed", "Come back tomorrow.") },
                });
                Says(client, "Come back tomorrow.", new AskOptions { Situation = "closed" });
                Says(client, "Not now.", new AskOptions { Situation = "closed" });
                Says(client, "Come back tomorrow. Forty gold.",
                    new AskOptions { Situation = "closed", MustInclude = new[] { "Forty gold" } });
                Says(client, "Bring ..., or nothing.", new AskOptions { Template = "Bring {*2}, or {*=nothing}." });
                Check.Refused(
                    "bad-request", () => client.Ask("smith", "?", new AskOptions { Template = "{*" }), "a template");
            }
        }

        internal static void LinesTellWhatTheyDo(string port)
        {
            using (PalaverClient client = ClientTests.Connected(port))
            {
                PalaverLine line = Check.Line(
                    client, client.Ask("smith", "The bell", new AskOptions { Escape = LineEscape.BbCode }));
                Check.Equal("[lb]Take[lb] it.", line.Text, "the text");
                Check.Equal("[Take] it.", line.PlainText, "the plain text");
                Check.Equal("sighs", line.Directions[0], "the direction");
                Check.Equal("give(iron kettle, 3)", line.Action.ToString(), "the action");
                Check.Equal("iron kettle", line.Action.Text("item"), "an argument");
                Check.Equal(3L, line.Action.Number("count"), "a number");
                Check.Until(client.Update, () => client.Summary("smith").Length > 0, "a summary of the sidecar");
                Check.Equal("They met.", client.Summary("smith"), "the summary");
                Check.Equal("[Take] it.", client.Turns("smith")[0].Answer, "what is remembered");

                const string Old = "{\"palaver_save\": 1, \"npc\": \"smith\", \"turns\": [[\"a\", \"b\"], [\"c\", \"d\"]]}";
                client.Load("smith", Old);
                Check.Equal("", client.Summary("smith"), "the summary of a save of version 1");
                Check.Equal(2, client.Turns("smith").Count, "the turns of it");
                Check.That(client.Save("smith").Contains("\"palaver_save\": 2"), "a save of version 2");
            }
        }

        internal static void PromptsComeOrTellWhyNot(string port)
        {
            using (PalaverClient client = ClientTests.Connected(port))
            {
                var context = new PromptOptions { World = new World().Add("time", "Noon."), Summary = "They met." };
                PromptHandle prompt = client.Prompt("smith", "Hello", context);
                int ends = 0;
                prompt.Ended += ended => ends++;
                Check.Until(client.Update, () => prompt.HasEnded, "a prompt");
                Check.Equal("You are Borin.", prompt.Prompt.Text, "the text");
                Check.Equal(12, prompt.Prompt.Tokens, "tokens");
                Check.Equal("A fact.", prompt.Prompt.Dropped[0], "what was dropped");

                PromptHandle refused = client.Prompt("smith", "loading");
                Check.Until(client.Update, () => refused.HasEnded, "an error");
                Check.Equal("loading", refused.Error.Code, "the error");

                PromptHandle silent = client.Prompt("smith", "silent");
                client.Disconnect();
                client.Update();
                Check.Equal("unreachable", silent.Error.Code, "the error of a lost connection");
                Check.Equal("unreachable", client.Prompt("smith", "Hello").Error.Code, "the error without one");
                Check.Equal(1, ends, "ends");
            }
        }

        private static void Says(PalaverClient client, string expected, AskOptions options)
        {
            Check.Equal(expected, Check.Line(client, client.Ask("smith", "Hello", options)).Text, "the fallback");
        }

        private static PalaverChoice Choice(PalaverClient client, ChooseHandle handle)
        {
            Check.Until(client.Update, () => handle.State != AskState.Waiting, $"an end of '{handle.Text}'");
            Check.That(handle.Choice != null, $"'{handle.Text}' ended without a choice");
            return handle.Choice;
        }
    }
}
