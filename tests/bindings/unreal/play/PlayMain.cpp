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
	Made.Language = Given.Find("language").ToText();
	Made.Knowledge = TextsOf(Given.Find("knowledge"));
	Made.Secrets = TextsOf(Given.Find("secrets"));
	Made.Names = TextsOf(Given.Find("names"));
	Made.Actions = TextsOf(Given.Find("actions"));
	Made.Fallbacks = TextsOf(Given.Find("fallbacks"));
	const Value Situations = Given.Find("situations");
	Value Name = Situations.First();
	for (std::uint32_t Index = 0; Index < Situations.Count(); ++Index, Name = Name.Next().Next())
	{
		Made.Situations.push_back({std::string(Name.ToText()), TextsOf(Name.Next())});
	}
	Made.Banned = TextsOf(Given.Find("banned"));
	const auto ReadLimit = [&Given](const char* Key, std::optional<std::int64_t>& Into)
	{
		if (Given.Find(Key).IsValid())
		{
			Into = Given.Find(Key).ToInt();
		}
	};
	ReadLimit("max_sentences", Made.MaxSentences);
	ReadLimit("max_chars", Made.MaxChars);
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
