using System;
using System.Collections.Generic;
using Palaver.Wire;

namespace Palaver
{
    /// <summary>The part that asks for lines and choices, and sees to it that each ask ends.</summary>
    public sealed partial class PalaverClient
    {
        private const int WatchdogMs = 30000;
        private const int GraceMs = 250;

        private static readonly AskOptions Defaults = new AskOptions();

        private readonly Random _random = new Random();
        private readonly List<RequestHandle> _open = new List<RequestHandle>();
        private readonly Dictionary<long, RequestHandle> _asks = new Dictionary<long, RequestHandle>();

        // Asks that ended here, while the sidecar may still make a line of them and remember it.
        private readonly Dictionary<long, AskHandle> _late = new Dictionary<long, AskHandle>();

        /// <summary>Asks and chooses that are open.</summary>
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
            RememberedNpc npc = Known(npcId);
            options = options ?? Defaults;
            AskOptions.CheckAsk(text, options);
            var handle = new AskHandle(this, npc, NextRequest(), text, options, _clockMs());
            Open(handle);
            return handle;
        }

        /// <summary>
        /// Lets a character choose one of several answers. It ends in exactly one, as an ask does: where the sidecar
        /// gave none in time, it is the first option. Nothing is remembered.
        /// </summary>
        /// <param name="npcId">Of a persona that was put.</param>
        /// <param name="text">What the player says, 1 to 4000 characters.</param>
        /// <param name="answers">2 to 16 of 1 to 400 characters; not to be changed until the choose has ended.</param>
        /// <param name="options">The rest; not to be changed until the choose has ended. Null for none.</param>
        /// <exception cref="PalaverException">As of Ask.</exception>
        public ChooseHandle Choose(
            string npcId, string text, IReadOnlyList<string> answers, ChooseOptions options = null)
        {
            RememberedNpc npc = Known(npcId);
            options = options ?? Defaults;
            ChooseOptions.CheckChoose(text, answers, options);
            var handle = new ChooseHandle(this, npc, NextRequest(), text, answers, options, _clockMs());
            Open(handle);
            return handle;
        }

        internal void Cancel(RequestHandle handle)
        {
            if (handle.State == AskState.Waiting)
            {
                GiveUp(handle);
                End(handle, false);
            }
        }

        private void Open(RequestHandle handle)
        {
            CheckAlive();
            handle.Write(Fresh(), handle.DeadlineMs);
            CheckSize();
            _open.Add(handle);
            _asks.Add(handle.Request, handle);
            SendAsk(handle);
        }

        private void CheckAlive()
        {
            if (Disposed)
            {
                throw new ObjectDisposedException(nameof(PalaverClient));
            }
        }

        private void CheckSize()
        {
            if (_writer.Written.Count > Limits.MessageBytes)
            {
                throw new PalaverException(
                    "message-too-large",
                    $"a message has {_writer.Written.Count} bytes, at most {Limits.MessageBytes} are allowed",
                    "Shorten the knowledge, the world, the history or the text");
            }
        }

        private void SendAsk(RequestHandle handle)
        {
            long? leftMs = handle.DeadlineMs - (_clockMs() - handle.MadeMs);
            if (State != ClientState.Ready || leftMs < 1)
            {
                return;
            }
            handle.Write(Fresh(), leftMs);
            SendWritten();
            handle.Sent = true;
        }

        /// <summary>Ends what the sidecar has not ended in time.</summary>
        private void Watch(long nowMs)
        {
            for (int index = _open.Count - 1; index >= 0; index--)
            {
                RequestHandle handle = _open[index];
                int patienceMs = handle.DeadlineMs + GraceMs ?? WatchdogMs;
                if (nowMs - handle.MadeMs >= patienceMs)
                {
                    GiveUp(handle);
                    FinishWithFallback(handle, State == ClientState.Ready ? "timeout" : "unreachable");
                }
            }
        }

        /// <summary>Tells the sidecar that nobody waits any more.</summary>
        private void GiveUp(RequestHandle handle)
        {
            if (!handle.Sent || State != ClientState.Ready)
            {
                return;
            }
            if (handle is AskHandle ask && ask.Recorded)
            {
                _late[handle.Request] = ask;
            }
            Outgoing.Cancel(Fresh(), NextRequest(), handle.Request);
            SendWritten();
        }

        private void FinishWithFallback(RequestHandle handle, string reason)
        {
            handle.FallBack(reason, _random);
            End(handle, true);
        }

        /// <summary>The one way in which an ask ends; without an answer it is cancelled.</summary>
        private void End(RequestHandle handle, bool answered)
        {
            _open.Remove(handle);
            _asks.Remove(handle.Request);
            handle.Finish(answered);
            _due.Enqueue(handle);
        }
    }
}
