#pragma once

#include "PalaverCore/Document.h"

namespace PalaverCore
{
	/**
	 * Read one JSON value that fills the text, under the same limits as a message.
	 *
	 * @return nullptr, or what is wrong with the text; the document is empty then.
	 */
	PALAVERCORE_API const char* ReadJson(std::string_view Text, Document& Into);

	/** Append valid UTF-8 as a JSON string, quotes included. */
	PALAVERCORE_API void AppendJsonText(std::string& Json, std::string_view Text);
}
