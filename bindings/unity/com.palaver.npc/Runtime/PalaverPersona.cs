using System;
using UnityEngine;

namespace Palaver
{
    /// <summary>A character as an asset: who speaks, and what they know.</summary>
    [CreateAssetMenu(fileName = "Persona", menuName = "Palaver/Persona")]
    public sealed class PalaverPersona : ScriptableObject
    {
        [SerializeField, Tooltip("The game's own name for the character. It remembers under this.")]
        private string id = "";

        [SerializeField, Tooltip("What the character is called.")]
        private string displayName = "";

        [SerializeField, Tooltip("What the character is, in lower case: blacksmith.")]
        private string role = "";

        [SerializeField, Tooltip("Where they belong.")]
        private string place = "";

        [SerializeField, Tooltip("One word or a few: tired.")]
        private string mood = "";

        [SerializeField, Tooltip("How they speak: gruff.")]
        private string manner = "";

        [SerializeField, Tooltip("What they speak: English. Empty leaves it to the model.")]
        private string language = "";

        [SerializeField, TextArea, Tooltip("Facts, one sentence each. The character states these and nothing else.")]
        private string[] knowledge = new string[0];

        [SerializeField, TextArea, Tooltip("Facts that the character acts on but never tells.")]
        private string[] secrets = new string[0];

        [SerializeField, Tooltip("Proper names that the character may use though no fact holds them.")]
        private string[] names = new string[0];

        [SerializeField, Tooltip("What a line may carry out: open_gate(), give(item: rope|torch), pay(amount: 1..20).")]
        private string[] actions = new string[0];

        [SerializeField, TextArea, Tooltip("Lines to say when there is none in time. Write some.")]
        private string[] fallbacks = new string[0];

        [SerializeField, Tooltip("Lines to say instead, for asks that name a situation.")]
        private PersonaSituation[] situations = new PersonaSituation[0];

        [SerializeField, Tooltip("Words or phrases that the character never says.")]
        private string[] banned = new string[0];

        [SerializeField, Range(0, 20), Tooltip("Most sentences of a line; 0 for no limit.")]
        private int maxSentences;

        [SerializeField, Range(0, 2000), Tooltip("Most characters of a line, 20 or more; 0 for no limit.")]
        private int maxChars;

        /// <summary>Fallback lines for a situation, as the inspector shows them.</summary>
        [Serializable]
        public sealed class PersonaSituation
        {
            [SerializeField, Tooltip("What asks call it: shop closed.")]
            private string name = "";

            [SerializeField, TextArea, Tooltip("Lines to say in it.")]
            private string[] lines = new string[0];

            internal Situation ToSituation()
            {
                return new Situation(name, lines);
            }
        }

        /// <summary>The game's own name for the character.</summary>
        public string Id => id;

        /// <summary>The persona as the client takes it.</summary>
        /// <param name="otherId">An id in place of the asset's own, for one of several of the same kind.</param>
        public Persona ToPersona(string otherId = null)
        {
            return new Persona(string.IsNullOrEmpty(otherId) ? id : otherId, displayName, role)
            {
                Place = place,
                Mood = mood,
                Manner = manner,
                Language = language,
                Knowledge = knowledge,
                Secrets = secrets,
                Names = names,
                Actions = actions,
                Fallbacks = fallbacks,
                Situations = Array.ConvertAll(situations, situation => situation.ToSituation()),
                Banned = banned,
                MaxSentences = maxSentences == 0 ? (int?)null : maxSentences,
                MaxChars = maxChars == 0 ? (int?)null : maxChars,
            };
        }
    }
}
