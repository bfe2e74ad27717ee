#pragma once

#include "PalaverCore/Document.h"

namespace PalaverCore
{
	/** The protocol that this client speaks. */
	constexpr std::int64_t ProtocolVersion = 1;

	/** What a sidecar refuses or, in what it says itself, never exceeds. Texts are counted in code points. */
	constexpr std::int64_t MaxRequest = INT64_MAX;
	constexpr std::int64_t MaxFieldCharacters = 200;
	constexpr std::int64_t MaxTextCharacters = 4000;
	constexpr std::int64_t MaxFactCharacters = 1000;
	constexpr std::uint32_t MaxFacts = 256;
	constexpr std::uint32_t MaxFallbacks = 64;
	constexpr std::uint32_t MaxBanned = 256;
	constexpr std::uint32_t MaxSecrets = 64;
	constexpr std::uint32_t MaxNames = 256;
	constexpr std::uint32_t MaxActions = 32;
	constexpr std::uint32_t MaxSituations = 32;
	constexpr std::uint32_t MaxPhrases = 8;
	constexpr std::uint32_t MaxSections = 32;
	constexpr std::uint32_t MaxWorldFacts = 512;
	constexpr std::int64_t MaxBudgetTokens = 100'000;
	constexpr std::int64_t MaxTemplateCharacters = 1000;
	constexpr std::int64_t MaxSummaryCharacters = 4000;
	constexpr std::uint32_t MinOptions = 2;
	constexpr std::uint32_t MaxOptions = 16;
	constexpr std::int64_t MaxOptionCharacters = 400;
	constexpr std::uint32_t MaxHistoryTurns = 64;

	enum class MessageType : std::uint8_t
	{
		Unknown,
		Hello,
		Ping,
		Stats,
		NpcPut,
		NpcGet,
		NpcForget,
		NpcSave,
		NpcLoad,
		NpcSummary,
		WorldPut,
		Ask,
		Choose,
		PromptGet,
		Cancel,
		Tick,
		Budget,
		Bye,
		Welcome,
		Pong,
		Ok,
		Npc,
		Saved,
		Cancelled,
		Report,
		Draft,
		Line,
		Choice,
		Prompt,
		Summary,
		Error
	};

	/** What a message turned out to be. */
	struct MessageCheck
	{
		MessageType Type = MessageType::Unknown;
		/** nullptr for a valid message, else the protocol's code for what is wrong with it. */
		const char* Code = nullptr;
		/** The field that is wrong, if one is. */
		std::string_view Field;
		/** The request id, or -1 where there is none. */
		std::int64_t Request = -1;
	};

	/** Check a decoded message of either side: its type, that fields are there, of their type and in their limits. */
	PALAVERCORE_API MessageCheck CheckMessage(const Document& Message);
}
