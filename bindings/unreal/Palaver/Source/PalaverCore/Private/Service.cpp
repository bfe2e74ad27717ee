#include "PalaverCore/Service.h"

namespace PalaverCore
{
	void Service::Start(const SidecarOptions& Options, std::int64_t NowMs)
	{
		Process.Start(Options, NowMs);
	}

	void Service::Connect(std::uint16_t Port, std::string_view Secret)
	{
		Process.Stop(0);
		Talk.Open(Port, Secret);
	}

	void Service::Poll(std::int64_t NowMs)
	{
		Process.Poll(NowMs);
		const bool bRunning = Process.State() == SidecarState::Running;
		if (bRunning && KnownLaunch != Process.Launch())
		{
			KnownLaunch = Process.Launch();
			ReadyAtMs = NowMs;
			Talk.Open(Process.Port(), Process.Secret());
		}
		Talk.Poll(NowMs);
		if (Talk.State() == ConnectionState::Ready)
		{
			ReadyAtMs = NowMs;
		}
		else if (bRunning && NowMs - ReadyAtMs > SilentMs)
		{
			Process.Restart(NowMs);
		}
	}

	void Service::Stop(std::int64_t GraceMs)
	{
		if (Process.State() == SidecarState::Running)
		{
			Talk.SayBye();
		}
		Process.Stop(GraceMs);
		Talk.Close();
	}
}
