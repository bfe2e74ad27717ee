#pragma once

#include "CoreMinimal.h"
#include "PalaverCore/Events.h"
#include "PalaverTypes.h"

class UPalaverPersona;

/** Between the engine's types and those of the core, whose texts are UTF-8. */
namespace PalaverConversions
{
	std::string ToUtf8(const FString& Text);
	FString FromUtf8(const std::string& Text);

	PalaverCore::Persona ToCore(const UPalaverPersona& Persona);
	PalaverCore::AskOptions ToCore(const FPalaverAskOptions& Options);

	FPalaverDraft FromCore(const PalaverCore::Draft& Draft);
	FPalaverLine FromCore(const PalaverCore::Line& Line);
}
