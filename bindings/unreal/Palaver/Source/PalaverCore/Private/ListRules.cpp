#include "ListRules.h"
#include "PalaverCore/MessageCheck.h"
#include "PalaverCore/Utf8.h"

#include <cmath>

namespace PalaverCore
{
	namespace
	{
		/** A list whose elements are all so. */
		template <typename Condition>
		bool IsListWhere(const Value& Given, std::uint32_t MaxCount, Condition IsGood)
		{
			if (Given.Kind() != NodeKind::List || Given.Count() > MaxCount)
			{
				return false;
			}
			Value Each = Given.First();
			for (std::uint32_t Index = 0; Index < Given.Count(); ++Index, Each = Each.Next())
			{
				if (!IsGood(Each))
				{
					return false;
				}
			}
			return true;
		}
	}

	bool IsTextOf(const Value& Given, std::int64_t Low, std::int64_t High)
	{
		return Given.Kind() == NodeKind::Text && static_cast<std::int64_t>(CountCharacters(Given.ToText())) <= High &&
			(Low == 0 || !IsBlank(Given.ToText()));
	}

	bool IsListOf(const Value& Given, std::uint32_t MaxCount, std::int64_t MaxCharacters)
	{
		return IsListWhere(
			Given, MaxCount, [MaxCharacters](const Value& Each) { return IsTextOf(Each, 1, MaxCharacters); });
	}

	bool AreTexts(const Value& Given)
	{
		return IsListWhere(Given, MaxElements, [](const Value& Each) { return Each.Kind() == NodeKind::Text; });
	}

	bool AreNumbers(const Value& Given)
	{
		const auto IsFinite = [](const Value& Each)
		{ return (Each.Kind() == NodeKind::Float || Each.Kind() == NodeKind::Int) && std::isfinite(Each.ToNumber()); };
		return Given.Count() > 0 && IsListWhere(Given, MaxElements, IsFinite);
	}

	bool AreTurns(const Value& Given, std::int64_t MaxCount)
	{
		const auto IsTurn = [](const Value& Each)
		{
			return Each.Kind() == NodeKind::List && Each.Count() == 2 && IsTextOf(Each.First(), 1, MaxTextCharacters) &&
				IsTextOf(Each.First().Next(), 0, MaxTextCharacters);
		};
		return IsListWhere(Given, static_cast<std::uint32_t>(MaxCount), IsTurn);
	}

	bool AreSituations(const Value& Given)
	{
		if (Given.Kind() != NodeKind::Map || Given.Count() > MaxSituations)
		{
			return false;
		}
		Value Name = Given.First();
		for (std::uint32_t Index = 0; Index < Given.Count(); ++Index, Name = Name.Next().Next())
		{
			if (!IsTextOf(Name, 1, MaxFieldCharacters) || !IsListOf(Name.Next(), MaxFallbacks, MaxFactCharacters))
			{
				return false;
			}
		}
		return true;
	}

	bool IsAction(const Value& Given)
	{
		const Value Args = Given.Find("args");
		if (Given.Find("name").ToText().empty() || Args.Kind() != NodeKind::Map)
		{
			return false;
		}
		Value Name = Args.First();
		for (std::uint32_t Index = 0; Index < Args.Count(); ++Index, Name = Name.Next().Next())
		{
			const NodeKind Kind = Name.Next().Kind();
			if (Kind != NodeKind::Text && Kind != NodeKind::Int)
			{
				return false;
			}
		}
		return true;
	}
}
