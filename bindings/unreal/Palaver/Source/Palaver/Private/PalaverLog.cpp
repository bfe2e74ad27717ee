#include "PalaverLog.h"

#include "PalaverConversions.h"
#include "PalaverSubsystem.h"

DEFINE_LOG_CATEGORY(LogPalaver);

void PalaverLog::Problem(const PalaverCore::Problem& What, const std::string& NpcId)
{
	using PalaverConversions::FromUtf8;
	UE_LOG(LogPalaver, Warning, TEXT("%s: %s (%s). %s"), *FromUtf8(NpcId.empty() ? "sidecar" : NpcId),
		*FromUtf8(What.Message), *FromUtf8(What.Code), *FromUtf8(What.Hint));
}

void PalaverLog::Prompt(const PalaverCore::Event& Event)
{
	using PalaverConversions::FromUtf8;
	if (Event.What.IsSet())
	{
		Problem(Event.What, Event.NpcId);
		return;
	}
	UE_LOG(LogPalaver, Log, TEXT("%s would read %d tokens:\n%s"), *FromUtf8(Event.NpcId),
		static_cast<int32>(Event.Seen.Tokens), *FromUtf8(Event.Seen.Text));
	for (const std::string& Each : Event.Seen.Dropped)
	{
		UE_LOG(LogPalaver, Log, TEXT("No room for: %s"), *FromUtf8(Each));
	}
}
