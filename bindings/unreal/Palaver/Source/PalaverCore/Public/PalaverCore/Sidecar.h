#pragma once

#include "PalaverCore/ChildProcess.h"

namespace PalaverCore
{
	enum class SidecarState : std::uint8_t
	{
		Stopped,
		/** The process runs and has not told its port. */
		Starting,
		Running,
		/** It has ended on its own, and is started again after a while. */
		Waiting,
		/** It cannot be used; nothing happens until Start is called again. */
		Failed
	};

	/** How to start a sidecar. All texts are UTF-8. */
	struct SidecarOptions
	{
		/**
		 * The program with its arguments and variables, and where its output goes. `--ready-file` and `--parent-pid` are
		 * added, and PALAVER_SECRET, which is a new one for each launch.
		 */
		ChildOptions Process;
		/** Where the sidecar tells its port: a file of this process's own, in a folder that can be written. */
		std::string ReadyFile;
	};

	/** A sidecar process that is started, watched, started again when it ends, and always ended. */
	class PALAVERCORE_API Sidecar
	{
	public:
		static constexpr std::int64_t StartTimeoutMs = 60'000;
		/** The first wait before it is started again; it doubles up to the last. */
		static constexpr std::int64_t FirstRestartMs = 250;
		static constexpr std::int64_t LastRestartMs = 4000;
		/** So many ends in a row, none of them after a good while, and it counts as failed. */
		static constexpr int MaxFailures = 5;
		static constexpr std::int64_t GoodWhileMs = 60'000;

		Sidecar() = default;
		Sidecar(const Sidecar&) = delete;
		Sidecar& operator=(const Sidecar&) = delete;
		~Sidecar();

		void Start(const SidecarOptions& InOptions, std::int64_t NowMs);
		/** Look after it, once a frame; never waits. */
		void Poll(std::int64_t NowMs);
		/** End the process and start it again: it runs, and is of no use. */
		void Restart(std::int64_t NowMs);
		/** End it: politely first, by force after so long. Waits that long at most. */
		void Stop(std::int64_t GraceMs);

		SidecarState State() const { return Now; }
		/** Of one that runs. */
		std::uint16_t Port() const { return PortNumber; }
		const std::string& Secret() const { return SecretText; }
		/** Counts the launches. */
		std::uint32_t Launch() const { return LaunchNumber; }
		std::int64_t ProcessId() const { return Child.Id(); }
		/** Why it ended or did not start the last time. */
		const Problem& Trouble() const { return LastTrouble; }

	private:
		void LaunchNow(std::int64_t NowMs);
		bool ReadReadyFile();
		void OnEnded(std::int64_t NowMs, const char* Code, const std::string& What);

		ChildProcess Child;
		SidecarOptions Options;
		SidecarState Now = SidecarState::Stopped;
		std::uint16_t PortNumber = 0;
		std::string SecretText;
		std::uint32_t LaunchNumber = 0;
		int Failures = 0;
		std::int64_t LaunchedAtMs = 0;
		std::int64_t RestartAtMs = 0;
		Problem LastTrouble;
	};
}
