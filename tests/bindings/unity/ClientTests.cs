using System;
using System.Collections.Generic;
using System.Threading;

namespace Palaver.Tests
{
    /// <summary>The client against a sidecar that test_client.py plays with real ZeroMQ. Argument: its port.</summary>
    internal static class ClientTests
    {
        internal static void AsksFromBeforeTheWelcomeAreSentAfterIt(string port)
        {
            using (var client = new PalaverClient("palaver-unity"))
            {
                client.PutNpc(Smith());
                client.PutNpc(new Persona("guard", "Dorn", "guard"));
                client.SetBudget(0.5);
                AskHandle first = client.Ask("smith", "One?", new AskOptions { Seed = 7, DeadlineMs = 60000 });
                AskHandle second = client.Ask("guard", "Two?", new AskOptions { Record = false });
                var history = new List<Turn> { new Turn("Hi", "Aye.") };
                AskHandle third = client.Ask("smith", "Three?", new AskOptions { History = history });
                Check.Equal(3, client.OpenAsks, "open asks");
                client.Connect(int.Parse(port), "open sesame");
                Check.Equal("One? indeed", Check.Line(client, first).Text, "the first line");
                Check.Equal("Two? indeed", Check.Line(client, second).Text, "the second line");
                Check.Equal("Three? indeed", Check.Line(client, third).Text, "the third line");
                Check.Equal("pocket", client.Facts.ModelName, "the model");
                Check.Equal(1, client.Turns("smith").Count, "what the smith remembers");
                Check.Equal(0, client.Turns("guard").Count, "what the guard remembers");
            }
        }

        internal static void EveryErrorEndsInAFallbackLine(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                string last = null;
                for (int round = 0; round < 10; round++)
                {
                    PalaverLine line = Check.Line(client, client.Ask("smith", "Hello"));
                    Check.Equal(LineSource.Fallback, line.Source, "the source");
                    Check.Equal("busy", line.FinishReason, "the reason");
                    Check.That(line.Text != last, "the same line twice running");
                    Check.That(line.Text == "Not now." || line.Text == "Later.", $"a line of the smith's, not {line.Text}");
                    last = line.Text;
                }
                Check.Equal(0, client.Turns("smith").Count, "turns");
            }
        }

        internal static void SilenceEndsInAFallbackLine(string port)
        {
            long nowMs = 1000;
            using (PalaverClient client = Connected(port, () => nowMs))
            {
                AskHandle hurried = client.Ask("smith", "Hello", new AskOptions { DeadlineMs = 100 });
                AskHandle patient = client.Ask("smith", "Hello again", new AskOptions { Seed = 5 });
                nowMs += 349;
                client.Update();
                Check.Equal(AskState.Waiting, hurried.State, "just before the watchdog");
                nowMs += 1;
                client.Update();
                Check.Equal("timeout", hurried.Line.FinishReason, "the reason");
                nowMs += 29649;
                client.Update();
                Check.Equal(AskState.Waiting, patient.State, "just before 30 s");
                nowMs += 1;
                client.Update();
                Check.Equal("timeout", patient.Line.FinishReason, "the reason");
                Check.Equal(5L, patient.Line.Seed, "the seed");
                Check.Equal(0, client.OpenAsks, "open asks");
            }
        }

        internal static void NobodyThereEndsInAFallbackLineToo(string port)
        {
            long nowMs = 0;
            using (var client = new PalaverClient(null, () => nowMs))
            {
                client.PutNpc(Smith());
                client.Connect(int.Parse(port));
                AskHandle ask = client.Ask("smith", "Hello", new AskOptions { DeadlineMs = 2000 });
                int problems = 0;
                client.Problem += problem => problems++;
                var states = new List<ClientState>();
                client.StateChanged += states.Add;
                Check.Until(
                    () =>
                    {
                        nowMs += 10;
                        client.Update();
                    },
                    () => ask.State != AskState.Waiting,
                    "an end");
                Check.Equal("unreachable", ask.Line.FinishReason, "the reason");
                Check.Equal(1, problems, "problems told, of several vain tries");
                Check.Equal(2250L, nowMs, "the watchdog's time");
            }
        }

        internal static void SilenceOfTheConnectionIsNoticed(string port)
        {
            long nowMs = 0;
            using (PalaverClient client = Connected(port, () => nowMs))
            {
                PalaverException problem = null;
                client.Problem += told => problem = told;
                // In steps of a slow game: one long step would count as the game's own fault.
                for (; nowMs < 5900; nowMs += 100)
                {
                    client.Update();
                    Check.Equal(ClientState.Ready, client.State, $"after {nowMs} ms");
                }
                for (; nowMs < 6100; nowMs += 100)
                {
                    client.Update();
                }
                Check.Equal(ClientState.Disconnected, client.State, "after 6 s");
                Check.Equal("unreachable", problem?.Code, "the problem");
                nowMs += 250;
                Check.Until(client.Update, () => client.State == ClientState.Ready, "a new connection");
                nowMs += 60000;
                client.Update();
                Check.Equal(ClientState.Ready, client.State, "after a frame of a minute");
            }
        }

        internal static void LateLinesStayInBothMemories(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                int ends = 0;
                AskHandle ask = client.Ask("smith", "Hello");
                ask.Ended += ended => ends++;
                client.Update();
                ask.Cancel();
                ask.Cancel();
                Check.Equal(AskState.Cancelled, ask.State, "the state");
                Check.Until(client.Update, () => client.Turns("smith").Count == 1, "the late line's turn");
                Check.Equal(1, ends, "ends");
                Check.Equal(null, ask.Line, "the line");

                AskHandle other = client.Ask("smith", "And now?");
                client.Load("smith", "{\"palaver_save\": 1, \"npc\": \"smith\", \"turns\": [[\"Old\", \"Times.\"]]}");
                Check.Equal(AskState.Cancelled, other.State, "an ask from before the load");
                client.RequestReport();
                bool reported = false;
                client.Reported += report => reported = true;
                Check.Until(client.Update, () => reported, "a report");
                Check.Equal("Old", client.Turns("smith")[0].Player, "the turn that was loaded");
                Check.Equal(1, client.Turns("smith").Count, "turns");
                Check.Equal(1, ends, "ends");
            }
        }

        internal static void NonsenseIsPassedOver(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                int problems = 0;
                client.Problem += problem => problems++;
                Check.Equal("Hello indeed", Check.Line(client, client.Ask("smith", "Hello")).Text, "the line");
                Check.Equal(ClientState.Ready, client.State, "the state");
                Check.Equal(1, problems, "problems told");
            }
        }

        internal static void AFloodIsTakenInPieces(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                int problems = 0;
                client.Problem += problem => problems++;
                AskHandle ask = client.Ask("smith", "Hello");
                // Nothing is taken meanwhile, so that all of it is there.
                Thread.Sleep(300);
                for (int before = 0; ask.State == AskState.Waiting; before = problems)
                {
                    client.Update();
                    Check.That(problems - before <= 64, $"{problems - before} messages in a frame");
                }
                Check.Equal(300, problems, "messages of the flood");
                Check.Equal(LineSource.Model, ask.Line.Source, "the line behind it");
            }
        }

        internal static void AForgottenClientStartsOver(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                AskHandle first = client.Ask("smith", "One?");
                AskHandle second = client.Ask("smith", "Two?");
                Check.Equal("One? indeed", Check.Line(client, first).Text, "the first line");
                Check.Equal("Two? indeed", Check.Line(client, second).Text, "the second line");
            }
        }

        internal static void AWrongSecretIsTriedOnce(string port)
        {
            long nowMs = 0;
            using (var client = new PalaverClient(null, () => nowMs))
            {
                PalaverException problem = null;
                client.Problem += told => problem = told;
                client.PutNpc(Smith());
                client.Connect(int.Parse(port), "guess");
                PalaverLine line = Check.Line(client, client.Ask("smith", "Hello"));
                Check.Equal("wrong-secret", line.FinishReason, "the reason");
                Check.Equal("wrong-secret", problem?.Code, "the problem");
                for (int step = 0; step < 100; step++, nowMs += 100)
                {
                    client.Update();
                }
                Check.Equal(ClientState.Disconnected, client.State, "10 s later");
            }
        }

        internal static void ALostConnectionIsMadeAnew(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                Check.Line(client, client.Ask("smith", "One?"));
                AskHandle ask = client.Ask("smith", "Two?", new AskOptions { Seed = 9, DeadlineMs = 60000 });
                Check.Equal("Two? indeed", Check.Line(client, ask).Text, "the line");
                Check.Equal(2, client.Turns("smith").Count, "turns");
            }
        }

        internal static void ASidecarThatDoesNotReadBlocksNothing(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                PalaverException problem = null;
                client.Problem += told => problem = told;
                var history = new List<Turn>();
                for (int turn = 0; turn < 60; turn++)
                {
                    history.Add(new Turn(new string('a', 4000), new string('b', 4000)));
                }
                // Half a megabyte each: more than the system and the client together keep.
                for (int ask = 0; ask < 60 && problem == null; ask++)
                {
                    client.Ask("smith", "Hello", new AskOptions { History = history });
                    client.Update();
                }
                Check.That(problem != null && problem.Message.Contains("does not read"), $"the problem: {problem}");
                Check.That(client.OpenAsks > 0, "asks that wait for a better connection");
            }
        }

        internal static void CommandsAreObeyed(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                bool reported = false;
                client.Reported += report => reported = true;
                client.RequestReport();
                Check.Until(client.Update, () => reported, "a report, which comes once PONG has come");
            }
        }

        internal static void HandlersMayDoAnything(string port)
        {
            using (PalaverClient client = Connected(port))
            {
                var thrown = new List<string>();
                AskHandle next = null;
                AskHandle gone = client.Ask("smith", "Never mind");
                AskHandle ask = client.Ask("smith", "Hello", new AskOptions { DraftEveryMs = 0 });
                ask.Drafted += draft =>
                {
                    client.Update();
                    throw new InvalidOperationException("a draft");
                };
                ask.Ended += ended =>
                {
                    gone.Cancel();
                    next = client.Ask("smith", "And then?");
                    throw new InvalidOperationException("an end");
                };
                client.HandlerThrew += error => thrown.Add(error.Message);
                Check.Until(client.Update, () => next != null && next.State == AskState.Done, "the next ask");
                Check.That(thrown.Contains("an end"), "the exception of a handler");
                client.ForgetNpc("smith");
                Check.Refused("unknown-npc", () => client.Ask("smith", "Hello?"), "a forgotten character");
            }
        }

        internal static PalaverClient Connected(string port, Func<long> clockMs = null)
        {
            var client = new PalaverClient("tests", clockMs);
            client.PutNpc(Smith());
            client.Connect(int.Parse(port));
            Check.Until(client.Update, () => client.State == ClientState.Ready, "a welcome");
            return client;
        }

        private static Persona Smith()
        {
            return new Persona("smith", "Borin", "blacksmith") { Fallbacks = new[] { "Not now.", "Later." } };
        }
    }
}
