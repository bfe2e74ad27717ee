#include "PalaverNpcComponent.h"

#include "Engine/GameInstance.h"
#include "Engine/World.h"
#include "PalaverPersona.h"
#include "PalaverSubsystem.h"

UPalaverSubsystem* UPalaverNpcComponent::Subsystem() const
{
	const UWorld* World = GetWorld();
	const UGameInstance* Game = World != nullptr ? World->GetGameInstance() : nullptr;
	return Game != nullptr ? Game->GetSubsystem<UPalaverSubsystem>() : nullptr;
}

void UPalaverNpcComponent::BeginPlay()
{
	Super::BeginPlay();
	SetPersona(Persona);
}

void UPalaverNpcComponent::EndPlay(const EEndPlayReason::Type EndPlayReason)
{
	// What becomes of the asks can be told to nobody later.
	for (const int64 AskId : TArray<int64>(OpenAsks))
	{
		Cancel(AskId);
		ReceiveCancelled(AskId);
	}
	Super::EndPlay(EndPlayReason);
}

void UPalaverNpcComponent::SetPersona(UPalaverPersona* NewPersona)
{
	Persona = NewPersona;
	if (UPalaverSubsystem* Palaver = Subsystem())
	{
		Palaver->PutNpc(NewPersona);
	}
}

int64 UPalaverNpcComponent::Ask(const FString& Text)
{
	return AskWithOptions(Text, Options);
}

int64 UPalaverNpcComponent::AskWithOptions(const FString& Text, const FPalaverAskOptions& AskOptions)
{
	UPalaverSubsystem* Palaver = Subsystem();
	if (Palaver == nullptr || Persona == nullptr)
	{
		UE_LOG(LogPalaver, Warning, TEXT("%s has no persona, or no game runs"), *GetName());
		return 0;
	}
	const int64 AskId = Palaver->Ask(this, Persona->GetNpcId(), Text, AskOptions);
	if (AskId != 0)
	{
		OpenAsks.Add(AskId);
	}
	return AskId;
}

int64 UPalaverNpcComponent::Choose(const FString& Text, const TArray<FString>& Answers)
{
	UPalaverSubsystem* Palaver = Subsystem();
	if (Palaver == nullptr || Persona == nullptr)
	{
		UE_LOG(LogPalaver, Warning, TEXT("%s has no persona, or no game runs"), *GetName());
		return 0;
	}
	const int64 AskId = Palaver->Choose(this, Persona->GetNpcId(), Text, Answers, Options);
	if (AskId != 0)
	{
		OpenAsks.Add(AskId);
	}
	return AskId;
}

bool UPalaverNpcComponent::SetSummary(const FString& Summary, int32 Keep)
{
	UPalaverSubsystem* Palaver = Subsystem();
	return Palaver != nullptr && Persona != nullptr && Palaver->SetSummary(Persona->GetNpcId(), Summary, Keep);
}

void UPalaverNpcComponent::LogPrompt(const FString& Text)
{
	UPalaverSubsystem* Palaver = Subsystem();
	if (Palaver != nullptr && Persona != nullptr)
	{
		Palaver->LogPrompt(Persona->GetNpcId(), Text);
	}
}

bool UPalaverNpcComponent::Cancel(int64 AskId)
{
	UPalaverSubsystem* Palaver = Subsystem();
	return Palaver != nullptr && OpenAsks.Contains(AskId) && Palaver->Cancel(AskId);
}

void UPalaverNpcComponent::CancelAll()
{
	for (const int64 AskId : OpenAsks)
	{
		Cancel(AskId);
	}
}

FString UPalaverNpcComponent::SaveConversation() const
{
	UPalaverSubsystem* Palaver = Subsystem();
	return Palaver != nullptr && Persona != nullptr ? Palaver->SaveNpc(Persona->GetNpcId()) : FString();
}

bool UPalaverNpcComponent::LoadConversation(const FString& Data)
{
	UPalaverSubsystem* Palaver = Subsystem();
	return Palaver != nullptr && Persona != nullptr && Palaver->LoadNpc(Persona->GetNpcId(), Data);
}

void UPalaverNpcComponent::ReceiveDraft(int64 AskId, const FPalaverDraft& Draft)
{
	if (OpenAsks.Contains(AskId))
	{
		OnDraft.Broadcast(AskId, Draft);
	}
}

void UPalaverNpcComponent::ReceiveLine(int64 AskId, const FPalaverLine& Line)
{
	if (OpenAsks.Remove(AskId) > 0)
	{
		OnLine.Broadcast(AskId, Line);
	}
}

void UPalaverNpcComponent::ReceiveChoice(int64 AskId, const FPalaverChoice& Choice)
{
	if (OpenAsks.Remove(AskId) > 0)
	{
		OnChoice.Broadcast(AskId, Choice);
	}
}

void UPalaverNpcComponent::ReceiveCancelled(int64 AskId)
{
	if (OpenAsks.Remove(AskId) > 0)
	{
		OnCancelled.Broadcast(AskId);
	}
}
