using System;
using System.Diagnostics;
using System.Reflection;

namespace Palaver.Tests
{
    /// <summary>
    /// What a frame allocates. Argument: the port of a sidecar that answers each ask with drafts and a line.
    /// </summary>
    internal static class CostTests
    {
        private const int Frames = 20000;

        // In the runtime's library, but not in the one that the compiler looks at.
        private static readonly Func<long> Allocated = (Func<long>)Delegate.CreateDelegate(
            typeof(Func<long>),
            typeof(GC).GetMethod("GetAllocatedBytesForCurrentThread", BindingFlags.Public | BindingFlags.Static));

        internal static void AFrameWithoutNewsAllocatesNothing(string port)
        {
            using (PalaverClient client = ClientTests.Connected(port))
            {
                Measure("idle frame", client.Update);
                long frame = 0;
                Measure("ticking frame", () =>
                {
                    client.Tick(frame++, 2);
                    client.Update();
                });
            }
        }

        internal static void ATalkingFrameAllocatesItsText(string port)
        {
            using (PalaverClient client = ClientTests.Connected(port))
            {
                // Once for what the runtime itself makes the first time.
                Talk(client);
                long before = Allocated();
                const int Lines = 50;
                for (int line = 0; line < Lines; line++)
                {
                    Talk(client);
                }
                double each = (Allocated() - before) / (double)Lines;
                Console.WriteLine($"an ask, 20 drafts and a line of 40 characters each: {each:0} bytes");
                Check.That(each < 8000, $"{each} bytes for a line with its drafts");
            }
        }

        private static void Talk(PalaverClient client)
        {
            AskHandle ask = client.Ask("smith", "Hello", new AskOptions { DraftEveryMs = 0, Record = false });
            while (ask.State == AskState.Waiting)
            {
                client.Update();
            }
        }

        private static void Measure(string what, Action frame)
        {
            for (int warm = 0; warm < 1000; warm++)
            {
                frame();
            }
            long before = Allocated();
            Stopwatch watch = Stopwatch.StartNew();
            for (int count = 0; count < Frames; count++)
            {
                frame();
            }
            double micros = watch.Elapsed.TotalMilliseconds * 1000 / Frames;
            double each = (Allocated() - before) / (double)Frames;
            Console.WriteLine($"{what}: {each:0.###} bytes, {micros:0.0} us");
            Check.That(each < 1, $"{what} allocates {each} bytes");
        }
    }
}
