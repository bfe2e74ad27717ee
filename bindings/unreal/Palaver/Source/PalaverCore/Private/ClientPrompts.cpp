#include "PalaverCore/Client.h"

#include <utility>

namespace PalaverCore
{
	AskHandle Client::Prompt(std::string_view NpcId, std::string_view Text, std::int64_t NowMs)
	{
		const RequestId Request = Wire.NewRequest();
		Prompts.push_back({++LastHandle, Request, std::string(NpcId), NowMs + PromptMs});
		MsgPackWriter Written;
		Messages::PromptGet(Written, Request, NpcId, Text);
		Problem Wrong = Messages::Checked(Written, "Give text of 1 to 4000 characters");
		if (!Wrong.IsSet() && Npcs.Find(NpcId) == nullptr)
		{
			Wrong = {"unknown-npc", "there is no character of this id", "Put the character first"};
		}
		if (!Wrong.IsSet() && !IsReady())
		{
			Wrong = {"unreachable", "there is no connection to a sidecar", "See whether it runs"};
		}
		if (Wrong.IsSet())
		{
			EndPrompt(Prompts.size() - 1, {}, std::move(Wrong));
			return LastHandle;
		}
		Messages::PromptGet(Wire.Begin(), Request, NpcId, Text);
		Wire.Send();
		return LastHandle;
	}

	bool Client::OnPrompt(RequestId Request, const PromptView& Seen, Problem What)
	{
		for (std::size_t Index = 0; Index < Prompts.size(); ++Index)
		{
			if (Prompts[Index].Request == Request)
			{
				EndPrompt(Index, Seen, std::move(What));
				return true;
			}
		}
		return false;
	}

	void Client::EndPrompt(std::size_t Index, const PromptView& Seen, Problem What)
	{
		Event& Told = Tell(EventKind::Prompt);
		Told.Handle = Prompts[Index].Handle;
		Told.NpcId = std::move(Prompts[Index].NpcId);
		Told.Seen = Seen;
		Told.What = std::move(What);
		Prompts.erase(Prompts.begin() + static_cast<std::ptrdiff_t>(Index));
	}

	void Client::ExpirePrompts(std::int64_t NowMs)
	{
		for (std::size_t Index = Prompts.size(); Index-- > 0;)
		{
			if (!IsReady())
			{
				EndPrompt(Index, {}, {"unreachable", "the connection was lost", "Ask again when it is there"});
			}
			else if (NowMs >= Prompts[Index].EndsAtMs)
			{
				EndPrompt(Index, {}, {"timeout", "the sidecar gave no prompt in time", "See whether it runs"});
			}
		}
	}
}
