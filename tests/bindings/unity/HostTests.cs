using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;

namespace Palaver.Tests
{
    /// <summary>
    /// The sidecar as a child process. Arguments: the Python that has Palaver, and a folder to write to.
    /// </summary>
    internal static class HostTests
    {
        internal static void ASidecarThatIsKilledIsStartedAgain(string python, string folder)
        {
            using (PalaverHost host = Host(python, folder))
            {
                var quick = new AskOptions { Steps = 4 };
                PalaverException problem = null;
                host.Problem += told => problem = told;
                host.Client.PutNpc(LiveTests.Smith());
                AskHandle first = host.Client.Ask("smith", "Hello", quick);
                host.Start();
                Check.Until(host.Update, () => first.State == AskState.Done, "the first line");

                AskHandle second = host.Client.Ask("smith", "And now?", new AskOptions { Steps = 100, DraftEveryMs = 0 });
                bool drafted = false;
                second.Drafted += draft => drafted = true;
                Check.Until(host.Update, () => drafted, "a draft");
                int killed = host.SidecarId;
                using (Process sidecar = Process.GetProcessById(killed))
                {
                    sidecar.Kill();
                }
                AskHandle third = host.Client.Ask("smith", "Still there?", quick);
                Check.Until(host.Update, () => third.State == AskState.Done, "a line of the new sidecar");
                Check.Equal(2, host.Starts, "starts");
                Check.Equal("sidecar-failed", problem?.Code, "the problem");
                Check.Equal(LineSource.Model, second.Line.Source, "the ask that was under way");
                Check.Equal(LineSource.Model, third.Line.Source, "the ask behind it");
                Check.Equal(3, host.Client.Turns("smith").Count, "turns");
                Check.That(host.SidecarId != killed, "another process");
                host.Stop();
                Check.Equal(0, host.SidecarId, "no process");
            }
            Check.Equal(0, Directory.GetFiles(folder, "*.json").Length, "ready files that were left");
        }

        internal static void WhatCannotBeStartedIsToldAndTriedAgain(string python, string folder)
        {
            var broken = new List<SidecarOptions>
            {
                new SidecarOptions(Path.Combine(folder, "nothing-here")) { ReadyFolder = folder },
                new SidecarOptions(python) { ReadyFolder = folder },
            };
            broken[1].LeadingArguments.AddRange(new[] { "-c", "import sys; sys.exit('no model today')" });
            foreach (SidecarOptions options in broken)
            {
                using (var host = new PalaverHost(options, new PalaverClient()))
                {
                    var problems = new List<PalaverException>();
                    host.Problem += problems.Add;
                    host.Client.PutNpc(LiveTests.Smith());
                    AskHandle ask = host.Client.Ask("smith", "Hello", new AskOptions { DeadlineMs = 200 });
                    host.Start();
                    Check.Until(host.Update, () => problems.Count >= 2 && ask.State == AskState.Done, "two tries");
                    Check.Equal("unreachable", ask.Line.FinishReason, "the reason");
                    Check.Equal("sidecar-failed", problems[0].Code, "the problem");
                }
            }
        }

        internal static void TheSidecarSaysWhyItEnded(string python, string folder)
        {
            var options = new SidecarOptions(python) { ReadyFolder = folder };
            options.LeadingArguments.AddRange(new[] { "-c", "import sys; sys.exit('no model today')" });
            using (var host = new PalaverHost(options, new PalaverClient()))
            {
                PalaverException problem = null;
                host.Problem += told => problem = problem ?? told;
                host.Start();
                Check.Until(host.Update, () => problem != null, "a problem");
                Check.That(problem.Message.Contains("exit code 1"), problem.Message);
                Check.That(problem.Message.Contains("no model today"), problem.Message);
            }
        }

        internal static void ArgumentsArriveAsTheyAre(string python, string folder)
        {
            string[] hard = { "a b", "", "q\"q", "back\\slash", "end\\", "田 ü", "'$HOME'", "`x`", "\\\"", "--x=\"y z\"" };
            string file = Path.Combine(folder, "田 arguments.txt");
            var options = new SidecarOptions(python) { ReadyFolder = folder };
            options.LeadingArguments.AddRange(new[]
            {
                "-c",
                "import os, pathlib, sys\n"
                    + "told = sys.argv[1:1] + sys.argv[-10:] + [str(len(os.environ['PALAVER_SECRET']))]\n"
                    + "assert not any(os.environ['PALAVER_SECRET'] in told for told in sys.argv)\n"
                    + $"pathlib.Path({'"' + file.Replace("\\", "\\\\") + '"'}).write_text('\\n'.join(told), 'utf-8')",
            });
            options.TrailingArguments.AddRange(hard);
            using (var host = new PalaverHost(options, new PalaverClient()))
            {
                PalaverException problem = null;
                host.Problem += told => problem = told;
                host.Start();
                Check.Until(host.Update, () => problem != null, "the end of the process");
                Check.That(File.Exists(file), problem.Message);
                Check.Equal(string.Join("\n", hard) + "\n32", File.ReadAllText(file), "the arguments");
            }
        }

        /// <summary>Prints the sidecar's id once it answers, and then waits to be killed.</summary>
        internal static void RunUntilKilled(string python, string folder)
        {
            using (PalaverHost host = Host(python, folder))
            {
                host.Start();
                Check.Until(host.Update, () => host.Client.State == ClientState.Ready, "a welcome");
                Console.WriteLine(host.SidecarId);
                Thread.Sleep(Timeout.Infinite);
            }
        }

        private static PalaverHost Host(string python, string folder)
        {
            var options = new SidecarOptions(python) { ReadyFolder = folder, LogFile = Path.Combine(folder, "sidecar.log") };
            options.LeadingArguments.AddRange(new[] { "-m", "runtime.serve" });
            return new PalaverHost(options, new PalaverClient("tests"));
        }
    }
}
