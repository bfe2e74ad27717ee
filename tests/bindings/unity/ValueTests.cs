using System;
using System.Collections.Generic;
using System.Text;

namespace Palaver.Tests
{
    /// <summary>Saves, limits, fallback lines, drafts and escaping, without a network.</summary>
    internal static class ValueTests
    {
        internal static void SavesComeBackAsTheyWere()
        {
            var turns = new List<Turn>
            {
                new Turn("Hello", "Aye."),
                new Turn("你好 \"q\" \\ \t\n\u0001 🐉", "<b>[i]</b> é"),
                new Turn("?", ""),
            };
            string save = SaveData.Write("smith \"2\"", "They met. \"Once\".", turns);
            List<Turn> read = SaveData.Read(save, out string summary);
            Check.Equal("They met. \"Once\".", summary, "the summary");
            Check.Equal(turns.Count, read.Count, "turns");
            for (int index = 0; index < turns.Count; index++)
            {
                Check.Equal(turns[index].Player, read[index].Player, "what the player said");
                Check.Equal(turns[index].Answer, read[index].Answer, "what was answered");
            }
            Check.Equal(
                "{\"palaver_save\": 2, \"npc\": \"smith\", \"summary\": \"\", \"turns\": [[\"Hello\", \"Aye.\"]]}",
                SaveData.Write("smith", "", turns.GetRange(0, 1)), "the text that the protocol names");
        }

        internal static void SavesOfOtherKindsAreRefused()
        {
            const string Start = "{\"palaver_save\": 1, \"npc\": \"a\", ";
            foreach (string bad in new[]
            {
                "", "x", "[]", "{}", "{\"palaver_save\": 1}", "{\"palaver_save\": \"1\", \"npc\": \"a\", \"turns\": []}",
                "{\"palaver_save\": 1, \"npc\": 5, \"turns\": []}", Start + "\"turns\": {}}", Start + "\"turns\": [[\"a\"]]}",
                Start + "\"turns\": [[\"a\", 5]]}", Start + "\"turns\": [[\"a\", \"\\ud83d\"]]}", Start + "\"turns\": []",
                Start + "\"turns\": []} x", Start + "\"turns\": [[\"a\", \"\\x\"]]}", new string('[', 5000), "{\"a\": tru",
                Start + "\"turns\": [[\"" + new string('a', 4001) + "\", \"b\"]]}",
                Start + "\"summary\": 5, \"turns\": []}",
                Start + "\"summary\": \"" + new string('a', 4001) + "\", \"turns\": []}",
            })
            {
                Check.Refused("bad-save", () => SaveData.Read(bad, out string _), bad.Length > 99 ? bad.Substring(0, 99) : bad);
            }
            Check.Refused("bad-save", () => SaveData.Read(null, out string _), "null");
            Check.Refused(
                "save-version",
                () => SaveData.Read("{\"palaver_save\": 3, \"npc\": \"a\", \"turns\": []}", out string _), "version 3");
            string odd = Start + "\"new\": [1.5e3, null, false], \"turns\": []}";
            Check.Equal(0, SaveData.Read(odd, out string summary).Count, "unknown keys");
            Check.Equal("", summary, "the summary of version 1");
        }

        internal static void OfManyTurnsTheLastSixteenCount()
        {
            var npc = new RememberedNpc(new Persona("a", "b", "c"));
            var json = new StringBuilder("{\"palaver_save\": 1, \"npc\": \"a\", \"turns\": [[\"0\", \"0\"]");
            for (int turn = 1; turn < 20; turn++)
            {
                json.Append($", [\"{turn}\", \"{turn}\"]");
                npc.Remember(turn.ToString(), turn.ToString());
            }
            List<Turn> read = SaveData.Read(json.Append("]}").ToString(), out string _);
            Check.Equal(16, read.Count, "turns of a save");
            Check.Equal("4", read[0].Player, "the oldest of a save");
            Check.Equal(16, npc.Turns.Count, "turns remembered");
            Check.Equal("4", npc.Turns[0].Player, "the oldest remembered");
            npc.Summarise("They spoke.", 4);
            Check.Equal("16", npc.Turns[0].Player, "the oldest behind a summary");
            Check.Equal("They spoke.", npc.Summary, "the summary");
            npc.Summarise("", 0);
            Check.Equal(0, npc.Turns.Count, "turns when none are kept");
        }

        internal static void FallbackLinesDoNotRepeat()
        {
            var random = new Random(5);
            string[] authored = { "One.", "Two.", "Three." };
            var said = new HashSet<string>();
            string last = null;
            for (int round = 0; round < 200; round++)
            {
                string next = FallbackLines.Choose(null, authored, last, random);
                Check.That(next != last, "the same line twice running");
                said.Add(last = next);
            }
            Check.Equal(3, said.Count, "different lines");
            Check.Equal("Two.", FallbackLines.Choose(null, new[] { "One.", "Two." }, "One.", random), "the other one");
            string neutral = FallbackLines.Choose(null, new[] { "One." }, "One.", random);
            Check.That(neutral == "..." || neutral == "Hm.", $"a neutral line, not {neutral}");
            Check.Equal("Hm.", FallbackLines.Choose(null, new string[0], "...", random), "the other neutral line");
            string[] closed = { "Closed." };
            Check.Equal("Closed.", FallbackLines.Choose(closed, authored, null, random), "a line for the situation");
            string other = FallbackLines.Choose(closed, authored, "Closed.", random);
            Check.That(Array.IndexOf(authored, other) >= 0, $"one of the others, not {other}");
        }

        internal static void LimitsCountCharactersNotUnits()
        {
            var dragons = new StringBuilder();
            for (int index = 0; index < 200; index++)
            {
                dragons.Append("🐉");
            }
            new Persona(dragons.ToString(), "b", "c").Check();
            Check.Refused("bad-request", () => new Persona(dragons + "x", "b", "c").Check(), "201 characters");
            Check.Refused("bad-request", () => new Persona("\ud83d", "b", "c").Check(), "half a dragon");
            Check.Refused("bad-request", () => new Persona(null, "b", "c").Check(), "no id");
            Check.Refused("bad-request", () => new Persona("a", "b", " \n").Check(), "a role of spaces");
        }

        internal static void DraftsTellTheirStablePart()
        {
            var draft = new PalaverDraft("🐉 is here", 3, 1, 8);
            Check.Equal("🐉 i", draft.Text.Substring(0, draft.StableLength), "three characters");
            Check.Equal(2, new PalaverDraft("ab", 99, 1, 8).StableLength, "more than there are");
        }

        internal static void LinesBeginNoTags()
        {
            Check.Equal("Aye.", RichText.EscapeTextMeshPro("Aye."), "plain text");
            Check.Equal(
                "a <noparse><</noparse>b> <noparse><</noparse>/noparse>",
                RichText.EscapeTextMeshPro("a <b> </noparse>"), "tags");
            Check.Equal("a \u2039b>", RichText.EscapeUGui("a <b>"), "a tag of uGUI");
        }

        internal static void WaitsDoubleUpToTheLongest()
        {
            var backoff = new Backoff(250, 4000);
            var waits = new List<int>();
            for (int round = 0; round < 7; round++)
            {
                waits.Add(backoff.NextMs());
            }
            Check.Equal("250,500,1000,2000,4000,4000,4000", string.Join(",", waits), "the waits");
            backoff.Reset();
            Check.Equal(250, backoff.NextMs(), "after a success");
        }
    }
}
