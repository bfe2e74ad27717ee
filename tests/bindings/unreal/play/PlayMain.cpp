#include "Plays.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace PalaverCore;

std::int64_t NowMs()
{
	using namespace std::chrono;
	return duration_cast<milliseconds>(steady_clock::now().time_since_epoch()).count();
}

Persona ReadPersona(const Value& Given)
{
	Persona Made;
	Made.Id = Given.Find("id").ToText();
	Made.Name = Given.Find("name").ToText();
	Made.Role = Given.Find("role").ToText();
	Made.Place = Given.Find("place").ToText();
	Made.Mood = Given.Find("mood").ToText();
	Made.Manner = Given.Find("manner").ToText();
	const auto ReadTexts = [&Given](const char* Name, std::vector<std::string>& Texts)
	{
		const Value List = Given.Find(Name);
		Value Each = List.First();
		for (std::uint32_t Index = 0; Index < List.Count(); ++Index, Each = Each.Next())
		{
			Texts.emplace_back(Each.ToText());
		}
	};
	ReadTexts("knowledge", Made.Knowledge);
	ReadTexts("fallbacks", Made.Fallbacks);
	ReadTexts("banned", Made.Banned);
	return Made;
}

/** `play puppet`, or `play conversation PORT [FILE]` from the root of the repository. */
int main(int Count, char** Arguments)
{
	if (Count == 2 && std::strcmp(Arguments[1], "puppet") == 0)
	{
		return PlayPuppet();
	}
	if (Count >= 3 && std::strcmp(Arguments[1], "conversation") == 0)
	{
		const char* Path = Count > 3 ? Arguments[3] : "bindings/protocol/conversation.json";
		return PlayConversation(static_cast<std::uint16_t>(std::atoi(Arguments[2])), Path);
	}
	std::fputs("usage: play puppet | play conversation PORT [FILE]\n", stderr);
	return 2;
}
