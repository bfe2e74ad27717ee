#include "Plays.h"

#include "PalaverCore/Json.h"
#include "PalaverCore/Service.h"

#include <cstdio>
#include <poll.h>
#include <unistd.h>

using namespace PalaverCore;

namespace
{
	constexpr int FrameMs = 4;

	/** One JSON map on a line of standard output. */
	class Told
	{
	public:
		explicit Told(const char* Event) { Text("event", Event); }
		~Told()
		{
			std::puts((Json + "}").c_str());
			std::fflush(stdout);
		}
		Told(const Told&) = delete;
		Told& operator=(const Told&) = delete;

		Told& Text(const char* Name, std::string_view Given)
		{
			Key(Name);
			AppendJsonText(Json, Given);
			return *this;
		}
		template <typename Any>
		Told& Number(const char* Name, Any Given)
		{
			Key(Name);
			Json += std::to_string(Given);
			return *this;
		}

	private:
		void Key(const char* Name)
		{
			Json += Json.empty() ? "{" : ", ";
			AppendJsonText(Json, Name);
			Json += ": ";
		}

		std::string Json;
	};

	class Puppet
	{
	public:
		/** Standard input's next line, or false when it has ended. */
		bool Frame()
		{
			if (BudgetMs >= 0.0)
			{
				Game.GetClient().Tick(++FrameNumber, BudgetMs);
			}
			Game.Poll(NowMs());
			for (Event Each; Game.GetClient().NextEvent(Each);)
			{
				Tell(Each);
			}
			const SidecarState State = Game.GetSidecar().State();
			if (State != ToldState)
			{
				ToldState = State;
				Told("sidecar")
					.Number("state", static_cast<int>(State))
					.Number("pid", Game.GetSidecar().ProcessId())
					.Number("port", Game.GetSidecar().Port())
					.Text("trouble", Game.GetSidecar().Trouble().Message);
			}
			return TakeCommands();
		}

	private:
		bool TakeCommands()
		{
			pollfd Input = {STDIN_FILENO, POLLIN, 0};
			if (poll(&Input, 1, FrameMs) <= 0)
			{
				return true;
			}
			char Bytes[4096];
			const ssize_t Count = read(STDIN_FILENO, Bytes, sizeof(Bytes));
			if (Count <= 0)
			{
				return false;
			}
			Typed.append(Bytes, static_cast<std::size_t>(Count));
			for (std::size_t End = Typed.find('\n'); End != std::string::npos; End = Typed.find('\n'))
			{
				const std::string Row = Typed.substr(0, End);
				Typed.erase(0, End + 1);
				Document Command;
				if (const char* Wrong = ReadJson(Row, Command))
				{
					Told("bad-command").Text("what", Wrong);
					continue;
				}
				Do(Command.Root());
			}
			return true;
		}

		void Do(const Value& Command)
		{
			const std::string_view What = Command.Find("do").ToText();
			const std::string_view NpcId = Command.Find("npc").ToText();
			Client& Talk = Game.GetClient();
			if (What == "connect")
			{
				Game.Connect(static_cast<std::uint16_t>(Command.Find("port").ToInt()), Command.Find("secret").ToText());
			}
			else if (What == "start")
			{
				Start(Command);
			}
			else if (What == "put")
			{
				Told("put").Text("code", Talk.PutNpc(ReadPersona(Command.Find("npc"))).Code);
			}
			else if (What == "forget")
			{
				Talk.ForgetNpc(NpcId);
			}
			else if (What == "save")
			{
				Told("saved").Text("data", Talk.SaveNpc(NpcId));
			}
			else if (What == "load")
			{
				Told("loaded").Text("code", Talk.LoadNpc(NpcId, Command.Find("data").ToText()).Code);
			}
			else if (What == "ask")
			{
				Told("asked").Number("ask", Talk.Ask(NpcId, Command.Find("text").ToText(), OptionsOf(Command), NowMs()));
			}
			else if (What == "choose")
			{
				ChooseOptions Options;
				Options.DeadlineMs = OptionsOf(Command).DeadlineMs;
				const std::string_view Text = Command.Find("text").ToText();
				Told("asked").Number("ask", Talk.Choose(NpcId, Text, TextsOf(Command.Find("options")), Options, NowMs()));
			}
			else if (What == "prompt")
			{
				Told("asked").Number("ask", Talk.Prompt(NpcId, Command.Find("text").ToText(), NowMs()));
			}
			else if (What == "world")
			{
				World Facts;
				Facts.Sections.push_back({"time", TextsOf(Command.Find("time")), {}});
				Facts.Sections.push_back({"prices", TextsOf(Command.Find("prices")), 40});
				Told("world").Text("code", Talk.PutWorld(Facts).Code);
			}
			else if (What == "summary")
			{
				Told("summary").Text(
					"code", Talk.SetSummary(NpcId, Command.Find("text").ToText(), Command.Find("keep").ToInt(4)).Code);
			}
			else if (What == "cancel")
			{
				Talk.Cancel(static_cast<AskHandle>(Command.Find("ask").ToInt()));
			}
			else if (What == "tick")
			{
				BudgetMs = Command.Find("budget_ms").ToNumber();
			}
			else if (What == "budget")
			{
				BudgetMs = -1.0;
				Talk.SetBudget(Command.Find("max_load").ToNumber(), Command.Find("fps").ToNumber());
			}
			else if (What == "report")
			{
				Talk.RequestReport();
			}
			else if (What == "stop")
			{
				Game.Stop(Command.Find("grace_ms").ToInt());
				Told("stopped");
			}
			else
			{
				Told("bad-command").Text("what", What);
			}
		}

		void Start(const Value& Command)
		{
			SidecarOptions Options;
			Options.Process.Program = Command.Find("program").ToText();
			Options.Process.OutputFile = Command.Find("output").ToText();
			Options.ReadyFile = Command.Find("ready_file").ToText();
			Options.Process.Arguments = TextsOf(Command.Find("arguments"));
			const Value Variables = Command.Find("environment");
			Value Name = Variables.First();
			for (std::uint32_t Index = 0; Index < Variables.Count(); ++Index, Name = Name.Next().Next())
			{
				Options.Process.Environment.emplace_back(Name.ToText(), Name.Next().ToText());
			}
			Game.Start(Options, NowMs());
		}

		static AskOptions OptionsOf(const Value& Command)
		{
			AskOptions Options;
			const auto Read = [&Command](const char* Name, std::optional<std::int64_t>& Into)
			{
				if (Command.Find(Name).IsValid())
				{
					Into = Command.Find(Name).ToInt();
				}
			};
			Read("seed", Options.Seed);
			Read("steps", Options.Steps);
			Read("max_tokens", Options.MaxTokens);
			Read("deadline_ms", Options.DeadlineMs);
			Read("draft_every_ms", Options.DraftEveryMs);
			Options.Template = Command.Find("template").ToText();
			Options.MustInclude = TextsOf(Command.Find("must_include"));
			Options.Situation = Command.Find("situation").ToText();
			Options.Escape = static_cast<LineEscape>(Command.Find("escape").ToInt());
			Options.bRecord = !Command.Find("unrecorded").ToBool();
			return Options;
		}

		static void Tell(const Event& Given)
		{
			switch (Given.Kind)
			{
			case EventKind::Draft:
				Told("draft")
					.Number("ask", Given.Handle)
					.Text("text", Given.SaidSoFar.Text)
					.Number("steps_done", Given.SaidSoFar.StepsDone);
				break;
			case EventKind::Line:
			{
				constexpr const char* Sources[] = {"model", "draft", "fallback"};
				Told("line")
					.Number("ask", Given.Handle)
					.Text("npc", Given.NpcId)
					.Text("text", Given.Said.Text)
					.Text("plain_text", Given.Said.PlainText)
					.Text("source", Sources[static_cast<int>(Given.Said.Source)])
					.Text("finish_reason", Given.Said.FinishReason)
					.Number("seed", Given.Said.Seed);
				break;
			}
			case EventKind::Choice:
				Told("choice")
					.Number("ask", Given.Handle)
					.Number("index", Given.Chosen.Index)
					.Number("count", Given.Chosen.Probabilities.size())
					.Text("finish_reason", Given.Chosen.FinishReason);
				break;
			case EventKind::Prompt:
				Told("prompt")
					.Number("ask", Given.Handle)
					.Text("text", Given.Seen.Text)
					.Number("tokens", Given.Seen.Tokens)
					.Number("dropped", Given.Seen.Dropped.size())
					.Text("code", Given.What.Code);
				break;
			case EventKind::Cancelled: Told("cancelled").Number("ask", Given.Handle); break;
			case EventKind::StateChanged: Told("state").Number("state", static_cast<int>(Given.State)); break;
			case EventKind::Report:
				Told("report").Number("npcs", Given.Status.Npcs).Number("lines_model", Given.Status.LinesModel);
				break;
			case EventKind::Problem: Told("problem").Text("code", Given.What.Code).Text("npc", Given.NpcId); break;
			}
		}

		Service Game{7};
		std::string Typed;
		double BudgetMs = -1.0;
		std::int64_t FrameNumber = 0;
		SidecarState ToldState = SidecarState::Stopped;
	};
}

int PlayPuppet()
{
	Puppet Made;
	while (Made.Frame())
	{
	}
	return 0;
}
