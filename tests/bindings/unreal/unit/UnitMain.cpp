#include "Fuzz.h"
#include "Harness.h"

#include <cstdlib>
#include <cstring>

/** `unit VECTORS SCRATCH GROUP` runs the tests of a group, `unit VECTORS SCRATCH fuzz N` the fuzz loop. */
int main(int Count, char** Arguments)
{
	if (Count < 4)
	{
		return 2;
	}
	Places() = {Arguments[1], Arguments[2]};
	if (std::strcmp(Arguments[3], "fuzz") == 0)
	{
		return Count < 5 ? 2 : RunFuzz(Places().Vectors, std::atoi(Arguments[4]));
	}
	int Ran = 0;
	for (const Test& Each : AllTests())
	{
		if (std::strcmp(Each.Group, Arguments[3]) != 0)
		{
			continue;
		}
		const int Before = FailureCount();
		Each.Run();
		++Ran;
		std::printf("%s %s\n", FailureCount() == Before ? "passed" : "FAILED", Each.Name);
	}
	return Ran > 0 && FailureCount() == 0 ? 0 : 1;
}
