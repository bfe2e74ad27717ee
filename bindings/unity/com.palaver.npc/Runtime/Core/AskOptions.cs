using System.Collections.Generic;

namespace Palaver
{
    /// <summary>What will draw a line's text, and must not take anything in it for markup.</summary>
    public enum LineEscape
    {
        /// <summary>Text as it is.</summary>
        Plain,

        /// <summary>A label that reads BBCode.</summary>
        BbCode,

        /// <summary>TextMeshPro or UI Toolkit.</summary>
        RichText,

        /// <summary>A line of Yarn Spinner that shows the text as a value.</summary>
        Yarn,

        /// <summary>Source text of ink.</summary>
        Ink,
    }

    /// <summary>What else to say with an ask. Null stands for the model's own number, or for no limit.</summary>
    public sealed class AskOptions : ChooseOptions
    {
        private static readonly string[] Nothing = new string[0];

        /// <summary>For the same line again, 0 to 2^63 - 1; random by default, and the line tells it.</summary>
        public long? Seed { get; set; }

        /// <summary>Most denoising steps a canvas, 1 to 1000.</summary>
        public int? Steps { get; set; }

        /// <summary>Most tokens of the line, 1 to 4096.</summary>
        public int? MaxTokens { get; set; }

        /// <summary>
        /// Least time between two drafts, 0 to 600000 ms, 0 for one after each step; null for no drafts.
        /// </summary>
        public int? DraftEveryMs { get; set; }

        /// <summary>
        /// Ends the line after so many denoising steps, 1 to 1000000: for a draft that was cut there, once more.
        /// </summary>
        public int? StopAfterSteps { get; set; }

        /// <summary>"reference" or "fast"; null for the sidecar's own choice.</summary>
        public string Sampler { get; set; }

        /// <summary>
        /// Whether the line can be made again from its seed; false may be faster with several asks at once.
        /// </summary>
        public bool Deterministic { get; set; } = true;

        /// <summary>
        /// Words that stand as they are, and gaps for the model: "Bring me {*2-6} by {*=nightfall}.", 1 to 1000
        /// characters. {*} is a gap of any length, {*3} one of three tokens; behind an equals sign stands what is said
        /// there if the model has nothing; {{ and }} are braces. Null for a line that is all the model's.
        /// </summary>
        public string Template { get; set; }

        /// <summary>Up to 8 phrases of 200 characters that the line holds letter for letter.</summary>
        public IReadOnlyList<string> MustInclude { get; set; } = Nothing;

        /// <summary>Which of the persona's situations a fallback line is to come from; null for none.</summary>
        public string Situation { get; set; }

        /// <summary>How Text is written so that nothing in it is taken for markup.</summary>
        public LineEscape Escape { get; set; }

        /// <summary>Whether the finished turn is remembered, and so part of the next prompt and of saves.</summary>
        public bool Record { get; set; } = true;

        internal static void CheckAsk(string text, AskOptions options)
        {
            CheckTiming(text, options);
            Limits.CheckRange("seed", options.Seed, 0, long.MaxValue);
            Limits.CheckRange("steps", options.Steps, 1, 1000);
            Limits.CheckRange("max_tokens", options.MaxTokens, 1, 4096);
            Limits.CheckRange("draft_every_ms", options.DraftEveryMs, 0, 600000);
            Limits.CheckRange("stop_after_steps", options.StopAfterSteps, 1, 1000000);
            if (options.Sampler != null && options.Sampler != "reference" && options.Sampler != "fast")
            {
                throw Limits.BadRequest($"sampler is {options.Sampler}", "Allowed: reference, fast");
            }
            if (options.Template != null)
            {
                Limits.CheckText("template", options.Template, Limits.FactChars);
            }
            if (options.Situation != null)
            {
                Limits.CheckText("situation", options.Situation, Limits.FieldChars);
            }
            Limits.CheckTexts("must_include", options.MustInclude, Limits.Phrases, Limits.FieldChars);
            PinnedLine.Check(options.Template, options.MustInclude);
        }
    }
}
