#pragma once

#include "CoreMinimal.h"
#include "Engine/DataAsset.h"
#include "PalaverTypes.h"

#include "PalaverPersona.generated.h"

/** One character: who speaks, and what they know. */
UCLASS(BlueprintType)
class PALAVER_API UPalaverPersona : public UDataAsset
{
	GENERATED_BODY()

public:
	/** The game's own name for the character, never shown to the model; the asset's name if empty. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	FString Id;

	/** What the character is called. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	FString Name;

	/** What the character is, in lower case: "blacksmith". */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	FString Role;

	/** Where they belong: "Oakvale". */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	FString Place;

	/** One word or a few: "tired". */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	FString Mood;

	/** How they speak: "gruff". */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	FString Manner;

	/** What they speak: "English". Empty leaves it to the model. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	FString Language;

	/** Facts, one sentence each. The character may state these and nothing else. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (MultiLine = "true"))
	TArray<FString> Knowledge;

	/** Facts that the character acts on but never tells. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (MultiLine = "true"))
	TArray<FString> Secrets;

	/** Proper names that the character may use though no fact holds them. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	TArray<FString> Names;

	/** What a line may carry out: "open_gate()", "give(item: rope|torch)", "pay(amount: 1..20)"; 64 calls in all. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	TArray<FString> Actions;

	/** Lines to say when the model has none in time. Write some for every character. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (MultiLine = "true"))
	TArray<FString> Fallbacks;

	/** Lines to say instead, for asks that name a situation. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	TArray<FPalaverSituation> Situations;

	/** Words or phrases that the character never says. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	TArray<FString> Banned;

	/** Most sentences of a line, 1 to 20; 0 for no limit. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (ClampMin = "0", ClampMax = "20"))
	int32 MaxSentences = 0;

	/** Most characters of a line, 20 to 2000; 0 for no limit. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (ClampMin = "0", ClampMax = "2000"))
	int32 MaxChars = 0;

	/** The id that the sidecar knows the character by. */
	UFUNCTION(BlueprintPure, Category = "Palaver")
	FString GetNpcId() const;
};
