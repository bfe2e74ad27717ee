#include "FieldRules.h"
#include "PalaverCore/MessageCheck.h"
#include "PalaverCore/Utf8.h"

#include <cmath>

namespace PalaverCore
{
	namespace
	{
		constexpr FieldRule PersonaFields[] = {
			{"id", Rule::Text, Presence::Required, 1, MaxFieldCharacters},
			{"name", Rule::Text, Presence::Required, 1, MaxFieldCharacters},
			{"role", Rule::Text, Presence::Required, 1, MaxFieldCharacters},
			{"place", Rule::Text, Presence::Optional, 0, MaxFieldCharacters},
			{"mood", Rule::Text, Presence::Optional, 0, MaxFieldCharacters},
			{"manner", Rule::Text, Presence::Optional, 0, MaxFieldCharacters},
		};
		constexpr FieldRule ModelFields[] = {
			{"name", Rule::Text, Presence::Required, 0, INT64_MAX},
			{"canvas_length", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"licence", Rule::Text, Presence::Required, 0, INT64_MAX},
		};
		constexpr FieldRule TimingFields[] = {
			{"queue_ms", Rule::Number, Presence::Required, 0, INT64_MAX},
			{"encode_ms", Rule::Number, Presence::Required, 0, INT64_MAX},
			{"denoise_ms", Rule::Number, Presence::Required, 0, INT64_MAX},
			{"compute_ms", Rule::Number, Presence::Required, 0, INT64_MAX},
			{"total_ms", Rule::Number, Presence::Required, 0, INT64_MAX},
		};

		struct ListRule
		{
			std::string_view Name;
			std::uint32_t MaxCount;
			std::int64_t MaxCharacters;
		};

		constexpr ListRule PersonaLists[] = {
			{"knowledge", MaxFacts, MaxFactCharacters},
			{"fallbacks", MaxFallbacks, MaxFactCharacters},
			{"banned", MaxBanned, MaxFieldCharacters},
		};

		bool IsTextOf(const Value& Given, std::int64_t Low, std::int64_t High)
		{
			return Given.Kind() == NodeKind::Text &&
				static_cast<std::int64_t>(CountCharacters(Given.ToText())) <= High &&
				(Low == 0 || !IsBlank(Given.ToText()));
		}

		bool IsListOf(const Value& Given, const ListRule& Allowed)
		{
			if (Given.Kind() != NodeKind::List || Given.Count() > Allowed.MaxCount)
			{
				return false;
			}
			Value Each = Given.First();
			for (std::uint32_t Index = 0; Index < Given.Count(); ++Index, Each = Each.Next())
			{
				if (!IsTextOf(Each, 1, Allowed.MaxCharacters))
				{
					return false;
				}
			}
			return true;
		}

		bool IsPersonaKey(std::string_view Key)
		{
			for (const FieldRule& Known : PersonaFields)
			{
				if (Known.Name == Key)
				{
					return true;
				}
			}
			for (const ListRule& Known : PersonaLists)
			{
				if (Known.Name == Key)
				{
					return true;
				}
			}
			return false;
		}

		bool IsPersona(const Value& Given)
		{
			if (Given.Kind() != NodeKind::Map || !FindBadField(Given, PersonaFields).empty())
			{
				return false;
			}
			for (const ListRule& Each : PersonaLists)
			{
				const Value List = Given.Find(Each.Name);
				if (List.Kind() != NodeKind::Null && !IsListOf(List, Each))
				{
					return false;
				}
			}
			Value Key = Given.First();
			for (std::uint32_t Index = 0; Index < Given.Count(); ++Index, Key = Key.Next().Next())
			{
				// A misspelt fact would else be lost without a word.
				if (!IsPersonaKey(Key.ToText()))
				{
					return false;
				}
			}
			return true;
		}

		bool AreTurns(const Value& Given, std::int64_t MaxCount)
		{
			if (Given.Kind() != NodeKind::List || Given.Count() > MaxCount)
			{
				return false;
			}
			Value Turn = Given.First();
			for (std::uint32_t Index = 0; Index < Given.Count(); ++Index, Turn = Turn.Next())
			{
				if (Turn.Kind() != NodeKind::List || Turn.Count() != 2 ||
					!IsTextOf(Turn.First(), 1, MaxTextCharacters) ||
					!IsTextOf(Turn.First().Next(), 0, MaxTextCharacters))
				{
					return false;
				}
			}
			return true;
		}

		bool IsOneOf(std::string_view Text, std::string_view Choices)
		{
			while (!Choices.empty())
			{
				const std::size_t Bar = Choices.find('|');
				if (Choices.substr(0, Bar) == Text)
				{
					return true;
				}
				Choices.remove_prefix(Bar == std::string_view::npos ? Choices.size() : Bar + 1);
			}
			return false;
		}

		bool IsNumber(const Value& Given, double Low, double High)
		{
			const bool bNumber = Given.Kind() == NodeKind::Float || Given.Kind() == NodeKind::Int;
			return bNumber && std::isfinite(Given.ToNumber()) && Given.ToNumber() >= Low && Given.ToNumber() <= High;
		}

		bool Keeps(const Value& Given, const FieldRule& Asked)
		{
			switch (Asked.Kind)
			{
			case Rule::Bool: return Given.Kind() == NodeKind::Bool;
			case Rule::Int:
				return Given.Kind() == NodeKind::Int && Given.ToInt() >= Asked.Low && Given.ToInt() <= Asked.High;
			case Rule::Number:
				return IsNumber(Given, static_cast<double>(Asked.Low), static_cast<double>(Asked.High));
			case Rule::Load: return IsNumber(Given, 0.001, 1.0);
			case Rule::Text: return IsTextOf(Given, Asked.Low, Asked.High);
			case Rule::Choice: return Given.Kind() == NodeKind::Text && IsOneOf(Given.ToText(), Asked.Choices);
			case Rule::Persona: return IsPersona(Given);
			case Rule::PersonaOrId: return IsTextOf(Given, Asked.Low, Asked.High) || IsPersona(Given);
			case Rule::Turns: return AreTurns(Given, Asked.High);
			case Rule::Model: return Given.Kind() == NodeKind::Map && FindBadField(Given, ModelFields).empty();
			case Rule::Timings: return Given.Kind() == NodeKind::Map && FindBadField(Given, TimingFields).empty();
			}
			return false;
		}
	}

	std::string_view FindBadField(const Value& Map, FieldRules Rules)
	{
		for (const FieldRule& Asked : Rules)
		{
			const Value Given = Map.Find(Asked.Name);
			const bool bLeftOut = Given.Kind() == NodeKind::Null;
			if (bLeftOut ? Asked.Need == Presence::Required : !Keeps(Given, Asked))
			{
				return Asked.Name;
			}
		}
		return {};
	}
}
