using System.Collections.Generic;
using System.Text;

namespace Palaver
{
    /// <summary>
    /// What a character remembers as the JSON text that all clients and the sidecar read and write.
    /// </summary>
    internal static class SaveData
    {
        // The first version had no summary.
        private const int Version = 2;

        internal static string Write(string id, string summary, IReadOnlyList<Turn> turns)
        {
            var json = new StringBuilder();
            json.Append("{\"palaver_save\": ").Append(Version).Append(", \"npc\": ");
            Json.AppendString(json, id);
            json.Append(", \"summary\": ");
            Json.AppendString(json, summary);
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
        internal static List<Turn> Read(string data, out string summary)
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
            if ((double)version < 1 || (double)version > Version || (double)version % 1 != 0)
            {
                throw new PalaverException(
                    "save-version", $"a save of version {version}, 1 to {Version} are known", "Update Palaver");
            }
            summary = ReadSummary(save);
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

        private static string ReadSummary(Dictionary<string, object> save)
        {
            if (!save.TryGetValue("summary", out object summary))
            {
                return "";
            }
            Fit("summary", summary as string, Limits.SummaryChars, true);
            return (string)summary;
        }

        private static Turn ReadTurn(object turn)
        {
            var pair = turn as List<object>;
            if (pair == null || pair.Count != 2 || !(pair[0] is string) || !(pair[1] is string))
            {
                throw Bad("a turn is not a pair of texts");
            }
            var read = new Turn((string)pair[0], (string)pair[1]);
            Fit("a turn's first text", read.Player, Limits.TextChars, false);
            Fit("a turn's second text", read.Answer, Limits.TextChars, true);
            return read;
        }

        private static void Fit(string name, string text, int maxChars, bool mayBeEmpty)
        {
            try
            {
                Limits.CheckText(name, text, maxChars, mayBeEmpty);
            }
            catch (PalaverException error)
            {
                throw Bad(error.Message);
            }
        }

        private static PalaverException Bad(string what)
        {
            return new PalaverException("bad-save", $"a save cannot be read: {what}", "Give what Save returned");
        }
    }
}
