using System;

namespace Palaver.Tests
{
    /// <summary>Templates, phrases and declarations of actions, as the sidecar reads them.</summary>
    internal static class PinTests
    {
        private static readonly string[] None = new string[0];

        internal static void GapsAreFilledWithTheirDefaults()
        {
            Filled("Bring me some pelts by nightfall.", "Bring me {*2-6=some pelts} by {*1-4=nightfall}.");
            Filled("Aye, ...", "Aye, {*}");
            Filled("... Farewell.", "{*3} Farewell.");
            Filled("Mind {the} gap: ...!", "Mind {{the}} gap: {*}!");
            Filled("Bring ... or ", "Bring {*3} or {*}");
            Filled("Bring me the old man.", "Bring me {*= the old man }.");
            Filled("Bring ...", "Bring {*}.");
            Filled("Bring \u2026", "Bring {*}\u2026");
        }

        internal static void PhrasesAreInEveryLine()
        {
            Filled("Aye, forty gold.", "Aye, {*}", "forty gold");
            Filled("Aye, forty gold it is...", "Aye, forty gold {*=it is}...", "forty gold");
            Filled("Aye, I say forty gold the sword.", "Aye, {*=I say}", "forty gold", "the sword");
            Filled("Pay forty gold now.", "Pay {*} now.", " forty gold ", "gold", "forty gold");
            Filled("\u5427\u5341\u91d1\u3002", "\u5427{*}\u3002", "\u5341\u91d1");
            Filled("... and forty gold?", "{*2} and {*}?", "forty gold");
            Completed("Not now. Forty gold. Mind the gap!", "Not now.", "Forty gold", "Mind the gap!");
            Completed("Forty gold, no less.", "Forty gold, no less.", "gold");
        }

        internal static void TemplatesThatCannotBeReadAreRefused()
        {
            foreach (string bad in new[]
            {
                "no gap", "{*", "a } b {*}", "{x} {*}", "{*6-2}", "{*0}", "{*65}", "{*}{*}", "a {*} {*} b", "{*=}",
                "{*=a{b}", "{*= }", "{*-3}", "a{*}a{*}a{*}a{*}a{*}a{*}a{*}a{*}a{*}a{*}a{*}a{*}a{*}a{*}a{*}a{*}a{*}",
            })
            {
                Check.Refused("bad-request", () => PinnedLine.Check(bad, None), bad);
            }
            Check.Refused("bad-request", () => PinnedLine.Check("{*3} now", new[] { "gold" }), "no gap for a phrase");
            PinnedLine.Check("{*3} gold", new[] { "gold" });
            PinnedLine.Check(null, new[] { "gold" });
        }

        internal static void ActionsAreReadAsTheSidecarReadsThem()
        {
            ActionGrammar.Check(new[]
            {
                "open_gate()", " give ( item : iron kettle | oak shield ) ", "pay(amount: -3..20)", "a(b: 1, c: 2|3)",
            });
            ActionGrammar.Check(new[] { "pay(amount: 1..64)" });
            foreach (string bad in new[]
            {
                "", "open_gate", "Open()", "1()", "a(b)", "a(b:)", "a(b: x|)", "a(b: x|x )", "a(b: 1, b: 2)", "a(b: 3..1)",
                "a(b: 1..2000000000)", "a(b: [x])", "a(,)", "a(b: 1..65)", "a(b: 1..9, c: 1..9)",
                "a(a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1)",
            })
            {
                Check.Refused("bad-request", () => ActionGrammar.Check(new[] { bad }), bad);
            }
            Check.Refused("bad-request", () => ActionGrammar.Check(new[] { "a()", "a(b: 1)" }), "two of one name");
        }

        internal static void WorldsKeepTheirOrderAndTheirLimits()
        {
            World world = new World().Add("time", "It is evening.").Add(new WorldSection("prices", None, 40));
            world.Check();
            Check.Equal("prices", world.Sections[1].Name, "the second section");
            Check.Refused("bad-request", () => world.Add("time").Check(), "two sections of one name");
            Check.Refused("bad-request", () => new World().Add(" ").Check(), "a section without a name");
            Check.Refused(
                "bad-request", () => new World().Add(new WorldSection("a", None, -1)).Check(), "a negative budget");
            var facts = new string[256];
            for (int fact = 0; fact < facts.Length; fact++)
            {
                facts[fact] = "So it is.";
            }
            World full = new World().Add("a", facts).Add("b", facts);
            full.Check();
            Check.Refused("bad-request", () => full.Add("c", "One more.").Check(), "513 facts");
        }

        internal static void LimitsOfEveryFieldOfAPersonaHold()
        {
            Refused("two situations of one name", npc => npc.Situations = new[] { new Situation("a"), new Situation("a") });
            Refused("a line of spaces", npc => npc.Situations = new[] { new Situation("a", " ") });
            Refused("21 sentences", npc => npc.MaxSentences = 21);
            Refused("19 characters", npc => npc.MaxChars = 19);
            Refused("an empty secret", npc => npc.Secrets = new[] { "" });
            Refused("no language", npc => npc.Language = null);
        }

        private static void Refused(string what, Action<Persona> change)
        {
            var persona = new Persona("a", "b", "c");
            persona.Check();
            change(persona);
            Check.Refused("bad-request", persona.Check, what);
        }

        private static void Filled(string expected, string template, params string[] phrases)
        {
            Check.Equal(expected, PinnedLine.WrittenBeforehand(template, phrases, "Not now."), template);
        }

        private static void Completed(string expected, string authored, params string[] phrases)
        {
            Check.Equal(expected, PinnedLine.WrittenBeforehand(null, phrases, authored), authored);
        }
    }
}
