#include "EngineStubs.h"

#include "PalaverCore/Utf8.h"

#include <cstdio>

std::u16string StubToWide(const std::string& Text)
{
	std::u16string Made;
	for (std::size_t At = 0; At < Text.size();)
	{
		const auto Lead = static_cast<unsigned char>(Text[At]);
		const std::size_t Size = Lead < 0x80 ? 1 : Lead < 0xE0 ? 2 : Lead < 0xF0 ? 3 : 4;
		char32_t CodePoint = Size == 1 ? Lead : Lead & (0x7FU >> Size);
		for (std::size_t Index = 1; Index < Size; ++Index)
		{
			CodePoint = CodePoint << 6 | (static_cast<unsigned char>(Text[At + Index]) & 0x3FU);
		}
		At += Size;
		if (CodePoint >= 0x10000)
		{
			Made += static_cast<char16_t>(0xD7C0 + (CodePoint >> 10));
			CodePoint = 0xDC00 + (CodePoint & 0x3FF);
		}
		Made += static_cast<char16_t>(CodePoint);
	}
	return Made;
}

std::string StubToNarrow(const std::u16string& Text)
{
	std::string Made;
	for (std::size_t At = 0; At < Text.size(); ++At)
	{
		char32_t CodePoint = Text[At];
		if (CodePoint >= 0xD800 && CodePoint < 0xDC00 && At + 1 < Text.size())
		{
			CodePoint = 0x10000 + ((CodePoint - 0xD800) << 10) + (Text[++At] - 0xDC00U);
		}
		PalaverCore::AppendUtf8(Made, CodePoint);
	}
	return Made;
}

std::u16string StubFormat(const TCHAR* Format, std::initializer_list<std::u16string> Given)
{
	std::u16string Made;
	auto Next = Given.begin();
	for (; *Format != u'\0'; ++Format)
	{
		if (*Format == u'%')
		{
			++Format;
			Made += Next == Given.end() ? u"?" : *Next++;
			continue;
		}
		Made += *Format;
	}
	return Made;
}

void StubWriteLog(const char* Category, const char* Verbosity, const std::u16string& Text)
{
	std::fprintf(stderr, "%s: %s: %s\n", Category, Verbosity, StubToNarrow(Text).c_str());
}

int& StubLogCount()
{
	static int Count = 0;
	return Count;
}

std::vector<std::unique_ptr<UObject>>& StubObjects()
{
	static std::vector<std::unique_ptr<UObject>> Objects;
	return Objects;
}
