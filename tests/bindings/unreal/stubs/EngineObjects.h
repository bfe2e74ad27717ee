#pragma once

#include "EngineStubs.h"

extern uint64 GFrameCounter;

struct TStatId
{
};

struct FPlatformTime
{
	static double Seconds();
	static uint64 Cycles64() { return 1; }
};

struct FPlatformMisc
{
	static FString GetEnvironmentVariable(const TCHAR* Name);
};

struct FPlatformProcess
{
	static uint32 GetCurrentProcessId();
};

struct FPaths
{
	static FString ProjectDir();
	static FString ProjectSavedDir();
	static FString ConvertRelativePathToFull(const FString& Path) { return Path; }
	static FString ConvertRelativePathToFull(const FString& Folder, const FString& Path);
	static bool FileExists(const FString& Path);
	static bool DirectoryExists(const FString& Path);
};

struct IFileManager
{
	static IFileManager& Get();
	bool MakeDirectory(const TCHAR* Path, bool bWithParents);
};

struct IPlugin
{
	FString GetBaseDir() const;
};

struct IPluginManager
{
	static IPluginManager& Get();
	TSharedPtr<IPlugin> FindPlugin(const TCHAR* Name) const;
};

class UDataAsset : public UObject
{
};

class UBlueprintFunctionLibrary : public UObject
{
};

class UDeveloperSettings : public UObject
{
public:
	virtual FName GetCategoryName() const { return FName(TEXT("Game")); }
};

struct FSubsystemCollectionBase
{
};

class UGameInstanceSubsystem : public UObject
{
public:
	virtual void Initialize(FSubsystemCollectionBase&) {}
	virtual void Deinitialize() {}
	UGameInstance* GetGameInstance() const { return StubGame; }

	UGameInstance* StubGame = nullptr;
};

enum class ETickableTickType : uint8
{
	Conditional,
	Always,
	Never
};

class FTickableGameObject
{
public:
	virtual ~FTickableGameObject() = default;
	virtual void Tick(float DeltaTime) = 0;
	virtual bool IsTickable() const { return true; }
	virtual bool IsTickableWhenPaused() const { return false; }
	virtual ETickableTickType GetTickableTickType() const { return ETickableTickType::Conditional; }
	virtual UWorld* GetTickableGameObjectWorld() const { return nullptr; }
	virtual TStatId GetStatId() const = 0;
};

class UGameInstance : public UObject
{
public:
	UWorld* GetWorld() const override { return StubWorld; }
	template <typename Type>
	Type* GetSubsystem() const
	{
		return static_cast<Type*>(StubSubsystem);
	}

	UWorld* StubWorld = nullptr;
	UGameInstanceSubsystem* StubSubsystem = nullptr;
};

class UWorld : public UObject
{
public:
	UGameInstance* GetGameInstance() const { return StubGame; }
	bool IsPaused() const { return bStubPaused; }

	UGameInstance* StubGame = nullptr;
	bool bStubPaused = false;
};

struct EEndPlayReason
{
	enum Type
	{
		Destroyed,
		Quit
	};
};

class UActorComponent : public UObject
{
public:
	virtual void BeginPlay() {}
	virtual void EndPlay(const EEndPlayReason::Type) {}
	UWorld* GetWorld() const override { return StubWorld; }

	UWorld* StubWorld = nullptr;
};

class UBlueprintAsyncActionBase : public UObject
{
public:
	virtual void Activate() {}
	virtual void SetReadyToDestroy() { bStubDone = true; }
	void RegisterWithGameInstance(const UObject*) {}

	bool bStubDone = false;
};

class UCancellableAsyncAction : public UBlueprintAsyncActionBase
{
public:
	virtual void Cancel() { SetReadyToDestroy(); }
	virtual bool ShouldBroadcastDelegates() const { return !bStubDone; }
};
