using System;
using System.Collections.Generic;
using Palaver.Wire;

namespace Palaver
{
    /// <summary>The part that asks for lines and sees to it that each ask ends.</summary>
    public sealed partial class PalaverClient
    {
        private const int WatchdogMs = 30000;
        private const int GraceMs = 250;

        private static readonly AskOptions Defaults = new AskOptions();

        private readonly Random _random = new Random();
        private readonly List<AskHandle> _open = new List<AskHandle>();
        private readonly Dictionary<long, AskHandle> _asks = new Dictionary<long, AskHandle>();

        // Asks that ended here, while the sidecar may still make a line of them and remember it.
        private readonly Dictionary<long, AskHandle> _late = new Dictionary<long, AskHandle>();

        /// <summary>Asks that are open.</summary>
        public int OpenAsks => _open.Count;

        /// <summary>
        /// Asks a character for a line. It ends in exactly one, whatever happens to the sidecar: where none came in
        /// time (the deadline and 250 ms, or 30 s), the client makes a fallback line itself. While not connected it
        /// waits.
        /// </summary>
        /// <param name="npcId">Of a persona that was put.</param>
        /// <param name="text">What the player says, 1 to 4000 characters.</param>
        /// <param name="options">The rest; not to be changed until the ask has ended. Null for none.</param>
        /// <exception cref="PalaverException">
        /// "unknown-npc", "bad-request" for what is outside its limits, "message-too-large"; nothing was sent.
        /// </exception>
        public AskHandle Ask(string npcId, string text, AskOptions options = null)
        {
            if (Disposed)
            {
                throw new ObjectDisposedException(nameof(PalaverClient));
            }
            RememberedNpc npc = Known(npcId);
            options = options ?? Defaults;
            AskOptions.CheckAsk(text, options);
            var handle = new AskHandle(this, npc, NextRequest(), text, options, _clockMs());
            Outgoing.Ask(Fresh(), handle.Request, npc.Persona, text, options, options.DeadlineMs);
            CheckSize();
            _open.Add(handle);
            _asks.Add(handle.Request, handle);
            SendAsk(handle);
            return handle;
        }

        internal void Cancel(AskHandle handle)
        {
            if (handle.State == AskState.Waiting)
            {
                GiveUp(handle);
                End(handle, null);
            }
        }

        private void CheckSize()
        {
            if (_writer.Written.Count > Limits.MessageBytes)
            {
                throw new PalaverException(
                    "message-too-large",
                    $"a message has {_writer.Written.Count} bytes, at most {Limits.MessageBytes} are allowed",
                    "Shorten the knowledge, the history or the text");
            }
        }

        private void SendAsk(AskHandle handle)
        {
            long? leftMs = handle.Options.DeadlineMs - (_clockMs() - handle.MadeMs);
            if (State != ClientState.Ready || leftMs < 1)
            {
                return;
            }
            Outgoing.Ask(Fresh(), handle.Request, handle.Npc.Persona, handle.Text, handle.Options, leftMs);
            SendWritten();
            handle.Sent = true;
        }

        /// <summary>Ends what the sidecar has not ended in time.</summary>
        private void Watch(long nowMs)
        {
            for (int index = _open.Count - 1; index >= 0; index--)
            {
                AskHandle handle = _open[index];
                int patienceMs = handle.Options.DeadlineMs + GraceMs ?? WatchdogMs;
                if (nowMs - handle.MadeMs >= patienceMs)
                {
                    GiveUp(handle);
                    FinishWithFallback(handle, State == ClientState.Ready ? "timeout" : "unreachable");
                }
            }
        }

        /// <summary>Tells the sidecar that nobody waits any more.</summary>
        private void GiveUp(AskHandle handle)
        {
            if (!handle.Sent || State != ClientState.Ready)
            {
                return;
            }
            if (handle.Recorded)
            {
                _late[handle.Request] = handle;
            }
            Outgoing.Cancel(Fresh(), NextRequest(), handle.Request);
            SendWritten();
        }

        private void Draft()
        {
            if (_asks.TryGetValue(_incoming.Request, out AskHandle handle))
            {
                handle.SetDraft(new PalaverDraft(
                    _incoming.Text(Field.Text), _incoming.Int(Field.StableChars), _incoming.Int(Field.StepsDone),
                    _incoming.Int(Field.StepsPlanned)));
                _due.Enqueue(handle);
            }
        }

        private void Line()
        {
            string source = _incoming.Text(Field.Source);
            long request = _incoming.Request;
            if (_late.TryGetValue(request, out AskHandle late))
            {
                _late.Remove(request);
                if (source != "fallback" && !late.Dropped)
                {
                    late.Npc.Remember(late.Text, _incoming.Text(Field.Text));
                }
                return;
            }
            if (!_asks.TryGetValue(request, out AskHandle handle))
            {
                return;
            }
            LineSource from = source == "fallback" ? LineSource.Fallback
                : source == "draft" ? LineSource.Draft : LineSource.Model;
            var line = new PalaverLine(_incoming.Text(Field.Text), from, _incoming.Text(Field.FinishReason))
            {
                Seed = _incoming.Whole(Field.Seed),
                StepsPlanned = _incoming.Int(Field.StepsPlanned),
                StepsDone = _incoming.Int(Field.StepsDone),
                Canvases = _incoming.Int(Field.Canvases),
                Tokens = _incoming.Int(Field.Tokens),
                Rerolls = _incoming.Int(Field.Rerolls),
                Confidence = _incoming.Real(Field.Confidence),
                Deterministic = _incoming.Flag(Field.Deterministic),
                Timings = new LineTimings
                {
                    QueueMs = _incoming.Real(Field.QueueMs),
                    EncodeMs = _incoming.Real(Field.EncodeMs),
                    DenoiseMs = _incoming.Real(Field.DenoiseMs),
                    ComputeMs = _incoming.Real(Field.ComputeMs),
                    TotalMs = _incoming.Real(Field.TotalMs),
                },
            };
            if (handle.Recorded && from != LineSource.Fallback)
            {
                handle.Npc.Remember(handle.Text, line.Text);
            }
            End(handle, line);
        }

        private void FinishWithFallback(AskHandle handle, string reason)
        {
            string text = handle.Npc.Fallback(_random);
            End(handle, new PalaverLine(text, LineSource.Fallback, reason) { Seed = handle.Options.Seed ?? 0 });
        }

        /// <summary>The one way in which an ask ends; without a line it is cancelled.</summary>
        private void End(AskHandle handle, PalaverLine line)
        {
            _open.Remove(handle);
            _asks.Remove(handle.Request);
            handle.Finish(line);
            if (line != null)
            {
                handle.Npc.Said(line.Text);
            }
            _due.Enqueue(handle);
        }
    }
}
