#include "PalaverCore/SaveData.h"
#include "PalaverCore/Json.h"
#include "PalaverCore/MessageCheck.h"
#include "FieldRules.h"

#include <utility>

namespace PalaverCore
{
	namespace
	{
		/** The first version had no summary. */
		constexpr std::int64_t SaveVersion = 2;
		constexpr FieldRule SaveFields[] = {
			{"npc", Rule::Text, Presence::Required, 1, MaxFieldCharacters},
			{"summary", Rule::Text, Presence::Optional, 0, MaxSummaryCharacters},
			{"turns", Rule::Turns, Presence::Required, 0, MaxElements},
		};
	}

	std::string WriteSave(std::string_view NpcId, const Memory& Remembered)
	{
		std::string Json = "{\"palaver_save\": " + std::to_string(SaveVersion) + ", \"npc\": ";
		AppendJsonText(Json, NpcId);
		Json += ", \"summary\": ";
		AppendJsonText(Json, Remembered.Summary);
		Json += ", \"turns\": [";
		for (const Turn& Each : Remembered.Turns)
		{
			Json += &Each == Remembered.Turns.data() ? "[" : ", [";
			AppendJsonText(Json, Each.Player);
			Json += ", ";
			AppendJsonText(Json, Each.Answer);
			Json += ']';
		}
		Json += "]}";
		return Json;
	}

	Problem ReadSave(std::string_view Data, std::string_view NpcId, Memory& Into)
	{
		Document Read;
		if (const char* Wrong = ReadJson(Data, Read))
		{
			return {"bad-save", Wrong, "Give what a save has returned"};
		}
		const Value Root = Read.Root();
		const Value Version = Root.Find("palaver_save");
		if (Version.Kind() != NodeKind::Int)
		{
			return {"bad-save", "the data is no Palaver save", "Give what a save has returned"};
		}
		if (Version.ToInt() < 1 || Version.ToInt() > SaveVersion)
		{
			return {"save-version", "the data is of another version of Palaver", "Load it with the version that saved it"};
		}
		const std::string_view Bad = FindBadField(Root, SaveFields);
		if (!Bad.empty())
		{
			return {"bad-save", std::string(Bad) + " is missing or broken", "Give what a save has returned"};
		}
		if (Root.Find("npc").ToText() != NpcId)
		{
			return {"bad-save", "the data is another character's", "Load it for the character that it was saved for"};
		}
		Memory Loaded;
		Loaded.Summary = Root.Find("summary").ToText();
		const Value Given = Root.Find("turns");
		Value Each = Given.First();
		for (std::uint32_t Index = 0; Index < Given.Count(); ++Index, Each = Each.Next())
		{
			if (Given.Count() - Index <= MaxTurns)
			{
				Loaded.Turns.push_back({std::string(Each.First().ToText()), std::string(Each.First().Next().ToText())});
			}
		}
		Into = std::move(Loaded);
		return {};
	}
}
