#include "PalaverCore/Utf8.h"

#include <cstdint>

namespace PalaverCore
{
	namespace
	{
		constexpr char32_t NotUtf8 = 0xFFFFFFFF;

		/** The code point at `At`, which is moved behind it; NotUtf8 if there is none. */
		char32_t ReadCodePoint(std::string_view Bytes, std::size_t& At)
		{
			const auto Lead = static_cast<std::uint8_t>(Bytes[At++]);
			if (Lead < 0x80)
			{
				return Lead;
			}
			const int Following = Lead >= 0xF0 ? 3 : Lead >= 0xE0 ? 2 : 1;
			if (Lead < 0xC2 || Lead > 0xF4)
			{
				return NotUtf8;
			}
			char32_t CodePoint = Lead & (0x3F >> Following);
			for (int Index = 0; Index < Following; ++Index)
			{
				if (At == Bytes.size() || (static_cast<std::uint8_t>(Bytes[At]) & 0xC0) != 0x80)
				{
					return NotUtf8;
				}
				CodePoint = (CodePoint << 6) | (static_cast<std::uint8_t>(Bytes[At++]) & 0x3F);
			}
			constexpr char32_t Smallest[] = {0, 0x80, 0x800, 0x10000};
			const bool bSurrogate = CodePoint >= 0xD800 && CodePoint <= 0xDFFF;
			return CodePoint < Smallest[Following] || CodePoint > 0x10FFFF || bSurrogate ? NotUtf8 : CodePoint;
		}

		bool IsSpace(char32_t CodePoint)
		{
			return (CodePoint >= 0x09 && CodePoint <= 0x0D) || (CodePoint >= 0x1C && CodePoint <= 0x20) ||
				CodePoint == 0x85 || CodePoint == 0xA0 || CodePoint == 0x1680 ||
				(CodePoint >= 0x2000 && CodePoint <= 0x200A) || CodePoint == 0x2028 || CodePoint == 0x2029 ||
				CodePoint == 0x202F || CodePoint == 0x205F || CodePoint == 0x3000;
		}
	}

	bool IsUtf8(std::string_view Bytes)
	{
		for (std::size_t At = 0; At < Bytes.size();)
		{
			if (ReadCodePoint(Bytes, At) == NotUtf8)
			{
				return false;
			}
		}
		return true;
	}

	std::size_t CountCharacters(std::string_view Text)
	{
		std::size_t Count = 0;
		for (const char Byte : Text)
		{
			Count += (static_cast<std::uint8_t>(Byte) & 0xC0) != 0x80;
		}
		return Count;
	}

	std::string_view FirstCharacters(std::string_view Text, std::size_t Count)
	{
		std::size_t End = 0;
		for (; End < Text.size(); ++End)
		{
			const bool bFirst = (static_cast<unsigned char>(Text[End]) & 0xC0U) != 0x80;
			if (bFirst && Count-- == 0)
			{
				break;
			}
		}
		return Text.substr(0, End);
	}

	bool IsBlank(std::string_view Text)
	{
		for (std::size_t At = 0; At < Text.size();)
		{
			if (!IsSpace(ReadCodePoint(Text, At)))
			{
				return false;
			}
		}
		return true;
	}

	void AppendUtf8(std::string& Text, char32_t CodePoint)
	{
		const auto Continuation = [CodePoint](int Shift)
		{ return static_cast<char>(0x80 | ((CodePoint >> Shift) & 0x3F)); };
		if (CodePoint < 0x80)
		{
			Text += static_cast<char>(CodePoint);
		}
		else if (CodePoint < 0x800)
		{
			Text += {static_cast<char>(0xC0 | (CodePoint >> 6)), Continuation(0)};
		}
		else if (CodePoint < 0x10000)
		{
			Text += {static_cast<char>(0xE0 | (CodePoint >> 12)), Continuation(6), Continuation(0)};
		}
		else
		{
			Text += {static_cast<char>(0xF0 | (CodePoint >> 18)), Continuation(12), Continuation(6), Continuation(0)};
		}
	}
}
