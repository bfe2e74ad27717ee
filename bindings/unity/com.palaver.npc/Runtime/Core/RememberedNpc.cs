using System;
using System.Collections.Generic;

namespace Palaver
{
    /// <summary>A character that was put: its persona, what it remembers, and what it said last.</summary>
    internal sealed class RememberedNpc
    {
        private readonly List<Turn> _turns = new List<Turn>();
        private string _lastSaid;

        internal RememberedNpc(Persona persona)
        {
            Persona = persona;
        }

        internal Persona Persona { get; set; }

        internal IReadOnlyList<Turn> Turns => _turns;

        /// <summary>What was said before the turns; empty for nothing.</summary>
        internal string Summary { get; private set; } = "";

        internal void Said(string text)
        {
            _lastSaid = text;
        }

        internal void Remember(string player, string answer)
        {
            if (_turns.Count == Limits.RememberedTurns)
            {
                _turns.RemoveAt(0);
            }
            _turns.Add(new Turn(player, Limits.Shortened(answer, Limits.TextChars)));
        }

        internal void Replace(string summary, List<Turn> turns)
        {
            Summary = summary;
            _turns.Clear();
            _turns.AddRange(turns);
        }

        /// <summary>Lets a summary stand for all but the last turns.</summary>
        internal void Summarise(string summary, int keep)
        {
            Summary = summary;
            _turns.RemoveRange(0, Math.Max(0, _turns.Count - keep));
        }

        internal string Fallback(string situation, Random random)
        {
            foreach (Situation known in Persona.Situations)
            {
                if (known.Name == situation)
                {
                    return FallbackLines.Choose(known.Lines, Persona.Fallbacks, _lastSaid, random);
                }
            }
            return FallbackLines.Choose(null, Persona.Fallbacks, _lastSaid, random);
        }
    }
}
