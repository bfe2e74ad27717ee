#pragma once

#include "CoreMinimal.h"

#include "PalaverTypes.generated.h"

/** Where a line came from. */
UENUM(BlueprintType)
enum class EPalaverLineSource : uint8
{
	/** The model finished it. */
	Model,
	/** The deadline cut it short, and it may be said all the same. */
	Draft,
	/** It was written beforehand: the model had none in time, or could not be asked. */
	Fallback
};

/** How far the plugin is. Asks are taken in every state. */
UENUM(BlueprintType)
enum class EPalaverState : uint8
{
	/** There is no sidecar: it was not started, or it failed. Every ask ends in a fallback line. */
	Off,
	/** The sidecar is being started, or started again. */
	Starting,
	Connecting,
	/** The sidecar loads its model; asks wait for it. */
	Loading,
	Ready
};

/** What becomes of an ask while the same character has an open one. */
UENUM(BlueprintType)
enum class EPalaverPolicy : uint8
{
	Queue,
	/** The open one ends in a fallback line. */
	Replace,
	/** The new one ends in a fallback line. */
	Reject
};

/** What will draw a line's text, and must not take anything in it for markup. */
UENUM(BlueprintType)
enum class EPalaverEscape : uint8
{
	/** Text as it is: for Unreal's rich text blocks, use Escape Rich Text on it. */
	Plain,
	BbCode,
	RichText,
	Yarn,
	Ink
};

/** Fallback lines for asks that name a situation. */
USTRUCT(BlueprintType)
struct PALAVER_API FPalaverSituation
{
	GENERATED_BODY()

	/** What asks call it: "shop closed". */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	FString Name;

	/** Lines to say in it when the model has none. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (MultiLine = "true"))
	TArray<FString> Lines;
};

/** World facts of one kind, for the prompt of whoever is asked. */
USTRUCT(BlueprintType)
struct PALAVER_API FPalaverWorldSection
{
	GENERATED_BODY()

	/** The game's own name for it; no two of one name. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	FString Name;

	/** One sentence each. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (MultiLine = "true"))
	TArray<FString> Facts;

	/** Most tokens of them in a prompt; negative for the default. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	int32 BudgetTokens = -1;
};

/** What may be said with an ask beside its text. */
USTRUCT(BlueprintType)
struct PALAVER_API FPalaverAskOptions
{
	GENERATED_BODY()

	/** When the line has to be there; 0 for no deadline. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (ClampMin = "0", ClampMax = "600", Units = "s"))
	float DeadlineSeconds = 4.0f;

	/** Least time between two drafts, 0 for one after each step; negative for none. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (ClampMax = "600", Units = "s"))
	float DraftEverySeconds = 0.1f;

	/** The same seed, text and history give the same line; negative for a random one. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	int64 Seed = -1;

	/** Most denoising steps a canvas, 1 to 1000; 0 for the model's own number. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (ClampMin = "0", ClampMax = "1000"))
	int32 Steps = 0;

	/** Most tokens of the line, 1 to 4096; 0 for the model's own number. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (ClampMin = "0", ClampMax = "4096"))
	int32 MaxTokens = 0;

	/** -10 to 10, higher goes first. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver", meta = (ClampMin = "-10", ClampMax = "10"))
	int32 Priority = 0;

	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	EPalaverPolicy WhenBusy = EPalaverPolicy::Queue;

	/**
	 * Words that stand as they are, and gaps for the model: "Bring me {*2-6} by {*=nightfall}." Behind an equals sign stands
	 * what is said if the model has nothing. Empty for a line that is all the model's.
	 */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	FString Template;

	/** Phrases that the line holds letter for letter, 8 at most. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	TArray<FString> MustInclude;

	/** Which of the persona's situations a fallback line is to come from; empty for none. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	FString Situation;

	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	EPalaverEscape Escape = EPalaverEscape::Plain;

	/** The character remembers the turn. */
	UPROPERTY(EditAnywhere, BlueprintReadWrite, Category = "Palaver")
	bool bRecord = true;
};

/** The line so far. */
USTRUCT(BlueprintType)
struct PALAVER_API FPalaverDraft
{
	GENERATED_BODY()

	/** All of it; any word may still change. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	FString Text;

	/** `Text.Left(StableLength)` is what the model is sure of. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	int32 StableLength = 0;

	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	int32 StepsDone = 0;

	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	int32 StepsPlanned = 0;
};

/** An argument of an action. */
USTRUCT(BlueprintType)
struct PALAVER_API FPalaverArgument
{
	GENERATED_BODY()

	/** As declared: "item". */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	FString Name;

	/** Of a number, its digits. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	FString Text;

	/** 0 for one that is no number. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	int32 Number = 0;
};

/** What a line carries out: one of the persona's actions. */
USTRUCT(BlueprintType)
struct PALAVER_API FPalaverAction
{
	GENERATED_BODY()

	/** As declared: "give". Empty for a line that carries out nothing. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	FString Name;

	/** In the order of the declaration. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	TArray<FPalaverArgument> Args;
};

/** Which of several answers fits best. */
USTRUCT(BlueprintType)
struct PALAVER_API FPalaverChoice
{
	GENERATED_BODY()

	/** Of the answers that there were; the first one for a fallback. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	int32 Index = 0;

	/** How likely each of them is the best, together 1. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	TArray<float> Probabilities;

	/** Model or Fallback. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	EPalaverLineSource Source = EPalaverLineSource::Fallback;

	/** "stop", "deadline", "timeout", "unreachable" or the code of an error. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	FString FinishReason;
};

/** What a character says. */
USTRUCT(BlueprintType)
struct PALAVER_API FPalaverLine
{
	GENERATED_BODY()

	/** Never empty. Escape it before it is shown in a rich text block. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	FString Text;

	/** The text before it was escaped as the options wanted it: what the character remembers. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	FString PlainText;

	/** Stage directions that stood in the text and were taken out: "sighs". */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	TArray<FString> Directions;

	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	FPalaverAction Action;

	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	EPalaverLineSource Source = EPalaverLineSource::Fallback;

	/**
	 * "stop", "max_tokens", "deadline", "empty", "banned", "secret", "repeat", "filtered", "timeout", "unreachable" or the
	 * code of an error; later versions may have others.
	 */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	FString FinishReason;

	/** Asking again with this seed, and StepsPlanned as steps, gives the same text. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	int64 Seed = 0;

	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	int32 StepsPlanned = 0;

	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	int32 StepsDone = 0;

	/** 0 to 1, 0 for a fallback. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver")
	float Confidence = 0.0f;

	/** From the ask to the line. */
	UPROPERTY(BlueprintReadOnly, Category = "Palaver", meta = (Units = "s"))
	float Seconds = 0.0f;
};
