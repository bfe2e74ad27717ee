using System.Collections.Generic;

namespace Palaver
{
    /// <summary>What becomes of an ask or a choose while the same character has an open one.</summary>
    public enum AskPolicy
    {
        /// <summary>It waits for its turn.</summary>
        Queue,

        /// <summary>It takes the place of the open ones, which end in fallbacks of reason "replaced".</summary>
        Replace,

        /// <summary>It is refused, and ends in a fallback of reason "npc-busy".</summary>
        Reject,
    }

    /// <summary>What else to say with a choose. Null stands for no limit.</summary>
    public class ChooseOptions : PromptOptions
    {
        internal const int FewestOptions = 2;
        internal const int MostOptions = 16;
        internal const int OptionChars = 400;

        /// <summary>When the answer has to be there, 1 to 600000 ms from now.</summary>
        public int? DeadlineMs { get; set; }

        /// <summary>-10 to 10, higher goes first.</summary>
        public int Priority { get; set; }

        /// <summary>What becomes of this while the same character has an open one.</summary>
        public AskPolicy Policy { get; set; }

        internal static void CheckChoose(string text, IReadOnlyList<string> answers, ChooseOptions options)
        {
            CheckTiming(text, options);
            if (answers == null)
            {
                throw Limits.BadRequest("options is missing", "Give the answers to choose from");
            }
            Limits.CheckTexts("options", answers, MostOptions, OptionChars);
            Limits.CheckRange("the number of options", answers.Count, FewestOptions, MostOptions);
        }

        internal static void CheckTiming(string text, ChooseOptions options)
        {
            CheckPrompt(text, options);
            Limits.CheckRange("deadline_ms", options.DeadlineMs, 1, 600000);
            Limits.CheckRange("priority", options.Priority, -10, 10);
        }
    }
}
