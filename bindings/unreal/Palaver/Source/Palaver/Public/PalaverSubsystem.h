#pragma once

#include "CoreMinimal.h"
#include "PalaverTypes.h"
#include "Subsystems/GameInstanceSubsystem.h"
#include "Tickable.h"

#include "PalaverSubsystem.generated.h"

class UPalaverNpcComponent;
class UPalaverPersona;

namespace PalaverCore
{
	struct Event;
	class Service;
}

DECLARE_LOG_CATEGORY_EXTERN(LogPalaver, Log, All);

DECLARE_DYNAMIC_MULTICAST_DELEGATE_OneParam(FPalaverStateDelegate, EPalaverState, State);

/**
 * Owns the sidecar and the connection to it, for as long as a game runs. Every frame it gives the sidecar its budget
 * and delivers what has come, on the game thread; it never waits but for the end of the sidecar when the game ends.
 *
 * Characters are asked through UPalaverNpcComponent.
 */
UCLASS()
class PALAVER_API UPalaverSubsystem : public UGameInstanceSubsystem, public FTickableGameObject
{
	GENERATED_BODY()

public:
	/** Nothing is waited for longer when the game ends. */
	static constexpr int32 StopMilliseconds = 1000;

	UPROPERTY(BlueprintAssignable, Category = "Palaver")
	FPalaverStateDelegate OnStateChanged;

	UFUNCTION(BlueprintPure, Category = "Palaver")
	EPalaverState GetState() const { return State; }

	/** How far the sidecar has loaded its model, 0 to 1. */
	UFUNCTION(BlueprintPure, Category = "Palaver")
	float GetLoadProgress() const;

	/** Start the sidecar anew: one that has failed is not tried again by itself. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	void RestartSidecar();

	/** Why the sidecar cannot be used, in words for a person; empty if it can. */
	UFUNCTION(BlueprintPure, Category = "Palaver")
	FString GetTrouble() const;

	/** Add a character, or change their persona; what was said stays. False, and a line in the log, if it is not valid. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	bool PutNpc(const UPalaverPersona* Persona);

	/** Forget a character and what was said. Their open asks are cancelled. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	void ForgetNpc(const FString& NpcId);

	/** What was said with a character, as text for a save game; works without a sidecar too. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	FString SaveNpc(const FString& NpcId);

	/** Replace what was said with a character by what SaveNpc has given. Their open asks are cancelled. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	bool LoadNpc(const FString& NpcId, const FString& Data);

	/** Let a summary stand for all but a character's last turns. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	bool SetSummary(const FString& NpcId, const FString& Summary, int32 Keep = 4);

	/**
	 * Let this be what is true for all characters, until the next one; what changes least comes first. False, and a line in
	 * the log, if it is not valid.
	 */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	bool PutWorld(const TArray<FPalaverWorldSection>& Sections);

	/** Write what the model would read, were this asked now, to the log. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	void LogPrompt(const FString& NpcId, const FString& Text);

	/** Say something to a character that was put; the component is told what comes of it, in a later frame. */
	int64 Ask(UPalaverNpcComponent* Asker, const FString& NpcId, const FString& Text, const FPalaverAskOptions& Options);
	/** Let a character choose one of several answers. */
	int64 Choose(UPalaverNpcComponent* Asker, const FString& NpcId, const FString& Text, const TArray<FString>& Answers,
		const FPalaverAskOptions& Options);
	bool Cancel(int64 AskId);

	virtual void Initialize(FSubsystemCollectionBase& Collection) override;
	virtual void Deinitialize() override;

	virtual void Tick(float DeltaTime) override;
	virtual bool IsTickable() const override;
	virtual bool IsTickableWhenPaused() const override { return true; }
	virtual ETickableTickType GetTickableTickType() const override;
	virtual UWorld* GetTickableGameObjectWorld() const override;
	virtual TStatId GetStatId() const override;

private:
	/** Of a clock that does not jump. */
	static int64 NowMs();
	void StartSidecar();
	void GiveBudget();
	void Deliver(const PalaverCore::Event& Event);
	void NoticeState();

	TSharedPtr<PalaverCore::Service> Service;

	/** Who asked what is still open. */
	TMap<int64, TWeakObjectPtr<UPalaverNpcComponent>> Askers;

	EPalaverState State = EPalaverState::Starting;
};
