// Plays a small game through the engine layer, on stand-ins for the engine's classes.

#include "LayerGame.h"
#include "PalaverAskAction.h"
#include "PalaverSettings.h"
#include "PalaverTextLibrary.h"

#include <cstdlib>
#include <cstring>

namespace
{
	/** Without a sidecar a character still answers, with a line that was written for it. */
	void PlayAlone()
	{
		GetMutableDefault<UPalaverSettings>()->Program = TEXT("nowhere/palaver");
		Game Played;
		UListener Listener;
		Listen(Played.Npc, Listener);
		Played.Frame();
		CHECK(Played.Palaver.GetState() == EPalaverState::Off);
		CHECK(Played.Palaver.GetTrouble().Contains(TEXT("nowhere/palaver")));
		CHECK(StubLogCount() > 0);
		FPalaverAskOptions Options;
		Options.DeadlineSeconds = 0.05f;
		const int64 AskId = Played.Npc.AskWithOptions(TEXT("Hello"), Options);
		CHECK(Played.Npc.IsTalking());
		CHECK(Played.PlayUntil([&Listener] { return Listener.Lines == 1; }));
		CHECK_EQUAL(Listener.LastAsk, AskId);
		CHECK(Listener.LastLine.Source == EPalaverLineSource::Fallback);
		CHECK(Listener.LastLine.Text == FString(TEXT("Ask me later \u2013 I'm busy.")));
		CHECK(Listener.LastLine.FinishReason == FString(TEXT("unreachable")));
		CHECK(!Played.Npc.IsTalking());

		FPalaverSituation Closed;
		Closed.Name = TEXT("closed");
		Closed.Lines.Add(TEXT("Come back tomorrow."));
		Played.Persona.Situations.Add(Closed);
		Played.Persona.MaxSentences = 3;
		Played.Npc.SetPersona(&Played.Persona);
		Options.Situation = TEXT("closed");
		Options.MustInclude.Add(TEXT("Forty gold"));
		Played.Npc.AskWithOptions(TEXT("Hello"), Options);
		CHECK(Played.PlayUntil([&Listener] { return Listener.Lines == 2; }));
		CHECK(Listener.LastLine.Text == FString(TEXT("Come back tomorrow. Forty gold.")));
		CHECK(Listener.LastLine.PlainText == Listener.LastLine.Text);

		TArray<FString> Answers;
		Played.Npc.Choose(TEXT("Well?"), Answers);
		CHECK(Played.PlayUntil([&Listener] { return Listener.Choices == 1; }));
		CHECK(Listener.LastChoice.FinishReason == FString(TEXT("bad-request")));
		CHECK(!Played.Npc.IsTalking());
		CHECK(Played.Npc.SetSummary(TEXT("They met."), 2));
		CHECK(Played.Npc.SaveConversation().Contains(TEXT("They met.")));
		FPalaverWorldSection Time;
		Time.Name = TEXT("time");
		Time.Facts.Add(TEXT("It is evening."));
		TArray<FPalaverWorldSection> World;
		World.Add(Time);
		CHECK(Played.Palaver.PutWorld(World));
		World.Add(Time);
		CHECK(!Played.Palaver.PutWorld(World));

		const int64 Dropped = Played.Npc.Ask(TEXT("Hello"));
		CHECK(Played.Npc.Cancel(Dropped));
		CHECK(!Played.Npc.Cancel(Dropped + 1));
		Played.Frame();
		CHECK_EQUAL(Listener.Cancels, 1);
		Played.Npc.Ask(TEXT("Hello"));
		Played.Npc.EndPlay(EEndPlayReason::Destroyed);
		CHECK_EQUAL(Listener.Cancels, 2);
		CHECK_EQUAL(Listener.Lines, 2);
	}

	/** The Blueprint node, without a sidecar. */
	void PlayNode()
	{
		GetMutableDefault<UPalaverSettings>()->bStartSidecar = false;
		Game Played;
		FPalaverAskOptions Options;
		Options.DeadlineSeconds = 0.05f;
		UListener Completed;
		UPalaverAskAction* Node = UPalaverAskAction::AskNpc(&Played.Npc, TEXT("Hello"), Options);
		Node->Completed.AddDynamic(&Completed, &UListener::OnPin);
		Node->Activate();
		CHECK(Played.PlayUntil([Node] { return Node->bStubDone; }));
		CHECK_EQUAL(Completed.Pins, 1);
		CHECK(Completed.LastText == Completed.LastLine.Text);

		UListener Cancelled;
		Node = UPalaverAskAction::AskNpc(&Played.Npc, TEXT("Hello"), Options);
		Node->Completed.AddDynamic(&Cancelled, &UListener::OnPin);
		Node->Cancelled.AddDynamic(&Cancelled, &UListener::OnPin);
		Node->Activate();
		Node->Cancel();
		Played.PlayUntil([] { return false; }, 20);
		CHECK(Node->bStubDone);
		CHECK_EQUAL(Cancelled.Pins, 0);
		CHECK(!Played.Npc.IsTalking());

		Node = UPalaverAskAction::AskNpc(nullptr, TEXT("Hello"), Options);
		Node->Cancelled.AddDynamic(&Cancelled, &UListener::OnPin);
		Node->Activate();
		CHECK_EQUAL(Cancelled.Pins, 1);
		CHECK(UPalaverTextLibrary::EscapeRichText(TEXT("<b>\u00fc")) == FString(TEXT("&lt;b&gt;\u00fc")));
	}

	/** A handler that ends the game in the middle of a frame. */
	void PlayEndInsideAHandler()
	{
		class UEnder : public UObject
		{
		public:
			explicit UEnder(Game& InPlayed) : Played(InPlayed) {}
			void OnLine(int64, const FPalaverLine&) { Played.Palaver.Deinitialize(); }

		private:
			Game& Played;
		};
		Game Played;
		UEnder Ender(Played);
		Played.Npc.OnLine.AddDynamic(&Ender, &UEnder::OnLine);
		Played.Npc.Ask(TEXT(" "));
		Played.Npc.Ask(TEXT(" "));
		Played.Frame();
		CHECK(!Played.Palaver.IsTickable());
		CHECK_EQUAL(Played.Npc.Ask(TEXT("Hello")), 0);
	}

	/** A whole conversation with a sidecar that the subsystem starts: argument by argument from the command line. */
	void PlaySidecar(int Count, char** Arguments)
	{
		UPalaverSettings& Settings = *GetMutableDefault<UPalaverSettings>();
		Settings.Program = FString(StubToWide(Arguments[0]));
		for (int Index = 1; Index < Count; ++Index)
		{
			Settings.Arguments.Add(FString(StubToWide(Arguments[Index])));
		}
		Game Played;
		UListener Listener;
		Listen(Played.Npc, Listener);
		CHECK(Played.PlayUntil([&Played] { return Played.Palaver.GetState() == EPalaverState::Ready; }, 12'000));
		CHECK(Played.Palaver.GetTrouble().IsEmpty());
		CHECK(Played.Palaver.GetLoadProgress() == 1.0f);
		FPalaverAskOptions Options;
		Options.Seed = 7;
		Options.Steps = 4;
		Options.MaxTokens = 9;
		Options.DeadlineSeconds = 0.0f;
		Options.DraftEverySeconds = 0.0f;
		Played.Npc.AskWithOptions(TEXT("What do you sell?"), Options);
		CHECK(Played.PlayUntil([&Listener] { return Listener.Lines == 1; }));
		CHECK(Listener.LastLine.Source == EPalaverLineSource::Model);
		CHECK_EQUAL(Listener.LastLine.Seed, 7);
		CHECK(Listener.Drafts > 0);
		TArray<FString> Answers;
		Answers.Add(TEXT("I sell iron swords."));
		Answers.Add(TEXT("Good night."));
		Played.Npc.Choose(TEXT("What do you sell?"), Answers);
		CHECK(Played.PlayUntil([&Listener] { return Listener.Choices == 1; }));
		CHECK_EQUAL(Listener.LastChoice.Probabilities.Num(), 2);
		const int Logged = StubLogCount();
		Played.Npc.LogPrompt(TEXT("What do you sell?"));
		CHECK(Played.PlayUntil([Logged] { return StubLogCount() > Logged; }));
		const FString Saved = Played.Npc.SaveConversation();
		CHECK(Saved.Contains(TEXT("What do you sell?")));
		CHECK(Played.Npc.LoadConversation(Saved));
		CHECK(!Played.Npc.LoadConversation(TEXT("{}")));
		std::printf("%s\n", StubToNarrow(*Listener.LastLine.Text).c_str());
	}
}

/** `layer alone`, `layer node`, `layer end`, or `layer sidecar PROGRAM ARGUMENT...`. */
int main(int Count, char** Arguments)
{
	const char* const What = Count > 1 ? Arguments[1] : "";
	if (std::strcmp(What, "alone") == 0)
	{
		PlayAlone();
	}
	else if (std::strcmp(What, "node") == 0)
	{
		PlayNode();
	}
	else if (std::strcmp(What, "end") == 0)
	{
		GetMutableDefault<UPalaverSettings>()->bStartSidecar = false;
		PlayEndInsideAHandler();
	}
	else if (std::strcmp(What, "sidecar") == 0 && Count > 2)
	{
		PlaySidecar(Count - 2, Arguments + 2);
	}
	else
	{
		return 2;
	}
	StubObjects().clear();
	return FailureCount() == 0 ? 0 : 1;
}
