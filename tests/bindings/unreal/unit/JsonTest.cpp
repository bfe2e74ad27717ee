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

TEST(Json, SavedTurnsAreLoadedAgain)
{
	const std::vector<Turn> Turns = {{"Hello", "Aye."}, {"A \"quote\"\n", ""}};
	std::vector<Turn> Loaded;
	CHECK(!ReadSave(WriteSave("herbalist-\u8349", Turns), "herbalist-\u8349", Loaded).IsSet());
	CHECK_EQUAL(Loaded.size(), 2U);
	CHECK_EQUAL(Loaded[1].Player, Turns[1].Player);
	CHECK_EQUAL(WriteSave("x", Loaded), WriteSave("x", Turns));
	CHECK_EQUAL(WriteSave("smith", {{"Hi", "Aye."}}),
		"{\"palaver_save\": 1, \"npc\": \"smith\", \"turns\": [[\"Hi\", \"Aye.\"]]}");
}

TEST(Json, TheLatestTurnsOfALongSaveAreKept)
{
	std::vector<Turn> Turns(MaxTurns + 4, {"Hello", "Aye."});
	Turns.back().Player = "last";
	std::vector<Turn> Loaded;
	CHECK(!ReadSave(WriteSave("smith", Turns), "smith", Loaded).IsSet());
	CHECK_EQUAL(Loaded.size(), MaxTurns);
	CHECK_EQUAL(Loaded.back().Player, "last");
}

TEST(Json, SavesThatCannotBeUsedChangeNothing)
{
	std::vector<Turn> Turns = {{"Hello", "Aye."}};
	const auto CodeOf = [&Turns](const char* Data) { return ReadSave(Data, "smith", Turns).Code; };
	CHECK_EQUAL(CodeOf("{\"palaver_save\": 2, \"npc\": \"smith\", \"turns\": []}"), "save-version");
	CHECK_EQUAL(CodeOf("{\"palaver_save\": 1, \"npc\": \"guard\", \"turns\": []}"), "bad-save");
	CHECK_EQUAL(CodeOf("{\"palaver_save\": 1, \"npc\": \"smith\", \"turns\": [[\"Hi\"]]}"), "bad-save");
	CHECK_EQUAL(CodeOf("{\"palaver_save\": 1, \"npc\": \"smith\", \"turns\": [[\"Hi\", 3]]}"), "bad-save");
	CHECK_EQUAL(CodeOf("{\"palaver_save\": 1, \"npc\": \"smith\"}"), "bad-save");
	CHECK_EQUAL(CodeOf("[]"), "bad-save");
	CHECK_EQUAL(CodeOf("not JSON"), "bad-save");
	CHECK_EQUAL(Turns.size(), 1U);
	CHECK(CodeOf("{\"new\": {}, \"palaver_save\": 1, \"npc\": \"smith\", \"turns\": []}").empty());
	CHECK(Turns.empty());
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
