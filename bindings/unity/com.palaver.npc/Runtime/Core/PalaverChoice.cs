using System.Collections.Generic;

namespace Palaver
{
    /// <summary>Which of several answers fits best. Every choose that is not cancelled ends in exactly one.</summary>
    public sealed class PalaverChoice
    {
        internal PalaverChoice(
            int index, string text, IReadOnlyList<double> probabilities, LineSource source, string finishReason,
            LineTimings timings)
        {
            Index = index;
            Text = text;
            Probabilities = probabilities;
            Source = source;
            FinishReason = finishReason;
            Timings = timings;
        }

        /// <summary>Of the option that fits best, from 0.</summary>
        public int Index { get; }

        /// <summary>That option.</summary>
        public string Text { get; }

        /// <summary>How likely each option is the best one, together 1; all the same for a fallback.</summary>
        public IReadOnlyList<double> Probabilities { get; }

        /// <summary>Model, or Fallback for the first option where there was no time to look at all of them.</summary>
        public LineSource Source { get; }

        /// <summary>
        /// "stop" or "deadline" from the sidecar; where the client chose by itself "timeout", "unreachable" or the code
        /// of the sidecar's error.
        /// </summary>
        public string FinishReason { get; }

        /// <summary>Where the time went; empty where the client chose by itself.</summary>
        public LineTimings Timings { get; }

        /// <summary>The option that fits best.</summary>
        public override string ToString()
        {
            return Text;
        }
    }
}
