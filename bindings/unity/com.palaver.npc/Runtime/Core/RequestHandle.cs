using Palaver.Wire;

namespace Palaver
{
    /// <summary>Where an ask or a choose stands.</summary>
    public enum AskState
    {
        /// <summary>No answer yet.</summary>
        Waiting,

        /// <summary>The answer is there.</summary>
        Done,

        /// <summary>It was given up: by Cancel, by loading or forgetting its character, or with its client.</summary>
        Cancelled,
    }

    /// <summary>Something that was asked of a character. It ends exactly once, answered or cancelled.</summary>
    public abstract class RequestHandle : INotified
    {
        private readonly PalaverClient _client;
        private bool _ended;

        internal RequestHandle(PalaverClient client, RememberedNpc npc, long request, string text, long madeMs)
        {
            _client = client;
            Npc = npc;
            Request = request;
            Text = text;
            MadeMs = madeMs;
        }

        /// <summary>Where it stands.</summary>
        public AskState State { get; private set; }

        /// <summary>What the player said.</summary>
        public string Text { get; }

        /// <summary>Id of the character that was asked.</summary>
        public string NpcId => Npc.Persona.Id;

        internal RememberedNpc Npc { get; }

        internal long Request { get; }

        /// <summary>When it was made, on the client's clock.</summary>
        internal long MadeMs { get; }

        /// <summary>Whether the sidecar of this connection has it.</summary>
        internal bool Sent { get; set; }

        internal abstract int? DeadlineMs { get; }

        /// <summary>Gives it up; nothing happens if it has ended.</summary>
        public void Cancel()
        {
            _client.Cancel(this);
        }

        /// <summary>Says it to an empty writer.</summary>
        /// <param name="to">The writer.</param>
        /// <param name="leftMs">What is left of the deadline; null for none.</param>
        internal abstract void Write(MsgPackWriter to, long? leftMs);

        /// <summary>Makes the answer here, out of what was settled beforehand.</summary>
        internal abstract void FallBack(string reason, System.Random random);

        internal void Finish(bool answered)
        {
            State = answered ? AskState.Done : AskState.Cancelled;
        }

        void INotified.Notify()
        {
            RaiseDrafted();
            if (State != AskState.Waiting && !_ended)
            {
                _ended = true;
                RaiseEnded();
            }
        }

        internal virtual void RaiseDrafted()
        {
        }

        internal abstract void RaiseEnded();
    }
}
