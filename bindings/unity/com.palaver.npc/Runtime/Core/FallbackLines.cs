using System;
using System.Collections.Generic;

namespace Palaver
{
    /// <summary>Chooses a line that was written beforehand, never the one that was said last.</summary>
    internal static class FallbackLines
    {
        private static readonly string[] Neutral = { "...", "Hm." };

        internal static string Choose(IReadOnlyList<string> authored, string lastSaid, Random random)
        {
            return Pick(authored, lastSaid, random) ?? Pick(Neutral, lastSaid, random);
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
