#pragma once

// As much of Unreal as the plugin's engine layer uses, in the standard library's terms. It is there to find typing
// errors, and it works well enough to play a game of one character. It proves nothing about the engine itself.

#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>

#define PLATFORM_WINDOWS 0
#define PLATFORM_MAC 0
#define PALAVER_API
#define UCLASS(...)
#define USTRUCT(...)
#define UENUM(...)
#define UPROPERTY(...)
#define UFUNCTION(...)
#define UMETA(...)
// What a body is depends on its line, as with Unreal's header tool; the generated headers hold them.
#define STUB_JOIN_NOW(A, B) A##B
#define STUB_JOIN(A, B) STUB_JOIN_NOW(A, B)
#define GENERATED_BODY() STUB_JOIN(STUB_BODY_OF_LINE_, __LINE__)
#define TEXT(Literal) u##Literal
#define UTF8_TO_TCHAR(Text) StubToWide(Text).c_str()
#define IMPLEMENT_MODULE(Class, Name) extern const bool bStub##Name##IsThere; const bool bStub##Name##IsThere = true;
#define DECLARE_LOG_CATEGORY_EXTERN(Name, Default, Most) extern const char* const Name
#define DEFINE_LOG_CATEGORY(Name) const char* const Name = #Name
#define UE_LOG(Category, Verbosity, ...) StubLog(Category, #Verbosity, __VA_ARGS__)
#define RETURN_QUICK_DECLARE_CYCLE_STAT(Name, Group) return TStatId()
#define DECLARE_DYNAMIC_MULTICAST_DELEGATE_OneParam(Name, Type1, Name1) using Name = TStubDelegate<Type1>
#define DECLARE_DYNAMIC_MULTICAST_DELEGATE_TwoParams(Name, Type1, Name1, Type2, Name2) \
	using Name = TStubDelegate<Type1, Type2>

using TCHAR = char16_t;
using int32 = std::int32_t;
using int64 = long long;
using uint8 = std::uint8_t;
using uint16 = std::uint16_t;
using uint32 = std::uint32_t;
using uint64 = unsigned long long;

std::u16string StubToWide(const std::string& Text);
std::string StubToNarrow(const std::u16string& Text);
/** Replaces %s, %d and %u; a text has to be passed as *Text. */
std::u16string StubFormat(const TCHAR* Format, std::initializer_list<std::u16string> Given);
void StubWriteLog(const char* Category, const char* Verbosity, const std::u16string& Text);
/** How often something was logged. */
int& StubLogCount();

inline std::u16string StubShown(const TCHAR* Text)
{
	return Text;
}
template <typename Number, typename = std::enable_if_t<std::is_integral_v<Number>>>
std::u16string StubShown(Number Given)
{
	return StubToWide(std::to_string(Given));
}
template <typename... Types>
void StubLog(const char* Category, const char* Verbosity, const TCHAR* Format, Types... Given)
{
	++StubLogCount();
	StubWriteLog(Category, Verbosity, StubFormat(Format, {StubShown(Given)...}));
}

class FString
{
public:
	FString() = default;
	FString(const TCHAR* InText) : Text(InText) {}
	explicit FString(const std::u16string& InText) : Text(InText) {}

	const TCHAR* operator*() const { return Text.c_str(); }
	TCHAR operator[](int32 Index) const { return Text[static_cast<std::size_t>(Index)]; }
	bool IsEmpty() const { return Text.empty(); }
	int32 Len() const { return static_cast<int32>(Text.size()); }
	bool Contains(const TCHAR* Part) const { return Text.find(Part) != std::u16string::npos; }
	bool operator==(const FString& Other) const { return Text == Other.Text; }
	bool operator<(const FString& Other) const { return Text < Other.Text; }
	FString& operator+=(const FString& Other)
	{
		Text += Other.Text;
		return *this;
	}
	friend FString operator+(const TCHAR* Left, const FString& Right) { return FString(Left + Right.Text); }
	friend FString operator/(const FString& Left, const FString& Right) { return FString(Left.Text + u"/" + Right.Text); }
	static FString FromInt(int32 Number) { return FString(StubShown(Number)); }
	template <typename... Types>
	static FString Printf(const TCHAR* Format, Types... Given)
	{
		return FString(StubFormat(Format, {StubShown(Given)...}));
	}

private:
	std::u16string Text;
};

class FName
{
public:
	explicit FName(const TCHAR* InText) : Text(InText) {}
	FString ToString() const { return Text; }

private:
	FString Text;
};

class FTCHARToUTF8
{
public:
	explicit FTCHARToUTF8(const TCHAR* Text) : Bytes(StubToNarrow(Text)) {}
	const char* Get() const { return Bytes.c_str(); }
	int32 Length() const { return static_cast<int32>(Bytes.size()); }

private:
	std::string Bytes;
};
