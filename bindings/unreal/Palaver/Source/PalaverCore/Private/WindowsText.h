#pragma once

#if defined(_WIN32)

#include <string>
#include <string_view>

namespace PalaverCore
{
	/** UTF-8 as the UTF-16 that Windows takes for names of files and programs. */
	std::wstring Widen(std::string_view Text);
}

#endif
