using System;
using Palaver.Wire;

namespace Palaver
{
    /// <summary>An ask that was made. It ends exactly once, with a line or cancelled.</summary>
    public sealed class AskHandle : RequestHandle
    {
        private PalaverDraft _draft;
        private bool _hasNewDraft;

        internal AskHandle(
            PalaverClient client, RememberedNpc npc, long request, string text, AskOptions options, long madeMs)
            : base(client, npc, request, text, madeMs)
        {
            Options = options;
        }

        /// <summary>Raised from PalaverClient.Update with the newest draft, if the options asked for drafts.</summary>
        public event Action<PalaverDraft> Drafted;

        /// <summary>Raised once, from PalaverClient.Update, when State has become Done or Cancelled.</summary>
        public event Action<AskHandle> Ended;

        /// <summary>The line; null until State is Done.</summary>
        public PalaverLine Line { get; private set; }

        internal AskOptions Options { get; }

        /// <summary>
        /// Whether the character's turns were replaced since it ended, so that its line belongs to none.
        /// </summary>
        internal bool Dropped { get; set; }

        /// <summary>Whether its turn is remembered when it ends well.</summary>
        internal bool Recorded => Options.Record && Options.ById;

        internal override int? DeadlineMs => Options.DeadlineMs;

        internal override void Write(MsgPackWriter to, long? leftMs)
        {
            Outgoing.Ask(to, Request, Npc.Persona, Text, Options, leftMs);
        }

        internal override void FallBack(string reason, Random random)
        {
            string authored = Npc.Fallback(Options.Situation, random);
            string text = PinnedLine.WrittenBeforehand(Options.Template, Options.MustInclude, authored);
            SetLine(new PalaverLine(text, LineSource.Fallback, reason) { Seed = Options.Seed ?? 0 }, authored);
        }

        /// <param name="line">How it ends.</param>
        /// <param name="said">What must not be said twice running.</param>
        internal void SetLine(PalaverLine line, string said)
        {
            Line = line;
            Npc.Said(said);
        }

        internal void SetDraft(PalaverDraft draft)
        {
            _draft = draft;
            _hasNewDraft = true;
        }

        internal override void RaiseDrafted()
        {
            // Nobody wants a draft once the line is there.
            if (_hasNewDraft && State == AskState.Waiting)
            {
                _hasNewDraft = false;
                Drafted?.Invoke(_draft);
            }
        }

        internal override void RaiseEnded()
        {
            Ended?.Invoke(this);
        }
    }
}
