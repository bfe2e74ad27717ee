#include "Vectors.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

std::vector<Vector> ReadVectors(const std::string& Path)
{
	std::vector<Vector> Found;
	std::ifstream File(Path);
	for (std::string Row; std::getline(File, Row);)
	{
		std::istringstream Fields(Row);
		Vector Made;
		std::string Valid;
		std::string Hex;
		std::getline(Fields, Made.Name, '\t');
		std::getline(Fields, Made.From, '\t');
		std::getline(Fields, Valid, '\t');
		std::getline(Fields, Made.Verdict, '\t');
		std::getline(Fields, Hex, '\t');
		Made.bValid = Valid == "valid";
		Made.bAccepted = Valid == "accepted";
		for (std::size_t At = 0; At + 1 < Hex.size(); At += 2)
		{
			Made.Bytes += static_cast<char>(std::strtol(Hex.substr(At, 2).c_str(), nullptr, 16));
		}
		Found.push_back(Made);
	}
	return Found;
}
