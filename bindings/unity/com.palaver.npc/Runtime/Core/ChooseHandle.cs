using System;
using System.Collections.Generic;
using Palaver.Wire;

namespace Palaver
{
    /// <summary>A choose that was made. It ends exactly once, with a choice or cancelled.</summary>
    public sealed class ChooseHandle : RequestHandle
    {
        private readonly IReadOnlyList<string> _answers;
        private readonly ChooseOptions _options;

        internal ChooseHandle(
            PalaverClient client, RememberedNpc npc, long request, string text, IReadOnlyList<string> answers,
            ChooseOptions options, long madeMs)
            : base(client, npc, request, text, madeMs)
        {
            _answers = answers;
            _options = options;
        }

        /// <summary>Raised once, from PalaverClient.Update, when State has become Done or Cancelled.</summary>
        public event Action<ChooseHandle> Ended;

        /// <summary>The choice; null until State is Done.</summary>
        public PalaverChoice Choice { get; private set; }

        internal override int? DeadlineMs => _options.DeadlineMs;

        internal override void Write(MsgPackWriter to, long? leftMs)
        {
            Outgoing.Choose(to, Request, Npc.Persona, Text, _answers, _options, leftMs);
        }

        internal override void FallBack(string reason, Random random)
        {
            var probabilities = new double[_answers.Count];
            for (int index = 0; index < probabilities.Length; index++)
            {
                probabilities[index] = 1.0 / probabilities.Length;
            }
            SetChoice(0, probabilities, LineSource.Fallback, reason, default(LineTimings));
        }

        internal void SetChoice(
            int index, IReadOnlyList<double> probabilities, LineSource source, string finishReason, LineTimings timings)
        {
            // Whatever a sidecar says, the game may use it as an index.
            int safe = Math.Min(index, _answers.Count - 1);
            Choice = new PalaverChoice(safe, _answers[safe], probabilities, source, finishReason, timings);
        }

        internal override void RaiseEnded()
        {
            Ended?.Invoke(this);
        }
    }
}
