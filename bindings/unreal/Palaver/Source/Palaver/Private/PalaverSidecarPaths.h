#pragma once

#include "CoreMinimal.h"
#include "PalaverCore/Sidecar.h"

class UPalaverSettings;

namespace PalaverSidecarPaths
{
	/** How to start the sidecar that the settings tell of. */
	PalaverCore::SidecarOptions OptionsOf(const UPalaverSettings& Settings);
}
