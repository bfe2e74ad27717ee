#pragma once

#include "Components/ActorComponent.h"
#include "CoreMinimal.h"
#include "PalaverTypes.h"

#include "PalaverNpcComponent.generated.h"

class UPalaverPersona;
class UPalaverSubsystem;

DECLARE_DYNAMIC_MULTICAST_DELEGATE_TwoParams(FPalaverDraftDelegate, int64, AskId, const FPalaverDraft&, Draft);
DECLARE_DYNAMIC_MULTICAST_DELEGATE_TwoParams(FPalaverLineDelegate, int64, AskId, const FPalaverLine&, Line);
DECLARE_DYNAMIC_MULTICAST_DELEGATE_TwoParams(FPalaverChoiceDelegate, int64, AskId, const FPalaverChoice&, Choice);
DECLARE_DYNAMIC_MULTICAST_DELEGATE_OneParam(FPalaverCancelledDelegate, int64, AskId);

/**
 * One character's voice: add it to the character's actor and give it a persona.
 *
 * Each ask ends exactly once, in OnLine, each choose in OnChoice, or in OnCancelled if it was cancelled. All delegates are called on the game
 * thread, never from inside Ask.
 */
UCLASS(ClassGroup = (Palaver), meta = (BlueprintSpawnableComponent))
class PALAVER_API UPalaverNpcComponent : public UActorComponent
{
	GENERATED_BODY()

public:
	/** Who speaks. Components with the same persona share what was said. */
	UPROPERTY(EditAnywhere, BlueprintReadOnly, Category = "Palaver")
	TObjectPtr<UPalaverPersona> Persona;

	/** What Ask asks with. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	FPalaverAskOptions Options;

	/** The line so far; it changes from one call to the next. */
	UPROPERTY(BlueprintAssignable, Category = "Palaver")
	FPalaverDraftDelegate OnDraft;

	/** The line. */
	UPROPERTY(BlueprintAssignable, Category = "Palaver")
	FPalaverLineDelegate OnLine;

	/** The answer that fits best. */
	UPROPERTY(BlueprintAssignable, Category = "Palaver")
	FPalaverChoiceDelegate OnChoice;

	UPROPERTY(BlueprintAssignable, Category = "Palaver")
	FPalaverCancelledDelegate OnCancelled;

	/** Say something to the character; the ask's id, which the delegates repeat, or 0 where no game runs. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	int64 Ask(const FString& Text);

	UFUNCTION(BlueprintCallable, Category = "Palaver")
	int64 AskWithOptions(const FString& Text, const FPalaverAskOptions& AskOptions);

	/**
	 * Let the character choose one of 2 to 16 answers: the first one where that could not be found out in time. Deadline,
	 * priority and policy of Options hold; nothing is remembered.
	 */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	int64 Choose(const FString& Text, const TArray<FString>& Answers);

	/** Let a summary stand for all but the last turns of what the character remembers; empty for nothing. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	bool SetSummary(const FString& Summary, int32 Keep = 4);

	/** Write what the model would read, were this asked now, to the log. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	void LogPrompt(const FString& Text);

	/** Give an ask up: OnCancelled is called, OnLine is not. Whether it was open. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	bool Cancel(int64 AskId);

	/** Give up all asks that are open. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	void CancelAll();

	UFUNCTION(BlueprintPure, Category = "Palaver")
	bool IsTalking() const { return OpenAsks.Num() > 0; }

	/** Another persona, or the same after it was changed. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	void SetPersona(UPalaverPersona* NewPersona);

	/** What was said, as text for a save game. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	FString SaveConversation() const;

	/** Replace what was said by what SaveConversation has given; open asks are cancelled. */
	UFUNCTION(BlueprintCallable, Category = "Palaver")
	bool LoadConversation(const FString& Data);

	virtual void BeginPlay() override;
	virtual void EndPlay(const EEndPlayReason::Type EndPlayReason) override;

private:
	friend class UPalaverSubsystem;

	void ReceiveDraft(int64 AskId, const FPalaverDraft& Draft);
	void ReceiveLine(int64 AskId, const FPalaverLine& Line);
	void ReceiveChoice(int64 AskId, const FPalaverChoice& Choice);
	void ReceiveCancelled(int64 AskId);

	/** nullptr where no game runs. */
	UPalaverSubsystem* Subsystem() const;

	TArray<int64> OpenAsks;
};
