#pragma once

#include "CoreMinimal.h"
#include "Engine/CancellableAsyncAction.h"
#include "PalaverTypes.h"

#include "PalaverAskAction.generated.h"

class UPalaverNpcComponent;

/** All pins of the node have the same outputs: the text to show, and the line, which is empty until it is there. */
DECLARE_DYNAMIC_MULTICAST_DELEGATE_TwoParams(FPalaverAskOutput, const FString&, Text, const FPalaverLine&, Line);

/** The Blueprint node "Ask NPC": says something to a character and goes on when the answer comes. */
UCLASS(meta = (ExposedAsyncProxy = AsyncAction))
class PALAVER_API UPalaverAskAction : public UCancellableAsyncAction
{
	GENERATED_BODY()

public:
	/** The line so far has changed. */
	UPROPERTY(BlueprintAssignable)
	FPalaverAskOutput Drafted;

	/** The line is there; Line.Source tells whether it is a fallback. */
	UPROPERTY(BlueprintAssignable)
	FPalaverAskOutput Completed;

	/** The ask ended without a line: its character was forgotten, loaded or destroyed, or could not be asked. */
	UPROPERTY(BlueprintAssignable)
	FPalaverAskOutput Cancelled;

	/** Say something to a character and wait for the answer. Cancel on the action gives it up, and no pin fires. */
	UFUNCTION(BlueprintCallable, Category = "Palaver",
		meta = (BlueprintInternalUseOnly = "true", DisplayName = "Ask NPC", AutoCreateRefTerm = "Options"))
	static UPalaverAskAction* AskNpc(UPalaverNpcComponent* Npc, const FString& Text, const FPalaverAskOptions& Options);

	virtual void Activate() override;
	virtual void Cancel() override;

private:
	UFUNCTION()
	void OnDraft(int64 DraftAskId, const FPalaverDraft& Draft);
	UFUNCTION()
	void OnLine(int64 LineAskId, const FPalaverLine& Line);
	UFUNCTION()
	void OnCancelled(int64 CancelledAskId);

	/** Listen to the character no longer. */
	void Detach();

	UPROPERTY()
	TObjectPtr<UPalaverNpcComponent> Asked;

	FString Said;
	FPalaverAskOptions With;
	int64 AskId = 0;
};
