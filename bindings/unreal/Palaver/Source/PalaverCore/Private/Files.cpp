#include "Files.h"
#include "WindowsText.h"

#include <cstdio>

#if defined(_WIN32)
#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>
#endif

namespace PalaverCore
{
#if defined(_WIN32)
	std::wstring Widen(std::string_view Text)
	{
		const int Size = static_cast<int>(Text.size());
		std::wstring Wide(static_cast<std::size_t>(MultiByteToWideChar(CP_UTF8, 0, Text.data(), Size, nullptr, 0)), L'\0');
		MultiByteToWideChar(CP_UTF8, 0, Text.data(), Size, Wide.data(), static_cast<int>(Wide.size()));
		return Wide;
	}
#endif

	namespace
	{
		std::FILE* OpenToRead(const std::string& Path)
		{
#if defined(_WIN32)
			return _wfopen(Widen(Path).c_str(), L"rb");
#else
			return std::fopen(Path.c_str(), "rbe");
#endif
		}
	}

	std::string ReadEndOfFile(const std::string& Path, long MaxBytes)
	{
		std::string Bytes;
		std::FILE* const File = OpenToRead(Path);
		if (File == nullptr)
		{
			return Bytes;
		}
		std::fseek(File, 0, SEEK_END);
		const long Size = std::ftell(File);
		const long Wanted = Size < MaxBytes ? Size : MaxBytes;
		if (Wanted > 0)
		{
			std::fseek(File, Size - Wanted, SEEK_SET);
			Bytes.resize(static_cast<std::size_t>(Wanted));
			Bytes.resize(std::fread(Bytes.data(), 1, Bytes.size(), File));
		}
		std::fclose(File);
		return Bytes;
	}

	void DeleteFileAt(const std::string& Path)
	{
#if defined(_WIN32)
		_wremove(Widen(Path).c_str());
#else
		std::remove(Path.c_str());
#endif
	}
}
