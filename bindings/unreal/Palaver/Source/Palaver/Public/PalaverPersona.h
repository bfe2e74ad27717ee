#pragma once

#include "CoreMinimal.h"
#include "Engine/DataAsset.h"

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

	/** Facts, one sentence each. The character may state these and nothing else. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (MultiLine = "true"))
	TArray<FString> Knowledge;

	/** Lines to say when the model has none in time. Write some for every character. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (MultiLine = "true"))
	TArray<FString> Fallbacks;

	/** Words or phrases that the character never says. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	TArray<FString> Banned;

	/** The id that the sidecar knows the character by. */
	UFUNCTION(BlueprintPure, Category = "Palaver")
	FString GetNpcId() const;
};
