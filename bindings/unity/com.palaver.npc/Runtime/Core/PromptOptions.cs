using System.Collections.Generic;

namespace Palaver
{
    /// <summary>
    /// What a prompt is made of in place of what is remembered and known. With any of these given, the character's
    /// memory and the client's world are neither used nor changed.
    /// </summary>
    public class PromptOptions
    {
        /// <summary>Earlier turns, oldest first, at most 64; null for none.</summary>
        public IReadOnlyList<Turn> History { get; set; }

        /// <summary>What is true in the game; null for nothing.</summary>
        public World World { get; set; }

        /// <summary>What was said before the history, up to 4000 characters; empty for nothing.</summary>
        public string Summary { get; set; } = "";

        /// <summary>Whether the character is named by its id, and remembers.</summary>
        internal bool ById => History == null && World == null && Summary.Length == 0;

        internal static void CheckPrompt(string text, PromptOptions options)
        {
            Limits.CheckText("text", text, Limits.TextChars);
            Limits.CheckText("summary", options.Summary, Limits.SummaryChars, true);
            options.World?.Check();
            int turns = options.History == null ? 0 : options.History.Count;
            if (turns > Limits.HistoryTurns)
            {
                throw Limits.BadRequest(
                    $"history has {turns} turns, at most {Limits.HistoryTurns} are allowed", "Leave out the oldest");
            }
            for (int index = 0; index < turns; index++)
            {
                Limits.CheckText($"history[{index}][0]", options.History[index].Player, Limits.TextChars);
                Limits.CheckText($"history[{index}][1]", options.History[index].Answer, Limits.TextChars, true);
            }
        }
    }
}
