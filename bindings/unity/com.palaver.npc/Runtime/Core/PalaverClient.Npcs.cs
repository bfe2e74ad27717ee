using System.Collections.Generic;
using Palaver.Wire;

namespace Palaver
{
    /// <summary>The part that holds the characters and what was said to them.</summary>
    public sealed partial class PalaverClient
    {
        private readonly Dictionary<string, RememberedNpc> _npcs = new Dictionary<string, RememberedNpc>();

        /// <summary>Makes a character known, or changes its persona; its remembered turns stay.</summary>
        /// <exception cref="PalaverException">A field is outside its limits, or there are 256 characters.</exception>
        public void PutNpc(Persona persona)
        {
            persona.Check();
            bool known = _npcs.TryGetValue(persona.Id, out RememberedNpc npc);
            if (!known && _npcs.Count == Limits.Npcs)
            {
                throw new PalaverException(
                    "too-many-npcs", $"{Limits.Npcs} characters are there already", "Forget one with ForgetNpc");
            }
            Outgoing.NpcPut(Fresh(), NextRequest(), persona);
            CheckSize();
            if (!known)
            {
                _npcs.Add(persona.Id, npc = new RememberedNpc(persona));
            }
            npc.Persona = persona;
            if (State == ClientState.Ready)
            {
                SendWritten();
            }
        }

        /// <summary>Whether a character of this id was put.</summary>
        public bool HasNpc(string npcId)
        {
            return npcId != null && _npcs.ContainsKey(npcId);
        }

        /// <summary>Forgets a character and its turns; its open asks end cancelled.</summary>
        public void ForgetNpc(string npcId)
        {
            RememberedNpc npc = Known(npcId);
            CancelWhere(npc);
            _npcs.Remove(npcId);
            if (State == ClientState.Ready)
            {
                Outgoing.NpcForget(Fresh(), NextRequest(), npcId);
                SendWritten();
            }
        }

        /// <summary>What a character remembers, oldest first, at most 16 turns.</summary>
        public IReadOnlyList<Turn> Turns(string npcId)
        {
            return Known(npcId).Turns;
        }

        /// <summary>What a character remembers as a JSON text, for the game's own save; needs no sidecar.</summary>
        public string Save(string npcId)
        {
            return SaveData.Write(npcId, Known(npcId).Turns);
        }

        /// <summary>Replaces what a character remembers by what Save returned; its open asks end cancelled.</summary>
        /// <exception cref="PalaverException">"bad-save" or "save-version"; nothing was changed.</exception>
        public void Load(string npcId, string data)
        {
            RememberedNpc npc = Known(npcId);
            List<Turn> turns = SaveData.Read(data);
            CancelWhere(npc);
            npc.Replace(turns);
            SendTurns(npc);
        }

        private RememberedNpc Known(string npcId)
        {
            if (npcId == null || !_npcs.TryGetValue(npcId, out RememberedNpc npc))
            {
                throw new PalaverException("unknown-npc", $"there is no character {npcId}", "Put its persona first");
            }
            return npc;
        }

        /// <summary>
        /// Cancels the open asks of one character, or of all for null, and drops what they may still bring.
        /// </summary>
        private void CancelWhere(RememberedNpc npc)
        {
            for (int index = _open.Count - 1; index >= 0; index--)
            {
                if (npc == null || _open[index].Npc == npc)
                {
                    Cancel(_open[index]);
                }
            }
            foreach (AskHandle late in _late.Values)
            {
                late.Dropped |= late.Npc == npc;
            }
        }

        private void SendNpc(RememberedNpc npc)
        {
            Outgoing.NpcPut(Fresh(), NextRequest(), npc.Persona);
            SendWritten();
            if (npc.Turns.Count > 0)
            {
                SendTurns(npc);
            }
        }

        private void SendTurns(RememberedNpc npc)
        {
            if (State == ClientState.Ready)
            {
                Outgoing.NpcLoad(Fresh(), NextRequest(), SaveData.Write(npc.Persona.Id, npc.Turns));
                SendWritten();
            }
        }
    }
}
