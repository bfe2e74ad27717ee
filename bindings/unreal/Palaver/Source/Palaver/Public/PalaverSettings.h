#pragma once

#include "CoreMinimal.h"
#include "Engine/DeveloperSettings.h"

#include "PalaverSettings.generated.h"

/** How the sidecar is limited. */
UENUM()
enum class EPalaverBudget : uint8
{
	/** It computes only inside so many milliseconds of each frame, and not while the game is paused. */
	FrameTicks,
	/** It takes at most a share of one core. */
	Load,
	None
};

/** Project Settings > Plugins > Palaver. */
UCLASS(config = Game, defaultconfig, meta = (DisplayName = "Palaver"))
class PALAVER_API UPalaverSettings : public UDeveloperSettings
{
	GENERATED_BODY()

public:
	/** Start a sidecar with each running game, and end it with it. */
	UPROPERTY(config, EditAnywhere, Category = "Sidecar")
	bool bStartSidecar = true;

	/**
	 * The program: a path, from the project's folder or the plugin's if it is not a full one, or a name that the system
	 * finds. Empty for the one in the plugin's folder Sidecar/<platform>.
	 */
	UPROPERTY(config, EditAnywhere, Category = "Sidecar", meta = (EditCondition = "bStartSidecar"))
	FString Program;

	/** What comes behind the program, one argument each: `-m` and `runtime.serve` for a Python. */
	UPROPERTY(config, EditAnywhere, Category = "Sidecar", meta = (EditCondition = "bStartSidecar"))
	TArray<FString> Arguments;

	/** Environment variables of the sidecar. */
	UPROPERTY(config, EditAnywhere, Category = "Sidecar", meta = (EditCondition = "bStartSidecar"))
	TMap<FString, FString> Environment;

	/** Folder of the model, found like the program; empty for the one that comes with the sidecar. */
	UPROPERTY(config, EditAnywhere, Category = "Sidecar", meta = (EditCondition = "bStartSidecar"))
	FString ModelFolder;

	/** CPU threads of the model. */
	UPROPERTY(config, EditAnywhere, Category = "Sidecar", meta = (EditCondition = "bStartSidecar", ClampMin = "1"))
	int32 Threads = 1;

	/** Without a sidecar of its own, the game talks to the one on this port; its secret is the variable PALAVER_SECRET. */
	UPROPERTY(config, EditAnywhere, Category = "Sidecar", meta = (EditCondition = "!bStartSidecar", ClampMax = "65535"))
	int32 Port = 0;

	UPROPERTY(config, EditAnywhere, Category = "Budget")
	EPalaverBudget Budget = EPalaverBudget::FrameTicks;

	/** Compute in each frame. */
	UPROPERTY(config, EditAnywhere, Category = "Budget", meta = (ClampMin = "0", ClampMax = "1000", Units = "ms"))
	float FrameMilliseconds = 2.0f;

	/** Share of one core. */
	UPROPERTY(config, EditAnywhere, Category = "Budget", meta = (ClampMin = "0.001", ClampMax = "1"))
	float MaxLoad = 0.25f;

	virtual FName GetCategoryName() const override;
};
