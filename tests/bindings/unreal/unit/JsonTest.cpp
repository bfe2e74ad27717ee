#include "Harness.h"

#include "PalaverCore/Json.h"
#include "PalaverCore/RichText.h"
#include "PalaverCore/SaveData.h"
#include "PalaverCore/Utf8.h"

using namespace PalaverCore;

TEST(Json, ValuesAreRead)
{
	Document Read;
	const char* const Wrong = ReadJson(
		" {\"port\" : 52011, \"list\": [1, -2.5e1, true, null, [], {}], \"text\": \"\\u00fc\\ud83d\\udc09\\n\\\"/\\/\"} ", Read);
	CHECK_EQUAL(Wrong, static_cast<const char*>(nullptr));
	const Value Root = Read.Root();
	CHECK_EQUAL(Root.Count(), 3U);
	CHECK_EQUAL(Root.Find("port").ToInt(), 52011);
	CHECK_EQUAL(Root.Find("text").ToText(), std::string_view("\u00fc\U0001F409\n\"//"));
	const Value List = Root.Find("list");
	CHECK_EQUAL(List.Count(), 6U);
	CHECK(List.First().Next().ToNumber() == -25.0);
	CHECK(List.First().Next().Next().ToBool());
}

TEST(Json, BrokenTextIsRefused)
{
	Document Read;
	for (const char* Broken : {"", " ", "{", "[", "[1", "[1,", "[1,]", "{\"a\"", "{\"a\":", "{\"a\":1,", "{\"a\":1,}", "{1:2}",
			 "[1}", "{\"a\":1]", "1 2", "01", "-", "1.", "1e", "+1", "tru", "\"", "\"\\", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"",
			 "\"\\ud800\\u0041\"", "\"\\udc00\"", "\"\n\"", "\"\xFF\"", "nulll", "[,1]", "{,}", "[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]"})
	{
		if (ReadJson(Broken, Read) == nullptr)
		{
			Fail(__FILE__, __LINE__, std::string(Broken) + " was taken");
		}
		CHECK(Read.Nodes.empty());
	}
	CHECK(ReadJson("[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]", Read) == nullptr);
}

TEST(Json, TextComesBackAsItWasWritten)
{
	std::string Everything;
	for (int Letter = 0; Letter < 128; ++Letter)
	{
		Everything += static_cast<char>(Letter);
	}
	Everything += "\u00e9\u65e5\U0010FFFF";
	std::string Json;
	AppendJsonText(Json, Everything);
	Document Read;
	CHECK(ReadJson(Json, Read) == nullptr);
	CHECK(Read.Root().ToText() == Everything);
}

TEST(Json, WhatWasSavedIsLoadedAgain)
{
	const Memory Saved = {"They \"met\".", {{"Hello", "Aye."}, {"A \"quote\"\n", ""}}};
	Memory Loaded;
	CHECK(!ReadSave(WriteSave("herbalist-\u8349", Saved), "herbalist-\u8349", Loaded).IsSet());
	CHECK_EQUAL(Loaded.Turns.size(), 2U);
	CHECK_EQUAL(Loaded.Turns[1].Player, Saved.Turns[1].Player);
	CHECK_EQUAL(Loaded.Summary, Saved.Summary);
	CHECK_EQUAL(WriteSave("x", Loaded), WriteSave("x", Saved));
	CHECK_EQUAL(WriteSave("smith", {"", {{"Hi", "Aye."}}}),
		"{\"palaver_save\": 2, \"npc\": \"smith\", \"summary\": \"\", \"turns\": [[\"Hi\", \"Aye.\"]]}");
}

TEST(Json, TheLatestTurnsOfALongSaveAreKept)
{
	Memory Saved;
	Saved.Turns.assign(MaxTurns + 4, {"Hello", "Aye."});
	Saved.Turns.back().Player = "last";
	Memory Loaded;
	CHECK(!ReadSave(WriteSave("smith", Saved), "smith", Loaded).IsSet());
	CHECK_EQUAL(Loaded.Turns.size(), MaxTurns);
	CHECK_EQUAL(Loaded.Turns.back().Player, "last");
}

TEST(Json, SavesThatCannotBeUsedChangeNothing)
{
	Memory Known = {"They met.", {{"Hello", "Aye."}}};
	const auto CodeOf = [&Known](const std::string& Data) { return ReadSave(Data, "smith", Known).Code; };
	const std::string Start = "{\"palaver_save\": 2, \"npc\": \"smith\", \"turns\": []";
	CHECK_EQUAL(CodeOf("{\"palaver_save\": 3, \"npc\": \"smith\", \"turns\": []}"), "save-version");
	CHECK_EQUAL(CodeOf("{\"palaver_save\": 1, \"npc\": \"guard\", \"turns\": []}"), "bad-save");
	CHECK_EQUAL(CodeOf("{\"palaver_save\": 1, \"npc\": \"smith\", \"turns\": [[\"Hi\"]]}"), "bad-save");
	CHECK_EQUAL(CodeOf("{\"palaver_save\": 1, \"npc\": \"smith\", \"turns\": [[\"Hi\", 3]]}"), "bad-save");
	CHECK_EQUAL(CodeOf("{\"palaver_save\": 1, \"npc\": \"smith\"}"), "bad-save");
	CHECK_EQUAL(CodeOf(Start + ", \"summary\": 5}"), "bad-save");
	CHECK_EQUAL(CodeOf(Start + ", \"summary\": \"" + std::string(4001, 'a') + "\"}"), "bad-save");
	CHECK_EQUAL(CodeOf("[]"), "bad-save");
	CHECK_EQUAL(CodeOf("not JSON"), "bad-save");
	CHECK_EQUAL(Known.Turns.size(), 1U);
	CHECK_EQUAL(Known.Summary, "They met.");
	CHECK(CodeOf("{\"new\": {}, \"palaver_save\": 1, \"npc\": \"smith\", \"turns\": []}").empty());
	CHECK(Known.IsEmpty());
}

TEST(Json, OnlyTheShortestFormsOfCodePointsAreUtf8)
{
	for (const char* Good : {"", "a", "\u00e9", "\u65e5", "\U00010000", "\U0010FFFF", "\uD7FF\uE000"})
	{
		CHECK(IsUtf8(Good));
	}
	for (const char* Bad : {"\x80", "\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80",
			 "\xF5\x80\x80\x80", "\xE6\x97", "\xE6\x97z", "\xFF"})
	{
		CHECK(!IsUtf8(Bad));
	}
	CHECK_EQUAL(CountCharacters("a\u00e9\u65e5\U0001F409"), 4U);
	CHECK(IsBlank("\t \u00a0\u3000"));
	CHECK(!IsBlank("\u3000."));
}

TEST(Json, RichTextShowsWhatWasSaid)
{
	CHECK_EQUAL(EscapeRichText("<img id=\"x\"/> & <Bold>loud</>"),
		"&lt;img id=&quot;x&quot;/&gt; &amp; &lt;Bold&gt;loud&lt;/&gt;");
	CHECK_EQUAL(EscapeRichText("Aye, 40 gold."), "Aye, 40 gold.");
}
