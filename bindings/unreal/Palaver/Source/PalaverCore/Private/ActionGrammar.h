#pragma once

#include "PalaverCore/Document.h"

namespace PalaverCore
{
	/**
	 * Whether a list of texts declares actions as the sidecar reads them, none twice, with at most 64 calls in all:
	 * open_gate(), give(item: rope|torch), pay(amount: 1..20).
	 */
	bool AreActions(const Value& Declarations);
}
