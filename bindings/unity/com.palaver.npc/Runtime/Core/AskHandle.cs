using System;

namespace Palaver
{
    /// <summary>Where an ask stands.</summary>
    public enum AskState
    {
        /// <summary>No line yet.</summary>
        Waiting,

        /// <summary>The line is there.</summary>
        Done,

        /// <summary>It was given up: by Cancel, by loading or forgetting its character, or with its client.</summary>
        Cancelled,
    }

    /// <summary>An ask that was made. It ends exactly once, with a line or cancelled.</summary>
    public sealed class AskHandle
    {
        private readonly PalaverClient _client;
        private PalaverDraft _draft;
        private bool _hasNewDraft;
        private bool _ended;

        internal AskHandle(
            PalaverClient client, RememberedNpc npc, long request, string text, AskOptions options, long madeMs)
        {
            _client = client;
            Npc = npc;
            Request = request;
            Text = text;
            Options = options;
            MadeMs = madeMs;
        }

        /// <summary>Raised from PalaverClient.Update with the newest draft, if the options asked for drafts.</summary>
        public event Action<PalaverDraft> Drafted;

        /// <summary>Raised once, from PalaverClient.Update, when State has become Done or Cancelled.</summary>
        public event Action<AskHandle> Ended;

        /// <summary>Where the ask stands.</summary>
        public AskState State { get; private set; }

        /// <summary>The line; null until State is Done.</summary>
        public PalaverLine Line { get; private set; }

        /// <summary>What the player said.</summary>
        public string Text { get; }

        /// <summary>Id of the character that was asked.</summary>
        public string NpcId => Npc.Persona.Id;

        internal RememberedNpc Npc { get; }

        internal long Request { get; }

        internal AskOptions Options { get; }

        /// <summary>When it was made, on the client's clock.</summary>
        internal long MadeMs { get; }

        /// <summary>Whether the sidecar of this connection has it.</summary>
        internal bool Sent { get; set; }

        /// <summary>
        /// Whether the character's turns were replaced since it ended, so that its line belongs to none.
        /// </summary>
        internal bool Dropped { get; set; }

        /// <summary>Whether its turn is remembered when it ends well.</summary>
        internal bool Recorded => Options.Record && Options.History == null;

        /// <summary>Gives the ask up; nothing happens if it has ended.</summary>
        public void Cancel()
        {
            _client.Cancel(this);
        }

        internal void Finish(PalaverLine line)
        {
            Line = line;
            State = line == null ? AskState.Cancelled : AskState.Done;
        }

        internal void SetDraft(PalaverDraft draft)
        {
            _draft = draft;
            _hasNewDraft = true;
        }

        /// <summary>Raises what has become due.</summary>
        internal void Notify()
        {
            // Nobody wants a draft once the line is there.
            if (_hasNewDraft && State == AskState.Waiting)
            {
                _hasNewDraft = false;
                Drafted?.Invoke(_draft);
            }
            if (State != AskState.Waiting && !_ended)
            {
                _ended = true;
                Ended?.Invoke(this);
            }
        }
    }
}
