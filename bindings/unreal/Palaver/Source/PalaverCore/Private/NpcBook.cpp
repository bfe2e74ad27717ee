#include "PalaverCore/NpcBook.h"
#include "PalaverCore/MessageCheck.h"
#include "PalaverCore/Utf8.h"

#include <algorithm>

namespace PalaverCore
{
	namespace
	{
		constexpr std::string_view NeutralLines[] = {"...", "Hm."};

		/** The next number of SplitMix64. */
		std::uint64_t Draw(std::uint64_t& State)
		{
			State += 0x9E3779B97F4A7C15U;
			std::uint64_t Number = State;
			Number = (Number ^ (Number >> 30)) * 0xBF58476D1CE4E5B9U;
			Number = (Number ^ (Number >> 27)) * 0x94D049BB133111EBU;
			return Number ^ (Number >> 31);
		}
	}

	Problem NpcBook::Put(const Persona& Npc)
	{
		Problem Wrong = Npc.Check();
		if (Wrong.IsSet())
		{
			return Wrong;
		}
		NpcEntry* Known = Find(Npc.Id);
		if (Known == nullptr && Npcs.size() == MaxNpcs)
		{
			return {"too-many-npcs", "256 characters are known already", "Forget those that are not near"};
		}
		NpcEntry& Entry = Known != nullptr ? *Known : Npcs[Npc.Id];
		Entry.Npc = Npc;
		return {};
	}

	bool NpcBook::Forget(std::string_view NpcId)
	{
		const auto Found = Npcs.find(NpcId);
		if (Found == Npcs.end())
		{
			return false;
		}
		Npcs.erase(Found);
		return true;
	}

	NpcEntry* NpcBook::Find(std::string_view NpcId)
	{
		const auto Found = Npcs.find(NpcId);
		return Found == Npcs.end() ? nullptr : &Found->second;
	}

	std::string NpcBook::SayFallback(NpcEntry& Speaker, std::string_view Situation)
	{
		std::vector<std::string_view> Choices;
		const auto AddNew = [&Choices, &Speaker](const std::vector<std::string>& Lines)
		{
			for (const std::string& Authored : Lines)
			{
				if (Authored != Speaker.LastSaid)
				{
					Choices.emplace_back(Authored);
				}
			}
		};
		for (const auto& Each : Speaker.Npc.Situations)
		{
			if (Each.Name == Situation)
			{
				AddNew(Each.Lines);
			}
		}
		if (Choices.empty())
		{
			AddNew(Speaker.Npc.Fallbacks);
		}
		for (const std::string_view Neutral : NeutralLines)
		{
			// Neutral ones only where the character has none of their own to say.
			if (Choices.empty() && Neutral != Speaker.LastSaid)
			{
				Choices.push_back(Neutral);
			}
		}
		Speaker.LastSaid = Choices[Draw(Random) % Choices.size()];
		return Speaker.LastSaid;
	}

	void NpcBook::AddTurn(NpcEntry& Speaker, std::string_view Player, std::string_view Answer)
	{
		std::vector<Turn>& Turns = Speaker.Remembered.Turns;
		if (Turns.size() == MaxTurns)
		{
			Turns.erase(Turns.begin());
		}
		Turns.push_back({std::string(Player), std::string(FirstCharacters(Answer, MaxTextCharacters))});
	}

	void NpcBook::Summarise(NpcEntry& Speaker, std::string_view Summary, std::size_t Keep)
	{
		std::vector<Turn>& Turns = Speaker.Remembered.Turns;
		Speaker.Remembered.Summary = Summary;
		Turns.erase(Turns.begin(), Turns.end() - static_cast<std::ptrdiff_t>(std::min(Keep, Turns.size())));
	}
}
