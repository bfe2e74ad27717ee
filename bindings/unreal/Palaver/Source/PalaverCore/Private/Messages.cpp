#include "PalaverCore/Messages.h"
#include "PalaverCore/MessageCheck.h"
#include "Payload.h"

namespace PalaverCore
{
	namespace
	{
		/** What a sidecar takes where a budget names none. */
		constexpr double DefaultFps = 60.0;

		MapWriter Begin(MsgPackWriter& Out, std::string_view Type, RequestId Request)
		{
			MapWriter Map(Out);
			Map.Key("type").Text(Type);
			Map.Key("request").Int(Request);
			return Map;
		}

		void WriteText(MapWriter& Map, std::string_view Name, std::string_view Text)
		{
			if (!Text.empty())
			{
				Map.Key(Name).Text(Text);
			}
		}

		void WriteInt(MapWriter& Map, std::string_view Name, const std::optional<std::int64_t>& Number)
		{
			if (Number.has_value())
			{
				Map.Key(Name).Int(*Number);
			}
		}

		void WriteTiming(MapWriter& Map, std::optional<std::int64_t> DeadlineMs, std::int64_t Priority, Policy WhenBusy)
		{
			WriteInt(Map, "deadline_ms", DeadlineMs);
			if (Priority != 0)
			{
				Map.Key("priority").Int(Priority);
			}
			if (WhenBusy != Policy::Queue)
			{
				Map.Key("policy").Text(WhenBusy == Policy::Replace ? "replace" : "reject");
			}
		}

		constexpr std::string_view EscapeNames[] = {"plain", "bbcode", "richtext", "yarn", "ink"};
	}

	void Messages::Hello(MsgPackWriter& Out, RequestId Request, std::string_view Secret)
	{
		MapWriter Map = Begin(Out, "hello", Request);
		Map.Key("protocol").Int(ProtocolVersion);
		WriteText(Map, "secret", Secret);
		Map.Key("client").Text("palaver-unreal");
		Map.End();
	}

	void Messages::Ping(MsgPackWriter& Out, RequestId Request)
	{
		Begin(Out, "ping", Request).End();
	}

	void Messages::Stats(MsgPackWriter& Out, RequestId Request)
	{
		Begin(Out, "stats", Request).End();
	}

	void Messages::NpcPut(MsgPackWriter& Out, RequestId Request, const Persona& Npc)
	{
		MapWriter Map = Begin(Out, "npc.put", Request);
		Payload::WritePersona(Map.Key("npc"), Npc);
		Map.End();
	}

	void Messages::NpcForget(MsgPackWriter& Out, RequestId Request, std::string_view NpcId)
	{
		MapWriter Map = Begin(Out, "npc.forget", Request);
		Map.Key("id").Text(NpcId);
		Map.End();
	}

	void Messages::NpcLoad(MsgPackWriter& Out, RequestId Request, std::string_view Data)
	{
		MapWriter Map = Begin(Out, "npc.load", Request);
		Map.Key("data").Text(Data);
		Map.End();
	}

	void Messages::NpcSummary(
		MsgPackWriter& Out, RequestId Request, std::string_view NpcId, std::string_view Text, std::int64_t Keep)
	{
		MapWriter Map = Begin(Out, "npc.summary", Request);
		Map.Key("id").Text(NpcId);
		Map.Key("text").Text(Text);
		if (Keep != UsualKeep)
		{
			Map.Key("keep").Int(Keep);
		}
		Map.End();
	}

	void Messages::WorldPut(MsgPackWriter& Out, RequestId Request, const World& Facts)
	{
		MapWriter Map = Begin(Out, "world.put", Request);
		Payload::WriteWorld(Map.Key("world"), Facts);
		Map.End();
	}

	void Messages::PromptGet(MsgPackWriter& Out, RequestId Request, std::string_view NpcId, std::string_view Text)
	{
		MapWriter Map = Begin(Out, "prompt.get", Request);
		Map.Key("npc").Text(NpcId);
		Map.Key("text").Text(Text);
		Map.End();
	}

	void Messages::Choose(MsgPackWriter& Out, RequestId Request, const ChooseMessage& Wanted)
	{
		MapWriter Map = Begin(Out, "choose", Request);
		Map.Key("npc").Text(Wanted.NpcId);
		Map.Key("text").Text(Wanted.Text);
		Payload::WriteTexts(Map, "options", Wanted.Answers);
		WriteTiming(Map, Wanted.DeadlineMs, Wanted.Options.Priority, Wanted.Options.WhenBusy);
		Map.End();
	}

	void Messages::Ask(MsgPackWriter& Out, RequestId Request, const AskMessage& Wanted)
	{
		const AskOptions& Options = Wanted.Options;
		MapWriter Map = Begin(Out, "ask", Request);
		Map.Key("npc").Text(Wanted.NpcId);
		Map.Key("text").Text(Wanted.Text);
		WriteInt(Map, "seed", Options.Seed);
		WriteInt(Map, "steps", Options.Steps);
		WriteInt(Map, "max_tokens", Options.MaxTokens);
		WriteTiming(Map, Wanted.DeadlineMs, Options.Priority, Options.WhenBusy);
		WriteInt(Map, "draft_every_ms", Options.DraftEveryMs);
		WriteInt(Map, "stop_after_steps", Options.StopAfterSteps);
		WriteText(Map, "sampler", Options.Sampler);
		if (!Options.bDeterministic)
		{
			Map.Key("deterministic").Bool(false);
		}
		WriteText(Map, "template", Options.Template);
		Payload::WriteTexts(Map, "must_include", Options.MustInclude);
		WriteText(Map, "situation", Options.Situation);
		if (Options.Escape != LineEscape::Plain)
		{
			Map.Key("escape").Text(EscapeNames[static_cast<std::size_t>(Options.Escape)]);
		}
		if (!Options.bRecord)
		{
			Map.Key("record").Bool(false);
		}
		Map.End();
	}

	void Messages::Cancel(MsgPackWriter& Out, RequestId Request, RequestId Target)
	{
		MapWriter Map = Begin(Out, "cancel", Request);
		Map.Key("target").Int(Target);
		Map.End();
	}

	void Messages::Tick(MsgPackWriter& Out, std::int64_t Frame, double BudgetMs)
	{
		MapWriter Map(Out);
		Map.Key("type").Text("tick");
		Map.Key("frame").Int(Frame);
		Map.Key("budget_ms").Float(BudgetMs);
		Map.End();
	}

	void Messages::Budget(MsgPackWriter& Out, RequestId Request, double MaxLoad, double Fps)
	{
		MapWriter Map = Begin(Out, "budget", Request);
		Map.Key("max_load").Float(MaxLoad);
		if (Fps != DefaultFps)
		{
			Map.Key("fps").Float(Fps);
		}
		Map.End();
	}

	void Messages::Bye(MsgPackWriter& Out, RequestId Request)
	{
		Begin(Out, "bye", Request).End();
	}

	Problem Messages::Checked(const MsgPackWriter& Written, const char* Hint)
	{
		Document Read;
		if (const char* Wrong = ReadMsgPack(Written.Bytes(), Read))
		{
			return {"bad-request", Wrong, Hint};
		}
		const MessageCheck Result = CheckMessage(Read);
		if (Result.Code == nullptr)
		{
			return {};
		}
		return {Result.Code, std::string(Result.Field) + " is missing, of a wrong type or out of range", Hint};
	}
}
