using System.Collections.Generic;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Palaver
{
    /// <summary>
    /// Checks declarations of actions as the sidecar does: open_gate(), give(item: rope|torch), pay(amount: 1..20).
    /// </summary>
    internal static class ActionGrammar
    {
        private const int MaxCalls = 64;
        private const int MaxArguments = 8;
        private const long LargestNumber = 1000000000;
        private const string Hint = "Write open_gate(), give(item: iron kettle|oak shield) or pay(amount: 1..20)";
        private const string Name = "[a-z_][a-z0-9_]{0,63}";

        private static readonly Regex Declaration =
            new Regex($@"\A\s*({Name})\s*\(([^()\[\]]*)\)\s*\z", RegexOptions.CultureInvariant);

        private static readonly Regex Argument =
            new Regex($@"\A\s*({Name})\s*:(.*)\z", RegexOptions.CultureInvariant | RegexOptions.Singleline);

        private static readonly Regex Range =
            new Regex(@"\A\s*(-?[0-9]{1,10})\s*\.\.\s*(-?[0-9]{1,10})\s*\z", RegexOptions.CultureInvariant);

        private static readonly Regex Spaces = new Regex(@"\s+", RegexOptions.CultureInvariant);

        internal static void Check(IReadOnlyList<string> declarations)
        {
            var names = new HashSet<string>();
            double calls = 0;
            foreach (string declaration in declarations)
            {
                Match found = Declaration.Match(declaration);
                if (!found.Success)
                {
                    throw Unreadable(declaration, "it is not a name and brackets");
                }
                string name = found.Groups[1].Value;
                if (!names.Add(name))
                {
                    throw Limits.BadRequest(
                        $"the action {name} is declared twice", "Give all its values in one declaration");
                }
                calls += Calls(declaration, found.Groups[2].Value);
            }
            if (calls > MaxCalls)
            {
                throw Limits.BadRequest(
                    $"the actions allow {calls} different calls, at most {MaxCalls} are allowed",
                    "Declare those that make sense just now");
            }
        }

        // A double: eight ranges at their largest overflow every whole number.
        private static double Calls(string declaration, string inside)
        {
            string[] parts = inside.Trim().Length == 0 ? new string[0] : inside.Split(',');
            if (parts.Length > MaxArguments)
            {
                throw Unreadable(
                    declaration, $"it has {parts.Length} arguments, at most {MaxArguments} are allowed");
            }
            var names = new HashSet<string>();
            double calls = 1;
            foreach (string part in parts)
            {
                Match found = Argument.Match(part);
                if (!found.Success)
                {
                    throw Unreadable(declaration, $"'{part.Trim()}' is not a name, a colon and values");
                }
                if (!names.Add(found.Groups[1].Value))
                {
                    throw Unreadable(declaration, "two arguments have one name");
                }
                calls *= Values(declaration, found.Groups[2].Value);
            }
            return calls;
        }

        private static double Values(string declaration, string values)
        {
            Match limits = Range.Match(values);
            if (limits.Success)
            {
                long low = long.Parse(limits.Groups[1].Value, CultureInfo.InvariantCulture);
                long high = long.Parse(limits.Groups[2].Value, CultureInfo.InvariantCulture);
                if (low > high || low < -LargestNumber || high > LargestNumber)
                {
                    throw Unreadable(declaration, $"{values.Trim()} is not a range of whole numbers");
                }
                return high - low + 1;
            }
            var texts = new HashSet<string>();
            foreach (string value in values.Split('|'))
            {
                string text = Spaces.Replace(value.Trim(), " ");
                if (text.Length == 0 || !texts.Add(text))
                {
                    throw Unreadable(declaration, text.Length == 0 ? "a value is empty" : $"{text} is there twice");
                }
            }
            return texts.Count;
        }

        private static PalaverException Unreadable(string declaration, string why)
        {
            return Limits.BadRequest($"the action '{declaration}' cannot be read: {why}", Hint);
        }
    }
}
