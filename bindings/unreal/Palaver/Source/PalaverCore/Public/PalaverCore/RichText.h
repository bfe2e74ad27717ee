#pragma once

#include "PalaverCore/Api.h"

#include <string>
#include <string_view>

namespace PalaverCore
{
	/** A text in which nothing is taken for a tag by Unreal's rich text blocks: < > & " are written as entities. */
	PALAVERCORE_API std::string EscapeRichText(std::string_view Text);
}
