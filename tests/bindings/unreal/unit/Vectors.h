#pragma once

#include <string>
#include <vector>

/** One line of the protocol's vectors, as the tests in Python have written it down. */
struct Vector
{
	std::string Name;
	/** "client" or "sidecar". */
	std::string From;
	bool bValid;
	/** Valid, though nobody has to write it so. */
	bool bAccepted;
	/** The type of a valid one, the code of an invalid one. */
	std::string Verdict;
	std::string Bytes;
};

/** All vectors: a tab between fields, bytes in hexadecimal. */
std::vector<Vector> ReadVectors(const std::string& Path);
