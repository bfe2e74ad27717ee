#include "FieldRules.h"
#include "ActionGrammar.h"
#include "ListRules.h"
#include "PalaverCore/MessageCheck.h"
#include "PinnedLine.h"

#include <algorithm>
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
			{"language", Rule::Text, Presence::Optional, 0, MaxFieldCharacters},
			{"knowledge", Rule::Texts, Presence::Optional, MaxFacts, MaxFactCharacters},
			{"secrets", Rule::Texts, Presence::Optional, MaxSecrets, MaxFactCharacters},
			{"names", Rule::Texts, Presence::Optional, MaxNames, MaxFieldCharacters},
			{"actions", Rule::Actions, Presence::Optional, MaxActions, MaxFactCharacters},
			{"fallbacks", Rule::Texts, Presence::Optional, MaxFallbacks, MaxFactCharacters},
			{"situations", Rule::Situations, Presence::Optional},
			{"banned", Rule::Texts, Presence::Optional, MaxBanned, MaxFieldCharacters},
			{"max_sentences", Rule::Int, Presence::Optional, 1, 20},
			{"max_chars", Rule::Int, Presence::Optional, 20, 2000},
		};
		constexpr FieldRule SectionFields[] = {
			{"facts", Rule::Texts, Presence::Optional, MaxFacts, MaxFactCharacters},
			{"budget_tokens", Rule::Int, Presence::Optional, 0, MaxBudgetTokens},
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

		bool HasOnly(const Value& Given, FieldRules Known)
		{
			Value Key = Given.First();
			for (std::uint32_t Index = 0; Index < Given.Count(); ++Index, Key = Key.Next().Next())
			{
				const auto IsIt = [&Key](const FieldRule& Each) { return Each.Name == Key.ToText(); };
				// A misspelt fact would else be lost without a word.
				if (std::none_of(Known.begin(), Known.end(), IsIt))
				{
					return false;
				}
			}
			return true;
		}

		bool IsMapOf(const Value& Given, FieldRules Rules)
		{
			return Given.Kind() == NodeKind::Map && FindBadField(Given, Rules).empty();
		}

		bool IsPersona(const Value& Given)
		{
			return IsMapOf(Given, PersonaFields) && HasOnly(Given, PersonaFields);
		}

		bool IsWorld(const Value& Given)
		{
			if (Given.Kind() != NodeKind::Map || Given.Count() > MaxSections)
			{
				return false;
			}
			std::uint32_t Facts = 0;
			Value Name = Given.First();
			for (std::uint32_t Index = 0; Index < Given.Count(); ++Index, Name = Name.Next().Next())
			{
				const Value Section = Name.Next();
				const bool bWithBudget = Section.Kind() == NodeKind::Map;
				if (!IsTextOf(Name, 1, MaxFieldCharacters) ||
					!(bWithBudget ? IsMapOf(Section, SectionFields) && HasOnly(Section, SectionFields)
								  : IsListOf(Section, MaxFacts, MaxFactCharacters)))
				{
					return false;
				}
				Facts += (bWithBudget ? Section.Find("facts") : Section).Count();
			}
			return Facts <= MaxWorldFacts;
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
			case Rule::Texts: return IsListOf(Given, static_cast<std::uint32_t>(Asked.Low), Asked.High);
			case Rule::Options: return Given.Count() >= MinOptions && IsListOf(Given, MaxOptions, MaxOptionCharacters);
			case Rule::AnyTexts: return AreTexts(Given);
			case Rule::Numbers: return AreNumbers(Given);
			case Rule::Actions:
				return IsListOf(Given, static_cast<std::uint32_t>(Asked.Low), Asked.High) && AreActions(Given);
			case Rule::Situations: return AreSituations(Given);
			case Rule::World: return IsWorld(Given);
			case Rule::Action: return IsAction(Given);
			case Rule::Template:
				return IsTextOf(Given, 1, MaxTemplateCharacters) && PinnedLine::CanHold(Given.ToText(), {});
			case Rule::Model: return IsMapOf(Given, ModelFields);
			case Rule::Timings: return IsMapOf(Given, TimingFields);
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
