#include "Game.h"

#include <map>
#include <set>

using namespace PalaverCore;

TEST(Client, ALineThatCrossesACancelIsRememberedAsTheSidecarRemembersIt)
{
	Game Played;
	Played.Run(100);
	const AskHandle Handle = Played.Ask("Hello");
	Played.Run(20);
	Played.Talk.Cancel(Handle);
	Played.Sidecar.SendLine(Played.LastAsk(), "Aye.");
	Played.Run(20);
	CHECK_EQUAL(Played.EndsOf(Handle), 1);
	CHECK(Played.Events.back().Kind == EventKind::Cancelled);
	CHECK_EQUAL(Played.Talk.SaveNpc("smith"), WriteSave("smith", {"", {{"Hello", "Aye."}}}));
}

TEST(Client, TurnsAreRememberedUnlessTheyAreFallbacksOrNotRecorded)
{
	Game Played;
	Played.Run(100);
	AskOptions Unrecorded;
	Unrecorded.bRecord = false;
	const auto Say = [&Played](const char* Text, const char* Answer, const char* Source, const AskOptions& Options)
	{
		Played.Ask(Text, Options);
		Played.Run(20);
		Played.Sidecar.SendLine(Played.LastAsk(), Answer, Source);
		Played.Run(20);
	};
	Say("One", "First.", "model", {});
	Say("Two", "Second.", "draft", {});
	Say("Three", "Third.", "fallback", {});
	Say("Four", "Fourth.", "model", Unrecorded);
	CHECK(Played.Sidecar.Last(MessageType::Ask).Has("record"));
	CHECK_EQUAL(Played.Talk.SaveNpc("smith"), WriteSave("smith", {"", {{"One", "First."}, {"Two", "Second."}}}));
	for (int Index = 0; Index < 20; ++Index)
	{
		Say("More", "More.", "model", {});
	}
	CHECK_EQUAL(Played.Talk.SaveNpc("smith"), WriteSave("smith", {"", std::vector<Turn>(MaxTurns, {"More", "More."})}));
	CHECK(Played.Talk.SaveNpc("nobody").empty());
}

TEST(Client, ANewSessionIsToldEverythingAgain)
{
	Game Played;
	Played.Talk.SetBudget(0.25, 30.0);
	Played.Run(100);
	Played.Ask("Hello");
	Played.Run(20);
	Played.Sidecar.SendLine(Played.LastAsk(), "Aye.");
	Played.Run(20);
	AskOptions Seeded = WithDeadline(5000);
	Seeded.Seed = 42;
	const AskHandle Open = Played.Ask("What do you sell?", Seeded);
	const AskHandle Cancelled = Played.Ask("Never mind");
	Played.Run(20);
	Played.Talk.Cancel(Cancelled);
	Played.Run(20);
	Played.Sidecar.Drop();
	Played.Sidecar.Messages.clear();
	Played.Run(600);
	const std::vector<Got>& Told = Played.Sidecar.Messages;
	CHECK_EQUAL(Told.size(), 4U);
	CHECK(Told[0].Type == MessageType::NpcPut);
	CHECK(Told[1].Type == MessageType::NpcLoad);
	CHECK_EQUAL(Told[1].Text("data"), WriteSave("smith", {"", {{"Hello", "Aye."}}}));
	CHECK(Told[2].Type == MessageType::Budget);
	CHECK(Told[3].Type == MessageType::Ask);
	CHECK_EQUAL(Told[3].Int("seed"), 42);
	CHECK(Told[3].Int("deadline_ms") < 5000);
	Played.Sidecar.SendLine(Played.LastAsk(), "Iron.");
	Played.Run(20);
	CHECK_EQUAL(Played.LineOf(Open).Text, "Iron.");
}

TEST(Client, LoadingASaveCancelsWhatIsOpenAndReplacesTheTurns)
{
	Game Played;
	Played.Run(100);
	const AskHandle Handle = Played.Ask("Hello");
	Played.Run(20);
	const RequestId Asked = Played.LastAsk();
	const std::string Data = WriteSave("smith", {"", {{"Earlier", "Aye."}}});
	CHECK(!Played.Talk.LoadNpc("smith", Data).IsSet());
	Played.Sidecar.SendLine(Asked, "Too late.");
	Played.Run(20);
	CHECK_EQUAL(Played.EndsOf(Handle), 1);
	CHECK(Played.Events.back().Kind == EventKind::Cancelled);
	CHECK_EQUAL(Played.Sidecar.Last(MessageType::NpcLoad).Text("data"), Data);
	CHECK_EQUAL(Played.Talk.SaveNpc("smith"), Data);
	CHECK_EQUAL(Played.Talk.LoadNpc("guard", Data).Code, "unknown-npc");
	CHECK_EQUAL(Played.Talk.LoadNpc("smith", "{}").Code, "bad-save");
	CHECK_EQUAL(Played.Talk.SaveNpc("smith"), Data);
}

TEST(Client, AForgottenCharacterIsGone)
{
	Game Played;
	Played.Run(100);
	const AskHandle Handle = Played.Ask("Hello");
	Played.Run(20);
	CHECK(Played.Talk.ForgetNpc("smith"));
	CHECK(!Played.Talk.ForgetNpc("smith"));
	Played.Run(20);
	CHECK_EQUAL(Played.EndsOf(Handle), 1);
	CHECK_EQUAL(Played.Sidecar.Last(MessageType::NpcForget).Text("id"), "smith");
	const AskHandle Afterwards = Played.Ask("Hello");
	Played.Run(20);
	CHECK_EQUAL(Played.LineOf(Afterwards).FinishReason, "unknown-npc");
	CHECK_EQUAL(Played.LineOf(Afterwards).Text, "...");
}

TEST(Client, TooManyCharactersAreRefused)
{
	Game Played;
	Persona Npc = Mira();
	for (int Index = 0; Index < 255; ++Index)
	{
		Npc.Id = "npc " + std::to_string(Index);
		CHECK(!Played.Talk.PutNpc(Npc).IsSet());
	}
	Npc.Id = "one more";
	CHECK_EQUAL(Played.Talk.PutNpc(Npc).Code, "too-many-npcs");
	Npc.Id = "smith";
	CHECK(!Played.Talk.PutNpc(Npc).IsSet());
}

TEST(Client, ProblemsThatEndNoAskAreTold)
{
	Game Played;
	Played.Run(100);
	Played.Sidecar.SendError(Played.Sidecar.Last(MessageType::NpcPut).Request, "too-many-npcs");
	Played.Sidecar.SendError(-1, "malformed-message");
	Played.Run(10);
	const std::size_t Count = Played.Events.size();
	CHECK(Played.Events[Count - 2].Kind == EventKind::Problem);
	CHECK_EQUAL(Played.Events[Count - 2].NpcId, "smith");
	CHECK_EQUAL(Played.Events[Count - 2].What.Code, "too-many-npcs");
	CHECK_EQUAL(Played.Events[Count - 1].What.Code, "malformed-message");
}

TEST(Client, ASidecarThatLoadsIsAskedHowFarItIs)
{
	Game Played;
	Played.Sidecar.bLoading = true;
	Played.Run(1600);
	CHECK_EQUAL(Played.Sidecar.CountOf(MessageType::Stats), 4);
	CHECK(Played.Talk.LoadProgress() == 0.0);
	Played.Sidecar.SendReport(Played.Sidecar.Last(MessageType::Stats).Request, 0.5);
	Played.Run(20);
	CHECK(Played.Talk.LoadProgress() == 0.5);
	CHECK(Played.Events.back().Kind == EventKind::Report);
	CHECK(Played.Events.back().Status.MemoryMb == 100.0);
	Played.Sidecar.SendReport(Played.Sidecar.Last(MessageType::Stats).Request, 1.0);
	Played.Run(20);
	const int Asked = Played.Sidecar.CountOf(MessageType::Stats);
	Played.Run(3000);
	CHECK(Played.Talk.LoadProgress() == 1.0);
	CHECK_EQUAL(Played.Sidecar.CountOf(MessageType::Stats), Asked);
}

TEST(Client, TicksAreSentWhileTheSidecarReads)
{
	Game Played;
	Played.Talk.Tick(1, 2.0);
	Played.Run(100);
	CHECK_EQUAL(Played.Sidecar.CountOf(MessageType::Tick), 0);
	Played.Talk.Tick(2, 2.0);
	Played.Run(10);
	CHECK_EQUAL(Played.Sidecar.Last(MessageType::Tick).Int("frame"), 2);
	Played.Sidecar.bReading = false;
	for (int Frame = 3; Frame < 10'000; ++Frame)
	{
		Played.Talk.Tick(Frame, 2.0);
	}
	CHECK(Played.Talk.GetConnection().UnsentBytes() < 70'000);
}

TEST(Client, EveryAskEndsExactlyOnceWhateverHappens)
{
	// Random but repeatable: asks, cancels, lines, errors, lost connections, loads and time in any order.
	std::uint64_t State = 12345;
	const auto Draw = [&State](std::uint64_t Below)
	{
		State = State * 6364136223846793005U + 1442695040888963407U;
		return (State >> 33) % Below;
	};
	Game Played;
	std::set<AskHandle> Asked;
	std::vector<RequestId> Sent;
	std::size_t Seen = 0;
	for (int Step = 0; Step < 20'000; ++Step)
	{
		for (; Seen < Played.Sidecar.Messages.size(); ++Seen)
		{
			if (Played.Sidecar.Messages[Seen].Type == MessageType::Ask)
			{
				Sent.push_back(Played.Sidecar.Messages[Seen].Request);
			}
		}
		const RequestId Any = Sent.empty() ? 1 : Sent[Draw(Sent.size())];
		switch (Draw(12))
		{
		case 0:
		case 1:
		case 2: Asked.insert(Played.Ask("Hello", Draw(2) == 0 ? AskOptions() : WithDeadline(1 + static_cast<std::int64_t>(Draw(3000))))); break;
		case 3: Played.Talk.Cancel(Asked.empty() ? 0 : *Asked.rbegin() - Draw(3)); break;
		case 4:
		case 5: Played.Sidecar.SendLine(Any, "Aye."); break;
		case 6: Played.Sidecar.SendError(Any, "cancelled"); break;
		case 7: Played.Sidecar.SendDraft(Any, "A"); break;
		case 8:
			if (Draw(10) == 0)
			{
				Played.Sidecar.bListening = Draw(3) != 0;
				Played.Sidecar.Drop();
			}
			break;
		case 9:
			if (Draw(5) == 0)
			{
				CHECK(!Played.Talk.LoadNpc("smith", Played.Talk.SaveNpc("smith")).IsSet());
			}
			break;
		case 10: Played.Sidecar.SendError(Any, Draw(5) == 0 ? "hello-first" : "busy"); break;
		default: Played.Run(static_cast<std::int64_t>(Draw(200))); break;
		}
	}
	Played.Sidecar.bListening = false;
	Played.Sidecar.Drop();
	Played.Run(Client::WatchdogWithoutDeadlineMs + 1000);
	std::map<AskHandle, int> Ends;
	for (const Event& Each : Played.Events)
	{
		if (Each.Kind == EventKind::Line || Each.Kind == EventKind::Cancelled)
		{
			++Ends[Each.Handle];
			CHECK(Each.Kind == EventKind::Cancelled || !Each.Said.Text.empty());
		}
	}
	CHECK(Asked.size() > 1000);
	CHECK_EQUAL(Ends.size(), Asked.size());
	for (const auto& [Handle, Count] : Ends)
	{
		CHECK_EQUAL(Count, 1);
	}
}
