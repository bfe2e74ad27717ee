#include "PalaverSidecarPaths.h"

#include "HAL/FileManager.h"
#include "HAL/PlatformProcess.h"
#include "Interfaces/IPluginManager.h"
#include "Misc/Paths.h"
#include "PalaverConversions.h"
#include "PalaverSettings.h"
#include "PalaverSubsystem.h"

namespace PalaverSidecarPaths
{
	namespace
	{
#if PLATFORM_WINDOWS
		const TCHAR* const BundledProgram = TEXT("Sidecar/Win64/palaver-sidecar.exe");
#elif PLATFORM_MAC
		const TCHAR* const BundledProgram = TEXT("Sidecar/Mac/palaver-sidecar");
#else
		const TCHAR* const BundledProgram = TEXT("Sidecar/Linux/palaver-sidecar");
#endif

		FString PluginFolder()
		{
			const TSharedPtr<IPlugin> Plugin = IPluginManager::Get().FindPlugin(TEXT("Palaver"));
			return Plugin.IsValid() ? FPaths::ConvertRelativePathToFull(Plugin->GetBaseDir()) : FString();
		}

		/** A file or folder by a path that may be relative; the path as it is if it is found nowhere. */
		FString Found(const FString& Path)
		{
			FString Tried;
			for (const FString& Folder : {FPaths::ConvertRelativePathToFull(FPaths::ProjectDir()), PluginFolder()})
			{
				const FString Candidate = FPaths::ConvertRelativePathToFull(Folder, Path);
				if (FPaths::FileExists(Candidate) || FPaths::DirectoryExists(Candidate))
				{
					return Candidate;
				}
				Tried += TEXT(" ") + Candidate;
			}
			// A name without a folder is looked for by the system.
			if (Path.Contains(TEXT("/")))
			{
				UE_LOG(LogPalaver, Error, TEXT("%s was not found; tried:%s"), *Path, *Tried);
			}
			return Path;
		}
	}

	PalaverCore::SidecarOptions OptionsOf(const UPalaverSettings& Settings)
	{
		using PalaverConversions::ToUtf8;
		// Several games may run in one process of the editor.
		static int32 GameCount = 0;
		const FString Own = FString::Printf(TEXT("%u-%d"), FPlatformProcess::GetCurrentProcessId(), ++GameCount);
		const FString Saved = FPaths::ConvertRelativePathToFull(FPaths::ProjectSavedDir()) / TEXT("Palaver");
		IFileManager::Get().MakeDirectory(*Saved, true);

		PalaverCore::SidecarOptions Options;
		Options.Process.Program = ToUtf8(Found(Settings.Program.IsEmpty() ? FString(BundledProgram) : Settings.Program));
		for (const FString& Argument : Settings.Arguments)
		{
			Options.Process.Arguments.push_back(ToUtf8(Argument));
		}
		const auto Add = [&Options](const char* Name, const FString& Given)
		{
			Options.Process.Arguments.push_back(Name);
			Options.Process.Arguments.push_back(ToUtf8(Given));
		};
		if (!Settings.ModelFolder.IsEmpty())
		{
			Add("--model", Found(Settings.ModelFolder));
		}
		Add("--threads", FString::FromInt(Settings.Threads));
		Add("--log-file", Saved / FString::Printf(TEXT("sidecar-%s.log"), *Own));
		for (const TPair<FString, FString>& Each : Settings.Environment)
		{
			Options.Process.Environment.emplace_back(ToUtf8(Each.Key), ToUtf8(Each.Value));
		}
		Options.Process.OutputFile = ToUtf8(Saved / FString::Printf(TEXT("output-%s.txt"), *Own));
		Options.ReadyFile = ToUtf8(Saved / FString::Printf(TEXT("ready-%s.json"), *Own));
		return Options;
	}
}
