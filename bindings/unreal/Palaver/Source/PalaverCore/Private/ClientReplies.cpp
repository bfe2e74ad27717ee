#include "PalaverCore/Client.h"
#include "PinnedLine.h"

#include <algorithm>
#include <utility>

namespace PalaverCore
{
	void Client::OnMessage(const Incoming& Message, std::int64_t NowMs)
	{
		switch (Message.Type)
		{
		case MessageType::Draft: OnDraft(Message); break;
		case MessageType::Line: OnLine(Message, NowMs); break;
		case MessageType::Choice: OnChoice(Message, NowMs); break;
		case MessageType::Prompt: OnPrompt(Message.Request, ReadPrompt(Message.Fields), {}); break;
		case MessageType::Summary: OnSummary(Message); break;
		case MessageType::Error: OnError(Message, NowMs); break;
		case MessageType::Ok: OnAnswered(Message.Request); break;
		case MessageType::Report: OnReport(Message); break;
		default: break;
		}
	}

	void Client::OnReport(const Incoming& Message)
	{
		Event& Told = Tell(EventKind::Report);
		Told.Status = ReadReport(Message.Fields);
		Loaded = Told.Status.bLoading ? Told.Status.LoadProgress : 1.0;
	}

	void Client::OnDraft(const Incoming& Message)
	{
		const OpenAsk* Asked = FindAsk(Message.Request);
		if (Asked == nullptr || Asked->Handle == 0 || Asked->IsChoose())
		{
			return;
		}
		// Of several drafts in one frame the latest is the only one worth showing.
		const auto IsOlder = [Asked](const Event& Each)
		{ return Each.Kind == EventKind::Draft && Each.Handle == Asked->Handle; };
		const auto Waiting = Events.begin() + static_cast<std::ptrdiff_t>(EventAt);
		const auto Older = std::find_if(Waiting, Events.end(), IsOlder);
		Event& Told = Older != Events.end() ? *Older : Tell(EventKind::Draft);
		Told.Handle = Asked->Handle;
		Told.NpcId = Asked->NpcId;
		Told.SaidSoFar = ReadDraft(Message.Fields);
	}

	void Client::OnLine(const Incoming& Message, std::int64_t NowMs)
	{
		const OpenAsk* Asked = FindAsk(Message.Request);
		if (Asked == nullptr || Asked->IsChoose())
		{
			return;
		}
		Line Said = ReadLine(Message.Fields);
		Said.TotalMs = NowMs - Asked->AskedAtMs;
		if (NpcEntry* Speaker = Npcs.Find(Asked->NpcId))
		{
			if (Asked->Options.bRecord && Said.Source != LineSource::Fallback)
			{
				NpcBook::AddTurn(*Speaker, Asked->Text, Said.PlainText);
			}
			if (Asked->Handle != 0)
			{
				Speaker->LastSaid = Said.PlainText;
			}
		}
		if (Asked->Handle != 0)
		{
			Event& Told = Tell(EventKind::Line);
			Told.Handle = Asked->Handle;
			Told.NpcId = Asked->NpcId;
			Told.Said = std::move(Said);
		}
		Remove(Asked);
	}

	void Client::OnChoice(const Incoming& Message, std::int64_t NowMs)
	{
		const OpenAsk* Asked = FindAsk(Message.Request);
		if (Asked == nullptr || !Asked->IsChoose())
		{
			return;
		}
		if (Asked->Handle != 0)
		{
			Event& Told = Tell(EventKind::Choice);
			Told.Handle = Asked->Handle;
			Told.NpcId = Asked->NpcId;
			Told.Chosen = ReadChoice(Message.Fields);
			// Whatever a sidecar says, the game may use it as an index.
			Told.Chosen.Index = std::min(Told.Chosen.Index, Asked->Answers.size() - 1);
			Told.Chosen.TotalMs = NowMs - Asked->AskedAtMs;
		}
		Remove(Asked);
	}

	void Client::OnSummary(const Incoming& Message)
	{
		const std::string_view NpcId = Message.Fields.Find("id").ToText();
		const OpenAsk* Asked = FindAsk(Message.Request);
		NpcEntry* Speaker = Npcs.Find(NpcId);
		// One that was under way while the character's memory was loaded tells of what is no more.
		if (Speaker != nullptr && Asked != nullptr && Asked->NpcId == NpcId)
		{
			NpcBook::Summarise(*Speaker, Message.Fields.Find("text").ToText(),
				static_cast<std::size_t>(Message.Fields.Find("keep").ToInt()));
		}
	}

	void Client::OnError(const Incoming& Message, std::int64_t NowMs)
	{
		Problem Why = ReadError(Message.Fields);
		if (OpenAsk* Asked = FindAsk(Message.Request))
		{
			if (Asked->Handle != 0)
			{
				EndInFallback(*Asked, std::move(Why), NowMs);
			}
			Remove(Asked);
			return;
		}
		if (OnPrompt(Message.Request, {}, Why))
		{
			return;
		}
		Event& Told = Tell(EventKind::Problem);
		Told.What = std::move(Why);
		for (const Unanswered& Each : AboutNpcs)
		{
			if (Each.Request == Message.Request)
			{
				Told.NpcId = Each.NpcId;
			}
		}
		OnAnswered(Message.Request);
	}

	void Client::OnAnswered(RequestId Request)
	{
		const auto IsIt = [Request](const Unanswered& Each) { return Each.Request == Request; };
		AboutNpcs.erase(std::remove_if(AboutNpcs.begin(), AboutNpcs.end(), IsIt), AboutNpcs.end());
	}

	Event& Client::Tell(EventKind Kind)
	{
		Event& Told = Events.emplace_back();
		Told.Kind = Kind;
		return Told;
	}

	void Client::TellState()
	{
		if (ToldState == Wire.State())
		{
			return;
		}
		ToldState = Wire.State();
		Tell(EventKind::StateChanged).State = ToldState;
		const Problem& Trouble = Wire.Trouble();
		// That nobody is there yet, or any more, is what the state says already.
		if (ToldState == ConnectionState::Disconnected && Trouble.IsSet() && Trouble.Code != "unreachable")
		{
			Tell(EventKind::Problem).What = Trouble;
		}
	}

	void Client::ExpireAsks(std::int64_t NowMs)
	{
		for (std::size_t Index = 0; Index < Asks.size(); ++Index)
		{
			OpenAsk& Each = Asks[Index];
			if (Each.Handle == 0 || NowMs < Each.EndsAtMs)
			{
				continue;
			}
			const bool bReachable = IsReady();
			SendCancel(Each);
			EndInFallback(Each,
				bReachable ? Problem{"timeout", "the sidecar gave no line in time", "Give it more time or fewer asks"}
						   : Problem{"unreachable", "there is no connection to a sidecar", "See whether it runs"},
				NowMs);
			if (!Each.bSent)
			{
				Asks.erase(Asks.begin() + static_cast<std::ptrdiff_t>(Index));
				--Index;
			}
		}
	}

	void Client::EndInFallback(OpenAsk& Ended, Problem Why, std::int64_t NowMs)
	{
		NpcEntry* Speaker = Npcs.Find(Ended.NpcId);
		Event& Told = Tell(Ended.IsChoose() ? EventKind::Choice : EventKind::Line);
		Told.Handle = std::exchange(Ended.Handle, 0);
		Told.NpcId = Ended.NpcId;
		if (Ended.IsChoose())
		{
			const std::size_t Count = Ended.Answers.size();
			Told.Chosen.Probabilities.assign(Count, 1.0 / static_cast<double>(Count));
			Told.Chosen.FinishReason = Why.Code;
			Told.Chosen.TotalMs = NowMs - Ended.AskedAtMs;
			Told.What = std::move(Why);
			return;
		}
		const AskOptions& Options = Ended.Options;
		const std::string Authored =
			Speaker != nullptr ? Npcs.SayFallback(*Speaker, Options.Situation) : NpcBook::NeutralLine();
		Told.Said.Text = PinnedLine::WrittenBeforehand(Options.Template, Options.MustInclude, Authored);
		Told.Said.PlainText = Told.Said.Text;
		Told.Said.Source = LineSource::Fallback;
		Told.Said.FinishReason = Why.Code;
		Told.Said.Seed = Options.Seed.value_or(0);
		Told.Said.TotalMs = NowMs - Ended.AskedAtMs;
		Told.What = std::move(Why);
	}

	void Client::EndAsCancelled(OpenAsk& Ended)
	{
		Event& Told = Tell(EventKind::Cancelled);
		Told.Handle = std::exchange(Ended.Handle, 0);
		Told.NpcId = Ended.NpcId;
	}

	void Client::CancelAllOf(std::string_view NpcId)
	{
		for (OpenAsk& Each : Asks)
		{
			if (Each.NpcId == NpcId && Each.Handle != 0)
			{
				EndAsCancelled(Each);
			}
		}
		// Lines that may still come are of a time that the sidecar does not remember either.
		const auto IsTheirs = [NpcId](const OpenAsk& Each) { return Each.NpcId == NpcId; };
		Asks.erase(std::remove_if(Asks.begin(), Asks.end(), IsTheirs), Asks.end());
	}

	Client::OpenAsk* Client::FindAsk(RequestId Request)
	{
		const auto IsIt = [Request](const OpenAsk& Each) { return Each.bSent && Each.Request == Request; };
		const auto Found = std::find_if(Asks.begin(), Asks.end(), IsIt);
		return Found == Asks.end() ? nullptr : &*Found;
	}

	void Client::Remove(const OpenAsk* Ended)
	{
		Asks.erase(Asks.begin() + (Ended - Asks.data()));
	}
}
