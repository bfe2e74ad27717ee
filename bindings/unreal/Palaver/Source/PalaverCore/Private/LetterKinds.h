#pragma once

#include <string_view>

namespace PalaverCore
{
	/** The first code point of valid UTF-8 that is not empty. */
	char32_t CodePointOf(std::string_view Text);

	/** The same for the last one. */
	char32_t LastCodePointOf(std::string_view Text);

	/** Whether it belongs to a script that knows no spaces (East Asian Width W or F). */
	bool IsWide(char32_t Point);

	/** A letter or a digit: beyond ASCII, what is in none of the blocks of punctuation and symbols. */
	bool IsWordly(char32_t Point);
}
