using System;
using System.Collections.Generic;

namespace Palaver
{
    /// <summary>A character that was put: its persona, its remembered turns, and what it said last.</summary>
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
            _turns.Add(new Turn(player, answer));
        }

        internal void Replace(List<Turn> turns)
        {
            _turns.Clear();
            _turns.AddRange(turns);
        }

        internal string Fallback(Random random)
        {
            return FallbackLines.Choose(Persona.Fallbacks, _lastSaid, random);
        }
    }
}
