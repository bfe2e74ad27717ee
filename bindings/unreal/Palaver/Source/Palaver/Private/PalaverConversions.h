#pragma once

#include "CoreMinimal.h"
#include "PalaverCore/AskOptions.h"
#include "PalaverCore/Events.h"
#include "PalaverCore/World.h"
#include "PalaverTypes.h"

class UPalaverPersona;

/** Between the engine's types and those of the core, whose texts are UTF-8. */
namespace PalaverConversions
{
	std::string ToUtf8(const FString& Text);
	FString FromUtf8(const std::string& Text);

	PalaverCore::Persona ToCore(const UPalaverPersona& Persona);
	PalaverCore::AskOptions ToCore(const FPalaverAskOptions& Options);

	PalaverCore::ChooseOptions ToCoreChoose(const FPalaverAskOptions& Options);
	PalaverCore::World ToCore(const TArray<FPalaverWorldSection>& Sections);
	std::vector<std::string> ToCore(const TArray<FString>& Texts);

	FPalaverDraft FromCore(const PalaverCore::Draft& Draft);
	FPalaverLine FromCore(const PalaverCore::Line& Line);
	FPalaverChoice FromCore(const PalaverCore::Choice& Choice);
}
