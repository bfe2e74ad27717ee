#include "PalaverSubsystem.h"

#include "Engine/GameInstance.h"
#include "Engine/World.h"
#include "HAL/PlatformMisc.h"
#include "HAL/PlatformTime.h"
#include "PalaverConversions.h"
#include "PalaverCore/Service.h"
#include "PalaverLog.h"
#include "PalaverNpcComponent.h"
#include "PalaverSettings.h"
#include "PalaverSidecarPaths.h"

namespace
{
	/** How often a sidecar that limits itself thinks that frames come. */
	constexpr double AssumedFramesASecond = 60.0;
}

int64 UPalaverSubsystem::NowMs()
{
	return static_cast<int64>(FPlatformTime::Seconds() * 1000.0);
}

void UPalaverSubsystem::Initialize(FSubsystemCollectionBase& Collection)
{
	Super::Initialize(Collection);
	Service = MakeShared<PalaverCore::Service>(static_cast<std::uint64_t>(FPlatformTime::Cycles64()));
	const UPalaverSettings& Settings = *GetDefault<UPalaverSettings>();
	if (Settings.bStartSidecar)
	{
		StartSidecar();
	}
	else if (Settings.Port > 0)
	{
		const FString Secret = FPlatformMisc::GetEnvironmentVariable(TEXT("PALAVER_SECRET"));
		Service->Connect(static_cast<uint16>(Settings.Port), PalaverConversions::ToUtf8(Secret));
	}
	if (Settings.Budget == EPalaverBudget::Load)
	{
		Service->GetClient().SetBudget(static_cast<double>(Settings.MaxLoad), AssumedFramesASecond);
	}
}

void UPalaverSubsystem::StartSidecar()
{
	Service->Start(PalaverSidecarPaths::OptionsOf(*GetDefault<UPalaverSettings>()), NowMs());
}

void UPalaverSubsystem::Deinitialize()
{
	if (Service.IsValid())
	{
		Service->Stop(StopMilliseconds);
		Service.Reset();
	}
	Askers.Empty();
	Super::Deinitialize();
}

float UPalaverSubsystem::GetLoadProgress() const
{
	return Service.IsValid() ? static_cast<float>(Service->GetClient().LoadProgress()) : 0.0f;
}

void UPalaverSubsystem::RestartSidecar()
{
	if (Service.IsValid())
	{
		Service->Stop(StopMilliseconds);
		StartSidecar();
	}
}

FString UPalaverSubsystem::GetTrouble() const
{
	if (!Service.IsValid() || State == EPalaverState::Ready)
	{
		return FString();
	}
	const PalaverCore::Problem& OfProcess = Service->GetSidecar().Trouble();
	const PalaverCore::Problem& OfConnection = Service->GetClient().GetConnection().Trouble();
	return PalaverConversions::FromUtf8(OfProcess.IsSet() ? OfProcess.Message : OfConnection.Message);
}

void UPalaverSubsystem::Tick(float)
{
	// A handler of an event may end the game, and this subsystem with it.
	const TSharedPtr<PalaverCore::Service> Kept = Service;
	GiveBudget();
	Kept->Poll(NowMs());
	NoticeState();
	for (PalaverCore::Event Event; Service.IsValid() && Kept->GetClient().NextEvent(Event);)
	{
		Deliver(Event);
	}
}

void UPalaverSubsystem::GiveBudget()
{
	const UPalaverSettings& Settings = *GetDefault<UPalaverSettings>();
	const UWorld* World = GetTickableGameObjectWorld();
	// A game that is paused computes nothing, and the sidecar notices the lack of ticks.
	if (Settings.Budget == EPalaverBudget::FrameTicks && (World == nullptr || !World->IsPaused()))
	{
		Service->GetClient().Tick(static_cast<int64>(GFrameCounter), static_cast<double>(Settings.FrameMilliseconds));
	}
}

void UPalaverSubsystem::Deliver(const PalaverCore::Event& Event)
{
	using PalaverConversions::FromCore;
	const int64 AskId = static_cast<int64>(Event.Handle);
	UPalaverNpcComponent* Asker = Askers.FindRef(AskId).Get();
	switch (Event.Kind)
	{
	case PalaverCore::EventKind::Draft:
		if (Asker != nullptr)
		{
			Asker->ReceiveDraft(AskId, FromCore(Event.SaidSoFar));
		}
		break;
	case PalaverCore::EventKind::Line:
		Askers.Remove(AskId);
		if (Event.What.IsSet())
		{
			PalaverLog::Problem(Event.What, Event.NpcId);
		}
		if (Asker != nullptr)
		{
			Asker->ReceiveLine(AskId, FromCore(Event.Said));
		}
		break;
	case PalaverCore::EventKind::Choice:
		Askers.Remove(AskId);
		if (Event.What.IsSet())
		{
			PalaverLog::Problem(Event.What, Event.NpcId);
		}
		if (Asker != nullptr)
		{
			Asker->ReceiveChoice(AskId, FromCore(Event.Chosen));
		}
		break;
	case PalaverCore::EventKind::Prompt: PalaverLog::Prompt(Event); break;
	case PalaverCore::EventKind::Cancelled:
		Askers.Remove(AskId);
		if (Asker != nullptr)
		{
			Asker->ReceiveCancelled(AskId);
		}
		break;
	case PalaverCore::EventKind::Problem: PalaverLog::Problem(Event.What, Event.NpcId); break;
	case PalaverCore::EventKind::StateChanged:
	case PalaverCore::EventKind::Report: break;
	}
}

void UPalaverSubsystem::NoticeState()
{
	using PalaverCore::SidecarState;
	const SidecarState Process = Service->GetSidecar().State();
	const bool bStarting = Process == SidecarState::Starting || Process == SidecarState::Waiting;
	const bool bOff = Process == SidecarState::Failed || Service->GetClient().GetConnection().IsGivenUp();
	const bool bReached = Service->GetClient().State() == PalaverCore::ConnectionState::Ready;
	const bool bLoaded = Service->GetClient().LoadProgress() >= 1.0;
	const EPalaverState Found = bReached ? (bLoaded ? EPalaverState::Ready : EPalaverState::Loading)
		: bStarting						 ? EPalaverState::Starting
		: bOff							 ? EPalaverState::Off
										 : EPalaverState::Connecting;
	if (Found == State)
	{
		return;
	}
	State = Found;
	if (State == EPalaverState::Off)
	{
		UE_LOG(LogPalaver, Error, TEXT("There is no sidecar, so characters say fallback lines: %s"), *GetTrouble());
	}
	OnStateChanged.Broadcast(State);
}

bool UPalaverSubsystem::IsTickable() const
{
	return Service.IsValid();
}

ETickableTickType UPalaverSubsystem::GetTickableTickType() const
{
	return IsTemplate() ? ETickableTickType::Never : ETickableTickType::Conditional;
}

UWorld* UPalaverSubsystem::GetTickableGameObjectWorld() const
{
	return GetGameInstance()->GetWorld();
}

TStatId UPalaverSubsystem::GetStatId() const
{
	RETURN_QUICK_DECLARE_CYCLE_STAT(UPalaverSubsystem, STATGROUP_Tickables);
}
