using System;
using System.Collections.Generic;
using System.IO;
using Palaver.Wire;

namespace Palaver.Tests
{
    /// <summary>The transport and the decoders, without a network.</summary>
    internal static class WireTests
    {
        // What a libzmq ROUTER says first: it takes version 3.1, and names its type in READY.
        private static readonly string RouterGreeting = "ff00000000000000017f0301" + "4e554c4c" + new string('0', 96);
        private const string RouterReady = "041c" + "055245414459" + "0b536f636b65742d54797065" + "00000006" + "524f55544552";

        internal static void AStreamMayComeInAnyPieces(string vectors)
        {
            var stream = new List<byte>(Bytes(RouterGreeting + RouterReady));
            var expected = new List<string>();
            foreach (string line in File.ReadAllLines(vectors))
            {
                string hex = line.Split('\t')[2];
                var frame = new byte[Zmtp.FrameHeadBytes];
                int head = Zmtp.WriteFrameHead(frame, 0, hex.Length / 2, 0);
                stream.AddRange(new ArraySegment<byte>(frame, 0, head));
                stream.AddRange(Bytes(hex));
                expected.Add(hex);
            }
            foreach (int piece in new[] { 1, 2, 3, 61, 4096 })
            {
                var decoder = new ZmtpDecoder();
                var found = new List<string>();
                for (int at = 0; at < stream.Count; at += piece)
                {
                    Feed(decoder, stream.GetRange(at, Math.Min(piece, stream.Count - at)).ToArray());
                    for (ZmtpEvent next = decoder.Next(out ArraySegment<byte> body); next != ZmtpEvent.None;
                        next = decoder.Next(out body))
                    {
                        if (next == ZmtpEvent.Message)
                        {
                            found.Add(VectorTests.Hex(body));
                        }
                    }
                }
                Check.Equal(expected.Count, found.Count, $"messages in pieces of {piece}");
                Check.Equal(string.Join("\n", expected.ToArray()), string.Join("\n", found.ToArray()), "their bytes");
            }
        }

        internal static void WhatIsNoSidecarIsRefusedAtOnce()
        {
            Check.Refused("transport", () => Events("48545450"), "an HTTP server");
            Check.Refused("transport", () => Events("ff00000000000000017f01"), "ZMTP 1");
            Check.Refused("transport", () => Events(RouterGreeting.Replace("4e554c4c", "504c4149")), "mechanism PLAIN");
            Check.Refused("transport", () => Events(RouterGreeting + "0800"), "a flag that there is not");
            Check.Equal(ZmtpEvent.None, Events("ff00000000")[0], "half a signature");
        }

        internal static void FramesOfEverySizeAreBounded()
        {
            Check.Refused("message-too-large", () => Events(RouterGreeting + "027fffffffffffffff"), "a frame of 2^63 - 1");
            Check.Refused("message-too-large", () => Events(RouterGreeting + "02ffffffffffffffff"), "a frame of 2^64 - 1");
            Check.Refused("message-too-large", () => Events(RouterGreeting + "020000000000100001"), "1 MiB and a byte");
            ZmtpEvent[] empty = Events(RouterGreeting + "0000" + "020000000000000000" + "0400");
            Check.Equal(ZmtpEvent.Message, empty[1], "an empty frame");
            Check.Equal(ZmtpEvent.Message, empty[2], "an empty long frame");
            Check.Equal(ZmtpEvent.Command, empty[3], "an empty command");
            Check.Refused("malformed-message", () => new Incoming().Decode(default(ArraySegment<byte>)), "no byte at all");
        }

        internal static void AFrameCostsNoMoreMemoryThanWhatHasCome()
        {
            var decoder = new ZmtpDecoder();
            Feed(decoder, Bytes(RouterGreeting + "020000000000100000"));
            decoder.Next(out ArraySegment<byte> _);
            Check.Equal(ZmtpEvent.None, decoder.Next(out _), "a frame that has not come");
            Check.That(decoder.Free().Array.Length <= 32768, "the buffer has grown for a claim");
        }

        internal static void PartsOfMessagesAreToldApart()
        {
            ZmtpEvent[] events = Events(RouterGreeting + "010161" + "010162" + "000163" + "000164");
            ZmtpEvent[] expected =
            {
                ZmtpEvent.Greeting, ZmtpEvent.Part, ZmtpEvent.Part, ZmtpEvent.Part, ZmtpEvent.Message, ZmtpEvent.None,
            };
            Check.Equal(string.Join(",", expected), string.Join(",", events), "parts");
        }

        internal static void PeersNameTheirType()
        {
            string body = RouterReady.Substring(4);
            Check.Equal("ROUTER", TypeIn(body), "a ROUTER");
            Check.Equal("ROUTER", TypeIn(body.Substring(0, 12) + "046e6f6e6500000000" + body.Substring(12)), "behind another");
            Check.Equal(null, TypeIn(body.Substring(0, 12)), "no properties");
            for (int cut = 14; cut < body.Length; cut += 2)
            {
                Check.Equal(null, TypeIn(body.Substring(0, cut)), $"properties cut at {cut}");
            }
            Check.Equal(null, TypeIn(body.Replace("00000006", "ffffffff")), "a value of 2^32 - 1 bytes");
        }

        internal static void NoBytesEverCrashTheDecoders()
        {
            var random = new Random(7);
            var incoming = new Incoming();
            byte[] line = Bytes("8da474797065a46c696e65a77265717565737400a474657874a3417965"); // Gets past the first checks.
            for (int round = 0; round < 20000; round++)
            {
                var bytes = new byte[random.Next(80)];
                random.NextBytes(bytes);
                if (round % 2 == 0)
                {
                    line.CopyTo(bytes = new byte[100], 0);
                    for (int flip = random.Next(4); flip >= 0; flip--)
                    {
                        bytes[random.Next(bytes.Length)] = (byte)random.Next(256);
                    }
                }
                Quietly(() => incoming.Decode(new ArraySegment<byte>(bytes)));
                Quietly(() => Events(RouterGreeting + VectorTests.Hex(new ArraySegment<byte>(bytes))));
            }
        }

        private static string TypeIn(string hex)
        {
            var command = new ArraySegment<byte>(Bytes(hex));
            Check.That(Zmtp.IsCommand(command, "READY", out int offset), "no READY");
            return Zmtp.SocketType(command, offset);
        }

        private static void Quietly(Action action)
        {
            try
            {
                action();
            }
            catch (PalaverException)
            {
                // Refused, and in the way that is meant.
            }
        }

        /// <summary>All that the decoder finds in these bytes, up to the first None.</summary>
        private static ZmtpEvent[] Events(string hex)
        {
            var decoder = new ZmtpDecoder();
            var events = new List<ZmtpEvent>();
            Feed(decoder, Bytes(hex));
            do
            {
                events.Add(decoder.Next(out ArraySegment<byte> _));
            }
            while (events[events.Count - 1] != ZmtpEvent.None);
            return events.ToArray();
        }

        private static void Feed(ZmtpDecoder decoder, byte[] bytes)
        {
            int fed = 0;
            while (fed < bytes.Length)
            {
                ArraySegment<byte> free = decoder.Free();
                int count = Math.Min(free.Count, bytes.Length - fed);
                Buffer.BlockCopy(bytes, fed, free.Array, free.Offset, count);
                decoder.Commit(count);
                fed += count;
            }
        }

        private static byte[] Bytes(string hex)
        {
            return VectorTests.Bytes(hex).Array;
        }
    }
}
