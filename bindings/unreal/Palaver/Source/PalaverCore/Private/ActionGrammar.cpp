#include "ActionGrammar.h"
#include "PalaverCore/Utf8.h"

#include <algorithm>
#include <string>

namespace PalaverCore
{
	namespace
	{
		constexpr double MaxCalls = 64.0;
		constexpr std::size_t MaxArguments = 8;
		constexpr std::size_t MaxNameLength = 64;
		constexpr std::size_t MaxDigits = 10;
		constexpr std::int64_t LargestNumber = 1'000'000'000;
		constexpr std::string_view Spaces = " \t\n\v\f\r";

		using Names = std::vector<std::string>;

		void SkipSpaces(std::string_view& Text)
		{
			Text.remove_prefix(std::min(Text.find_first_not_of(Spaces), Text.size()));
		}

		/** Whether the name is new. */
		bool Note(Names& Known, std::string Name)
		{
			const bool bNew = std::find(Known.begin(), Known.end(), Name) == Known.end();
			Known.push_back(std::move(Name));
			return bNew;
		}

		/** A name at the start, with the spaces around it and the mark behind it taken off; empty if there is none. */
		std::string TakeName(std::string_view& Text, char Mark)
		{
			SkipSpaces(Text);
			std::size_t Length = 0;
			while (Length < Text.size() &&
				((Text[Length] >= 'a' && Text[Length] <= 'z') || Text[Length] == '_' ||
					(Length > 0 && Text[Length] >= '0' && Text[Length] <= '9')))
			{
				++Length;
			}
			const std::string Name(Text.substr(0, Length));
			Text.remove_prefix(Length);
			SkipSpaces(Text);
			if (Length > MaxNameLength || Text.empty() || Text[0] != Mark)
			{
				return {};
			}
			Text.remove_prefix(1);
			return Name;
		}

		/** A whole number at the start, with the spaces around it taken off; false if there is none. */
		bool TakeNumber(std::string_view& Text, std::int64_t& Number)
		{
			SkipSpaces(Text);
			const bool bNegative = !Text.empty() && Text[0] == '-';
			Text.remove_prefix(bNegative ? 1 : 0);
			std::size_t Length = 0;
			for (Number = 0; Length < Text.size() && Text[Length] >= '0' && Text[Length] <= '9'; ++Length)
			{
				if (Length == MaxDigits)
				{
					return false;
				}
				Number = 10 * Number + (Text[Length] - '0');
			}
			Number = bNegative ? -Number : Number;
			Text.remove_prefix(Length);
			SkipSpaces(Text);
			return Length > 0;
		}

		/** How many numbers a range has; 0 for one that is out of bounds, -1 for what is no range. */
		std::int64_t CountRange(std::string_view Text)
		{
			std::int64_t Low = 0;
			std::int64_t High = 0;
			if (!TakeNumber(Text, Low) || Text.substr(0, 2) != "..")
			{
				return -1;
			}
			Text.remove_prefix(2);
			if (!TakeNumber(Text, High) || !Text.empty())
			{
				return -1;
			}
			return Low > High || Low < -LargestNumber || High > LargestNumber ? 0 : High - Low + 1;
		}

		/** A text with single spaces between its words. */
		std::string Collapse(std::string_view Text)
		{
			std::string Made;
			for (SkipSpaces(Text); !Text.empty(); SkipSpaces(Text))
			{
				const std::string_view Word = Text.substr(0, Text.find_first_of(Spaces));
				Made += Made.empty() ? "" : " ";
				Made += Word;
				Text.remove_prefix(Word.size());
			}
			return Made;
		}

		/** How many values an argument has; 0 if they cannot be read. */
		double CountValues(std::string_view Text)
		{
			const std::int64_t Range = CountRange(Text);
			if (Range >= 0)
			{
				return static_cast<double>(Range);
			}
			Names Values;
			for (std::size_t Bar = 0; Bar != std::string_view::npos;
				 Text.remove_prefix(Bar == std::string_view::npos ? 0 : Bar + 1))
			{
				Bar = Text.find('|');
				const std::string Value = Collapse(Text.substr(0, Bar));
				if (IsBlank(Value) || !Note(Values, Value))
				{
					return 0.0;
				}
			}
			return static_cast<double>(Values.size());
		}

		/** How many calls a declaration allows; 0 if it cannot be read. */
		double CountCalls(std::string_view Text, Names& Actions)
		{
			const std::string Name = TakeName(Text, '(');
			const std::size_t End = Text.find_first_of("()[]");
			std::string_view Behind = End == std::string_view::npos ? Text : Text.substr(End);
			if (Name.empty() || !Note(Actions, Name) || Behind.substr(0, 1) != ")" || !IsBlank(Behind.substr(1)))
			{
				return 0.0;
			}
			std::string_view Inside = Text.substr(0, End);
			double Calls = 1.0;
			Names Arguments;
			for (std::size_t Comma = IsBlank(Inside) ? std::string_view::npos : 0; Comma != std::string_view::npos;
				 Inside.remove_prefix(Comma == std::string_view::npos ? 0 : Comma + 1))
			{
				Comma = Inside.find(',');
				std::string_view Part = Inside.substr(0, Comma);
				const std::string Argument = TakeName(Part, ':');
				if (Argument.empty() || !Note(Arguments, Argument) || Arguments.size() > MaxArguments)
				{
					return 0.0;
				}
				Calls *= CountValues(Part);
			}
			return Calls;
		}
	}

	bool AreActions(const Value& Declarations)
	{
		Names Actions;
		double Calls = 0.0;
		Value Each = Declarations.First();
		for (std::uint32_t Index = 0; Index < Declarations.Count(); ++Index, Each = Each.Next())
		{
			const double Allowed = CountCalls(Each.ToText(), Actions);
			if (Allowed == 0.0)
			{
				return false;
			}
			Calls += Allowed;
		}
		return Calls <= MaxCalls;
	}
}
