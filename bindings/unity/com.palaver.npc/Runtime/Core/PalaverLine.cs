using System.Collections.Generic;

namespace Palaver
{
    /// <summary>Where a line came from.</summary>
    public enum LineSource
    {
        /// <summary>The model finished it.</summary>
        Model,

        /// <summary>The deadline cut it short, and it is good enough to be said.</summary>
        Draft,

        /// <summary>
        /// It was written beforehand: by the persona's author, or "..." and "Hm." where there is none.
        /// </summary>
        Fallback,
    }

    /// <summary>Where the time went, in milliseconds.</summary>
    public struct LineTimings
    {
        /// <summary>From arrival to the first compute.</summary>
        public double QueueMs { get; internal set; }

        /// <summary>Compute of the prompt.</summary>
        public double EncodeMs { get; internal set; }

        /// <summary>Compute of denoising steps.</summary>
        public double DenoiseMs { get; internal set; }

        /// <summary>All compute.</summary>
        public double ComputeMs { get; internal set; }

        /// <summary>From arrival to the end.</summary>
        public double TotalMs { get; internal set; }
    }

    /// <summary>A finished line. Every ask that is not cancelled ends in exactly one.</summary>
    public sealed class PalaverLine
    {
        internal PalaverLine(string text, LineSource source, string finishReason)
        {
            Text = PlainText = text;
            Source = source;
            FinishReason = finishReason;
        }

        /// <summary>
        /// What the character says; never empty. Escaped as the ask's options wanted it; plain text by default: see
        /// <see cref="RichText"/> for rich text labels.
        /// </summary>
        public string Text { get; }

        /// <summary>The text before it was escaped: what the character remembers.</summary>
        public string PlainText { get; internal set; }

        /// <summary>Stage directions that stood in the text and were taken out ("sighs").</summary>
        public IReadOnlyList<string> Directions { get; internal set; } = new string[0];

        /// <summary>What the line carries out, one of the persona's actions; null for nothing.</summary>
        public ActionCall Action { get; internal set; }

        /// <summary>Where the line came from.</summary>
        public LineSource Source { get; }

        /// <summary>
        /// "stop", "max_tokens", "deadline", "empty", "banned", "secret", "repeat" or "filtered" from the sidecar, and
        /// others from later ones; for a line that the client made itself "timeout", "unreachable" or the code of the
        /// sidecar's error.
        /// </summary>
        public string FinishReason { get; }

        /// <summary>Seed of every draw: asking again with it and with StepsPlanned gives the same text.</summary>
        public long Seed { get; internal set; }

        /// <summary>Most denoising steps a canvas; 0 if none began.</summary>
        public int StepsPlanned { get; internal set; }

        /// <summary>Denoising steps that were run.</summary>
        public int StepsDone { get; internal set; }

        /// <summary>Canvases that were finished.</summary>
        public int Canvases { get; internal set; }

        /// <summary>Tokens that the text was made of; 0 for a fallback.</summary>
        public int Tokens { get; internal set; }

        /// <summary>Times the first canvas was drawn anew.</summary>
        public int Rerolls { get; internal set; }

        /// <summary>0 to 1, how sure the model was; 0 for a fallback.</summary>
        public double Confidence { get; internal set; }

        /// <summary>Whether the text can be made again from the seed.</summary>
        public bool Deterministic { get; internal set; }

        /// <summary>Where the time went.</summary>
        public LineTimings Timings { get; internal set; }

        /// <summary>The text.</summary>
        public override string ToString()
        {
            return Text;
        }
    }
}
