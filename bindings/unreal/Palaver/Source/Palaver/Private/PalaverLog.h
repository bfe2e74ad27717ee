#pragma once

#include "PalaverCore/Events.h"

/** What the plugin writes to the engine's log. */
namespace PalaverLog
{
	/** @param NpcId whom it is about; empty for the sidecar. */
	void Problem(const PalaverCore::Problem& What, const std::string& NpcId);

	/** A prompt, or why there is none. */
	void Prompt(const PalaverCore::Event& Event);
}
