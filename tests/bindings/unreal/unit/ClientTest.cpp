#include "Game.h"

using namespace PalaverCore;

TEST(Client, AnAskEndsInTheSidecarsLine)
{
	Game Played;
	Played.Run(100);
	AskOptions Options;
	Options.Seed = INT64_C(9007199254740993);
	Options.DraftEveryMs = 0;
	const AskHandle Handle = Played.Ask("Hello", Options);
	CHECK(Played.Talk.IsOpen(Handle));
	Played.Run(20);
	const Got Asked = Played.Sidecar.Last(MessageType::Ask);
	CHECK_EQUAL(Asked.Text("npc"), "smith");
	CHECK_EQUAL(Asked.Text("text"), "Hello");
	CHECK_EQUAL(Asked.Int("seed"), INT64_C(9007199254740993));
	CHECK(!Asked.Has("deadline_ms"));
	CHECK(!Asked.Has("record"));
	Played.Sidecar.SendDraft(Asked.Request, "Ay");
	Played.Run(10);
	Played.Sidecar.SendLine(Asked.Request, "Aye.");
	Played.Run(20);
	const Line Said = Played.LineOf(Handle);
	CHECK_EQUAL(Said.Text, "Aye.");
	CHECK(Said.Source == LineSource::Model);
	CHECK_EQUAL(Said.FinishReason, "stop");
	CHECK_EQUAL(Said.Seed, 7);
	CHECK(Said.Confidence == 0.5);
	CHECK(Said.bDeterministic);
	CHECK(!Played.Talk.IsOpen(Handle));
	int Drafts = 0;
	for (const Event& Each : Played.Events)
	{
		Drafts += Each.Kind == EventKind::Draft && Each.Handle == Handle && Each.SaidSoFar.Text == "Ay";
	}
	CHECK_EQUAL(Drafts, 1);
}

TEST(Client, OfManyDraftsInOneFrameTheLatestIsTold)
{
	Game Played;
	Played.Run(100);
	const AskHandle Handle = Played.Ask("Hello");
	Played.Run(20);
	for (const char* Text : {"A", "Ay", "Aye"})
	{
		Played.Sidecar.SendDraft(Played.LastAsk(), Text);
	}
	Played.Run(10);
	CHECK(Played.Events.back().Kind == EventKind::Draft);
	CHECK_EQUAL(Played.Events.back().Handle, Handle);
	CHECK_EQUAL(Played.Events.back().SaidSoFar.Text, "Aye");
	CHECK(Played.Events[Played.Events.size() - 2].Kind != EventKind::Draft);
}

TEST(Client, AsksFromBeforeTheWelcomeAreSentAfterItWithWhatIsLeftOfTheirTime)
{
	Game Played;
	Played.Sidecar.bWelcoming = false;
	Played.Run(100);
	Played.Ask("Hello", WithDeadline(8000));
	Played.Run(1000);
	CHECK(Played.Sidecar.Messages.empty());
	Played.Sidecar.bWelcoming = true;
	Played.Sidecar.Drop();
	Played.Run(1000);
	CHECK_EQUAL(Played.Sidecar.Messages.size(), 2U);
	CHECK(Played.Sidecar.Messages[0].Type == MessageType::NpcPut);
	CHECK(Played.Sidecar.Messages[1].Type == MessageType::Ask);
	const std::int64_t LeftMs = Played.Sidecar.Messages[1].Int("deadline_ms");
	CHECK(LeftMs > 6000 && LeftMs < 7000);
}

TEST(Client, AnErrorEndsTheAskInAFallbackLine)
{
	Game Played;
	Played.Run(100);
	std::string Before;
	for (int Index = 0; Index < 20; ++Index)
	{
		const AskHandle Handle = Played.Ask("Hello");
		Played.Run(20);
		Played.Sidecar.SendError(Played.LastAsk(), "prompt-too-long");
		Played.Run(20);
		const Line Said = Played.LineOf(Handle);
		CHECK(Said.Source == LineSource::Fallback);
		CHECK_EQUAL(Said.FinishReason, "prompt-too-long");
		CHECK(Said.Text != Before);
		Before = Said.Text;
		bool bAuthored = false;
		for (const std::string& Authored : Mira().Fallbacks)
		{
			bAuthored |= Authored == Said.Text;
		}
		CHECK(bAuthored);
	}
}

TEST(Client, WithoutLinesOfItsOwnACharacterSaysNeutralOnes)
{
	Game Played;
	Persona Silent = Mira();
	Silent.Fallbacks = {"Hm."};
	Played.Talk.PutNpc(Silent);
	Played.Run(100);
	std::vector<std::string> Texts;
	for (int Index = 0; Index < 4; ++Index)
	{
		const AskHandle Handle = Played.Ask("Hello");
		Played.Run(20);
		Played.Sidecar.SendError(Played.LastAsk(), "internal");
		Played.Run(20);
		Texts.push_back(Played.LineOf(Handle).Text);
	}
	CHECK(Texts == std::vector<std::string>({"Hm.", "...", "Hm.", "..."}));
}

TEST(Client, AWatchdogEndsWhatASilentSidecarDoesNot)
{
	Game Played;
	Played.Run(100);
	const AskHandle Handle = Played.Ask("Hello", WithDeadline(500));
	const AskHandle Patient = Played.Ask("Hello again");
	Played.Run(750);
	CHECK_EQUAL(Played.EndsOf(Handle), 0);
	Played.Run(20);
	CHECK_EQUAL(Played.LineOf(Handle).FinishReason, "timeout");
	CHECK(Played.LineOf(Handle).TotalMs >= 750);
	CHECK_EQUAL(Played.Sidecar.CountOf(MessageType::Cancel), 1);
	Played.Run(29'000);
	CHECK_EQUAL(Played.EndsOf(Patient), 0);
	Played.Run(1000);
	CHECK_EQUAL(Played.LineOf(Patient).FinishReason, "timeout");
	CHECK(!Played.Talk.IsOpen(Patient));
}

TEST(Client, WithoutASidecarEveryAskEndsInALineAllTheSame)
{
	Game Played;
	Played.Sidecar.bListening = false;
	const AskHandle Handle = Played.Ask("Hello", WithDeadline(100));
	Played.Run(400);
	CHECK_EQUAL(Played.LineOf(Handle).FinishReason, "unreachable");
}

TEST(Client, ALineThatWaitsInTheSocketComesBeforeTheWatchdog)
{
	Game Played;
	Played.Run(100);
	const AskHandle Handle = Played.Ask("Hello", WithDeadline(500));
	Played.Run(20);
	Played.Sidecar.SendLine(Played.LastAsk(), "Aye.");
	Played.Now += 20'000;
	Played.Run(20);
	CHECK_EQUAL(Played.LineOf(Handle).Text, "Aye.");
}

TEST(Client, ACancelledAskEndsWithoutALine)
{
	Game Played;
	Played.Run(100);
	const AskHandle Handle = Played.Ask("Hello");
	Played.Run(20);
	CHECK(Played.Talk.Cancel(Handle));
	CHECK(!Played.Talk.Cancel(Handle));
	CHECK(!Played.Talk.Cancel(0));
	Played.Run(20);
	CHECK_EQUAL(Played.Sidecar.Last(MessageType::Cancel).Int("target"), Played.LastAsk());
	Played.Sidecar.SendError(Played.LastAsk(), "cancelled");
	Played.Run(20);
	CHECK_EQUAL(Played.EndsOf(Handle), 1);
	CHECK(Played.Events.back().Kind == EventKind::Cancelled);
	CHECK_EQUAL(Played.Talk.SaveNpc("smith"), WriteSave("smith", {}));
}

TEST(Client, BadArgumentsEndInALineThatSaysSo)
{
	Game Played;
	Played.Run(100);
	const AskHandle Blank = Played.Ask(" ");
	AskOptions Wrong;
	Wrong.DeadlineMs = INT64_MAX;
	const AskHandle Late = Played.Ask("Hello", Wrong);
	Played.Run(20);
	CHECK_EQUAL(Played.LineOf(Blank).FinishReason, "bad-request");
	CHECK_EQUAL(Played.LineOf(Late).FinishReason, "bad-request");
	CHECK_EQUAL(Played.Sidecar.CountOf(MessageType::Ask), 0);
	CHECK(Played.Events.back().What.Message.find("deadline_ms") == 0);
}

TEST(Client, TooManyOpenAsksEndAtOnce)
{
	Game Played;
	Played.Run(100);
	std::vector<AskHandle> Handles;
	for (std::size_t Index = 0; Index <= Client::MaxOpenAsks; ++Index)
	{
		Handles.push_back(Played.Ask("Hello"));
	}
	Played.Run(20);
	CHECK_EQUAL(Played.LineOf(Handles.back()).FinishReason, "busy");
	CHECK_EQUAL(Played.EndsOf(Handles.front()), 0);
}
