#pragma once

#include "PalaverCore/Api.h"
#include "PalaverCore/Problem.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace PalaverCore
{
	/** Fallback lines for asks that name a situation ("shop closed"). */
	struct Situation
	{
		std::string Name;
		std::vector<std::string> Lines;
	};

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
		/** What they speak ("English"); empty to leave it to the model. */
		std::string Language;
		/** Facts, one sentence each; the character may state these and nothing else. */
		std::vector<std::string> Knowledge;
		/** Facts that the character acts on but never tells. */
		std::vector<std::string> Secrets;
		/** Proper names that the character may use though no fact holds them; never shown to the model. */
		std::vector<std::string> Names;
		/** What a line may carry out: "open_gate()", "give(item: rope|torch)", "pay(amount: 1..20)"; 64 calls in all. */
		std::vector<std::string> Actions;
		/** Lines to say when the model has none in time; never shown to the model. */
		std::vector<std::string> Fallbacks;
		/** Fallback lines by situation; no two of one name. */
		std::vector<Situation> Situations;
		/** Words or phrases that the character never says; never shown to the model. */
		std::vector<std::string> Banned;
		/** Most sentences of a line, 1 to 20; no limit if left out. */
		std::optional<std::int64_t> MaxSentences;
		/** Most characters of a line, 20 to 2000; no limit if left out. */
		std::optional<std::int64_t> MaxChars;

		/** What a sidecar would refuse about it; not set if nothing. */
		PALAVERCORE_API Problem Check() const;
	};
}
