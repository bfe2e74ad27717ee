using System.Collections.Generic;
using Palaver.Wire;

namespace Palaver
{
    /// <summary>The part that holds the characters and what was said to them.</summary>
    public sealed partial class PalaverClient
    {
        private readonly Dictionary<string, RememberedNpc> _npcs = new Dictionary<string, RememberedNpc>();
        private World _world = new World();

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

        /// <summary>Lets this be what is true for all characters, until the next one; null for nothing.</summary>
        /// <exception cref="PalaverException">A fact is outside its limits; nothing was changed.</exception>
        public void PutWorld(World world)
        {
            world = world ?? new World();
            world.Check();
            Outgoing.WorldPut(Fresh(), NextRequest(), world);
            CheckSize();
            _world = world;
            if (State == ClientState.Ready)
            {
                SendWritten();
            }
        }

        /// <summary>Lets a summary stand for all but a character's last turns.</summary>
        /// <param name="npcId">Of a persona that was put.</param>
        /// <param name="text">What was said before, up to 4000 characters; empty for nothing.</param>
        /// <param name="keep">Turns that stay word by word, 0 to 16.</param>
        /// <exception cref="PalaverException">"unknown-npc", or "bad-request" for what is outside its limits.</exception>
        public void SetSummary(string npcId, string text, int keep = Outgoing.UsualKeep)
        {
            RememberedNpc npc = Known(npcId);
            Limits.CheckText("text", text, Limits.SummaryChars, true);
            Limits.CheckRange("keep", keep, 0, Limits.RememberedTurns);
            npc.Summarise(text, keep);
            if (State == ClientState.Ready)
            {
                Outgoing.NpcSummary(Fresh(), NextRequest(), npcId, text, keep);
                SendWritten();
            }
        }

        /// <summary>What was said to a character before its turns; empty for nothing.</summary>
        public string Summary(string npcId)
        {
            return Known(npcId).Summary;
        }

        /// <summary>What a character remembers, oldest first, at most 16 turns.</summary>
        public IReadOnlyList<Turn> Turns(string npcId)
        {
            return Known(npcId).Turns;
        }

        /// <summary>What a character remembers as a JSON text, for the game's own save; needs no sidecar.</summary>
        public string Save(string npcId)
        {
            return SaveData.Write(npcId, Known(npcId).Summary, Known(npcId).Turns);
        }

        /// <summary>Replaces what a character remembers by what Save returned; its open asks end cancelled.</summary>
        /// <exception cref="PalaverException">"bad-save" or "save-version"; nothing was changed.</exception>
        public void Load(string npcId, string data)
        {
            RememberedNpc npc = Known(npcId);
            List<Turn> turns = SaveData.Read(data, out string summary);
            CancelWhere(npc);
            npc.Replace(summary, turns);
            SendMemory(npc);
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
            if (npc.Turns.Count > 0 || npc.Summary.Length > 0)
            {
                SendMemory(npc);
            }
        }

        private void SendWorld()
        {
            if (_world.Sections.Count > 0)
            {
                Outgoing.WorldPut(Fresh(), NextRequest(), _world);
                SendWritten();
            }
        }

        private void SendMemory(RememberedNpc npc)
        {
            if (State == ClientState.Ready)
            {
                Outgoing.NpcLoad(Fresh(), NextRequest(), SaveData.Write(npc.Persona.Id, npc.Summary, npc.Turns));
                SendWritten();
            }
        }
    }
}
