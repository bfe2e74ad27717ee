#pragma once

#include "PalaverCore/Document.h"

namespace PalaverCore
{
	enum class Rule : std::uint8_t
	{
		Bool,
		/** Low to High. */
		Int,
		/** A finite Float or Int, Low to High. */
		Number,
		/** A part of one core: 0.001 to 1. */
		Load,
		/** At most High characters; with a Low of 1, not only white space. */
		Text,
		/** One of the texts in Choices. */
		Choice,
		/** A list of at most Low texts of at most High characters, none of them only white space. */
		Texts,
		/** A list of MinOptions to MaxOptions texts. */
		Options,
		/** A list of whatever texts. */
		AnyTexts,
		/** A list of finite numbers, one at least. */
		Numbers,
		/** Declarations of actions. */
		Actions,
		/** Fallback lines by situation. */
		Situations,
		/** Facts by section. */
		World,
		/** A line's action with its arguments. */
		Action,
		/** Words and gaps. */
		Template,
		/** A map with nothing but the fields of a persona. */
		Persona,
		PersonaOrId,
		/** A list of at most High pairs: what the player said, what the character answered. */
		Turns,
		Model,
		Timings
	};

	enum class Presence : std::uint8_t
	{
		Required,
		/** May be left out or nil. */
		Optional
	};

	/** What a field of a map has to be. */
	struct FieldRule
	{
		std::string_view Name;
		Rule Kind;
		Presence Need;
		std::int64_t Low = 0;
		std::int64_t High = 0;
		std::string_view Choices = {};
	};

	/** The fields of a map; it may have others. */
	struct FieldRules
	{
		template <std::size_t Size>
		constexpr FieldRules(const FieldRule (&Rules)[Size]) : First(Rules), Count(Size) {}

		const FieldRule* begin() const { return First; }
		const FieldRule* end() const { return First + Count; }

		const FieldRule* First;
		std::size_t Count;
	};

	/** The name of the first field that breaks its rule; empty if none does. */
	std::string_view FindBadField(const Value& Map, FieldRules Rules);
}
