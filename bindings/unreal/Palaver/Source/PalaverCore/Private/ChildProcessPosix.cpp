#if !defined(_WIN32)

#include "PalaverCore/ChildProcess.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__APPLE__)
#include <crt_externs.h>
#else
extern char** environ;
#endif

namespace PalaverCore
{
	namespace
	{
		char** OwnEnvironment()
		{
#if defined(__APPLE__)
			return *_NSGetEnviron();
#else
			return environ;
#endif
		}

		/** This process's variables and the given ones, "NAME=value" each; the given ones count. */
		std::vector<std::string> EnvironmentOf(const ChildOptions& Options)
		{
			std::vector<std::string> Made;
			for (const auto& [Name, Given] : Options.Environment)
			{
				Made.push_back(Name + "=" + Given);
			}
			for (char** Each = OwnEnvironment(); *Each != nullptr; ++Each)
			{
				bool bReplaced = false;
				for (const auto& Given : Options.Environment)
				{
					bReplaced |= std::strncmp(*Each, (Given.first + "=").c_str(), Given.first.size() + 1) == 0;
				}
				if (!bReplaced)
				{
					Made.emplace_back(*Each);
				}
			}
			return Made;
		}

		std::vector<char*> PointersTo(std::vector<std::string>& Texts)
		{
			std::vector<char*> Pointers;
			for (std::string& Text : Texts)
			{
				Pointers.push_back(Text.data());
			}
			Pointers.push_back(nullptr);
			return Pointers;
		}

		int Spawn(const ChildOptions& Options, pid_t& Id)
		{
			std::vector<std::string> Command = {Options.Program};
			Command.insert(Command.end(), Options.Arguments.begin(), Options.Arguments.end());
			std::vector<std::string> Variables = EnvironmentOf(Options);

			const char* Output = Options.OutputFile.empty() ? "/dev/null" : Options.OutputFile.c_str();
			posix_spawn_file_actions_t Files;
			posix_spawn_file_actions_init(&Files);
			posix_spawn_file_actions_addopen(&Files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
			posix_spawn_file_actions_addopen(&Files, STDOUT_FILENO, Output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
			posix_spawn_file_actions_adddup2(&Files, STDOUT_FILENO, STDERR_FILENO);

			// An engine may block or ignore signals; the child has to hear them again.
			sigset_t None;
			sigset_t All;
			sigemptyset(&None);
			sigfillset(&All);
			posix_spawnattr_t Attributes;
			posix_spawnattr_init(&Attributes);
			posix_spawnattr_setsigmask(&Attributes, &None);
			posix_spawnattr_setsigdefault(&Attributes, &All);
			posix_spawnattr_setflags(&Attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

			const int Error = posix_spawnp(&Id, Options.Program.c_str(), &Files, &Attributes,
				PointersTo(Command).data(), PointersTo(Variables).data());
			posix_spawnattr_destroy(&Attributes);
			posix_spawn_file_actions_destroy(&Files);
			return Error;
		}
	}

	ChildProcess::~ChildProcess()
	{
		Kill();
	}

	Problem ChildProcess::Start(const ChildOptions& Options)
	{
		Kill();
		pid_t Id = 0;
		if (const int Error = Spawn(Options, Id))
		{
			return {"not-started", Options.Program + ": " + std::strerror(Error), "Check the path of the program"};
		}
		ProcessId = Id;
		return {};
	}

	bool ChildProcess::IsRunning()
	{
		if (ProcessId == 0)
		{
			return false;
		}
		int Status = 0;
		const pid_t Ended = waitpid(static_cast<pid_t>(ProcessId), &Status, WNOHANG);
		if (Ended == 0 || (Ended < 0 && errno == EINTR))
		{
			return true;
		}
		LastExitCode = Ended > 0 && WIFEXITED(Status) ? WEXITSTATUS(Status)
			: Ended > 0 && WIFSIGNALED(Status)		  ? -WTERMSIG(Status)
													  : 0;
		ProcessId = 0;
		return false;
	}

	void ChildProcess::Terminate()
	{
		if (IsRunning())
		{
			kill(static_cast<pid_t>(ProcessId), SIGTERM);
		}
	}

	void ChildProcess::Kill()
	{
		if (IsRunning())
		{
			kill(static_cast<pid_t>(ProcessId), SIGKILL);
			Wait(KillMs);
		}
	}

	bool ChildProcess::Wait(std::int64_t LimitMs)
	{
		constexpr std::int64_t StepMs = 5;
		for (std::int64_t WaitedMs = 0; IsRunning(); WaitedMs += StepMs)
		{
			if (WaitedMs >= LimitMs)
			{
				return false;
			}
			const timespec Step = {0, StepMs * 1'000'000};
			nanosleep(&Step, nullptr);
		}
		return true;
	}

	std::int64_t ChildProcess::OwnId()
	{
		return getpid();
	}
}

#endif
