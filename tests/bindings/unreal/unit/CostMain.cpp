#include "FakeSidecar.h"

#include "PalaverCore/Client.h"

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <netinet/in.h>
#include <new>
#include <sys/socket.h>
#include <unistd.h>

using namespace PalaverCore;

namespace
{
	long Allocations = 0;

	/** The far end of a TCP connection, with a FakeSidecar behind it. */
	class Loopback
	{
	public:
		FakeSidecar Sidecar;

		Loopback()
		{
			Listener = socket(AF_INET, SOCK_STREAM, 0);
			sockaddr_in Address = {};
			Address.sin_family = AF_INET;
			Address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
			socklen_t Size = sizeof(Address);
			bind(Listener, reinterpret_cast<sockaddr*>(&Address), Size);
			listen(Listener, 1);
			getsockname(Listener, reinterpret_cast<sockaddr*>(&Address), &Size);
			fcntl(Listener, F_SETFL, O_NONBLOCK);
			Port = ntohs(Address.sin_port);
			Sidecar.Open(0);
		}

		std::uint16_t Port = 0;

		/** Carry bytes both ways. */
		void Pump()
		{
			if (Peer < 0)
			{
				Peer = accept(Listener, nullptr, nullptr);
				fcntl(Peer, F_SETFL, O_NONBLOCK);
			}
			char Bytes[65536];
			const ssize_t Count = read(Peer, Bytes, sizeof(Bytes));
			if (Count > 0)
			{
				Sidecar.Write({Bytes, static_cast<std::size_t>(Count)});
			}
			const std::size_t Answered = Sidecar.Read(Bytes, sizeof(Bytes));
			if (Answered > 0 && write(Peer, Bytes, Answered) < 0)
			{
				std::abort();
			}
		}

	private:
		int Listener = -1;
		int Peer = -1;
	};

	struct Cost
	{
		std::vector<double> Nanoseconds;
		long Allocations = 0;

		void Print(const char* Name)
		{
			std::sort(Nanoseconds.begin(), Nanoseconds.end());
			const std::size_t Count = Nanoseconds.size();
			std::printf("\"%s\": {\"frames\": %zu, \"median_ns\": %.0f, \"p99_ns\": %.0f, \"allocations_a_frame\": %.3f}", Name,
				Count, Nanoseconds[Count / 2], Nanoseconds[Count * 99 / 100],
				static_cast<double>(Allocations) / static_cast<double>(Count));
		}
	};

	/** What a game does in a frame, measured. */
	void MeasureFrame(Client& Talk, std::int64_t Now, Event& Each, Cost& Spent)
	{
		using Clock = std::chrono::steady_clock;
		const long Before = Allocations;
		const Clock::time_point Start = Clock::now();
		Talk.Tick(Now, 2.0);
		Talk.Poll(Now);
		while (Talk.NextEvent(Each))
		{
		}
		const Clock::duration Took = Clock::now() - Start;
		Spent.Allocations += Allocations - Before;
		Spent.Nanoseconds.push_back(std::chrono::duration<double, std::nano>(Took).count());
	}
}

void* operator new(std::size_t Size)
{
	++Allocations;
	return std::malloc(Size);
}
void operator delete(void* Memory) noexcept
{
	std::free(Memory);
}
void operator delete(void* Memory, std::size_t) noexcept
{
	std::free(Memory);
}

/** What a frame costs a game with four characters: when nobody speaks, and when each of them gets a draft in every frame. */
int main()
{
	constexpr int Frames = 5000;
	Loopback Far;
	TcpTransport Link;
	Client Talk(Link, 1);
	Event Each;
	std::int64_t Now = 0;
	for (const char* Id : {"smith", "guard", "innkeeper", "herbalist"})
	{
		Persona Npc;
		Npc.Id = Id;
		Npc.Name = "Mira";
		Npc.Role = "blacksmith";
		Talk.PutNpc(Npc);
	}
	Talk.Open(Far.Port, "");
	for (int Frame = 0; Frame < 100; ++Frame, Now += 16)
	{
		Talk.Poll(Now);
		while (Talk.NextEvent(Each))
		{
		}
		Far.Pump();
	}
	if (Talk.State() != ConnectionState::Ready)
	{
		return 1;
	}
	Cost Idle;
	Idle.Nanoseconds.reserve(Frames);
	for (int Frame = 0; Frame < Frames; ++Frame, Now += 16)
	{
		MeasureFrame(Talk, Now, Each, Idle);
		Far.Pump();
	}
	Far.Sidecar.Messages.clear();
	for (const char* Id : {"smith", "guard", "innkeeper", "herbalist"})
	{
		AskOptions Options;
		Options.DeadlineMs = 600'000;
		Talk.Ask(Id, "What do you sell?", Options, Now);
	}
	Talk.Poll(Now);
	Far.Pump();
	std::vector<RequestId> Asked;
	for (const Got& Message : Far.Sidecar.Messages)
	{
		if (Message.Type == MessageType::Ask)
		{
			Asked.push_back(Message.Request);
		}
	}
	Cost Talking;
	Talking.Nanoseconds.reserve(Frames);
	for (int Frame = 0; Frame < Frames; ++Frame, Now += 16)
	{
		for (const RequestId Request : Asked)
		{
			Far.Sidecar.SendDraft(Request, "The iron sword costs 40 gold, and the shield 25.");
		}
		Far.Pump();
		MeasureFrame(Talk, Now, Each, Talking);
		Far.Sidecar.Messages.clear();
	}
	std::printf("{");
	Idle.Print("idle");
	std::printf(", ");
	Talking.Print("talking");
	std::printf("}\n");
	return Asked.size() == 4 ? 0 : 1;
}
