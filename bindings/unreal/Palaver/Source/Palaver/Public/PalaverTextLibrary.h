#pragma once

#include "CoreMinimal.h"
#include "Kismet/BlueprintFunctionLibrary.h"

#include "PalaverTextLibrary.generated.h"

/** What a game does with the text of a line. */
UCLASS()
class PALAVER_API UPalaverTextLibrary : public UBlueprintFunctionLibrary
{
	GENERATED_BODY()

public:
	/** The text so that a rich text block shows it as it is: nothing in it is taken for a tag. */
	UFUNCTION(BlueprintPure, Category = "Palaver")
	static FString EscapeRichText(const FString& Text);
};
