using System.Collections.Generic;

namespace Palaver
{
    /// <summary>
    /// One character: who speaks, and what they know. Set what is wanted; it is checked when it is put.
    /// </summary>
    public sealed class Persona
    {
        private static readonly string[] Nothing = new string[0];

        /// <summary>Makes a persona from its three necessary facts.</summary>
        /// <param name="id">The game's own name for the character; never shown to the model.</param>
        /// <param name="name">What the character is called.</param>
        /// <param name="role">What the character is, in lower case ("blacksmith").</param>
        public Persona(string id, string name, string role)
        {
            Id = id;
            Name = name;
            Role = role;
        }

        /// <summary>The game's own name for the character, 1 to 200 characters; never shown to the model.</summary>
        public string Id { get; }

        /// <summary>What the character is called, 1 to 200 characters.</summary>
        public string Name { get; }

        /// <summary>What the character is, in lower case ("blacksmith"), 1 to 200 characters.</summary>
        public string Role { get; }

        /// <summary>Where they belong ("Oakvale"); empty if nowhere.</summary>
        public string Place { get; set; } = "";

        /// <summary>One word or a few ("tired"); empty for none.</summary>
        public string Mood { get; set; } = "";

        /// <summary>How they speak ("gruff"); empty for none.</summary>
        public string Manner { get; set; } = "";

        /// <summary>What they speak ("English"); empty to leave it to the model.</summary>
        public string Language { get; set; } = "";

        /// <summary>Facts, one sentence each, at most 256; the character may state these and nothing else.</summary>
        public IReadOnlyList<string> Knowledge { get; set; } = Nothing;

        /// <summary>Facts that the character acts on but never tells, at most 64.</summary>
        public IReadOnlyList<string> Secrets { get; set; } = Nothing;

        /// <summary>
        /// Proper names that the character may use though no fact holds them, at most 256; never shown to the model.
        /// </summary>
        public IReadOnlyList<string> Names { get; set; } = Nothing;

        /// <summary>
        /// What a line may carry out, at most 32 declarations: "open_gate()", "give(item: rope|torch)",
        /// "pay(amount: 1..20)"; 64 different calls in all.
        /// </summary>
        public IReadOnlyList<string> Actions { get; set; } = Nothing;

        /// <summary>Lines to say when the model has none in time, at most 64; never shown to the model.</summary>
        public IReadOnlyList<string> Fallbacks { get; set; } = Nothing;

        /// <summary>Fallback lines by situation, at most 32, for asks that name one.</summary>
        public IReadOnlyList<Situation> Situations { get; set; } = new Situation[0];

        /// <summary>Words or phrases that the character never says, at most 256; never shown to the model.</summary>
        public IReadOnlyList<string> Banned { get; set; } = Nothing;

        /// <summary>Most sentences of a line, 1 to 20; null for no limit.</summary>
        public int? MaxSentences { get; set; }

        /// <summary>Most characters of a line, 20 to 2000; null for no limit.</summary>
        public int? MaxChars { get; set; }

        /// <summary>
        /// Throws a <see cref="PalaverException"/> that names the field if one is outside its limits.
        /// </summary>
        public void Check()
        {
            Limits.CheckText("npc.id", Id, Limits.FieldChars);
            Limits.CheckText("npc.name", Name, Limits.FieldChars);
            Limits.CheckText("npc.role", Role, Limits.FieldChars);
            Limits.CheckText("npc.place", Place, Limits.FieldChars, true);
            Limits.CheckText("npc.mood", Mood, Limits.FieldChars, true);
            Limits.CheckText("npc.manner", Manner, Limits.FieldChars, true);
            Limits.CheckText("npc.language", Language, Limits.FieldChars, true);
            Limits.CheckTexts("npc.knowledge", Knowledge, Limits.Facts, Limits.FactChars);
            Limits.CheckTexts("npc.secrets", Secrets, Limits.Secrets, Limits.FactChars);
            Limits.CheckTexts("npc.names", Names, Limits.Names, Limits.FieldChars);
            Limits.CheckTexts("npc.actions", Actions, Limits.Actions, Limits.FactChars);
            ActionGrammar.Check(Actions);
            Limits.CheckTexts("npc.fallbacks", Fallbacks, Limits.Fallbacks, Limits.FactChars);
            CheckSituations();
            Limits.CheckTexts("npc.banned", Banned, Limits.BannedWords, Limits.FieldChars);
            Limits.CheckRange("npc.max_sentences", MaxSentences, 1, 20);
            Limits.CheckRange("npc.max_chars", MaxChars, 20, 2000);
        }

        private void CheckSituations()
        {
            if (Situations.Count > Limits.Situations)
            {
                throw Limits.BadRequest(
                    $"npc.situations has {Situations.Count} situations, at most {Limits.Situations} are allowed",
                    "Leave some out");
            }
            var names = new HashSet<string>();
            foreach (Situation situation in Situations)
            {
                Limits.CheckText("a name in npc.situations", situation.Name, Limits.FieldChars);
                Limits.CheckTexts(
                    $"npc.situations.{situation.Name}", situation.Lines, Limits.Fallbacks, Limits.FactChars);
                if (!names.Add(situation.Name))
                {
                    throw Limits.BadRequest(
                        $"npc.situations has {situation.Name} twice", "Put their lines together");
                }
            }
        }
    }
}
