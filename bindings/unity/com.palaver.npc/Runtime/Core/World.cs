using System.Collections.Generic;

namespace Palaver
{
    /// <summary>Facts of one kind, for the prompt of whoever is asked.</summary>
    public sealed class WorldSection
    {
        /// <summary>Makes a section.</summary>
        /// <param name="name">The game's own ("prices"), 1 to 200 characters; never shown to the model.</param>
        /// <param name="facts">One sentence each, up to 256 of 1000 characters.</param>
        /// <param name="budgetTokens">Most tokens of them in a prompt, 0 to 100000; null for the default.</param>
        public WorldSection(string name, IReadOnlyList<string> facts, int? budgetTokens = null)
        {
            Name = name;
            Facts = facts;
            BudgetTokens = budgetTokens;
        }

        /// <summary>The game's own name for it; never shown to the model.</summary>
        public string Name { get; }

        /// <summary>One sentence each.</summary>
        public IReadOnlyList<string> Facts { get; }

        /// <summary>Most tokens of them in a prompt; null for the default.</summary>
        public int? BudgetTokens { get; }
    }

    /// <summary>
    /// What is true in the game right now, whoever is asked: at most 32 sections, in the order of the prompt. What
    /// changes least comes first, if the game is wise.
    /// </summary>
    public sealed class World
    {
        private readonly List<WorldSection> _sections = new List<WorldSection>();

        /// <summary>The sections, in the order in which they were added.</summary>
        public IReadOnlyList<WorldSection> Sections => _sections;

        /// <summary>Adds a section without a budget of its own.</summary>
        /// <returns>This world, for the next section.</returns>
        public World Add(string name, params string[] facts)
        {
            return Add(new WorldSection(name, facts));
        }

        /// <summary>Adds a section.</summary>
        /// <returns>This world, for the next section.</returns>
        public World Add(WorldSection section)
        {
            _sections.Add(section);
            return this;
        }

        /// <summary>
        /// Throws a <see cref="PalaverException"/> that names what is outside its limits.
        /// </summary>
        public void Check()
        {
            if (_sections.Count > Limits.Sections)
            {
                throw Limits.BadRequest(
                    $"world has {_sections.Count} sections, at most {Limits.Sections} are allowed", "Leave some out");
            }
            int facts = 0;
            var names = new HashSet<string>();
            foreach (WorldSection section in _sections)
            {
                Limits.CheckText("a section's name in world", section.Name, Limits.FieldChars);
                if (!names.Add(section.Name))
                {
                    throw Limits.BadRequest(
                        $"world has two sections of the name {section.Name}", "Put their facts together");
                }
                Limits.CheckTexts($"world.{section.Name}", section.Facts, Limits.Facts, Limits.FactChars);
                Limits.CheckRange($"world.{section.Name}.budget_tokens", section.BudgetTokens, 0, 100000);
                facts += section.Facts.Count;
            }
            Limits.CheckRange("the number of facts in world", facts, 0, Limits.WorldFacts);
        }
    }
}
