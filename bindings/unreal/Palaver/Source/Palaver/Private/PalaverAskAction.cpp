#include "PalaverAskAction.h"

#include "PalaverNpcComponent.h"

UPalaverAskAction* UPalaverAskAction::AskNpc(
	UPalaverNpcComponent* Npc, const FString& Text, const FPalaverAskOptions& Options)
{
	UPalaverAskAction* Action = NewObject<UPalaverAskAction>();
	Action->Asked = Npc;
	Action->Said = Text;
	Action->With = Options;
	Action->RegisterWithGameInstance(Npc);
	return Action;
}

void UPalaverAskAction::Activate()
{
	if (IsValid(Asked))
	{
		Asked->OnDraft.AddDynamic(this, &UPalaverAskAction::OnDraft);
		Asked->OnLine.AddDynamic(this, &UPalaverAskAction::OnLine);
		Asked->OnCancelled.AddDynamic(this, &UPalaverAskAction::OnCancelled);
		AskId = Asked->AskWithOptions(Said, With);
	}
	if (AskId == 0)
	{
		OnCancelled(0);
	}
}

void UPalaverAskAction::Cancel()
{
	Detach();
	if (IsValid(Asked) && AskId != 0)
	{
		Asked->Cancel(AskId);
	}
	AskId = 0;
	Super::Cancel();
}

void UPalaverAskAction::OnDraft(int64 DraftAskId, const FPalaverDraft& Draft)
{
	if (DraftAskId == AskId && ShouldBroadcastDelegates())
	{
		Drafted.Broadcast(Draft.Text, FPalaverLine());
	}
}

void UPalaverAskAction::OnLine(int64 LineAskId, const FPalaverLine& Line)
{
	if (LineAskId != AskId)
	{
		return;
	}
	Detach();
	AskId = 0;
	if (ShouldBroadcastDelegates())
	{
		Completed.Broadcast(Line.Text, Line);
	}
	SetReadyToDestroy();
}

void UPalaverAskAction::OnCancelled(int64 CancelledAskId)
{
	if (CancelledAskId != AskId)
	{
		return;
	}
	Detach();
	AskId = 0;
	if (ShouldBroadcastDelegates())
	{
		Cancelled.Broadcast(FString(), FPalaverLine());
	}
	SetReadyToDestroy();
}

void UPalaverAskAction::Detach()
{
	if (IsValid(Asked))
	{
		Asked->OnDraft.RemoveAll(this);
		Asked->OnLine.RemoveAll(this);
		Asked->OnCancelled.RemoveAll(this);
	}
}
