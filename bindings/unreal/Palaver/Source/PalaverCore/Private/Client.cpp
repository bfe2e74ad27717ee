#include "PalaverCore/Client.h"

#include <algorithm>
#include <utility>

namespace PalaverCore
{
	namespace
	{
		/** With so much unsent the sidecar does not read; one more tick would be of no use. */
		constexpr std::size_t MaxUnsentForTick = 64 * 1024;
	}

	Client::Client(Transport& InLink, std::uint64_t Seed) : Wire(InLink), Npcs(Seed) {}

	void Client::Open(std::uint16_t Port, std::string_view Secret)
	{
		Wire.Open(Port, Secret);
	}

	void Client::Close()
	{
		Wire.Close();
	}

	void Client::Poll(std::int64_t NowMs)
	{
		Wire.BeginPoll(NowMs);
		Incoming Message;
		while (Wire.Receive(NowMs, Message))
		{
			OnMessage(Message, NowMs);
		}
		if (IsReady() && KnownSession != Wire.Session())
		{
			StartSession(NowMs);
		}
		if (IsReady() && Loaded < 1.0 && NowMs >= NextReportMs)
		{
			RequestReport();
			NextReportMs = NowMs + LoadReportEveryMs;
		}
		TellState();
		ExpireAsks(NowMs);
		ExpirePrompts(NowMs);
		Wire.EndPoll(NowMs);
	}

	bool Client::NextEvent(Event& Out)
	{
		if (EventAt == Events.size())
		{
			Events.clear();
			EventAt = 0;
			return false;
		}
		Out = std::move(Events[EventAt++]);
		return true;
	}

	AskHandle Client::Ask(
		std::string_view NpcId, std::string_view Text, const AskOptions& Options, std::int64_t NowMs)
	{
		OpenAsk& Made = Asks.emplace_back();
		Made.Handle = ++LastHandle;
		Made.NpcId = NpcId;
		Made.Text = Text;
		Made.Options = Options;
		Made.AskedAtMs = NowMs;
		return Open(Made, Options.Check(Text), NowMs);
	}

	AskHandle Client::Choose(std::string_view NpcId, std::string_view Text, const std::vector<std::string>& Answers,
		const ChooseOptions& Options, std::int64_t NowMs)
	{
		OpenAsk& Made = Asks.emplace_back();
		Made.Handle = ++LastHandle;
		Made.NpcId = NpcId;
		Made.Text = Text;
		Made.Options.DeadlineMs = Options.DeadlineMs;
		Made.Options.Priority = Options.Priority;
		Made.Options.WhenBusy = Options.WhenBusy;
		Made.Options.bRecord = false;
		Made.Answers = Answers;
		Made.AskedAtMs = NowMs;
		Problem Wrong = Options.Check(Text, Answers);
		if (Answers.empty())
		{
			// Nothing can be chosen, and still a choice has to come: of what is told to be wrong.
			Made.Answers.emplace_back();
		}
		return Open(Made, std::move(Wrong), NowMs);
	}

	AskHandle Client::Open(OpenAsk& Made, Problem Wrong, std::int64_t NowMs)
	{
		if (!Wrong.IsSet() && Npcs.Find(Made.NpcId) == nullptr)
		{
			Wrong = {"unknown-npc", "there is no character of this id", "Put the character first"};
		}
		if (!Wrong.IsSet() && Asks.size() > MaxOpenAsks)
		{
			Wrong = {"busy", "256 asks are open", "Wait until some have ended"};
		}
		if (Wrong.IsSet())
		{
			EndInFallback(Made, std::move(Wrong), NowMs);
			Asks.pop_back();
			return LastHandle;
		}
		const std::optional<std::int64_t>& DeadlineMs = Made.Options.DeadlineMs;
		Made.EndsAtMs = NowMs + (DeadlineMs ? *DeadlineMs + WatchdogMs : WatchdogWithoutDeadlineMs);
		if (IsReady())
		{
			SendAsk(Made, NowMs);
		}
		return LastHandle;
	}

	bool Client::Cancel(AskHandle Handle)
	{
		for (OpenAsk& Each : Asks)
		{
			if (Handle != 0 && Each.Handle == Handle)
			{
				SendCancel(Each);
				EndAsCancelled(Each);
				// The reply is still awaited: a line that was on its way is remembered by the sidecar.
				if (!Each.bSent)
				{
					Remove(&Each);
				}
				return true;
			}
		}
		return false;
	}

	bool Client::IsOpen(AskHandle Handle) const
	{
		return Handle != 0 &&
			std::any_of(Asks.begin(), Asks.end(), [Handle](const OpenAsk& Each) { return Each.Handle == Handle; });
	}

	void Client::Tick(std::int64_t Frame, double BudgetMs)
	{
		if (IsReady() && Wire.UnsentBytes() < MaxUnsentForTick)
		{
			Messages::Tick(Wire.Begin(), Frame, BudgetMs);
			Wire.Send();
		}
	}

	void Client::SetBudget(double MaxLoad, double Fps)
	{
		BudgetLoad = MaxLoad;
		BudgetFps = Fps;
		if (IsReady())
		{
			Messages::Budget(Wire.Begin(), Wire.NewRequest(), BudgetLoad, BudgetFps);
			Wire.Send();
		}
	}

	void Client::RequestReport()
	{
		if (IsReady())
		{
			Messages::Stats(Wire.Begin(), Wire.NewRequest());
			Wire.Send();
		}
	}

	void Client::SayBye()
	{
		if (IsReady())
		{
			Messages::Bye(Wire.Begin(), Wire.NewRequest());
			Wire.Send();
			Wire.Flush();
		}
	}

	void Client::StartSession(std::int64_t NowMs)
	{
		KnownSession = Wire.Session();
		Loaded = Wire.Greeted().bLoading ? 0.0 : 1.0;
		NextReportMs = NowMs;
		AboutNpcs.clear();
		SendWorld();
		for (const auto& [NpcId, Entry] : Npcs.All())
		{
			SendPut(Entry.Npc);
			if (!Entry.Remembered.IsEmpty())
			{
				SendMemory(Entry);
			}
		}
		if (BudgetLoad > 0.0)
		{
			SetBudget(BudgetLoad, BudgetFps);
		}
		const auto IsOver = [](const OpenAsk& Each) { return Each.Handle == 0; };
		Asks.erase(std::remove_if(Asks.begin(), Asks.end(), IsOver), Asks.end());
		for (OpenAsk& Each : Asks)
		{
			SendAsk(Each, NowMs);
		}
	}

	void Client::SendAsk(OpenAsk& Wanted, std::int64_t NowMs)
	{
		std::optional<std::int64_t> LeftMs = Wanted.Options.DeadlineMs;
		if (LeftMs)
		{
			*LeftMs -= NowMs - Wanted.AskedAtMs;
		}
		// Without time left the watchdog is about to end it.
		Wanted.bSent = !LeftMs || *LeftMs > 0;
		if (Wanted.bSent)
		{
			Wanted.Request = Wire.NewRequest();
			if (Wanted.IsChoose())
			{
				const ChooseOptions Options = {LeftMs, Wanted.Options.Priority, Wanted.Options.WhenBusy};
				Messages::Choose(
					Wire.Begin(), Wanted.Request, {Wanted.NpcId, Wanted.Text, Wanted.Answers, Options, LeftMs});
			}
			else
			{
				Messages::Ask(Wire.Begin(), Wanted.Request, {Wanted.NpcId, Wanted.Text, Wanted.Options, LeftMs});
			}
			Wire.Send();
		}
	}

	void Client::SendCancel(OpenAsk& Given)
	{
		Given.bSent = Given.bSent && IsReady();
		if (Given.bSent)
		{
			Messages::Cancel(Wire.Begin(), Wire.NewRequest(), Given.Request);
			Wire.Send();
		}
	}
}
