#include "LetterKinds.h"

namespace PalaverCore
{
	namespace
	{
		bool IsIn(char32_t Point, char32_t First, char32_t Last)
		{
			return Point >= First && Point <= Last;
		}
	}

	char32_t CodePointOf(std::string_view Text)
	{
		const auto First = static_cast<unsigned char>(Text[0]);
		const std::size_t Length = First < 0x80 ? 1 : First < 0xE0 ? 2 : First < 0xF0 ? 3 : 4;
		char32_t Point = Length == 1 ? First : First & (0x7FU >> Length);
		for (std::size_t Index = 1; Index < Length && Index < Text.size(); ++Index)
		{
			Point = (Point << 6) | (static_cast<unsigned char>(Text[Index]) & 0x3FU);
		}
		return Point;
	}

	char32_t LastCodePointOf(std::string_view Text)
	{
		std::size_t At = Text.size() - 1;
		while (At > 0 && (static_cast<unsigned char>(Text[At]) & 0xC0U) == 0x80)
		{
			--At;
		}
		return CodePointOf(Text.substr(At));
	}

	bool IsWide(char32_t Point)
	{
		return IsIn(Point, 0x1100, 0x115F) || (IsIn(Point, 0x2E80, 0xA4CF) && Point != 0x303F) ||
			IsIn(Point, 0xA960, 0xA97F) || IsIn(Point, 0xAC00, 0xD7A3) || IsIn(Point, 0xF900, 0xFAFF) ||
			IsIn(Point, 0xFE10, 0xFE6F) || IsIn(Point, 0xFF01, 0xFF60) || IsIn(Point, 0xFFE0, 0xFFE6) ||
			IsIn(Point, 0x1F300, 0x1F9FF) || IsIn(Point, 0x20000, 0x3FFFD);
	}

	bool IsWordly(char32_t Point)
	{
		if (Point < 0x80)
		{
			return IsIn(Point, '0', '9') || IsIn(Point, 'A', 'Z') || IsIn(Point, 'a', 'z');
		}
		return !IsIn(Point, 0x80, 0xBF) && !IsIn(Point, 0x2000, 0x2BFF) && !IsIn(Point, 0x3000, 0x303F) &&
			!IsIn(Point, 0xFE10, 0xFE6F) && !IsIn(Point, 0xFF01, 0xFF0F) && !IsIn(Point, 0xFF1A, 0xFF20) &&
			!IsIn(Point, 0x1F000, 0x1FAFF);
	}
}
