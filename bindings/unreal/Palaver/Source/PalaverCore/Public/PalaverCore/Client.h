#pragma once

#include "PalaverCore/Events.h"
#include "PalaverCore/NpcBook.h"

namespace PalaverCore
{
	/**
	 * What a game talks to: characters that are asked, and lines that come back.
	 *
	 * Call Poll once a frame, then NextEvent until it has nothing more. No member waits or throws, and all belong to one
	 * thread. Every ask ends exactly once, with a line if the game does not cancel it: where the sidecar has none in
	 * time, is gone or refuses, the client makes one from the character's fallback lines.
	 *
	 * Time is passed in, in milliseconds of any clock that does not jump.
	 */
	class PALAVERCORE_API Client
	{
	public:
		/** How much later than its deadline an ask ends at the latest, and when one without a deadline does. */
		static constexpr std::int64_t WatchdogMs = 250;
		static constexpr std::int64_t WatchdogWithoutDeadlineMs = 30'000;
		/** Asks beyond these end at once in a fallback line; a sidecar takes 64. */
		static constexpr std::size_t MaxOpenAsks = 256;
		/** How long a request for a prompt may take. */
		static constexpr std::int64_t PromptMs = 10'000;
		/** How often a sidecar that loads its model is asked how far it is. */
		static constexpr std::int64_t LoadReportEveryMs = 500;

		/**
		 * @param InLink used by nobody else, and outlives the client.
		 * @param Seed of the choice between fallback lines.
		 */
		Client(Transport& InLink, std::uint64_t Seed);

		/** Talk to the sidecar on this port of this machine from now on. What is open is asked there again. */
		void Open(std::uint16_t Port, std::string_view Secret);
		/** Drop the connection; open asks end by their watchdogs. */
		void Close();
		ConnectionState State() const { return Wire.State(); }
		const Connection& GetConnection() const { return Wire; }
		/** How far the sidecar has loaded its model, 0 to 1; asks that come earlier wait for it. */
		double LoadProgress() const { return Loaded; }

		void Poll(std::int64_t NowMs);
		/** The next thing to tell of; false if there is none. */
		bool NextEvent(Event& Out);

		/** Add a character, or change their persona; what was said stays. */
		Problem PutNpc(const Persona& Npc);
		/** Forget a character and what was said. Their open asks end as cancelled. */
		bool ForgetNpc(std::string_view NpcId);
		/** What was said with a character, for the game's own save data; empty if there is no such character. */
		std::string SaveNpc(std::string_view NpcId);
		/** Let a summary stand for all but a character's last turns; up to 4000 characters, empty for nothing, and 0 to 16. */
		Problem SetSummary(std::string_view NpcId, std::string_view Text, std::int64_t Keep = UsualKeep);
		/** What was said before the turns that are remembered word by word. */
		std::string_view Summary(std::string_view NpcId);
		/** Let this be what is true for all characters, until the next one. */
		Problem PutWorld(const World& NewFacts);

		/** Replace what was said with a character by what SaveNpc has given. Their open asks end as cancelled. */
		Problem LoadNpc(std::string_view NpcId, std::string_view Data);

		/**
		 * Say something to a character. What is wrong with the arguments is told by the line that ends the ask.
		 *
		 * @return the ask's name in events, never 0.
		 */
		AskHandle Ask(std::string_view NpcId, std::string_view Text, const AskOptions& Options, std::int64_t NowMs);
		/**
		 * Let a character choose one of 2 to 16 answers of 1 to 400 characters. It ends as an ask does, in a Choice: the first
		 * one where the sidecar gave none in time. Nothing is remembered.
		 */
		AskHandle Choose(std::string_view NpcId, std::string_view Text, const std::vector<std::string>& Answers,
			const ChooseOptions& Options, std::int64_t NowMs);
		/** What the model would read, were this asked now: a tool for whoever writes characters. Ends in a Prompt event. */
		AskHandle Prompt(std::string_view NpcId, std::string_view Text, std::int64_t NowMs);
		/** Give an ask or a choose up: it ends as cancelled, without a line. Whether it was open. */
		bool Cancel(AskHandle Handle);
		bool IsOpen(AskHandle Handle) const;

		/** A frame begins in which the sidecar may compute for so long; 0 to 1000. */
		void Tick(std::int64_t Frame, double BudgetMs);
		/** The sidecar may take so much of one core (0.001 to 1), spread over so many frames a second. */
		void SetBudget(double MaxLoad, double Fps);
		/** Ask for a Report event; while the model is being loaded, some come on their own. */
		void RequestReport();
		/** Tell the sidecar to end. */
		void SayBye();

	private:
		struct OpenAsk
		{
			/** 0 for an ask that has ended here while the sidecar's reply is still to come. */
			AskHandle Handle = 0;
			std::string NpcId;
			std::string Text;
			/** For a choose, without what only an ask has. */
			AskOptions Options;
			/** Of a choose; empty for an ask. */
			std::vector<std::string> Answers;
			std::int64_t AskedAtMs = 0;
			std::int64_t EndsAtMs = 0;
			/** Of the message it was sent with. */
			RequestId Request = 0;
			bool bSent = false;

			bool IsChoose() const { return !Answers.empty(); }
		};

		/** A request for a prompt, which is not sent again. */
		struct OpenPrompt
		{
			AskHandle Handle;
			RequestId Request;
			std::string NpcId;
			std::int64_t EndsAtMs;
		};

		/** A message about a character that has not been answered. */
		struct Unanswered
		{
			RequestId Request;
			std::string NpcId;
		};

		bool IsReady() const { return Wire.State() == ConnectionState::Ready; }
		void StartSession(std::int64_t NowMs);
		void SendPut(const Persona& Npc);
		void SendMemory(const NpcEntry& Entry);
		void SendWorld();
		/** Check what was asked, and send it if that may be. */
		AskHandle Open(OpenAsk& Made, Problem Wrong, std::int64_t NowMs);
		void SendAsk(OpenAsk& Wanted, std::int64_t NowMs);
		void SendCancel(OpenAsk& Given);

		void OnMessage(const Incoming& Message, std::int64_t NowMs);
		void OnReport(const Incoming& Message);
		void OnDraft(const Incoming& Message);
		void OnLine(const Incoming& Message, std::int64_t NowMs);
		void OnChoice(const Incoming& Message, std::int64_t NowMs);
		/** End a request for a prompt; whether there was one. */
		bool OnPrompt(RequestId Request, const PromptView& Seen, Problem What);
		void OnSummary(const Incoming& Message);
		void OnError(const Incoming& Message, std::int64_t NowMs);
		void OnAnswered(RequestId Request);

		Event& Tell(EventKind Kind);
		void TellState();
		void ExpirePrompts(std::int64_t NowMs);
		void EndPrompt(std::size_t Index, const PromptView& Seen, Problem What);
		void ExpireAsks(std::int64_t NowMs);
		/** End an ask in a line, or a choose in a choice, that the client makes. */
		void EndInFallback(OpenAsk& Ended, Problem Why, std::int64_t NowMs);
		void EndAsCancelled(OpenAsk& Ended);
		void CancelAllOf(std::string_view NpcId);
		OpenAsk* FindAsk(RequestId Request);
		void Remove(const OpenAsk* Ended);

		Connection Wire;
		NpcBook Npcs;
		World Facts;
		std::vector<OpenAsk> Asks;
		std::vector<OpenPrompt> Prompts;
		std::vector<Unanswered> AboutNpcs;
		std::vector<Event> Events;
		std::size_t EventAt = 0;
		AskHandle LastHandle = 0;
		std::uint32_t KnownSession = 0;
		ConnectionState ToldState = ConnectionState::Disconnected;
		double Loaded = 0.0;
		std::int64_t NextReportMs = 0;
		/** 0 until a budget is set. */
		double BudgetLoad = 0.0;
		double BudgetFps = 0.0;
	};
}
