#pragma once

#include <string>

namespace PalaverCore
{
	/** What went wrong, in the words of the protocol: a code for programs, a message and a hint for people. */
	struct Problem
	{
		std::string Code;
		std::string Message;
		std::string Hint;

		/** Whether there is a problem at all. */
		bool IsSet() const { return !Code.empty(); }
	};
}
