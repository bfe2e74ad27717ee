#if defined(_WIN32)

#include "PalaverCore/ChildProcess.h"
#include "WindowsText.h"

#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <windows.h>

#include <memory>

namespace PalaverCore
{
	namespace
	{
		/** An argument as the C runtime of the child takes it apart again. */
		void AppendQuoted(std::wstring& Command, std::wstring_view Argument)
		{
			Command += Command.empty() ? L"\"" : L" \"";
			std::size_t Backslashes = 0;
			for (const wchar_t Letter : Argument)
			{
				if (Letter == L'"')
				{
					Command.append(Backslashes + 1, L'\\');
				}
				Backslashes = Letter == L'\\' ? Backslashes + 1 : 0;
				Command += Letter;
			}
			Command.append(Backslashes, L'\\');
			Command += L'"';
		}

		std::wstring CommandOf(const ChildOptions& Options)
		{
			std::wstring Command;
			AppendQuoted(Command, Widen(Options.Program));
			for (const std::string& Argument : Options.Arguments)
			{
				AppendQuoted(Command, Widen(Argument));
			}
			return Command;
		}

		/** This process's variables and the given ones as a block of "NAME=value", each ended by a NUL. */
		std::wstring EnvironmentOf(const ChildOptions& Options)
		{
			std::wstring Block;
			for (const auto& [Name, Given] : Options.Environment)
			{
				Block += Widen(Name) + L"=" + Widen(Given) + L'\0';
			}
			wchar_t* const Own = GetEnvironmentStringsW();
			for (const wchar_t* Each = Own; Each != nullptr && *Each != L'\0'; Each += std::wstring_view(Each).size() + 1)
			{
				bool bReplaced = false;
				for (const auto& Given : Options.Environment)
				{
					const std::wstring Start = Widen(Given.first) + L"=";
					bReplaced |= _wcsnicmp(Each, Start.c_str(), Start.size()) == 0;
				}
				if (!bReplaced)
				{
					Block += std::wstring(Each) + L'\0';
				}
			}
			if (Own != nullptr)
			{
				FreeEnvironmentStringsW(Own);
			}
			return Block;
		}

		HANDLE OpenInheritable(const wchar_t* Path, DWORD Access, DWORD How)
		{
			SECURITY_ATTRIBUTES Inherited = {sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
			return CreateFileW(
				Path, Access, FILE_SHARE_READ | FILE_SHARE_WRITE, &Inherited, How, FILE_ATTRIBUTE_NORMAL, nullptr);
		}

		/** A job that ends the process when its last handle is closed, also by the death of this process. */
		HANDLE JobFor(HANDLE Process)
		{
			const HANDLE Made = CreateJobObjectW(nullptr, nullptr);
			JOBOBJECT_EXTENDED_LIMIT_INFORMATION Limits = {};
			Limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
			SetInformationJobObject(Made, JobObjectExtendedLimitInformation, &Limits, sizeof(Limits));
			AssignProcessToJobObject(Made, Process);
			return Made;
		}

		bool Spawn(const ChildOptions& Options, PROCESS_INFORMATION& Made)
		{
			HANDLE Files[] = {OpenInheritable(L"NUL", GENERIC_READ, OPEN_EXISTING),
				Options.OutputFile.empty()
					? OpenInheritable(L"NUL", GENERIC_WRITE, OPEN_EXISTING)
					: OpenInheritable(Widen(Options.OutputFile).c_str(), GENERIC_WRITE, CREATE_ALWAYS)};
			// Only these two may be inherited: whatever else the engine has open is none of the child's business.
			SIZE_T Size = 0;
			InitializeProcThreadAttributeList(nullptr, 1, 0, &Size);
			const auto Room = std::make_unique<char[]>(Size);
			STARTUPINFOEXW Start = {};
			Start.lpAttributeList = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(Room.get());
			InitializeProcThreadAttributeList(Start.lpAttributeList, 1, 0, &Size);
			UpdateProcThreadAttribute(Start.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, Files, sizeof(Files),
				nullptr, nullptr);
			Start.StartupInfo.cb = sizeof(Start);
			Start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
			Start.StartupInfo.hStdInput = Files[0];
			Start.StartupInfo.hStdOutput = Files[1];
			Start.StartupInfo.hStdError = Files[1];

			std::wstring Command = CommandOf(Options);
			std::wstring Variables = EnvironmentOf(Options);
			const DWORD Flags = CREATE_NO_WINDOW | CREATE_UNICODE_ENVIRONMENT | EXTENDED_STARTUPINFO_PRESENT;
			const BOOL bMade = CreateProcessW(nullptr, Command.data(), nullptr, nullptr, TRUE, Flags, Variables.data(),
				nullptr, &Start.StartupInfo, &Made);
			DeleteProcThreadAttributeList(Start.lpAttributeList);
			for (const HANDLE File : Files)
			{
				if (File != INVALID_HANDLE_VALUE)
				{
					CloseHandle(File);
				}
			}
			return bMade != FALSE;
		}
	}

	ChildProcess::~ChildProcess()
	{
		Kill();
	}

	Problem ChildProcess::Start(const ChildOptions& Options)
	{
		Kill();
		PROCESS_INFORMATION Made = {};
		if (!Spawn(Options, Made))
		{
			return {"not-started", Options.Program + ": error " + std::to_string(GetLastError()) + " of Windows",
				"Check the path of the program"};
		}
		CloseHandle(Made.hThread);
		Process = Made.hProcess;
		Job = JobFor(Made.hProcess);
		ProcessId = Made.dwProcessId;
		return {};
	}

	bool ChildProcess::IsRunning()
	{
		return ProcessId != 0 && !Wait(0);
	}

	void ChildProcess::Terminate()
	{
		// Windows has no signal for it; the `bye` message is the way, and Kill the other.
	}

	void ChildProcess::Kill()
	{
		if (IsRunning())
		{
			TerminateProcess(Process, 1);
			Wait(KillMs);
		}
	}

	bool ChildProcess::Wait(std::int64_t LimitMs)
	{
		if (ProcessId == 0)
		{
			return true;
		}
		if (WaitForSingleObject(Process, static_cast<DWORD>(LimitMs)) == WAIT_TIMEOUT)
		{
			return false;
		}
		DWORD Code = 0;
		GetExitCodeProcess(Process, &Code);
		LastExitCode = static_cast<int>(Code);
		CloseHandle(Process);
		CloseHandle(Job);
		Process = nullptr;
		Job = nullptr;
		ProcessId = 0;
		return true;
	}

	std::int64_t ChildProcess::OwnId()
	{
		return GetCurrentProcessId();
	}
}

#endif
