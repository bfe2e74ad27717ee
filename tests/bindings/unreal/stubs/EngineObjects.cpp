#include "EngineObjects.h"

#include <chrono>
#include <cstdlib>
#include <sys/stat.h>
#include <unistd.h>

uint64 GFrameCounter = 0;

namespace
{
	/** The folder that the project is in: the test's own. */
	FString Variable(const char* Name)
	{
		const char* const Given = std::getenv(Name);
		return FString(StubToWide(Given == nullptr ? "" : Given));
	}
}

double FPlatformTime::Seconds()
{
	return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

FString FPlatformMisc::GetEnvironmentVariable(const TCHAR* Name)
{
	return Variable(StubToNarrow(Name).c_str());
}

uint32 FPlatformProcess::GetCurrentProcessId()
{
	return static_cast<uint32>(getpid());
}

FString FPaths::ProjectDir()
{
	return Variable("STUB_PROJECT");
}

FString FPaths::ProjectSavedDir()
{
	return ProjectDir() / TEXT("Saved");
}

FString FPaths::ConvertRelativePathToFull(const FString& Folder, const FString& Path)
{
	return !Path.IsEmpty() && Path[0] == u'/' ? Path : Folder / Path;
}

bool FPaths::FileExists(const FString& Path)
{
	struct stat Found = {};
	return stat(StubToNarrow(*Path).c_str(), &Found) == 0 && S_ISREG(Found.st_mode);
}

bool FPaths::DirectoryExists(const FString& Path)
{
	struct stat Found = {};
	return stat(StubToNarrow(*Path).c_str(), &Found) == 0 && S_ISDIR(Found.st_mode);
}

IFileManager& IFileManager::Get()
{
	static IFileManager Only;
	return Only;
}

bool IFileManager::MakeDirectory(const TCHAR* Path, bool)
{
	const std::string Whole = StubToNarrow(Path);
	for (std::size_t At = Whole.find('/', 1); At != std::string::npos; At = Whole.find('/', At + 1))
	{
		mkdir(Whole.substr(0, At).c_str(), 0700);
	}
	return mkdir(Whole.c_str(), 0700) == 0;
}

FString IPlugin::GetBaseDir() const
{
	return Variable("STUB_PROJECT") / TEXT("Plugins/Palaver");
}

IPluginManager& IPluginManager::Get()
{
	static IPluginManager Only;
	return Only;
}

TSharedPtr<IPlugin> IPluginManager::FindPlugin(const TCHAR*) const
{
	return MakeShared<IPlugin>();
}
