using System.Collections.Generic;
using System.Globalization;

namespace Palaver
{
    /// <summary>An action that a line carries out: one of those that the persona declares.</summary>
    public sealed class ActionCall
    {
        private readonly List<KeyValuePair<string, object>> _args;

        internal ActionCall(string name, List<KeyValuePair<string, object>> args)
        {
            Name = name;
            _args = args;
        }

        /// <summary>As declared ("give").</summary>
        public string Name { get; }

        /// <summary>A string or a long by the argument's name, in the order of the declaration.</summary>
        public IReadOnlyList<KeyValuePair<string, object>> Args => _args;

        /// <summary>An argument as text; empty if there is none of that name.</summary>
        public string Text(string argument)
        {
            return System.Convert.ToString(Find(argument), CultureInfo.InvariantCulture) ?? "";
        }

        /// <summary>An argument that was declared as a range; 0 for any other.</summary>
        public long Number(string argument)
        {
            return Find(argument) is long number ? number : 0;
        }

        /// <summary>As in the code of a game: give(iron kettle).</summary>
        public override string ToString()
        {
            List<string> values = _args.ConvertAll(pair => Text(pair.Key));
            return $"{Name}({string.Join(", ", values.ToArray())})";
        }

        private object Find(string argument)
        {
            return _args.Find(pair => pair.Key == argument).Value;
        }
    }
}
