using System.Collections.Generic;
using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;

namespace Palaver
{
    /// <summary>
    /// A line of which a writer has settled some words: fixed ones, and gaps such as {*}, {*3}, {*2-6} or
    /// {*=some pelts}. The sidecar fills the gaps by its model; here they get what is said without one.
    /// </summary>
    internal sealed class PinnedLine
    {
        private const int MaxGaps = 16;
        private const int MaxGapTokens = 64;
        private const string NothingToSay = "...";
        private const string SentenceEnds = ".!?\u2026\u3002\uff01\uff1f";
        private const string Hint = "Write {*}, {*3}, {*2-6} or {*=words} for a gap, {{ and }} for braces";

        private static readonly Regex Gap = new Regex(
            @"\G\{\*(?:([0-9]{1,4})(?:-([0-9]{1,4}))?)?(?:=([^{}]+))?\}", RegexOptions.CultureInvariant);

        private readonly List<Part> _parts = new List<Part>();

        private PinnedLine()
        {
        }

        private struct Part
        {
            /// <summary>Of a pin, its words; of a gap, its default, empty for none.</summary>
            internal string Text;
            internal bool IsGap;

            /// <summary>A phrase that was put into a gap: what parts it from its neighbours is not settled.</summary>
            internal bool Loose;

            /// <summary>A gap that may stay empty.</summary>
            internal bool MayBeEmpty;

            /// <summary>A gap of any length.</summary>
            internal bool AnyLength;
        }

        /// <summary>Throws where the template cannot be read, or has no gap for one of the phrases.</summary>
        internal static void Check(string template, IReadOnlyList<string> phrases)
        {
            if (template != null)
            {
                Parse(template).Include(phrases);
            }
        }

        /// <summary>What is said without a model: the template with its defaults, else the authored line.</summary>
        internal static string WrittenBeforehand(string template, IReadOnlyList<string> phrases, string authored)
        {
            if (template == null)
            {
                return Completed(authored, phrases);
            }
            PinnedLine line = Parse(template);
            line.Include(phrases);
            return line.WithDefaults();
        }

        private static string Completed(string line, IReadOnlyList<string> phrases)
        {
            foreach (string phrase in Wanted(phrases))
            {
                if (line.IndexOf(phrase, System.StringComparison.Ordinal) < 0)
                {
                    bool ends = SentenceEnds.IndexOf(phrase[phrase.Length - 1]) >= 0;
                    line = $"{line.TrimEnd()} {phrase}{(ends ? "" : ".")}";
                }
            }
            return line;
        }

        /// <summary>The phrases without white space around them, each once, and none that another one holds.</summary>
        private static List<string> Wanted(IReadOnlyList<string> phrases)
        {
            var different = new List<string>();
            foreach (string given in phrases)
            {
                string phrase = given.Trim();
                if (phrase.Length > 0 && !different.Contains(phrase))
                {
                    different.Add(phrase);
                }
            }
            return different.FindAll(phrase => !different.Exists(other => other != phrase && other.Contains(phrase)));
        }

        /// <summary>"...", less the full stops or the ellipsis that stand behind it anyway.</summary>
        private static string DotsBefore(string behind)
        {
            if (behind.StartsWith("\u2026", System.StringComparison.Ordinal))
            {
                return "";
            }
            int dots = behind.Length - behind.TrimStart('.').Length;
            return NothingToSay.Substring(System.Math.Min(dots, NothingToSay.Length));
        }

        private static PinnedLine Parse(string text)
        {
            var line = new PinnedLine();
            var pinned = new StringBuilder();
            int gaps = 0;
            for (int at = 0; at < text.Length;)
            {
                bool doubled = at + 1 < text.Length && text[at + 1] == text[at];
                if (text[at] != '{' && text[at] != '}' || doubled)
                {
                    bool brace = text[at] == '{' || text[at] == '}';
                    pinned.Append(text[at]);
                    at += brace ? 2 : 1;
                    continue;
                }
                Match match = Gap.Match(text, at);
                if (!match.Success)
                {
                    throw Wrong(at, text[at] == '}' ? "a brace closes that none has opened" : "it begins no gap");
                }
                line.AddGap(pinned.ToString(), match, at);
                pinned.Clear();
                gaps++;
                at += match.Length;
            }
            line.AddPin(pinned.ToString());
            if (gaps < 1 || gaps > MaxGaps)
            {
                throw Limits.BadRequest($"template has {gaps} gaps, 1 to {MaxGaps} are allowed", Hint);
            }
            Part last = line._parts[line._parts.Count - 1];
            // Where other gaps have words already, the model may leave it at that.
            last.MayBeEmpty = gaps > 1 && last.AnyLength;
            line._parts[line._parts.Count - 1] = last;
            return line;
        }

        private static int Tokens(Group group, int otherwise)
        {
            return group.Success ? int.Parse(group.Value, CultureInfo.InvariantCulture) : otherwise;
        }

        private static PalaverException Wrong(int at, string what)
        {
            return Limits.BadRequest($"template, character {at + 1}: {what}", Hint);
        }

        /// <summary>What parts a phrase from the words behind it.</summary>
        private static string Joint(StringBuilder before, string text)
        {
            bool glued = !char.IsWhiteSpace(text, 0) && !char.IsLetterOrDigit(text, 0);
            return glued || IsWide(CodePointBefore(before)) || IsWide(CodePointAt(text.Trim(), 0)) ? "" : " ";
        }

        private static int CodePointAt(string text, int index)
        {
            return char.IsSurrogatePair(text, index) ? char.ConvertToUtf32(text, index) : text[index];
        }

        private static int CodePointBefore(StringBuilder text)
        {
            char last = text[text.Length - 1];
            return char.IsLowSurrogate(last) ? char.ConvertToUtf32(text[text.Length - 2], last) : last;
        }

        /// <summary>Whether it belongs to a script that knows no spaces (East Asian Width W or F).</summary>
        private static bool IsWide(int letter)
        {
            return (letter >= 0x1100 && letter <= 0x115f) || (letter >= 0x2e80 && letter <= 0xa4cf && letter != 0x303f)
                || (letter >= 0xa960 && letter <= 0xa97f) || (letter >= 0xac00 && letter <= 0xd7a3)
                || (letter >= 0xf900 && letter <= 0xfaff) || (letter >= 0xfe10 && letter <= 0xfe6f)
                || (letter >= 0xff01 && letter <= 0xff60) || (letter >= 0xffe0 && letter <= 0xffe6)
                || (letter >= 0x1f300 && letter <= 0x1f9ff) || (letter >= 0x20000 && letter <= 0x3fffd);
        }

        private void AddPin(string text)
        {
            if (text.Length > 0)
            {
                _parts.Add(new Part { Text = text });
            }
        }

        private void AddGap(string pinned, Match match, int at)
        {
            AddPin(pinned);
            bool behindGap = _parts.Count > 0 && _parts[_parts.Count - 1].IsGap;
            if (behindGap || (_parts.Count > 1 && pinned.Trim().Length == 0))
            {
                throw Wrong(at, "two gaps have no words between them");
            }
            int fewest = Tokens(match.Groups[1], 1);
            int most = Tokens(match.Groups[2], fewest);
            if (fewest < 1 || fewest > most || most > MaxGapTokens)
            {
                throw Wrong(at, $"a gap has 1 to {MaxGapTokens} tokens, the fewest first");
            }
            string text = match.Groups[3].Value;
            if (text.Length > 0 && text.Trim().Length == 0)
            {
                throw Wrong(at, "a default has words");
            }
            _parts.Add(new Part { IsGap = true, Text = text, AnyLength = !match.Groups[1].Success });
        }

        /// <summary>Puts the phrases that no pin holds into the first gap of any length.</summary>
        private void Include(IReadOnlyList<string> phrases)
        {
            var missing = new List<string>();
            foreach (string phrase in Wanted(phrases))
            {
                if (!_parts.Exists(part => !part.IsGap && part.Text.Contains(phrase)))
                {
                    missing.Add(phrase);
                }
            }
            if (missing.Count == 0)
            {
                return;
            }
            int index = _parts.FindIndex(part => part.AnyLength);
            if (index < 0)
            {
                throw Limits.BadRequest(
                    $"the template has no gap that '{missing[0]}' could stand in", "Give it a gap {*} of any length");
            }
            Part gap = _parts[index];
            gap.MayBeEmpty = true;
            _parts[index] = gap;
            foreach (string phrase in missing)
            {
                _parts.Insert(++index, new Part { Text = phrase, Loose = true });
                _parts.Insert(++index, new Part { IsGap = true, Text = "", AnyLength = true, MayBeEmpty = true });
            }
        }

        private string WithDefaults()
        {
            var said = new StringBuilder();
            for (int index = 0; index < _parts.Count; index++)
            {
                Part part = _parts[index];
                if (!part.IsGap)
                {
                    said.Append(part.Text);
                    continue;
                }
                bool looseBefore = index > 0 && _parts[index - 1].Loose;
                bool last = index + 1 == _parts.Count;
                bool looseBehind = !last && _parts[index + 1].Loose;
                string text = part.Text.Length > 0 ? part.Text : part.MayBeEmpty ? "" : DotsBefore(last ? "" : _parts[index + 1].Text);
                if (text.Trim().Length > 0)
                {
                    said.Append(looseBefore ? Joint(said, text) : "").Append(text.Trim());
                    said.Append(looseBehind && !IsWide(CodePointBefore(said)) ? " " : "");
                }
                else if (looseBefore)
                {
                    bool open = last && char.IsLetterOrDigit(said.ToString(), said.Length - 1);
                    said.Append(looseBehind ? " " : open ? "." : "");
                }
            }
            return said.ToString();
        }
    }
}
