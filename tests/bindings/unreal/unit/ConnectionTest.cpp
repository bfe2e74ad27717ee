#include "FakeSidecar.h"
#include "Harness.h"

#include "PalaverCore/Connection.h"

using namespace PalaverCore;

namespace
{
	/** Poll once; the number of messages that came. */
	int PollOnce(Connection& Wire, std::int64_t NowMs)
	{
		int Count = 0;
		Incoming Message;
		Wire.BeginPoll(NowMs);
		while (Wire.Receive(NowMs, Message))
		{
			++Count;
		}
		Wire.EndPoll(NowMs);
		return Count;
	}

	/** Poll every 10 ms up to a time, which is left in Now. */
	void PollUntil(Connection& Wire, std::int64_t& Now, std::int64_t End)
	{
		for (; Now < End; Now += 10)
		{
			PollOnce(Wire, Now);
		}
	}
}

TEST(Connection, ItIsMadeInAFewPollsAndTellsOfTheModel)
{
	FakeSidecar Sidecar;
	Sidecar.bLoading = true;
	Connection Wire(Sidecar);
	CHECK(Wire.State() == ConnectionState::Disconnected);
	PollOnce(Wire, 0);
	CHECK_EQUAL(Sidecar.Attempts, 0);
	Wire.Open(5000, "hush");
	for (int Frame = 0; Frame < 4; ++Frame)
	{
		PollOnce(Wire, 16 * Frame);
	}
	CHECK(Wire.State() == ConnectionState::Ready);
	CHECK_EQUAL(Wire.Session(), 1U);
	CHECK_EQUAL(Sidecar.HelloSecret, "hush");
	CHECK_EQUAL(Wire.Greeted().ModelName, "pocket");
	CHECK_EQUAL(Wire.Greeted().CanvasLength, 32);
	CHECK(Wire.Greeted().bLoading);
	CHECK(!Wire.Trouble().IsSet());
}

TEST(Connection, AttemptsWaitTwiceAsLongEachTimeUpToFourSeconds)
{
	FakeSidecar Sidecar;
	Sidecar.bListening = false;
	Connection Wire(Sidecar);
	Wire.Open(5000, "");
	std::int64_t Now = 0;
	std::int64_t Due = 0;
	for (const std::int64_t Wait : {250, 500, 1000, 2000, 4000, 4000})
	{
		const int Before = Sidecar.Attempts;
		PollUntil(Wire, Now, Due + 10);
		CHECK_EQUAL(Sidecar.Attempts, Before + 1);
		Due += Wait;
		PollUntil(Wire, Now, Due);
		CHECK_EQUAL(Sidecar.Attempts, Before + 1);
	}
	CHECK_EQUAL(Wire.Trouble().Code, "unreachable");
	Sidecar.bListening = true;
	PollUntil(Wire, Now, Due + 100);
	CHECK(Wire.State() == ConnectionState::Ready);
	// A connection that stood starts over with the short wait.
	Sidecar.Drop();
	const int Before = Sidecar.Attempts;
	PollUntil(Wire, Now, Now + 300);
	CHECK_EQUAL(Sidecar.Attempts, Before + 1);
	CHECK_EQUAL(Wire.Session(), 2U);
}

TEST(Connection, SilenceIsPingedAndThenGivenUp)
{
	FakeSidecar Sidecar;
	Connection Wire(Sidecar);
	Wire.Open(5000, "");
	std::int64_t Now = 0;
	PollUntil(Wire, Now, 100);
	PollUntil(Wire, Now, 1900);
	CHECK_EQUAL(Sidecar.Pings, 0);
	PollUntil(Wire, Now, 10'000);
	CHECK_EQUAL(Sidecar.Pings, 4);
	CHECK(Wire.State() == ConnectionState::Ready);
	// Heard last when the fourth ping was answered, after some 8 seconds.
	Sidecar.bReading = false;
	PollUntil(Wire, Now, 13'900);
	CHECK(Wire.State() == ConnectionState::Ready);
	PollUntil(Wire, Now, 14'500);
	CHECK(Wire.State() != ConnectionState::Ready);
	CHECK_EQUAL(Sidecar.Attempts, 2);
}

TEST(Connection, AHandshakeThatGetsNowhereIsGivenUp)
{
	FakeSidecar Sidecar;
	Sidecar.bWelcoming = false;
	Connection Wire(Sidecar);
	Wire.Open(5000, "");
	std::int64_t Now = 0;
	PollUntil(Wire, Now, 1000);
	CHECK(Wire.State() == ConnectionState::Greeting);
	PollUntil(Wire, Now, 7000);
	CHECK_EQUAL(Sidecar.Attempts, 2);
}

TEST(Connection, AGameThatStoodStillDoesNotBlameTheSidecar)
{
	FakeSidecar Sidecar;
	Connection Wire(Sidecar);
	Wire.Open(5000, "");
	std::int64_t Now = 0;
	PollUntil(Wire, Now, 100);
	Now += 60'000;
	PollOnce(Wire, Now);
	CHECK(Wire.State() == ConnectionState::Ready);
	CHECK_EQUAL(Sidecar.Attempts, 1);
}

TEST(Connection, OnePollTakesAtMostSixtyFourMessages)
{
	FakeSidecar Sidecar;
	Connection Wire(Sidecar);
	Wire.Open(5000, "");
	std::int64_t Now = 0;
	PollUntil(Wire, Now, 100);
	for (int Index = 0; Index < 150; ++Index)
	{
		Sidecar.SendOk(Index);
	}
	CHECK_EQUAL(PollOnce(Wire, Now), 64);
	CHECK_EQUAL(PollOnce(Wire, Now), 64);
	CHECK_EQUAL(PollOnce(Wire, Now), 22);
	for (int Index = 0; Index < 100; ++Index)
	{
		Sidecar.Send("");
	}
	CHECK_EQUAL(PollOnce(Wire, Now), 0);
	CHECK_EQUAL(Wire.DroppedMessages(), 64U);
}

TEST(Connection, MessagesThatMakeNoSenseAreDropped)
{
	FakeSidecar Sidecar;
	Connection Wire(Sidecar);
	Wire.Open(5000, "");
	std::int64_t Now = 0;
	PollUntil(Wire, Now, 100);
	Sidecar.Send("\xC1");
	Sidecar.Send("\x81\xA4type\xA4tomb");
	Sidecar.Send(std::string(1000, '\x91'));
	Sidecar.SendOk(1);
	CHECK_EQUAL(PollOnce(Wire, Now), 1);
	CHECK_EQUAL(Wire.DroppedMessages(), 3U);
	CHECK(Wire.State() == ConnectionState::Ready);
}

TEST(Connection, BrokenFramesEndTheConnectionWithAReason)
{
	FakeSidecar Sidecar;
	Connection Wire(Sidecar);
	Wire.Open(5000, "");
	std::int64_t Now = 0;
	PollUntil(Wire, Now, 100);
	Sidecar.SendRaw("\xFF\xFF");
	PollOnce(Wire, Now);
	CHECK(Wire.State() == ConnectionState::Disconnected);
	CHECK_EQUAL(Wire.Trouble().Code, "not-a-sidecar");
	PollUntil(Wire, Now, Now + 400);
	CHECK(Wire.State() == ConnectionState::Ready);
}

TEST(Connection, ARefusedHelloIsNotSaidAgain)
{
	FakeSidecar Sidecar;
	Sidecar.bWelcoming = false;
	Connection Wire(Sidecar);
	Wire.Open(5000, "wrong");
	std::int64_t Now = 0;
	PollUntil(Wire, Now, 100);
	CHECK_EQUAL(Sidecar.Hellos, 1);
	Sidecar.SendError(1, "wrong-secret");
	PollUntil(Wire, Now, 60'000);
	CHECK(Wire.State() == ConnectionState::Disconnected);
	CHECK_EQUAL(Wire.Trouble().Code, "wrong-secret");
	CHECK_EQUAL(Sidecar.Hellos, 1);
	Sidecar.bWelcoming = true;
	Wire.Open(5000, "right");
	PollUntil(Wire, Now, Now + 100);
	CHECK(Wire.State() == ConnectionState::Ready);
}

TEST(Connection, AForgottenClientSaysHelloAgain)
{
	FakeSidecar Sidecar;
	Connection Wire(Sidecar);
	Wire.Open(5000, "");
	std::int64_t Now = 0;
	PollUntil(Wire, Now, 100);
	Sidecar.SendError(99, "hello-first");
	CHECK_EQUAL(PollOnce(Wire, Now), 0);
	PollUntil(Wire, Now, Now + 50);
	CHECK_EQUAL(Sidecar.Hellos, 2);
	CHECK_EQUAL(Sidecar.Attempts, 1);
	CHECK_EQUAL(Wire.Session(), 2U);
}
