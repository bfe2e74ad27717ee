#include "PalaverConversions.h"
#include "PalaverCore/Service.h"
#include "PalaverLog.h"
#include "PalaverNpcComponent.h"
#include "PalaverPersona.h"
#include "PalaverSubsystem.h"

bool UPalaverSubsystem::PutNpc(const UPalaverPersona* Persona)
{
	if (!Service.IsValid() || Persona == nullptr)
	{
		return false;
	}
	const PalaverCore::Persona Npc = PalaverConversions::ToCore(*Persona);
	const PalaverCore::Problem Wrong = Service->GetClient().PutNpc(Npc);
	if (Wrong.IsSet())
	{
		PalaverLog::Problem(Wrong, Npc.Id);
	}
	return !Wrong.IsSet();
}

void UPalaverSubsystem::ForgetNpc(const FString& NpcId)
{
	if (Service.IsValid())
	{
		Service->GetClient().ForgetNpc(PalaverConversions::ToUtf8(NpcId));
	}
}

FString UPalaverSubsystem::SaveNpc(const FString& NpcId)
{
	using namespace PalaverConversions;
	return Service.IsValid() ? FromUtf8(Service->GetClient().SaveNpc(ToUtf8(NpcId))) : FString();
}

bool UPalaverSubsystem::LoadNpc(const FString& NpcId, const FString& Data)
{
	using namespace PalaverConversions;
	if (!Service.IsValid())
	{
		return false;
	}
	const PalaverCore::Problem Wrong = Service->GetClient().LoadNpc(ToUtf8(NpcId), ToUtf8(Data));
	if (Wrong.IsSet())
	{
		PalaverLog::Problem(Wrong, ToUtf8(NpcId));
	}
	return !Wrong.IsSet();
}

bool UPalaverSubsystem::SetSummary(const FString& NpcId, const FString& Summary, int32 Keep)
{
	using namespace PalaverConversions;
	if (!Service.IsValid())
	{
		return false;
	}
	const PalaverCore::Problem Wrong = Service->GetClient().SetSummary(ToUtf8(NpcId), ToUtf8(Summary), Keep);
	if (Wrong.IsSet())
	{
		PalaverLog::Problem(Wrong, ToUtf8(NpcId));
	}
	return !Wrong.IsSet();
}

bool UPalaverSubsystem::PutWorld(const TArray<FPalaverWorldSection>& Sections)
{
	if (!Service.IsValid())
	{
		return false;
	}
	const PalaverCore::Problem Wrong = Service->GetClient().PutWorld(PalaverConversions::ToCore(Sections));
	if (Wrong.IsSet())
	{
		PalaverLog::Problem(Wrong, std::string());
	}
	return !Wrong.IsSet();
}

void UPalaverSubsystem::LogPrompt(const FString& NpcId, const FString& Text)
{
	using namespace PalaverConversions;
	if (Service.IsValid())
	{
		Service->GetClient().Prompt(ToUtf8(NpcId), ToUtf8(Text), NowMs());
	}
}

int64 UPalaverSubsystem::Ask(
	UPalaverNpcComponent* Asker, const FString& NpcId, const FString& Text, const FPalaverAskOptions& Options)
{
	using namespace PalaverConversions;
	if (!Service.IsValid())
	{
		return 0;
	}
	const int64 AskId =
		static_cast<int64>(Service->GetClient().Ask(ToUtf8(NpcId), ToUtf8(Text), ToCore(Options), NowMs()));
	Askers.Add(AskId, Asker);
	return AskId;
}

int64 UPalaverSubsystem::Choose(UPalaverNpcComponent* Asker, const FString& NpcId, const FString& Text,
	const TArray<FString>& Answers, const FPalaverAskOptions& Options)
{
	using namespace PalaverConversions;
	if (!Service.IsValid())
	{
		return 0;
	}
	const int64 AskId = static_cast<int64>(Service->GetClient().Choose(
		ToUtf8(NpcId), ToUtf8(Text), ToCore(Answers), ToCoreChoose(Options), NowMs()));
	Askers.Add(AskId, Asker);
	return AskId;
}

bool UPalaverSubsystem::Cancel(int64 AskId)
{
	return Service.IsValid() && Service->GetClient().Cancel(static_cast<PalaverCore::AskHandle>(AskId));
}
