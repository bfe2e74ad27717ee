#pragma once

#include "PalaverCore/Api.h"
#include "PalaverCore/Problem.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace PalaverCore
{
	/** Facts of one kind. */
	struct WorldSection
	{
		/** The game's own ("prices"); never shown to the model. No two of one name. */
		std::string Name;
		/** One sentence each, up to 256 of 1000 characters. */
		std::vector<std::string> Facts;
		/** Most tokens of them in a prompt, 0 to 100000; the default if left out. */
		std::optional<std::int64_t> BudgetTokens;
	};

	/**
	 * What is true in the game right now, whoever is asked: at most 32 sections and 512 facts, in the order of the prompt.
	 * What changes least comes first, if the game is wise.
	 */
	struct World
	{
		std::vector<WorldSection> Sections;

		/** What a sidecar would refuse about it; not set if nothing. */
		PALAVERCORE_API Problem Check() const;
	};
}
