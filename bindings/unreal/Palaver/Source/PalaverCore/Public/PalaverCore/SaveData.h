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

	/** Most turns that are remembered of one character. */
	constexpr std::size_t MaxTurns = 16;

	/** A character's turns as the JSON text that a game puts into its own save data. */
	PALAVERCORE_API std::string WriteSave(std::string_view NpcId, const std::vector<Turn>& Turns);

	/**
	 * Read what WriteSave has written; the latest MaxTurns turns are kept.
	 *
	 * @param NpcId whose turns they have to be.
	 * @return what is wrong: code "bad-save", or "save-version" for the data of another version; Turns are then unchanged.
	 */
	PALAVERCORE_API Problem ReadSave(std::string_view Data, std::string_view NpcId, std::vector<Turn>& Turns);
}
