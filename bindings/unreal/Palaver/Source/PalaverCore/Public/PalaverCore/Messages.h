#pragma once

#include "PalaverCore/AskOptions.h"
#include "PalaverCore/MsgPack.h"
#include "PalaverCore/Persona.h"
#include "PalaverCore/World.h"

namespace PalaverCore
{
	/** A request id: chosen by the client, repeated by the reply. */
	using RequestId = std::int64_t;

	/** Who asks whom for what; the text is what the player says. */
	struct AskMessage
	{
		std::string_view NpcId;
		std::string_view Text;
		const AskOptions& Options;
		/** What is left of the deadline in the options, if there is one. */
		std::optional<std::int64_t> DeadlineMs;
	};

	/** The same for a choose. */
	struct ChooseMessage
	{
		std::string_view NpcId;
		std::string_view Text;
		const std::vector<std::string>& Answers;
		const ChooseOptions& Options;
		std::optional<std::int64_t> DeadlineMs;
	};

	/** Turns that a summary leaves as they were, if nothing else is said. */
	constexpr std::int64_t UsualKeep = 4;

	/** The messages of a client, in the protocol's canonical form: keys in order, nothing that says the default. */
	namespace Messages
	{
		/** A secret that is empty is left out. */
		PALAVERCORE_API void Hello(MsgPackWriter& Out, RequestId Request, std::string_view Secret);
		PALAVERCORE_API void Ping(MsgPackWriter& Out, RequestId Request);
		PALAVERCORE_API void Stats(MsgPackWriter& Out, RequestId Request);
		PALAVERCORE_API void NpcPut(MsgPackWriter& Out, RequestId Request, const Persona& Npc);
		PALAVERCORE_API void NpcForget(MsgPackWriter& Out, RequestId Request, std::string_view NpcId);
		/** The data names the character. */
		PALAVERCORE_API void NpcLoad(MsgPackWriter& Out, RequestId Request, std::string_view Data);
		PALAVERCORE_API void NpcSummary(
			MsgPackWriter& Out, RequestId Request, std::string_view NpcId, std::string_view Text, std::int64_t Keep);
		PALAVERCORE_API void WorldPut(MsgPackWriter& Out, RequestId Request, const World& Facts);
		PALAVERCORE_API void PromptGet(
			MsgPackWriter& Out, RequestId Request, std::string_view NpcId, std::string_view Text);
		PALAVERCORE_API void Choose(MsgPackWriter& Out, RequestId Request, const ChooseMessage& Wanted);
		PALAVERCORE_API void Ask(MsgPackWriter& Out, RequestId Request, const AskMessage& Wanted);
		PALAVERCORE_API void Cancel(MsgPackWriter& Out, RequestId Request, RequestId Target);
		PALAVERCORE_API void Tick(MsgPackWriter& Out, std::int64_t Frame, double BudgetMs);
		PALAVERCORE_API void Budget(MsgPackWriter& Out, RequestId Request, double MaxLoad, double Fps);
		PALAVERCORE_API void Bye(MsgPackWriter& Out, RequestId Request);

		/** The problem that a sidecar would find in a message; it has the hint. */
		PALAVERCORE_API Problem Checked(const MsgPackWriter& Written, const char* Hint);
	}
}
