#pragma once

#include "PalaverCore/Api.h"
#include "PalaverCore/Problem.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace PalaverCore
{
	/** What was said once, and what the character answered. */
	struct Turn
	{
		std::string Player;
		std::string Answer;
	};

	/** What a character remembers. */
	struct Memory
	{
		/** Of what was said before the turns; empty for nothing. */
		std::string Summary;
		/** Oldest first. */
		std::vector<Turn> Turns;

		bool IsEmpty() const { return Summary.empty() && Turns.empty(); }
	};

	/** Most turns that are remembered of one character. */
	constexpr std::size_t MaxTurns = 16;

	/** What a character remembers as the JSON text that a game puts into its own save data. */
	PALAVERCORE_API std::string WriteSave(std::string_view NpcId, const Memory& Remembered);

	/**
	 * Read what WriteSave of this or an earlier version has written; the latest MaxTurns turns are kept.
	 *
	 * @param NpcId whose memory it has to be.
	 * @return what is wrong: code "bad-save", or "save-version" for the data of a later version; Into is then unchanged.
	 */
	PALAVERCORE_API Problem ReadSave(std::string_view Data, std::string_view NpcId, Memory& Into);
}
