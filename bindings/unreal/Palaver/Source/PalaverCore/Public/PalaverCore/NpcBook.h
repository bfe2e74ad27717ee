#pragma once

#include "PalaverCore/Persona.h"
#include "PalaverCore/SaveData.h"

#include <cstdint>
#include <functional>
#include <map>

namespace PalaverCore
{
	/** A character and what has been said with them. */
	struct NpcEntry
	{
		Persona Npc;
		Memory Remembered;
		/** What they said last, wherever it came from. */
		std::string LastSaid;
	};

	/** The characters of a game, as they have to be told to a sidecar that knows nothing yet. */
	class PALAVERCORE_API NpcBook
	{
	public:
		/** A sidecar takes no more of one client. */
		static constexpr std::size_t MaxNpcs = 256;

		/** @param Seed of the draws of fallback lines. */
		explicit NpcBook(std::uint64_t Seed) : Random(Seed) {}

		/** Add a character, or change the persona of one; turns stay. */
		Problem Put(const Persona& Npc);
		/** Whether the character was there. */
		bool Forget(std::string_view NpcId);
		/** nullptr if there is no such character; valid until they are forgotten. */
		NpcEntry* Find(std::string_view NpcId);

		/** One of the character's lines for the situation, of its others, or a neutral one: never what they said last. Counts
		 * as said. */
		std::string SayFallback(NpcEntry& Speaker, std::string_view Situation);
		/** The same for a character that there is not. */
		static std::string NeutralLine() { return "..."; }

		/** Let a summary stand for all but the last turns. */
		static void Summarise(NpcEntry& Speaker, std::string_view Summary, std::size_t Keep);

		/** Remember what was said. */
		static void AddTurn(NpcEntry& Speaker, std::string_view Player, std::string_view Answer);

		using Entries = std::map<std::string, NpcEntry, std::less<>>;
		const Entries& All() const { return Npcs; }

	private:
		Entries Npcs;
		std::uint64_t Random;
	};
}
