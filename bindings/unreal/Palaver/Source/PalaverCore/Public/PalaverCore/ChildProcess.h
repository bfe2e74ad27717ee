#pragma once

#include "PalaverCore/Api.h"
#include "PalaverCore/Problem.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace PalaverCore
{
	/** What to run. All texts are UTF-8. */
	struct ChildOptions
	{
		/** A path, or a name that is looked for where the system looks for programs. */
		std::string Program;
		std::vector<std::string> Arguments;
		/** Variables that are set beside those of this process. */
		std::vector<std::pair<std::string, std::string>> Environment;
		/** What the process writes goes here, from the start of the file; nowhere if empty. */
		std::string OutputFile;
	};

	/** A process that this one has started, and that does not outlive this object. */
	class PALAVERCORE_API ChildProcess
	{
	public:
		ChildProcess() = default;
		ChildProcess(const ChildProcess&) = delete;
		ChildProcess& operator=(const ChildProcess&) = delete;
		~ChildProcess();

		/** Start it; one that runs is killed. Returns what went wrong; code "not-started". */
		Problem Start(const ChildOptions& Options);
		bool IsRunning();
		/** Of one that has ended; the negative signal number where one ended it. */
		int ExitCode() const { return LastExitCode; }
		/** Of one that runs, else 0. */
		std::int64_t Id() const { return ProcessId; }
		/** Ask it to end, where the platform has a way to; it may take its time. */
		void Terminate();
		/** Given to the system to end a process that is killed; more is not waited. */
		static constexpr std::int64_t KillMs = 2000;

		/** End it now. */
		void Kill();
		/** Wait at most so long for its end; whether it has come. The only member that takes time on purpose. */
		bool Wait(std::int64_t LimitMs);

		/** The id of this process. */
		static std::int64_t OwnId();

	private:
		std::int64_t ProcessId = 0;
		int LastExitCode = 0;
		/** Windows: handles of the process, and of the job that ends it with this one. */
		void* Process = nullptr;
		void* Job = nullptr;
	};
}
