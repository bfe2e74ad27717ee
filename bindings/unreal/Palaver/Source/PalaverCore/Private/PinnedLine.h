#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace PalaverCore
{
	/**
	 * Lines of which a writer has settled some words: fixed ones, and gaps such as {*}, {*3}, {*2-6} or {*=some pelts}. The
	 * sidecar fills the gaps by its model; here they get what is said without one.
	 */
	namespace PinnedLine
	{
		/** Whether the template can be read, and has a gap for those of the phrases that it lacks. */
		bool CanHold(std::string_view Template, const std::vector<std::string>& Phrases);

		/** What is said without a model: the template with its defaults; the authored line if it is empty or broken. */
		std::string WrittenBeforehand(
			std::string_view Template, const std::vector<std::string>& Phrases, std::string_view Authored);
	}
}
