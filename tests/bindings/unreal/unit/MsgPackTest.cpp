#include "Harness.h"
#include "Vectors.h"

#include "PalaverCore/MessageCheck.h"
#include "PalaverCore/Messages.h"

using namespace PalaverCore;

namespace
{
	std::string Rewritten(const Document& Read)
	{
		MsgPackWriter Out;
		Out.Any(Read.Root());
		return Out.Bytes();
	}

	std::string Nested(std::size_t Depth)
	{
		return std::string(Depth, '\x91') + '\xC0';
	}
}

TEST(MsgPack, ValidVectorsAreReadAndWrittenToTheSameBytes)
{
	int Count = 0;
	Document Read;
	for (const Vector& Each : ReadVectors(Places().Vectors))
	{
		if (!Each.bValid)
		{
			continue;
		}
		++Count;
		if (const char* Wrong = ReadMsgPack(Each.Bytes, Read))
		{
			Fail(__FILE__, __LINE__, Each.Name + ": " + Wrong);
			continue;
		}
		const MessageCheck Checked = CheckMessage(Read);
		if (Checked.Code != nullptr)
		{
			Fail(__FILE__, __LINE__, Each.Name + ": " + Checked.Code + " for " + std::string(Checked.Field));
		}
		CHECK_EQUAL(Read.Root().Find("type").ToText(), std::string_view(Each.Verdict));
		if (Rewritten(Read) != Each.Bytes)
		{
			Fail(__FILE__, __LINE__, Each.Name + " is written differently");
		}
	}
	CHECK(Count > 50);
}

TEST(MsgPack, OtherSpellingsAreTakenToo)
{
	int Count = 0;
	Document Read;
	for (const Vector& Each : ReadVectors(Places().Vectors))
	{
		if (Each.bAccepted)
		{
			++Count;
			const char* Wrong = ReadMsgPack(Each.Bytes, Read);
			if (Wrong != nullptr || CheckMessage(Read).Code != nullptr)
			{
				Fail(__FILE__, __LINE__, Each.Name + " is refused");
			}
		}
	}
	CHECK(Count > 20);
}

TEST(MsgPack, InvalidVectorsAreRefusedWithTheCodeOfTheProtocol)
{
	int Count = 0;
	Document Read;
	for (const Vector& Each : ReadVectors(Places().Vectors))
	{
		if (Each.bValid || Each.bAccepted)
		{
			continue;
		}
		++Count;
		const char* Code = ReadMsgPack(Each.Bytes, Read) != nullptr ? "malformed-message" : CheckMessage(Read).Code;
		if (Code == nullptr || Each.Verdict != Code)
		{
			Fail(__FILE__, __LINE__, Each.Name + ": " + Shown(Code) + ", not " + Each.Verdict);
		}
	}
	CHECK(Count > 50);
}

TEST(MsgPack, NumbersAreWrittenInTheirShortestForm)
{
	const auto SizeOf = [](std::int64_t Number)
	{
		MsgPackWriter Out;
		Out.Int(Number);
		Document Read;
		CHECK(ReadMsgPack(Out.Bytes(), Read) == nullptr);
		CHECK_EQUAL(Read.Root().ToInt(), Number);
		return Out.Bytes().size();
	};
	CHECK_EQUAL(SizeOf(0), 1U);
	CHECK_EQUAL(SizeOf(127), 1U);
	CHECK_EQUAL(SizeOf(128), 2U);
	CHECK_EQUAL(SizeOf(256), 3U);
	CHECK_EQUAL(SizeOf(65536), 5U);
	CHECK_EQUAL(SizeOf(INT64_C(1) << 32), 9U);
	CHECK_EQUAL(SizeOf(INT64_MAX), 9U);
	CHECK_EQUAL(SizeOf(-1), 1U);
	CHECK_EQUAL(SizeOf(-32), 1U);
	CHECK_EQUAL(SizeOf(-33), 2U);
	CHECK_EQUAL(SizeOf(-128), 2U);
	CHECK_EQUAL(SizeOf(-129), 3U);
	CHECK_EQUAL(SizeOf(INT64_MIN), 9U);
}

TEST(MsgPack, MapsOfManyPairsGetTheLongHead)
{
	for (const std::uint32_t Pairs : {0U, 1U, 15U, 16U, 300U})
	{
		MsgPackWriter Out;
		MapWriter Map(Out);
		for (std::uint32_t Index = 0; Index < Pairs; ++Index)
		{
			Map.Key("key " + std::to_string(Index)).Int(Index);
		}
		Map.End();
		Document Read;
		CHECK(ReadMsgPack(Out.Bytes(), Read) == nullptr);
		CHECK_EQUAL(Read.Root().Count(), Pairs);
		CHECK_EQUAL(Read.Root().Find("key 14").ToInt(-1), Pairs > 14 ? 14 : -1);
		CHECK(Rewritten(Read) == Out.Bytes());
	}
}

TEST(MsgPack, LimitsAreExact)
{
	Document Read;
	CHECK(ReadMsgPack(Nested(MaxDepth), Read) == nullptr);
	CHECK(ReadMsgPack(Nested(MaxDepth + 1), Read) != nullptr);
	CHECK(Read.Nodes.empty());
	CHECK(ReadMsgPack(std::string("\xDC\x04\x00", 3) + std::string(1024, '\x01'), Read) == nullptr);
	CHECK(ReadMsgPack(std::string("\xDC\x04\x01", 3) + std::string(1025, '\x01'), Read) != nullptr);
	// 15 full lists and the one that holds them have 15 * 1025 + 1 values; another full one is too many.
	const std::string Full = std::string("\xDC\x04\x00", 3) + std::string(1024, '\x01');
	std::string Many;
	for (int Index = 0; Index < 15; ++Index)
	{
		Many += Full;
	}
	CHECK(ReadMsgPack('\x9F' + Many, Read) == nullptr);
	CHECK(ReadMsgPack(std::string("\xDC\x00\x10", 3) + Many + Full, Read) != nullptr);
	const std::string Longest(MaxMessageBytes - 5, 'a');
	MsgPackWriter Out;
	Out.Text(Longest);
	CHECK(ReadMsgPack(Out.Bytes(), Read) == nullptr);
	Out.Clear();
	Out.Text(Longest + "a");
	CHECK(ReadMsgPack(Out.Bytes(), Read) != nullptr);
}

TEST(MsgPack, WhatIsNotThereReadsAsNothing)
{
	Document Read;
	CHECK(!Read.Root().IsValid());
	CHECK(ReadMsgPack("\x81\xA1n\x07", Read) == nullptr);
	CHECK_EQUAL(Read.Root().Find("n").ToInt(), 7);
	CHECK(!Read.Root().Find("m").IsValid());
	CHECK_EQUAL(Read.Root().Find("m").ToInt(3), 3);
	CHECK(Read.Root().Find("m").Find("deeper").ToText().empty());
	CHECK(Read.Root().Find("n").ToText().empty());
	CHECK(!Read.Root().Find("n").ToBool());
}

TEST(MsgPack, OptionsAreCheckedBeforeAnythingIsSent)
{
	AskOptions Options;
	CHECK(!Options.Check("Hello").IsSet());
	CHECK_EQUAL(Options.Check("  \xC2\xA0 ").Code, "bad-request");
	CHECK(!Options.Check(std::string(4000, 'x')).IsSet());
	CHECK(Options.Check(std::string(4001, 'x')).IsSet());
	CHECK(Options.Check("\xFF").IsSet());
	Options.Steps = 0;
	CHECK(Options.Check("Hello").Message.find("steps") == 0);
	Options.Steps = 1000;
	Options.Priority = -11;
	CHECK(Options.Check("Hello").Message.find("priority") == 0);
	Options.Priority = 10;
	Options.Sampler = "slow";
	CHECK(Options.Check("Hello").Message.find("sampler") == 0);
	Options.Sampler = "fast";
	Options.DeadlineMs = INT64_MAX;
	CHECK(Options.Check("Hello").Message.find("deadline_ms") == 0);
}

TEST(MsgPack, PersonasAreCheckedBeforeAnythingIsSent)
{
	Persona Npc;
	Npc.Id = "smith";
	Npc.Name = "Mira";
	Npc.Role = "blacksmith";
	Npc.Knowledge = {"Iron is dear."};
	Npc.Fallbacks = {"Later."};
	CHECK(!Npc.Check().IsSet());
	Npc.Banned.assign(257, "word");
	CHECK(Npc.Check().IsSet());
	Npc.Banned.clear();
	Npc.Knowledge.assign(2000, "Iron is dear.");
	CHECK(Npc.Check().IsSet());
	Npc.Knowledge.clear();
	Npc.Name = " ";
	CHECK_EQUAL(Npc.Check().Code, "bad-request");
}
