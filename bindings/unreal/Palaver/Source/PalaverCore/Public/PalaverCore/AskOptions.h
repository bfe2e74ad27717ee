#pragma once

#include "PalaverCore/Api.h"
#include "PalaverCore/Problem.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace PalaverCore
{
	/** What becomes of an ask while the same character has an open one. */
	enum class Policy : std::uint8_t
	{
		Queue,
		Replace,
		Reject
	};

	/** What will draw a line's text, and must not take anything in it for markup. */
	enum class LineEscape : std::uint8_t
	{
		Plain,
		BbCode,
		RichText,
		Yarn,
		Ink
	};

	/** What may be said with an ask beside the character and the text. */
	struct AskOptions
	{
		/** 0 to 2^63 - 1; a random one if left out, which the line then tells. */
		std::optional<std::int64_t> Seed;
		/** Most denoising steps a canvas, 1 to 1000. */
		std::optional<std::int64_t> Steps;
		/** Most tokens of the line, 1 to 4096. */
		std::optional<std::int64_t> MaxTokens;
		/** When the line has to be there, 1 to 600000 milliseconds after the ask. */
		std::optional<std::int64_t> DeadlineMs;
		/** Least time between two drafts, 0 to 600000; no drafts if left out. */
		std::optional<std::int64_t> DraftEveryMs;
		/** End the line after so many steps in all, 1 to 1000000. */
		std::optional<std::int64_t> StopAfterSteps;
		/** -10 to 10, higher goes first. */
		std::int64_t Priority = 0;
		Policy WhenBusy = Policy::Queue;
		/** How noise becomes text, "reference" or "fast"; the sidecar's default if empty. */
		std::string Sampler;
		/** The text may not depend on what runs beside it. */
		bool bDeterministic = true;
		/**
		 * Words that stand as they are, and gaps for the model: "Bring me {*2-6} by {*=nightfall}.", up to 1000 characters.
		 * {*} is a gap of any length, {*3} one of three tokens; behind an equals sign stands what is said there if the model
		 * has nothing; {{ and }} are braces. Empty for a line that is all the model's.
		 */
		std::string Template;
		/** Up to 8 phrases of 200 characters that the line holds letter for letter. */
		std::vector<std::string> MustInclude;
		/** Which of the persona's situations a fallback line is to come from; empty for none. */
		std::string Situation;
		LineEscape Escape = LineEscape::Plain;
		/** The character remembers the turn. */
		bool bRecord = true;

		/** What a sidecar would refuse about an ask of this text; not set if nothing. */
		PALAVERCORE_API Problem Check(std::string_view Text) const;
	};

	/** What may be said with a choose beside the character, the text and the answers. */
	struct ChooseOptions
	{
		/** When the choice has to be there, 1 to 600000 milliseconds after it was asked for. */
		std::optional<std::int64_t> DeadlineMs;
		/** -10 to 10, higher goes first. */
		std::int64_t Priority = 0;
		Policy WhenBusy = Policy::Queue;

		/** What a sidecar would refuse about a choose between these answers; not set if nothing. */
		PALAVERCORE_API Problem Check(std::string_view Text, const std::vector<std::string>& Answers) const;
	};
}
