#include "Harness.h"

#include "PalaverCore/AskOptions.h"
#include "PalaverCore/Persona.h"
#include "PalaverCore/World.h"
#include "PinnedLine.h"

using namespace PalaverCore;

namespace
{
	std::string Filled(const char* Template, const std::vector<std::string>& Phrases = {})
	{
		return PinnedLine::WrittenBeforehand(Template, Phrases, "Not now.");
	}

	Persona WithActions(const std::vector<std::string>& Actions)
	{
		Persona Made;
		Made.Id = Made.Name = Made.Role = "a";
		Made.Actions = Actions;
		return Made;
	}
}

TEST(Pins, GapsAreFilledWithTheirDefaults)
{
	CHECK_EQUAL(Filled("Bring me {*2-6=some pelts} by {*1-4=nightfall}."), "Bring me some pelts by nightfall.");
	CHECK_EQUAL(Filled("Aye, {*}"), "Aye, ...");
	CHECK_EQUAL(Filled("{*3} Farewell."), "... Farewell.");
	CHECK_EQUAL(Filled("Mind {{the}} gap: {*}!"), "Mind {the} gap: ...!");
	CHECK_EQUAL(Filled("Bring {*3} or {*}"), "Bring ... or ");
	CHECK_EQUAL(Filled("Bring me {*= the old man }."), "Bring me the old man.");
	CHECK_EQUAL(Filled("Bring {*}."), "Bring ...");
	CHECK_EQUAL(Filled("Bring {*}\u2026"), "Bring \u2026");
}

TEST(Pins, PhrasesAreInEveryLine)
{
	CHECK_EQUAL(Filled("Aye, {*}", {"forty gold"}), "Aye, forty gold.");
	CHECK_EQUAL(Filled("Aye, forty gold {*=it is}...", {"forty gold"}), "Aye, forty gold it is...");
	CHECK_EQUAL(Filled("Aye, {*=I say}", {"forty gold", "the sword"}), "Aye, I say forty gold the sword.");
	CHECK_EQUAL(Filled("Pay {*} now.", {" forty gold ", "gold", "forty gold"}), "Pay forty gold now.");
	CHECK_EQUAL(Filled("\u5427{*}\u3002", {"\u5341\u91d1"}), "\u5427\u5341\u91d1\u3002");
	CHECK_EQUAL(Filled("{*2} and {*}?", {"forty gold"}), "... and forty gold?");
	CHECK_EQUAL(Filled("", {"Forty gold", "Mind the gap!"}), "Not now. Forty gold. Mind the gap!");
	CHECK_EQUAL(Filled("", {"now"}), "Not now.");
}

TEST(Pins, TemplatesThatCannotBeReadAreRefused)
{
	std::string Seventeen;
	for (int Gap = 0; Gap < 17; ++Gap)
	{
		Seventeen += "a{*}";
	}
	for (const char* Bad : {"no gap", "{*", "a } b {*}", "{x} {*}", "{*6-2}", "{*0}", "{*65}", "{*}{*}", "a {*} {*} b", "{*=}",
			 "{*=a{b}", "{*-3}", "{*3-}", "{*00003}", "{*3x}", Seventeen.c_str()})
	{
		AskOptions Options;
		Options.Template = Bad;
		if (!Options.Check("Hello").IsSet())
		{
			Fail(__FILE__, __LINE__, std::string(Bad) + " is taken");
		}
		CHECK_EQUAL(Filled(Bad), "Not now.");
	}
	AskOptions Options;
	Options.Template = "{*3} now";
	Options.MustInclude = {"gold"};
	CHECK(Options.Check("Hello").Message.find("must_include") == 0);
	Options.Template = "{*3} gold";
	CHECK(!Options.Check("Hello").IsSet());
}

TEST(Pins, ActionsAreReadAsTheSidecarReadsThem)
{
	CHECK(!WithActions({"open_gate()", " give ( item : iron kettle | oak shield ) ", "pay(amount: -3..20)", "a(b: 1, c: 2|3)"})
			   .Check()
			   .IsSet());
	CHECK(!WithActions({"pay(amount: 1..64)"}).Check().IsSet());
	for (const char* Bad : {"open_gate", "Open()", "1()", "a(b)", "a(b:)", "a(b: x|)", "a(b: x|x )", "a(b: 1, b: 2)",
			 "a(b: 3..1)", "a(b: 1..2000000000)", "a(b: [x])", "a(,)", "a(b: 1..65)", "a(b: 1..9, c: 1..9)", "a() b",
			 "a(a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1)"})
	{
		if (!WithActions({Bad}).Check().IsSet())
		{
			Fail(__FILE__, __LINE__, std::string(Bad) + " is taken");
		}
	}
	CHECK(WithActions({"a()", "a(b: 1)"}).Check().IsSet());
}

TEST(Pins, PersonasAndWorldsHaveNoNameTwice)
{
	Persona Npc = WithActions({});
	Npc.Situations = {{"closed", {"Later."}}, {"open", {}}};
	CHECK(!Npc.Check().IsSet());
	Npc.Situations.push_back({"closed", {}});
	CHECK(Npc.Check().IsSet());
	World Facts;
	Facts.Sections = {{"time", {"It is evening."}, {}}, {"prices", {}, 40}};
	CHECK(!Facts.Check().IsSet());
	Facts.Sections.push_back({"time", {}, {}});
	CHECK(Facts.Check().IsSet());
	Facts.Sections = {{"a", std::vector<std::string>(256, "So."), {}}, {"b", std::vector<std::string>(256, "So."), {}}};
	CHECK(!Facts.Check().IsSet());
	Facts.Sections.push_back({"c", {"So."}, {}});
	CHECK(Facts.Check().IsSet());
}
