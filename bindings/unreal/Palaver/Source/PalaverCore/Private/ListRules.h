#pragma once

#include "PalaverCore/Document.h"

namespace PalaverCore
{
	/** A text of at most High characters; with a Low of 1, not only white space. */
	bool IsTextOf(const Value& Given, std::int64_t Low, std::int64_t High);

	/** A list of at most so many texts of so many characters, none of them only white space. */
	bool IsListOf(const Value& Given, std::uint32_t MaxCount, std::int64_t MaxCharacters);

	/** A list of whatever texts. */
	bool AreTexts(const Value& Given);

	/** A list of finite numbers, one at least. */
	bool AreNumbers(const Value& Given);

	/** A list of at most so many pairs: what the player said, what the character answered. */
	bool AreTurns(const Value& Given, std::int64_t MaxCount);

	/** A map from situations to their fallback lines. */
	bool AreSituations(const Value& Given);

	/** A map of an action's name, and of its arguments, which are texts or whole numbers. */
	bool IsAction(const Value& Given);
}
