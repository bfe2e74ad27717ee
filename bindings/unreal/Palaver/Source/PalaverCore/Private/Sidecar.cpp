#include "PalaverCore/Sidecar.h"
#include "PalaverCore/Json.h"
#include "Files.h"

#include <algorithm>
#include <random>
#include <utility>

namespace PalaverCore
{
	namespace
	{
		constexpr long MaxReadyBytes = 4096;
		constexpr long MaxComplaintBytes = 1000;
		/** What the sidecar ends with when its arguments are wrong: they will be wrong the next time too. */
		constexpr int BadArguments = 2;

		std::string NewSecret()
		{
			constexpr char Hex[] = "0123456789abcdef";
			std::random_device Device;
			std::string Secret;
			for (int Index = 0; Index < 8; ++Index)
			{
				unsigned int Word = Device();
				for (int Digit = 0; Digit < 8; ++Digit, Word >>= 4)
				{
					Secret += Hex[Word & 15];
				}
			}
			return Secret;
		}
	}

	Sidecar::~Sidecar()
	{
		Stop(0);
	}

	void Sidecar::Start(const SidecarOptions& InOptions, std::int64_t NowMs)
	{
		Options = InOptions;
		Failures = 0;
		LaunchNow(NowMs);
	}

	void Sidecar::LaunchNow(std::int64_t NowMs)
	{
		// One that a crashed game has left would be taken for the new sidecar's.
		DeleteFileAt(Options.ReadyFile);
		SecretText = NewSecret();
		PortNumber = 0;
		LaunchedAtMs = NowMs;
		++LaunchNumber;
		ChildOptions Process = Options.Process;
		Process.Arguments.insert(Process.Arguments.end(),
			{"--ready-file", Options.ReadyFile, "--parent-pid", std::to_string(ChildProcess::OwnId())});
		Process.Environment.emplace_back("PALAVER_SECRET", SecretText);
		Now = SidecarState::Starting;
		Problem Wrong = Child.Start(Process);
		if (Wrong.IsSet())
		{
			LastTrouble = std::move(Wrong);
			Now = SidecarState::Failed;
		}
	}

	void Sidecar::Poll(std::int64_t NowMs)
	{
		if (Now == SidecarState::Waiting && NowMs >= RestartAtMs)
		{
			LaunchNow(NowMs);
		}
		if (Now != SidecarState::Starting && Now != SidecarState::Running)
		{
			return;
		}
		if (!Child.IsRunning())
		{
			OnEnded(NowMs, "sidecar-ended", "the sidecar has ended with exit code " + std::to_string(Child.ExitCode()));
		}
		else if (Now == SidecarState::Starting && ReadReadyFile())
		{
			Now = SidecarState::Running;
		}
		else if (Now == SidecarState::Starting && NowMs - LaunchedAtMs > StartTimeoutMs)
		{
			Child.Kill();
			OnEnded(NowMs, "timeout", "the sidecar did not tell its port");
		}
	}

	bool Sidecar::ReadReadyFile()
	{
		Document Read;
		if (ReadJson(ReadEndOfFile(Options.ReadyFile, MaxReadyBytes), Read) != nullptr)
		{
			return false;
		}
		const std::int64_t Told = Read.Root().Find("port").ToInt();
		PortNumber = Told > 0 && Told <= UINT16_MAX ? static_cast<std::uint16_t>(Told) : std::uint16_t{0};
		return PortNumber != 0;
	}

	void Sidecar::OnEnded(std::int64_t NowMs, const char* Code, const std::string& What)
	{
		const std::string Said = ReadEndOfFile(Options.Process.OutputFile, MaxComplaintBytes);
		LastTrouble = {Code, Said.empty() ? What : What + ": " + Said, "Correct what it complains of"};
		PortNumber = 0;
		Failures = NowMs - LaunchedAtMs > GoodWhileMs ? 1 : Failures + 1;
		const bool bHopeless = Child.ExitCode() == BadArguments || Failures >= MaxFailures;
		Now = bHopeless ? SidecarState::Failed : SidecarState::Waiting;
		RestartAtMs = NowMs + std::min(LastRestartMs, FirstRestartMs << (Failures - 1));
		DeleteFileAt(Options.ReadyFile);
	}

	void Sidecar::Restart(std::int64_t NowMs)
	{
		if (Now == SidecarState::Running)
		{
			Child.Kill();
			OnEnded(NowMs, "sidecar-silent", "the sidecar did not answer and was ended");
		}
	}

	void Sidecar::Stop(std::int64_t GraceMs)
	{
		if (Child.IsRunning() && GraceMs > 0)
		{
			Child.Terminate();
			Child.Wait(GraceMs);
		}
		Child.Kill();
		if (Now != SidecarState::Stopped)
		{
			DeleteFileAt(Options.ReadyFile);
		}
		Now = SidecarState::Stopped;
		PortNumber = 0;
	}
}
