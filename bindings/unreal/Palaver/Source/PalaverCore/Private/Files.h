#pragma once

#include <string>

namespace PalaverCore
{
	/** The last bytes of a file, at most so many; empty if it cannot be read. The path is UTF-8. */
	std::string ReadEndOfFile(const std::string& Path, long MaxBytes);

	/** Delete a file if it is there. */
	void DeleteFileAt(const std::string& Path);
}
