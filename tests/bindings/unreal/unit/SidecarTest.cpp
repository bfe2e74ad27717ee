#include "Harness.h"

#include "PalaverCore/Service.h"

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>
#include <unistd.h>

using namespace PalaverCore;

namespace
{
	/** A sidecar that a shell plays; the clock is the test's, and only the processes take their own time. */
	struct Shell
	{
		Sidecar Process;
		SidecarOptions Options;
		std::int64_t Now = 1000;

		explicit Shell(const std::string& Script)
		{
			Options.Process.Program = "sh";
			Options.Process.Arguments = {"-c", Script, "sh"};
			Options.Process.OutputFile = Places().Scratch + "/output \u00fc.txt";
			Options.ReadyFile = Places().Scratch + "/ready \u00fc.json";
		}

		void Start() { Process.Start(Options, Now); }

		/** Poll without moving the clock until the process is in a state. */
		bool Reaches(SidecarState State)
		{
			for (int Times = 0; Times < 4000 && Process.State() != State; ++Times)
			{
				Process.Poll(Now);
				std::this_thread::sleep_for(std::chrono::milliseconds(Process.State() == State ? 0 : 5));
			}
			return Process.State() == State;
		}
	};

	/** Tells its port as a sidecar does, then sleeps; $1 is --ready-file, $2 the path. */
	const char* const Works = "echo \"{\\\"port\\\": 4711}\" > \"$2.new\"; mv \"$2.new\" \"$2\"; exec sleep 100";
}

TEST(Sidecar, ItTellsItsPortAndEndsWhenItIsStopped)
{
	Shell Played(Works);
	Played.Start();
	CHECK(Played.Process.State() == SidecarState::Starting);
	CHECK(Played.Reaches(SidecarState::Running));
	CHECK_EQUAL(Played.Process.Port(), 4711);
	const std::int64_t Id = Played.Process.ProcessId();
	CHECK(Id > 0);
	Played.Process.Stop(2000);
	CHECK(Played.Process.State() == SidecarState::Stopped);
	CHECK(access(("/proc/" + std::to_string(Id)).c_str(), F_OK) != 0 || access("/proc/self", F_OK) != 0);
	CHECK(access(Played.Options.ReadyFile.c_str(), F_OK) != 0);
}

TEST(Sidecar, TheSecretIsNewEachTimeAndOnlyInTheEnvironment)
{
	Shell Played("echo \"$PALAVER_SECRET $*\"; sleep 100");
	Played.Options.Process.Environment = {{"PALAVER_SECRET_OF_OTHERS", "kept"}};
	std::string Secrets[2];
	for (std::string& Secret : Secrets)
	{
		Played.Start();
		Secret = Played.Process.Secret();
		CHECK_EQUAL(Secret.size(), 64U);
		std::string Written;
		for (int Times = 0; Times < 2000 && Written.empty(); ++Times)
		{
			std::this_thread::sleep_for(std::chrono::milliseconds(5));
			std::ifstream File(Played.Options.Process.OutputFile);
			std::getline(File, Written);
		}
		CHECK_EQUAL(Written,
			Secret + " --ready-file " + Played.Options.ReadyFile + " --parent-pid " + std::to_string(getpid()));
		Played.Process.Stop(0);
	}
	CHECK(Secrets[0] != Secrets[1]);
}

TEST(Sidecar, OneThatEndsIsStartedAgainLaterEachTimeUntilItCountsAsFailed)
{
	Shell Played("echo 'error: no model'; exit 1");
	Played.Start();
	std::int64_t WaitMs = Sidecar::FirstRestartMs;
	for (int Failure = 1; Failure < Sidecar::MaxFailures; ++Failure)
	{
		CHECK(Played.Reaches(SidecarState::Waiting));
		CHECK_EQUAL(Played.Process.Launch(), static_cast<unsigned>(Failure));
		Played.Now += WaitMs - 1;
		Played.Process.Poll(Played.Now);
		CHECK(Played.Process.State() == SidecarState::Waiting);
		Played.Now += 1;
		Played.Process.Poll(Played.Now);
		CHECK_EQUAL(Played.Process.Launch(), static_cast<unsigned>(Failure + 1));
		WaitMs *= 2;
	}
	CHECK(Played.Reaches(SidecarState::Failed));
	CHECK(Played.Process.Trouble().Message.find("exit code 1: error: no model") != std::string::npos);
	Played.Options.Process.Arguments[1] = Works;
	Played.Start();
	CHECK(Played.Reaches(SidecarState::Running));
}

TEST(Sidecar, AChildHearsSignalsThatItsParentDoesNot)
{
	sigset_t Mask;
	sigemptyset(&Mask);
	sigaddset(&Mask, SIGTERM);
	sigprocmask(SIG_BLOCK, &Mask, nullptr);
	const auto Before = std::signal(SIGTERM, SIG_IGN);
	ChildProcess Child;
	CHECK(!Child.Start({"sleep", {"100"}, {}, ""}).IsSet());
	Child.Terminate();
	CHECK(Child.Wait(10'000));
	CHECK_EQUAL(Child.ExitCode(), -SIGTERM);
	CHECK(!Child.IsRunning());
	std::signal(SIGTERM, Before);
	sigprocmask(SIG_UNBLOCK, &Mask, nullptr);
}

TEST(Sidecar, WrongArgumentsAreNotTriedAgain)
{
	Shell Played("exit 2");
	Played.Start();
	CHECK(Played.Reaches(SidecarState::Failed));
	CHECK_EQUAL(Played.Process.Launch(), 1U);
}

TEST(Sidecar, AProgramThatThereIsNotIsAFailureWithAReason)
{
	Shell Played("");
	Played.Options.Process.Program = "/nowhere/palaver";
	Played.Start();
	CHECK(Played.Process.State() == SidecarState::Failed);
	CHECK_EQUAL(Played.Process.Trouble().Code, "not-started");
	CHECK(Played.Process.Trouble().Message.find("/nowhere/palaver") == 0);
}

TEST(Sidecar, AStaleReadyFileIsNotBelieved)
{
	Shell Played("exec sleep 100");
	std::ofstream(Played.Options.ReadyFile) << "{\"port\": 1}";
	Played.Start();
	for (int Times = 0; Times < 20; ++Times)
	{
		Played.Process.Poll(Played.Now);
	}
	CHECK(Played.Process.State() == SidecarState::Starting);
	std::ofstream(Played.Options.ReadyFile) << "{\"port\": 70000}";
	Played.Process.Poll(Played.Now);
	CHECK(Played.Process.State() == SidecarState::Starting);
	Played.Now += Sidecar::StartTimeoutMs + 1;
	Played.Process.Poll(Played.Now);
	CHECK(Played.Process.State() == SidecarState::Waiting);
	CHECK_EQUAL(Played.Process.Trouble().Code, "timeout");
}

TEST(Sidecar, OneThatRunsAndCannotBeTalkedToIsStartedAnew)
{
	Shell Played(Works);
	Service Game(1);
	Game.Start(Played.Options, Played.Now);
	for (int Times = 0; Times < 4000 && Game.GetSidecar().State() != SidecarState::Running; ++Times)
	{
		Game.Poll(Played.Now);
		std::this_thread::sleep_for(std::chrono::milliseconds(5));
	}
	CHECK(Game.GetSidecar().State() == SidecarState::Running);
	for (const std::int64_t End = Played.Now + Service::SilentMs + 500; Played.Now < End; Played.Now += 100)
	{
		Game.Poll(Played.Now);
	}
	CHECK(Game.GetSidecar().Launch() == 2U || Game.GetSidecar().State() == SidecarState::Waiting);
	Game.Stop(0);
	CHECK(Game.GetSidecar().State() == SidecarState::Stopped);
}
