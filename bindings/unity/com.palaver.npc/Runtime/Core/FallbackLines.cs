using System;
using System.Collections.Generic;

namespace Palaver
{
    /// <summary>Chooses a line that was written beforehand, never the one that was said last.</summary>
    internal static class FallbackLines
    {
        private static readonly string[] Neither = new string[0];
        private static readonly string[] Neutral = { "...", "Hm." };

        /// <param name="fitting">Lines for the situation, null for none.</param>
        /// <param name="authored">Lines for any other.</param>
        /// <param name="lastSaid">What was said last; null for nothing.</param>
        /// <param name="random">Draws one of several.</param>
        internal static string Choose(
            IReadOnlyList<string> fitting, IReadOnlyList<string> authored, string lastSaid, Random random)
        {
            return Pick(fitting ?? Neither, lastSaid, random) ?? Pick(authored, lastSaid, random)
                ?? Pick(Neutral, lastSaid, random);
        }

        private static string Pick(IReadOnlyList<string> lines, string lastSaid, Random random)
        {
            int choices = 0;
            foreach (string line in lines)
            {
                choices += line == lastSaid ? 0 : 1;
            }
            int skip = choices > 0 ? random.Next(choices) : 0;
            foreach (string line in lines)
            {
                if (line != lastSaid && skip-- == 0)
                {
                    return line;
                }
            }
            return null;
        }
    }
}
