using System.Collections.Generic;

namespace Palaver
{
    /// <summary>The protocol's limits, and the checks against them. Characters are Unicode code points.</summary>
    public static class Limits
    {
        /// <summary>Most characters of what the player says: a good character limit for an input field.</summary>
        public const int TextChars = 4000;

        /// <summary>Most turns that are remembered of one character.</summary>
        public const int RememberedTurns = 16;

        /// <summary>Most characters (personas) of one client.</summary>
        public const int Npcs = 256;

        /// <summary>Most characters of a persona's short fields, and of a banned word.</summary>
        public const int FieldChars = 200;

        /// <summary>Most characters of a fact or of a fallback line.</summary>
        public const int FactChars = 1000;

        /// <summary>Most facts of a persona.</summary>
        public const int Facts = 256;

        /// <summary>Most fallback lines of a persona.</summary>
        public const int Fallbacks = 64;

        /// <summary>Most secrets of a persona.</summary>
        public const int Secrets = 64;

        /// <summary>Most proper names of a persona.</summary>
        public const int Names = 256;

        /// <summary>Most declarations of actions of a persona.</summary>
        public const int Actions = 32;

        /// <summary>Most situations of a persona.</summary>
        public const int Situations = 32;

        /// <summary>Most banned words of a persona.</summary>
        public const int BannedWords = 256;

        /// <summary>Most sections of a world.</summary>
        public const int Sections = 32;

        /// <summary>Most facts of a world, all its sections together.</summary>
        public const int WorldFacts = 512;

        /// <summary>Most phrases that a line has to hold.</summary>
        public const int Phrases = 8;

        /// <summary>Most characters of a summary.</summary>
        public const int SummaryChars = 4000;

        /// <summary>Most turns of a history that is given with an ask.</summary>
        public const int HistoryTurns = 64;

        /// <summary>Most bytes of one message.</summary>
        internal const int MessageBytes = 1 << 20;

        /// <summary>Most elements of one list or map.</summary>
        internal const int Elements = 1024;

        /// <summary>Most values of one message, keys too.</summary>
        internal const int Values = 16384;

        /// <summary>Most containers inside one another.</summary>
        internal const int Depth = 16;

        internal static PalaverException BadRequest(string message, string hint)
        {
            return new PalaverException("bad-request", message, hint);
        }

        internal static void CheckText(string name, string value, int maxChars, bool mayBeEmpty = false)
        {
            if (value == null)
            {
                throw BadRequest($"{name} is missing", $"Give {name} as a string");
            }
            int chars = CodePoints(name, value);
            if (chars > maxChars)
            {
                throw BadRequest($"{name} has {chars} characters, at most {maxChars} are allowed", "Shorten it");
            }
            if (!mayBeEmpty && string.IsNullOrWhiteSpace(value))
            {
                throw BadRequest($"{name} is empty", $"Give {name} at least one character that is not a space");
            }
        }

        internal static void CheckTexts(string name, IReadOnlyList<string> values, int maxCount, int maxChars)
        {
            if (values.Count > maxCount)
            {
                throw BadRequest(
                    $"{name} has {values.Count} entries, at most {maxCount} are allowed", "Leave some out");
            }
            for (int index = 0; index < values.Count; index++)
            {
                CheckText($"{name}[{index}]", values[index], maxChars);
            }
        }

        internal static void CheckRange(string name, long? value, long low, long high)
        {
            if (value < low || value > high)
            {
                throw BadRequest($"{name} is {value}, out of range", $"Give {low} to {high}");
            }
        }

        internal static void CheckRange(string name, double value, double low, double high)
        {
            // Written so that NaN fails too.
            if (!(value >= low && value <= high))
            {
                throw BadRequest($"{name} is {value}, out of range", $"Give {low} to {high}");
            }
        }

        /// <summary>The first characters of a text that is too long to be sent again.</summary>
        internal static string Shortened(string text, int maxChars)
        {
            int end = 0;
            for (int chars = 0; chars < maxChars && end < text.Length; chars++)
            {
                end += char.IsSurrogatePair(text, end) ? 2 : 1;
            }
            return end == text.Length ? text : text.Substring(0, end);
        }

        private static int CodePoints(string name, string value)
        {
            int chars = 0;
            for (int index = 0; index < value.Length; index++, chars++)
            {
                if (!char.IsSurrogate(value[index]))
                {
                    continue;
                }
                if (!char.IsSurrogatePair(value, index))
                {
                    throw BadRequest($"{name} holds a lone surrogate at position {index}", "Send valid Unicode text");
                }
                index++;
            }
            return chars;
        }
    }
}
