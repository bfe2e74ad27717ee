using System.Collections.Generic;

namespace Palaver
{
    /// <summary>What becomes of an ask while the same character has an open one.</summary>
    public enum AskPolicy
    {
        /// <summary>It waits for its turn.</summary>
        Queue,

        /// <summary>It takes the place of the open ones, which end in fallback lines of reason "replaced".</summary>
        Replace,

        /// <summary>It is refused, and ends in a fallback line of reason "npc-busy".</summary>
        Reject,
    }

    /// <summary>What else to say with an ask. Null stands for the model's own number, or for no limit.</summary>
    public sealed class AskOptions
    {
        /// <summary>For the same line again, 0 to 2^63 - 1; random by default, and the line tells it.</summary>
        public long? Seed { get; set; }

        /// <summary>Most denoising steps a canvas, 1 to 1000.</summary>
        public int? Steps { get; set; }

        /// <summary>Most tokens of the line, 1 to 4096.</summary>
        public int? MaxTokens { get; set; }

        /// <summary>
        /// Earlier turns, oldest first, at most 64. With a history given, nothing is remembered: neither are the
        /// character's remembered turns used, nor is this one added to them.
        /// </summary>
        public IReadOnlyList<Turn> History { get; set; }

        /// <summary>When the line has to be there, 1 to 600000 ms from the ask.</summary>
        public int? DeadlineMs { get; set; }

        /// <summary>-10 to 10, higher goes first.</summary>
        public int Priority { get; set; }

        /// <summary>What becomes of this ask while the same character has an open one.</summary>
        public AskPolicy Policy { get; set; }

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

        /// <summary>Whether the finished turn is remembered, and so part of the next prompt and of saves.</summary>
        public bool Record { get; set; } = true;

        internal static void CheckAsk(string text, AskOptions options)
        {
            Limits.CheckText("text", text, Limits.TextChars);
            Limits.CheckRange("seed", options.Seed, 0, long.MaxValue);
            Limits.CheckRange("steps", options.Steps, 1, 1000);
            Limits.CheckRange("max_tokens", options.MaxTokens, 1, 4096);
            Limits.CheckRange("deadline_ms", options.DeadlineMs, 1, 600000);
            Limits.CheckRange("priority", options.Priority, -10, 10);
            Limits.CheckRange("draft_every_ms", options.DraftEveryMs, 0, 600000);
            Limits.CheckRange("stop_after_steps", options.StopAfterSteps, 1, 1000000);
            if (options.Sampler != null && options.Sampler != "reference" && options.Sampler != "fast")
            {
                throw Limits.BadRequest($"sampler is {options.Sampler}", "Allowed: reference, fast");
            }
            if (options.History == null)
            {
                return;
            }
            if (options.History.Count > Limits.HistoryTurns)
            {
                throw Limits.BadRequest(
                    $"history has {options.History.Count} turns, at most {Limits.HistoryTurns} are allowed",
                    "Leave out the oldest");
            }
            for (int index = 0; index < options.History.Count; index++)
            {
                Limits.CheckText($"history[{index}][0]", options.History[index].Player, Limits.TextChars);
                Limits.CheckText($"history[{index}][1]", options.History[index].Answer, Limits.TextChars, true);
            }
        }
    }
}
