#pragma once

#include "EngineObjects.h"
#include "Harness.h"
#include "PalaverNpcComponent.h"
#include "PalaverPersona.h"
#include "PalaverSubsystem.h"

#include <unistd.h>

/** A world with one character, in a game that runs. */
struct Game
{
	UGameInstance Instance;
	UWorld World;
	UPalaverSubsystem Palaver;
	UPalaverPersona Persona;
	UPalaverNpcComponent Npc;
	FSubsystemCollectionBase Collection;

	Game()
	{
		Instance.StubWorld = &World;
		Instance.StubSubsystem = &Palaver;
		World.StubGame = &Instance;
		Palaver.StubGame = &Instance;
		Persona.StubName = TEXT("DA_Smith");
		Persona.Name = TEXT("Mira");
		Persona.Role = TEXT("blacksmith");
		Persona.Knowledge.Add(TEXT("The iron sword costs 40 gold."));
		Persona.Fallbacks.Add(TEXT("Ask me later \u2013 I'm busy."));
		Npc.Persona = &Persona;
		Npc.StubWorld = &World;
		Palaver.Initialize(Collection);
		Npc.BeginPlay();
	}

	~Game()
	{
		Npc.EndPlay(EEndPlayReason::Quit);
		Palaver.Deinitialize();
	}

	Game(const Game&) = delete;
	Game& operator=(const Game&) = delete;

	/** One frame of 5 ms. */
	void Frame()
	{
		++GFrameCounter;
		if (Palaver.IsTickable())
		{
			Palaver.Tick(0.005f);
		}
		usleep(5000);
	}

	template <typename Condition>
	bool PlayUntil(Condition IsReached, int Frames = 6000)
	{
		for (; Frames > 0 && !IsReached(); --Frames)
		{
			Frame();
		}
		return IsReached();
	}
};

/** Counts what it is told. */
class UListener : public UObject
{
public:
	void OnDraft(int64, const FPalaverDraft& Draft)
	{
		++Drafts;
		CHECK(Draft.StableLength <= Draft.Text.Len());
	}
	void OnLine(int64 AskId, const FPalaverLine& Line)
	{
		++Lines;
		LastAsk = AskId;
		LastLine = Line;
	}
	void OnChoice(int64 AskId, const FPalaverChoice& Choice)
	{
		++Choices;
		LastAsk = AskId;
		LastChoice = Choice;
	}
	void OnCancelled(int64) { ++Cancels; }
	void OnPin(const FString& Text, const FPalaverLine& Line)
	{
		++Pins;
		LastText = Text;
		LastLine = Line;
	}

	int Drafts = 0;
	int Lines = 0;
	int Choices = 0;
	int Cancels = 0;
	int Pins = 0;
	int64 LastAsk = 0;
	FPalaverLine LastLine;
	FPalaverChoice LastChoice;
	FString LastText;
};

inline void Listen(UPalaverNpcComponent& Npc, UListener& Listener)
{
	Npc.OnDraft.AddDynamic(&Listener, &UListener::OnDraft);
	Npc.OnLine.AddDynamic(&Listener, &UListener::OnLine);
	Npc.OnChoice.AddDynamic(&Listener, &UListener::OnChoice);
	Npc.OnCancelled.AddDynamic(&Listener, &UListener::OnCancelled);
}
