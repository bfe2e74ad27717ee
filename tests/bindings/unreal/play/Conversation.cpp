#include "Plays.h"

#include "PalaverCore/Json.h"
#include "PalaverCore/Service.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

using namespace PalaverCore;

namespace
{
	/** Poll until the ask has ended; its line. */
	Line WaitFor(Service& Game, AskHandle Handle)
	{
		for (;;)
		{
			Game.Poll(NowMs());
			for (Event Each; Game.GetClient().NextEvent(Each);)
			{
				if (Each.Kind == EventKind::Line && Each.Handle == Handle)
				{
					return Each.Said;
				}
			}
			std::this_thread::sleep_for(std::chrono::milliseconds(1));
		}
	}
}

int PlayConversation(std::uint16_t Port, const char* Path)
{
	std::ifstream File(Path, std::ios::binary);
	std::stringstream Content;
	Content << File.rdbuf();
	const std::string Text = Content.str();
	Document Script;
	if (const char* Wrong = ReadJson(Text, Script))
	{
		std::fprintf(stderr, "%s: %s\n", Path, Wrong);
		return 2;
	}
	const char* const Secret = std::getenv("PALAVER_SECRET");
	Service Game(1);
	Game.Connect(Port, Secret == nullptr ? "" : Secret);
	const Value Npcs = Script.Root().Find("npcs");
	Value Npc = Npcs.First();
	for (std::uint32_t Index = 0; Index < Npcs.Count(); ++Index, Npc = Npc.Next())
	{
		const Problem Wrong = Game.GetClient().PutNpc(ReadPersona(Npc));
		if (Wrong.IsSet())
		{
			std::fprintf(stderr, "%s\n", Wrong.Message.c_str());
			return 1;
		}
	}
	const Value Asks = Script.Root().Find("asks");
	Value Ask = Asks.First();
	for (std::uint32_t Index = 0; Index < Asks.Count(); ++Index, Ask = Ask.Next())
	{
		AskOptions Options;
		Options.Seed = Ask.Find("seed").ToInt();
		Options.Steps = Ask.Find("steps").ToInt();
		const Line Said = WaitFor(Game,
			Game.GetClient().Ask(Ask.Find("npc").ToText(), Ask.Find("text").ToText(), Options, NowMs()));
		std::string Json;
		AppendJsonText(Json, Said.Text);
		std::puts(Json.c_str());
		if (Said.Source == LineSource::Fallback)
		{
			std::fprintf(stderr, "a fallback line: %s\n", Said.FinishReason.c_str());
		}
	}
	return 0;
}
