#pragma once

#include "FakeSidecar.h"
#include "Harness.h"

#include "PalaverCore/Client.h"

inline PalaverCore::Persona Mira()
{
	PalaverCore::Persona Made;
	Made.Id = "smith";
	Made.Name = "Mira";
	Made.Role = "blacksmith";
	Made.Place = "Oakvale";
	Made.Fallbacks = {"Ask me later.", "Not now.", "The iron is hot."};
	return Made;
}

/** A client of a FakeSidecar, polled every 10 ms of a clock that only the test moves. */
struct Game
{
	FakeSidecar Sidecar;
	PalaverCore::Client Talk{Sidecar, 1};
	std::int64_t Now = 0;
	std::vector<PalaverCore::Event> Events;

	Game()
	{
		Talk.PutNpc(Mira());
		Talk.Open(5000, "");
	}

	void Run(std::int64_t ForMs)
	{
		for (const std::int64_t End = Now + ForMs; Now < End; Now += 10)
		{
			Talk.Poll(Now);
			for (PalaverCore::Event Each; Talk.NextEvent(Each);)
			{
				Events.push_back(Each);
			}
		}
	}

	PalaverCore::AskHandle Ask(const char* Text, const PalaverCore::AskOptions& Options = {}, const char* NpcId = "smith")
	{
		return Talk.Ask(NpcId, Text, Options, Now);
	}

	/** Events that end the ask; its line where there is one. */
	int EndsOf(PalaverCore::AskHandle Handle, PalaverCore::Line* Said = nullptr) const
	{
		int Count = 0;
		for (const PalaverCore::Event& Each : Events)
		{
			if (Each.Handle == Handle && Each.Kind != PalaverCore::EventKind::Draft)
			{
				++Count;
				if (Said != nullptr)
				{
					*Said = Each.Said;
				}
			}
		}
		return Count;
	}

	PalaverCore::Line LineOf(PalaverCore::AskHandle Handle) const
	{
		PalaverCore::Line Said;
		CHECK_EQUAL(EndsOf(Handle, &Said), 1);
		return Said;
	}

	/** The event that ended a request. */
	PalaverCore::Event EndOf(PalaverCore::AskHandle Handle) const
	{
		CHECK_EQUAL(EndsOf(Handle), 1);
		PalaverCore::Event Ended;
		for (const PalaverCore::Event& Each : Events)
		{
			if (Each.Handle == Handle && Each.Kind != PalaverCore::EventKind::Draft)
			{
				Ended = Each;
			}
		}
		return Ended;
	}

	PalaverCore::RequestId LastAsk() const { return Sidecar.Last(PalaverCore::MessageType::Ask).Request; }
};

inline PalaverCore::AskOptions WithDeadline(std::int64_t DeadlineMs)
{
	PalaverCore::AskOptions Options;
	Options.DeadlineMs = DeadlineMs;
	return Options;
}
