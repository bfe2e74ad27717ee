#pragma once

#include "PalaverCore/Api.h"
#include "PalaverCore/Problem.h"

#include <string>
#include <vector>

namespace PalaverCore
{
	/** One character, as a sidecar knows it. All texts are UTF-8. */
	struct Persona
	{
		/** The game's own name for the character; never shown to the model. */
		std::string Id;
		std::string Name;
		/** What the character is, in lower case ("blacksmith"). */
		std::string Role;
		std::string Place;
		std::string Mood;
		std::string Manner;
		/** Facts, one sentence each; the character may state these and nothing else. */
		std::vector<std::string> Knowledge;
		/** Lines to say when the model has none in time; never shown to the model. */
		std::vector<std::string> Fallbacks;
		/** Words or phrases that the character never says; never shown to the model. */
		std::vector<std::string> Banned;

		/** What a sidecar would refuse about it; not set if nothing. */
		PALAVERCORE_API Problem Check() const;
	};
}
