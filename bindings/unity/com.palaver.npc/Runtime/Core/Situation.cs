using System.Collections.Generic;

namespace Palaver
{
    /// <summary>Fallback lines for asks that name a situation ("shop closed").</summary>
    public sealed class Situation
    {
        /// <summary>Makes a situation.</summary>
        /// <param name="name">What asks call it, 1 to 200 characters.</param>
        /// <param name="lines">At most 64 of 1000 characters.</param>
        public Situation(string name, params string[] lines)
        {
            Name = name;
            Lines = lines;
        }

        /// <summary>What asks call it.</summary>
        public string Name { get; }

        /// <summary>Lines to say in it when the model has none.</summary>
        public IReadOnlyList<string> Lines { get; }
    }
}
