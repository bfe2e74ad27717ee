using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Palaver
{
    /// <summary>
    /// The little JSON there is in the protocol: saves and the sidecar's ready file. Objects become dictionaries,
    /// arrays lists, numbers doubles; null, true and false themselves.
    /// </summary>
    internal sealed class Json
    {
        private readonly string _text;
        private int _at;

        private Json(string text)
        {
            _text = text;
        }

        /// <summary>The value that the text holds; false where it is no JSON.</summary>
        internal static bool TryParse(string text, out object value)
        {
            var json = new Json(text);
            bool good = json.Value(out value, 0) && json.Peek() == '\0' && json._at == text.Length;
            return good;
        }

        /// <summary>Writes a string with its quotes.</summary>
        internal static void AppendString(StringBuilder to, string text)
        {
            to.Append('"');
            foreach (char letter in text)
            {
                if (letter == '"' || letter == '\\')
                {
                    to.Append('\\').Append(letter);
                }
                else if (letter < ' ')
                {
                    to.Append("\\u").Append(((int)letter).ToString("x4", CultureInfo.InvariantCulture));
                }
                else
                {
                    to.Append(letter);
                }
            }
            to.Append('"');
        }

        private bool Value(out object value, int depth)
        {
            value = null;
            if (depth > Limits.Depth)
            {
                return false;
            }
            switch (Peek())
            {
                case '{':
                    return Members(out value, depth);
                case '[':
                    return Items(out value, depth);
                case '"':
                    return Text(out value);
                case 't':
                    value = true;
                    return Word("true");
                case 'f':
                    value = false;
                    return Word("false");
                case 'n':
                    return Word("null");
                default:
                    return Number(out value);
            }
        }

        private bool Members(out object value, int depth)
        {
            var members = new Dictionary<string, object>();
            value = members;
            _at++;
            if (Take('}'))
            {
                return true;
            }
            do
            {
                if (Peek() != '"' || !Text(out object name) || !Take(':') || !Value(out object member, depth + 1))
                {
                    return false;
                }
                members[(string)name] = member;
            }
            while (Take(','));
            return Take('}');
        }

        private bool Items(out object value, int depth)
        {
            var items = new List<object>();
            value = items;
            _at++;
            if (Take(']'))
            {
                return true;
            }
            do
            {
                if (!Value(out object item, depth + 1))
                {
                    return false;
                }
                items.Add(item);
            }
            while (Take(','));
            return Take(']');
        }

        private bool Text(out object value)
        {
            var text = new StringBuilder();
            value = null;
            for (_at++; _at < _text.Length; _at++)
            {
                char letter = _text[_at];
                if (letter == '"')
                {
                    _at++;
                    value = text.ToString();
                    return true;
                }
                if (letter < ' ' || (letter == '\\' && !Escape(out letter)))
                {
                    return false;
                }
                text.Append(letter);
            }
            return false;
        }

        private bool Escape(out char letter)
        {
            const string Codes = "\"\\/bfnrt";
            const string Letters = "\"\\/\b\f\n\r\t";
            letter = '\0';
            if (++_at >= _text.Length)
            {
                return false;
            }
            int code = Codes.IndexOf(_text[_at]);
            if (code >= 0)
            {
                letter = Letters[code];
                return true;
            }
            if (_text[_at] != 'u' || _at + 4 >= _text.Length)
            {
                return false;
            }
            string hex = _text.Substring(_at + 1, 4);
            if (!ushort.TryParse(hex, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture, out ushort unit))
            {
                return false;
            }
            _at += 4;
            letter = (char)unit;
            return true;
        }

        private bool Number(out object value)
        {
            int start = _at;
            while (_at < _text.Length && "+-.0123456789eE".IndexOf(_text[_at]) >= 0)
            {
                _at++;
            }
            string digits = _text.Substring(start, _at - start);
            bool good = double.TryParse(digits, NumberStyles.Float, CultureInfo.InvariantCulture, out double number);
            value = number;
            return good;
        }

        private bool Word(string word)
        {
            bool good = string.CompareOrdinal(_text, _at, word, 0, word.Length) == 0;
            _at += word.Length;
            return good;
        }

        private bool Take(char letter)
        {
            bool there = Peek() == letter;
            _at += there ? 1 : 0;
            return there;
        }

        /// <summary>The next character that is no space; '\0' at the end.</summary>
        private char Peek()
        {
            while (_at < _text.Length && " \t\r\n".IndexOf(_text[_at]) >= 0)
            {
                _at++;
            }
            return _at < _text.Length ? _text[_at] : '\0';
        }
    }
}
