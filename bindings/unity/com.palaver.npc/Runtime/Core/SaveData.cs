using System.Collections.Generic;
using System.Text;

namespace Palaver
{
    /// <summary>
    /// A character's remembered turns as the JSON text that all clients and the sidecar read and write.
    /// </summary>
    internal static class SaveData
    {
        private const int Version = 1;

        internal static string Write(string id, IReadOnlyList<Turn> turns)
        {
            var json = new StringBuilder();
            json.Append("{\"palaver_save\": ").Append(Version).Append(", \"npc\": ");
            Json.AppendString(json, id);
            json.Append(", \"turns\": [");
            for (int index = 0; index < turns.Count; index++)
            {
                json.Append(index == 0 ? "[" : ", [");
                Json.AppendString(json, turns[index].Player);
                json.Append(", ");
                Json.AppendString(json, turns[index].Answer);
                json.Append(']');
            }
            return json.Append("]}").ToString();
        }

        /// <summary>Reads a save; code "bad-save" or "save-version" says why it cannot be.</summary>
        internal static List<Turn> Read(string data)
        {
            if (data == null || !Json.TryParse(data, out object parsed) || !(parsed is Dictionary<string, object>))
            {
                throw Bad("it is not a JSON object");
            }
            var save = (Dictionary<string, object>)parsed;
            save.TryGetValue("palaver_save", out object version);
            if (!(version is double))
            {
                throw Bad("palaver_save is missing or no number");
            }
            if ((double)version != Version)
            {
                throw new PalaverException(
                    "save-version", $"a save of version {version}, {Version} is known", "Update Palaver");
            }
            if (!save.TryGetValue("npc", out object npc) || !(npc is string))
            {
                throw Bad("npc is missing or no text");
            }
            save.TryGetValue("turns", out object turns);
            if (!(turns is List<object>))
            {
                throw Bad("turns is missing or no list");
            }
            var read = new List<Turn>();
            foreach (object turn in (List<object>)turns)
            {
                read.Add(ReadTurn(turn));
            }
            if (read.Count > Limits.RememberedTurns)
            {
                read.RemoveRange(0, read.Count - Limits.RememberedTurns);
            }
            return read;
        }

        private static Turn ReadTurn(object turn)
        {
            var pair = turn as List<object>;
            if (pair == null || pair.Count != 2 || !(pair[0] is string) || !(pair[1] is string))
            {
                throw Bad("a turn is not a pair of texts");
            }
            var read = new Turn((string)pair[0], (string)pair[1]);
            try
            {
                Limits.CheckText("a turn's first text", read.Player, Limits.TextChars);
                Limits.CheckText("a turn's second text", read.Answer, Limits.TextChars, true);
            }
            catch (PalaverException error)
            {
                throw Bad(error.Message);
            }
            return read;
        }

        private static PalaverException Bad(string what)
        {
            return new PalaverException("bad-save", $"a save cannot be read: {what}", "Give what Save returned");
        }
    }
}
