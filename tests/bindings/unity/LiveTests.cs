using System;
using System.Collections.Generic;

namespace Palaver.Tests
{
    /// <summary>
    /// The client against a real sidecar with the pocket model. Argument: its port; PALAVER_SECRET as usual.
    /// </summary>
    internal static class LiveTests
    {
        internal static void ALineComesWithDraftsAndAgainFromItsSeed(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                var drafts = new List<PalaverDraft>();
                var options = new AskOptions { Steps = 8, DraftEveryMs = 0, Record = false };
                AskHandle ask = client.Ask("smith", "What does the iron sword cost?", options);
                ask.Drafted += drafts.Add;
                PalaverLine line = Check.Line(client, ask);
                Check.Equal(LineSource.Model, line.Source, "the source");
                Check.That(drafts.Count > 0, "no draft");
                Check.That(line.Text.Length > 0 && line.StepsDone > 0 && line.Timings.TotalMs > 0, "the line's facts");
                var again = new AskOptions { Steps = line.StepsPlanned, Seed = line.Seed, Record = false };
                Check.Equal(line.Text, Check.Line(client, client.Ask("smith", ask.Text, again)).Text, "the same line again");
                Check.Equal(1.0, client.LoadProgress, "the progress of loading");
            }
        }

        internal static void ACancelledAskLeavesRoomForTheNext(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                AskHandle long_ = client.Ask("smith", "Tell me all", new AskOptions { Steps = 1000, MaxTokens = 4096 });
                AskHandle next = client.Ask("smith", "Hello", new AskOptions { Steps = 4 });
                client.Update();
                long_.Cancel();
                Check.Equal(LineSource.Model, Check.Line(client, next).Source, "the next line");
                Check.Equal(AskState.Cancelled, long_.State, "the cancelled ask");
                Check.Equal(1, client.Turns("smith").Count, "turns");
            }
        }

        internal static void ComputeHappensInsideTicksOnly(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                client.Tick(1, 0);
                AskHandle ask = client.Ask("smith", "Hello", new AskOptions { Steps = 4, Record = false });
                int reports = 0;
                client.Reported += report =>
                {
                    reports++;
                    Check.Equal(1, report.OpenAsks, "open asks while nothing is given");
                };
                client.HandlerThrew += error => throw error;
                client.RequestReport();
                Check.Until(client.Update, () => reports > 0, "a report");
                Check.Equal(AskState.Waiting, ask.State, "the ask while nothing is given");
                long frame = 1;
                Check.Until(
                    () =>
                    {
                        client.Tick(++frame, 4);
                        client.Update();
                    },
                    () => ask.State == AskState.Done,
                    "a line inside of ticks");
                client.SetBudget(1);
                Check.Line(client, client.Ask("smith", "Hello", new AskOptions { Steps = 4, Record = false }));
            }
        }

        internal static void WhatWasSaidIsPartOfTheNextPrompt(string port)
        {
            var options = new AskOptions { Steps = 8, Seed = 4 };
            string saved;
            string second;
            using (PalaverClient client = Connected(port))
            {
                Check.Line(client, client.Ask("smith", "Hello", options));
                saved = client.Save("smith");
                second = Check.Line(client, client.Ask("smith", "And the shield?", options)).Text;
                Check.Equal(2, client.Turns("smith").Count, "turns");

                client.Load("smith", saved);
                Check.Equal(1, client.Turns("smith").Count, "turns after loading");
                string again = Check.Line(client, client.Ask("smith", "And the shield?", options)).Text;
                Check.Equal(second, again, "the same again");
            }
            using (PalaverClient client = Connected(port))
            {
                client.Load("smith", saved);
                string again = Check.Line(client, client.Ask("smith", "And the shield?", options)).Text;
                Check.Equal(second, again, "in another client");
                Check.Equal(2, client.Turns("smith").Count, "turns in another client");
            }
        }

        internal static void TwoClientsKnowNothingOfEachOther(string port)
        {
            using (PalaverClient one = Connected(port))
            using (PalaverClient two = Connected(port))
            {
                var options = new AskOptions { Steps = 4, Seed = 2 };
                two.PutNpc(new Persona("smith", "Petra", "innkeeper"));
                AskHandle first = one.Ask("smith", "Who are you?", options);
                AskHandle second = two.Ask("smith", "Who are you?", options);
                Check.Until(
                    () =>
                    {
                        one.Update();
                        two.Update();
                    },
                    () => first.State == AskState.Done && second.State == AskState.Done,
                    "both lines");
                Check.That(first.Line.Text != second.Line.Text, $"two characters that say '{first.Line.Text}'");
                two.ForgetNpc("smith");
                two.Update();
                PalaverLine third = Check.Line(one, one.Ask("smith", "Still there?", options));
                Check.Equal(LineSource.Model, third.Source, "the other's smith");
                Check.Equal(2, one.Turns("smith").Count, "turns");
            }
        }

        internal static void KnowledgeThatDoesNotFitIsLeftOut(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                // Fits the protocol, but not the model.
                var facts = new List<string>();
                for (int fact = 0; fact < 256; fact++)
                {
                    facts.Add($"The item number {fact} costs {fact} gold, and it is not for sale to strangers.");
                }
                client.PutNpc(new Persona("sage", "Ilda", "sage") { Knowledge = facts });
                PromptHandle prompt = client.Prompt("sage", "What does the item number 77 cost?");
                Check.Until(client.Update, () => prompt.HasEnded, "a prompt");
                Check.That(prompt.Prompt != null, $"no prompt: {prompt.Error}");
                Check.That(prompt.Prompt.Dropped.Count > 0, "all of it fits");
                Check.That(prompt.Prompt.Text.Contains("item number 77 costs"), "the fact that was asked for");
                Check.That(!prompt.Prompt.Text.Contains("evening"), "a world before there is one");
                client.PutWorld(new World().Add("time", "It is evening."));
                prompt = client.Prompt("sage", "Hello");
                Check.Until(client.Update, () => prompt.HasEnded, "a prompt");
                Check.That(prompt.Prompt.Text.Contains("It is evening."), "the world");
            }
        }

        internal static void PinnedWordsAndChoicesComeFromTheModel(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                var options = new AskOptions { Steps = 4, Template = "Aye, {*2-6} for <40> gold." };
                options.Escape = LineEscape.RichText;
                PalaverLine line = Check.Line(client, client.Ask("smith", "What does the sword cost?", options));
                Check.That(line.Text.StartsWith("Aye, ", StringComparison.Ordinal), $"the pin before: {line.Text}");
                Check.That(line.Text.EndsWith(" for <40> gold.", StringComparison.Ordinal), $"the pin behind: {line}");
                var answers = new[] { "The iron sword costs 40 gold.", "Good night." };
                ChooseHandle choose = client.Choose("smith", "What does the iron sword cost?", answers);
                Check.Until(client.Update, () => choose.State != AskState.Waiting, "a choice");
                Check.Equal(LineSource.Model, choose.Choice.Source, "the source");
                Check.Equal(2, choose.Choice.Probabilities.Count, "probabilities");
            }
        }

        private static PalaverClient Connected(string port)
        {
            var client = new PalaverClient("tests");
            client.PutNpc(Smith());
            client.Connect(int.Parse(port), Environment.GetEnvironmentVariable("PALAVER_SECRET"));
            Check.Until(client.Update, () => client.State == ClientState.Ready, "a welcome");
            return client;
        }

        internal static Persona Smith()
        {
            return new Persona("smith", "Borin", "blacksmith")
            {
                Place = "Oakvale",
                Knowledge = new[] { "The iron sword costs 40 gold.", "The oak shield costs 25 gold." },
                Fallbacks = new[] { "Not now.", "Later." },
            };
        }
    }
}
