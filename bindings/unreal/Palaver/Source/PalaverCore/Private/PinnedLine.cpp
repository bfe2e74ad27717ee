#include "PinnedLine.h"
#include "LetterKinds.h"
#include "PalaverCore/Utf8.h"

#include <algorithm>

namespace PalaverCore
{
	namespace
	{
		constexpr int MaxGaps = 16;
		constexpr int MaxGapTokens = 64;
		constexpr std::size_t MaxGapDigits = 4;
		constexpr std::string_view NothingToSay = "...";
		constexpr std::string_view AsciiSpaces = " \t\n\v\f\r";
		constexpr std::string_view SentenceEnds[] = {".", "!", "?", "\u2026", "\u3002", "\uff01", "\uff1f"};

		struct PinnedPart
		{
			/** Of a pin, its words; of a gap, its default, empty for none. */
			std::string Text;
			bool bGap = false;
			/** A phrase that was put into a gap: what parts it from its neighbours is not settled. */
			bool bLoose = false;
			/** A gap that may stay empty. */
			bool bMayBeEmpty = false;
			/** A gap of any length. */
			bool bAnyLength = false;
		};

		using PinnedParts = std::vector<PinnedPart>;

		std::string_view Trimmed(std::string_view Text)
		{
			Text.remove_prefix(std::min(Text.find_first_not_of(AsciiSpaces), Text.size()));
			return Text.substr(0, Text.find_last_not_of(AsciiSpaces) + 1);
		}

		/** The phrases without white space around them, each once, and none that another one holds. */
		std::vector<std::string> WantedOf(const std::vector<std::string>& Phrases)
		{
			std::vector<std::string> Different;
			for (const std::string& Given : Phrases)
			{
				const std::string Phrase(Trimmed(Given));
				if (!Phrase.empty() && std::find(Different.begin(), Different.end(), Phrase) == Different.end())
				{
					Different.push_back(Phrase);
				}
			}
			std::vector<std::string> Wanted;
			for (const std::string& Phrase : Different)
			{
				const auto Holds = [&Phrase](const std::string& Other)
				{ return Other != Phrase && Other.find(Phrase) != std::string::npos; };
				if (std::none_of(Different.begin(), Different.end(), Holds))
				{
					Wanted.push_back(Phrase);
				}
			}
			return Wanted;
		}

		/** "...", less the full stops or the ellipsis that stand behind it anyway. */
		std::string_view DotsBefore(std::string_view Behind)
		{
			constexpr std::string_view Ellipsis = "\u2026";
			if (Behind.substr(0, Ellipsis.size()) == Ellipsis)
			{
				return "";
			}
			const std::size_t Dots = std::min(Behind.find_first_not_of('.'), Behind.size());
			return NothingToSay.substr(std::min(Dots, NothingToSay.size()));
		}

		/** A number of one to four digits; -1 if there is none. */
		int TakeTokens(std::string_view& Text)
		{
			std::size_t Length = 0;
			int Number = 0;
			for (; Length < Text.size() && Text[Length] >= '0' && Text[Length] <= '9'; ++Length)
			{
				Number = std::min(10 * Number + (Text[Length] - '0'), 10'000);
			}
			Text.remove_prefix(Length);
			return Length == 0 || Length > MaxGapDigits ? -1 : Number;
		}

		/** Read what stands between the braces of a gap. */
		bool ReadGap(std::string_view Inside, PinnedPart& Gap)
		{
			Gap.bGap = true;
			if (Inside.substr(0, 1) != "*")
			{
				return false;
			}
			Inside.remove_prefix(1);
			Gap.bAnyLength = Inside.empty() || Inside[0] == '=';
			if (!Gap.bAnyLength)
			{
				const int Fewest = TakeTokens(Inside);
				int Most = Fewest;
				if (Inside.substr(0, 1) == "-")
				{
					Inside.remove_prefix(1);
					Most = TakeTokens(Inside);
				}
				if (Fewest < 1 || Fewest > Most || Most > MaxGapTokens)
				{
					return false;
				}
			}
			if (Inside.empty())
			{
				return true;
			}
			Gap.Text = Inside.substr(1);
			return Inside[0] == '=' && !Trimmed(Gap.Text).empty();
		}

		bool AddGap(PinnedParts& Parts, std::string& Pinned, PinnedPart Gap)
		{
			const bool bBlank = IsBlank(Pinned);
			if (!Pinned.empty())
			{
				PinnedPart& Pin = Parts.emplace_back();
				Pin.Text.swap(Pinned);
			}
			// Two gaps need words between them.
			if ((!Parts.empty() && Parts.back().bGap) || (Parts.size() > 1 && bBlank))
			{
				return false;
			}
			Parts.push_back(std::move(Gap));
			return true;
		}

		bool ReadTemplate(std::string_view Text, PinnedParts& Parts)
		{
			std::string Pinned;
			int Gaps = 0;
			for (std::size_t At = 0; At < Text.size();)
			{
				const bool bBrace = Text[At] == '{' || Text[At] == '}';
				if (!bBrace || (At + 1 < Text.size() && Text[At + 1] == Text[At]))
				{
					Pinned += Text[At];
					At += bBrace ? 2 : 1;
					continue;
				}
				const std::size_t End = Text.find_first_of("{}", At + 1);
				PinnedPart Gap;
				if (Text[At] == '}' || End == std::string_view::npos || Text[End] == '{' ||
					!ReadGap(Text.substr(At + 1, End - At - 1), Gap) || !AddGap(Parts, Pinned, std::move(Gap)))
				{
					return false;
				}
				++Gaps;
				At = End + 1;
			}
			if (!Pinned.empty())
			{
				Parts.emplace_back().Text = Pinned;
			}
			if (Gaps < 1 || Gaps > MaxGaps)
			{
				return false;
			}
			// Where other gaps have words already, the model may leave it at that.
			Parts.back().bMayBeEmpty = Gaps > 1 && Parts.back().bAnyLength;
			return true;
		}

		/** Put the phrases that no pin holds into the first gap of any length; false if there is none. */
		bool Include(PinnedParts& Parts, const std::vector<std::string>& Phrases)
		{
			PinnedParts Added;
			for (const std::string& Phrase : WantedOf(Phrases))
			{
				const auto Holds = [&Phrase](const PinnedPart& Each)
				{ return !Each.bGap && Each.Text.find(Phrase) != std::string::npos; };
				if (std::none_of(Parts.begin(), Parts.end(), Holds))
				{
					Added.push_back({Phrase, false, true, false, false});
					Added.push_back({"", true, false, true, true});
				}
			}
			if (Added.empty())
			{
				return true;
			}
			const auto Free = std::find_if(
				Parts.begin(), Parts.end(), [](const PinnedPart& Each) { return Each.bAnyLength; });
			if (Free == Parts.end())
			{
				return false;
			}
			Free->bMayBeEmpty = true;
			Parts.insert(Free + 1, Added.begin(), Added.end());
			return true;
		}

		/** What parts a phrase from the words behind it. */
		std::string_view JointOf(std::string_view Before, std::string_view Text)
		{
			const bool bGlued = AsciiSpaces.find(Text[0]) == std::string_view::npos && !IsWordly(CodePointOf(Text));
			return bGlued || IsWide(LastCodePointOf(Before)) || IsWide(CodePointOf(Trimmed(Text))) ? "" : " ";
		}

		std::string FillWithDefaults(const PinnedParts& Parts)
		{
			std::string Said;
			for (std::size_t Index = 0; Index < Parts.size(); ++Index)
			{
				const PinnedPart& Part = Parts[Index];
				if (!Part.bGap)
				{
					Said += Part.Text;
					continue;
				}
				const bool bLast = Index + 1 == Parts.size();
				const bool bLooseBefore = Index > 0 && Parts[Index - 1].bLoose;
				const bool bLooseBehind = !bLast && Parts[Index + 1].bLoose;
				const std::string_view Nothing =
					Part.bMayBeEmpty ? "" : DotsBefore(bLast ? std::string_view() : std::string_view(Parts[Index + 1].Text));
				const std::string_view Text = !Part.Text.empty() ? std::string_view(Part.Text) : Nothing;
				if (!Trimmed(Text).empty())
				{
					Said += bLooseBefore ? JointOf(Said, Text) : "";
					Said += Trimmed(Text);
					Said += bLooseBehind && !IsWide(LastCodePointOf(Said)) ? " " : "";
				}
				else if (bLooseBefore)
				{
					const bool bOpen = bLast && IsWordly(LastCodePointOf(Said));
					Said += bLooseBehind ? " " : bOpen ? "." : "";
				}
			}
			return Said;
		}

		/** An authored line, with the phrases that it lacks as sentences behind it. */
		std::string Completed(std::string_view Authored, const std::vector<std::string>& Phrases)
		{
			std::string Made(Authored);
			for (const std::string& Phrase : WantedOf(Phrases))
			{
				if (Made.find(Phrase) != std::string::npos)
				{
					continue;
				}
				Made.erase(Made.find_last_not_of(AsciiSpaces) + 1);
				Made += " " + Phrase;
				const std::string_view Words = Phrase;
				const auto EndsIn = [Words](std::string_view Mark)
				{ return Words.size() >= Mark.size() && Words.substr(Words.size() - Mark.size()) == Mark; };
				Made += std::any_of(std::begin(SentenceEnds), std::end(SentenceEnds), EndsIn) ? "" : ".";
			}
			return Made;
		}
	}

	bool PinnedLine::CanHold(std::string_view Template, const std::vector<std::string>& Phrases)
	{
		PinnedParts Parts;
		return ReadTemplate(Template, Parts) && Include(Parts, Phrases);
	}

	std::string PinnedLine::WrittenBeforehand(
		std::string_view Template, const std::vector<std::string>& Phrases, std::string_view Authored)
	{
		PinnedParts Parts;
		const bool bPinned = !Template.empty() && ReadTemplate(Template, Parts) && Include(Parts, Phrases);
		return bPinned ? FillWithDefaults(Parts) : Completed(Authored, Phrases);
	}
}
