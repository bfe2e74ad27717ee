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

        [SerializeField, TextArea, Tooltip("Facts, one sentence each. The character states these and nothing else.")]
        private string[] knowledge = new string[0];

        [SerializeField, TextArea, Tooltip("Lines to say when there is none in time. Write some.")]
        private string[] fallbacks = new string[0];

        [SerializeField, Tooltip("Words or phrases that the character never says.")]
        private string[] banned = new string[0];

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
                Knowledge = knowledge,
                Fallbacks = fallbacks,
                Banned = banned,
            };
        }
    }
}
