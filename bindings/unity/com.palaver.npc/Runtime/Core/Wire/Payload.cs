using System.Collections.Generic;

namespace Palaver.Wire
{
    /// <summary>Writes personas and worlds in their canonical form: in order, without what is empty.</summary>
    internal static class Payload
    {
        internal static void Npc(MsgPackWriter to, Persona persona)
        {
            to.Map(3 + Given(persona.Place) + Given(persona.Mood) + Given(persona.Manner) + Given(persona.Language)
                + Given(persona.Knowledge) + Given(persona.Secrets) + Given(persona.Names) + Given(persona.Actions)
                + Given(persona.Fallbacks) + (persona.Situations.Count == 0 ? 0 : 1) + Given(persona.Banned)
                + Given(persona.MaxSentences) + Given(persona.MaxChars));
            Text(to, "id", persona.Id);
            Text(to, "name", persona.Name);
            Text(to, "role", persona.Role);
            Text(to, "place", persona.Place);
            Text(to, "mood", persona.Mood);
            Text(to, "manner", persona.Manner);
            Text(to, "language", persona.Language);
            Texts(to, "knowledge", persona.Knowledge);
            Texts(to, "secrets", persona.Secrets);
            Texts(to, "names", persona.Names);
            Texts(to, "actions", persona.Actions);
            Texts(to, "fallbacks", persona.Fallbacks);
            Situations(to, persona.Situations);
            Texts(to, "banned", persona.Banned);
            Number(to, "max_sentences", persona.MaxSentences);
            Number(to, "max_chars", persona.MaxChars);
        }

        internal static void World(MsgPackWriter to, World world)
        {
            to.Map(world.Sections.Count);
            foreach (WorldSection section in world.Sections)
            {
                to.String(section.Name);
                if (section.BudgetTokens == null)
                {
                    List(to, section.Facts);
                    continue;
                }
                to.Map(2);
                to.String("facts");
                List(to, section.Facts);
                Number(to, "budget_tokens", section.BudgetTokens);
            }
        }

        /// <summary>A field that is left out where there are no texts.</summary>
        internal static void Texts(MsgPackWriter to, string name, IReadOnlyList<string> texts)
        {
            if (texts.Count > 0)
            {
                to.String(name);
                List(to, texts);
            }
        }

        internal static int Given(IReadOnlyList<string> texts)
        {
            return texts.Count == 0 ? 0 : 1;
        }

        private static int Given(string text)
        {
            return text.Length == 0 ? 0 : 1;
        }

        private static int Given(int? number)
        {
            return number == null ? 0 : 1;
        }

        private static void Situations(MsgPackWriter to, IReadOnlyList<Situation> situations)
        {
            if (situations.Count == 0)
            {
                return;
            }
            to.String("situations");
            to.Map(situations.Count);
            foreach (Situation situation in situations)
            {
                to.String(situation.Name);
                List(to, situation.Lines);
            }
        }

        private static void List(MsgPackWriter to, IReadOnlyList<string> texts)
        {
            to.Array(texts.Count);
            for (int index = 0; index < texts.Count; index++)
            {
                to.String(texts[index]);
            }
        }

        private static void Text(MsgPackWriter to, string name, string value)
        {
            if (value.Length > 0)
            {
                to.String(name);
                to.String(value);
            }
        }

        private static void Number(MsgPackWriter to, string name, int? number)
        {
            if (number != null)
            {
                to.String(name);
                to.Int(number.Value);
            }
        }
    }
}
