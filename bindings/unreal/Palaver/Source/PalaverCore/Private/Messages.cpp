#include "PalaverCore/Messages.h"
#include "PalaverCore/MessageCheck.h"

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

		void WriteTexts(MapWriter& Map, std::string_view Name, const std::vector<std::string>& Texts)
		{
			if (Texts.empty())
			{
				return;
			}
			MsgPackWriter& Out = Map.Key(Name);
			Out.List(static_cast<std::uint32_t>(Texts.size()));
			for (const std::string& Text : Texts)
			{
				Out.Text(Text);
			}
		}

		void WritePersona(MsgPackWriter& Out, const Persona& Npc)
		{
			MapWriter Map(Out);
			Map.Key("id").Text(Npc.Id);
			Map.Key("name").Text(Npc.Name);
			Map.Key("role").Text(Npc.Role);
			WriteText(Map, "place", Npc.Place);
			WriteText(Map, "mood", Npc.Mood);
			WriteText(Map, "manner", Npc.Manner);
			WriteTexts(Map, "knowledge", Npc.Knowledge);
			WriteTexts(Map, "fallbacks", Npc.Fallbacks);
			WriteTexts(Map, "banned", Npc.Banned);
			Map.End();
		}

		void WriteInt(MapWriter& Map, std::string_view Name, const std::optional<std::int64_t>& Number)
		{
			if (Number.has_value())
			{
				Map.Key(Name).Int(*Number);
			}
		}

		/** The problem that a sidecar would find in a message. */
		Problem Checked(const MsgPackWriter& Written, const char* Hint)
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
		WritePersona(Map.Key("npc"), Npc);
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

	void Messages::Ask(MsgPackWriter& Out, RequestId Request, const AskMessage& Wanted)
	{
		const AskOptions& Options = Wanted.Options;
		MapWriter Map = Begin(Out, "ask", Request);
		Map.Key("npc").Text(Wanted.NpcId);
		Map.Key("text").Text(Wanted.Text);
		WriteInt(Map, "seed", Options.Seed);
		WriteInt(Map, "steps", Options.Steps);
		WriteInt(Map, "max_tokens", Options.MaxTokens);
		WriteInt(Map, "deadline_ms", Wanted.DeadlineMs);
		if (Options.Priority != 0)
		{
			Map.Key("priority").Int(Options.Priority);
		}
		if (Options.WhenBusy != Policy::Queue)
		{
			Map.Key("policy").Text(Options.WhenBusy == Policy::Replace ? "replace" : "reject");
		}
		WriteInt(Map, "draft_every_ms", Options.DraftEveryMs);
		WriteInt(Map, "stop_after_steps", Options.StopAfterSteps);
		WriteText(Map, "sampler", Options.Sampler);
		if (!Options.bDeterministic)
		{
			Map.Key("deterministic").Bool(false);
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

	Problem Persona::Check() const
	{
		MsgPackWriter Written;
		Messages::NpcPut(Written, 0, *this);
		return Checked(Written, "Give id, name and role; 200 characters each, 256 facts and 64 fallbacks of 1000");
	}

	Problem AskOptions::Check(std::string_view Text) const
	{
		MsgPackWriter Written;
		Messages::Ask(Written, 0, {"npc", Text, *this, DeadlineMs});
		return Checked(Written, "The limits stand in the comments of AskOptions; text has 1 to 4000 characters");
	}
}
