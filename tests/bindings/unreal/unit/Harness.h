#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

/** A test: its function, by the name of its file and its own. */
struct Test
{
	const char* Group;
	const char* Name;
	void (*Run)();
};

inline std::vector<Test>& AllTests()
{
	static std::vector<Test> Tests;
	return Tests;
}

inline int& FailureCount()
{
	static int Count = 0;
	return Count;
}

/** Folder and file that a test was given: from where the vectors are read, and where it may write. */
struct TestPlaces
{
	std::string Vectors;
	std::string Scratch;
};

inline TestPlaces& Places()
{
	static TestPlaces Given;
	return Given;
}

struct TestRegistration
{
	TestRegistration(const char* Group, const char* Name, void (*Run)()) { AllTests().push_back({Group, Name, Run}); }
};

inline std::string Shown(const std::string& Text)
{
	return '"' + Text + '"';
}
inline std::string Shown(std::string_view Text)
{
	return Shown(std::string(Text));
}
inline std::string Shown(const char* Text)
{
	return Text == nullptr ? "nullptr" : Shown(std::string(Text));
}
inline std::string Shown(bool bValue)
{
	return bValue ? "true" : "false";
}
template <typename Any>
std::string Shown(const Any& Given)
{
	return std::to_string(static_cast<long long>(Given));
}

inline void Fail(const char* File, int Line, const std::string& What)
{
	++FailureCount();
	std::printf("%s:%d: %s\n", File, Line, What.c_str());
}

#define TEST(Group, Name) \
	static void Name(); \
	static const TestRegistration Registered##Name(#Group, #Name, Name); \
	static void Name()

/** Goes on after a failure, so that one run tells of all. */
#define CHECK(Condition) \
	do \
	{ \
		if (!(Condition)) \
		{ \
			Fail(__FILE__, __LINE__, #Condition); \
		} \
	} while (false)

#define CHECK_EQUAL(Found, Expected) \
	do \
	{ \
		const auto& FoundNow = (Found); \
		const auto& ExpectedNow = (Expected); \
		if (!(FoundNow == ExpectedNow)) \
		{ \
			Fail(__FILE__, __LINE__, #Found " is " + Shown(FoundNow) + ", not " + Shown(ExpectedNow)); \
		} \
	} while (false)
