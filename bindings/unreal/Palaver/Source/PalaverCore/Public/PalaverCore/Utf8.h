#pragma once

#include "PalaverCore/Api.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace PalaverCore
{
	/** Whether the bytes are valid UTF-8: no overlong forms, no surrogates, nothing beyond U+10FFFF. */
	PALAVERCORE_API bool IsUtf8(std::string_view Bytes);

	/** Number of Unicode code points of valid UTF-8. */
	PALAVERCORE_API std::size_t CountCharacters(std::string_view Text);

	/** As many code points of valid UTF-8, from its beginning. */
	PALAVERCORE_API std::string_view FirstCharacters(std::string_view Text, std::size_t Count);

	/** Whether valid UTF-8 holds nothing but white space. */
	PALAVERCORE_API bool IsBlank(std::string_view Text);

	/** Append one code point, which must not be a surrogate. */
	PALAVERCORE_API void AppendUtf8(std::string& Text, char32_t CodePoint);
}
