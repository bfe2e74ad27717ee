#include "Payload.h"

namespace PalaverCore
{
	namespace
	{
		void WriteList(MsgPackWriter& Out, const std::vector<std::string>& Texts)
		{
			Out.List(static_cast<std::uint32_t>(Texts.size()));
			for (const std::string& Text : Texts)
			{
				Out.Text(Text);
			}
		}

		void WriteFilled(MapWriter& Map, std::string_view Name, std::string_view Text)
		{
			if (!Text.empty())
			{
				Map.Key(Name).Text(Text);
			}
		}

		void WriteLimit(MapWriter& Map, std::string_view Name, const std::optional<std::int64_t>& Number)
		{
			if (Number.has_value())
			{
				Map.Key(Name).Int(*Number);
			}
		}
	}

	void Payload::WriteTexts(MapWriter& Map, std::string_view Name, const std::vector<std::string>& Texts)
	{
		if (!Texts.empty())
		{
			WriteList(Map.Key(Name), Texts);
		}
	}

	void Payload::WritePersona(MsgPackWriter& Out, const Persona& Npc)
	{
		MapWriter Map(Out);
		Map.Key("id").Text(Npc.Id);
		Map.Key("name").Text(Npc.Name);
		Map.Key("role").Text(Npc.Role);
		WriteFilled(Map, "place", Npc.Place);
		WriteFilled(Map, "mood", Npc.Mood);
		WriteFilled(Map, "manner", Npc.Manner);
		WriteFilled(Map, "language", Npc.Language);
		WriteTexts(Map, "knowledge", Npc.Knowledge);
		WriteTexts(Map, "secrets", Npc.Secrets);
		WriteTexts(Map, "names", Npc.Names);
		WriteTexts(Map, "actions", Npc.Actions);
		WriteTexts(Map, "fallbacks", Npc.Fallbacks);
		if (!Npc.Situations.empty())
		{
			MapWriter Situations(Map.Key("situations"));
			for (const Situation& Each : Npc.Situations)
			{
				WriteList(Situations.Key(Each.Name), Each.Lines);
			}
			Situations.End();
		}
		WriteTexts(Map, "banned", Npc.Banned);
		WriteLimit(Map, "max_sentences", Npc.MaxSentences);
		WriteLimit(Map, "max_chars", Npc.MaxChars);
		Map.End();
	}

	void Payload::WriteWorld(MsgPackWriter& Out, const World& Facts)
	{
		MapWriter Map(Out);
		for (const WorldSection& Each : Facts.Sections)
		{
			MsgPackWriter& Section = Map.Key(Each.Name);
			if (!Each.BudgetTokens)
			{
				WriteList(Section, Each.Facts);
				continue;
			}
			MapWriter WithBudget(Section);
			WriteList(WithBudget.Key("facts"), Each.Facts);
			WriteLimit(WithBudget, "budget_tokens", Each.BudgetTokens);
			WithBudget.End();
		}
		Map.End();
	}
}
