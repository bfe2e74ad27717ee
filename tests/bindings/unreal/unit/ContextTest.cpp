#include "Game.h"

using namespace PalaverCore;

namespace
{
	const std::vector<std::string> Answers = {"Yes.", "No.", "Ask me later."};

	MapWriter Reply(MsgPackWriter& Out, const char* Type, RequestId Request)
	{
		MapWriter Map(Out);
		Map.Key("type").Text(Type);
		Map.Key("request").Int(Request);
		return Map;
	}

	std::string SummaryOf(RequestId Request, const char* Text, std::int64_t Keep)
	{
		MsgPackWriter Out;
		MapWriter Map = Reply(Out, "summary", Request);
		Map.Key("id").Text("smith");
		Map.Key("text").Text(Text);
		Map.Key("keep").Int(Keep);
		Map.End();
		return Out.Bytes();
	}
}

TEST(Context, AChooseEndsInTheSidecarsChoice)
{
	Game Played;
	Played.Run(100);
	const AskHandle Handle = Played.Talk.Choose("smith", "Well?", Answers, {}, Played.Now);
	Played.Run(20);
	const RequestId Request = Played.Sidecar.Last(MessageType::Choose).Request;
	// A line is no answer to it.
	Played.Sidecar.SendLine(Request, "Aye.");
	Played.Sidecar.SendChoice(Request, 1, 3);
	Played.Run(20);
	const Event Ended = Played.EndOf(Handle);
	CHECK(Ended.Kind == EventKind::Choice);
	CHECK_EQUAL(Ended.Chosen.Index, 1U);
	CHECK(Ended.Chosen.Source == LineSource::Model);
	CHECK(Ended.Chosen.Probabilities == std::vector<double>({0.0, 1.0, 0.0}));
	CHECK_EQUAL(Played.Talk.SaveNpc("smith"), WriteSave("smith", {}));
}

TEST(Context, AChooseWithoutAnAnswerIsTheFirstOption)
{
	Game Played;
	Played.Run(100);
	const AskHandle Refused = Played.Talk.Choose("smith", "Well?", Answers, {}, Played.Now);
	Played.Run(20);
	Played.Sidecar.SendError(Played.Sidecar.Last(MessageType::Choose).Request, "busy");
	const AskHandle Silent = Played.Talk.Choose("smith", "Well?", Answers, {100, 0, Policy::Queue}, Played.Now);
	const AskHandle Alone = Played.Talk.Choose("smith", "Well?", {"Yes."}, {}, Played.Now);
	const AskHandle None = Played.Talk.Choose("smith", "Well?", {}, {}, Played.Now);
	Played.Run(400);
	CHECK_EQUAL(Played.EndOf(Refused).Chosen.FinishReason, "busy");
	CHECK_EQUAL(Played.EndOf(Silent).Chosen.FinishReason, "timeout");
	CHECK_EQUAL(Played.EndOf(Silent).Chosen.Index, 0U);
	CHECK(Played.EndOf(Silent).Chosen.Probabilities == std::vector<double>(3, 1.0 / 3.0));
	CHECK_EQUAL(Played.EndOf(Alone).Chosen.FinishReason, "bad-request");
	CHECK_EQUAL(Played.EndOf(None).Chosen.FinishReason, "bad-request");
	const AskHandle Given = Played.Talk.Choose("smith", "Well?", Answers, {}, Played.Now);
	CHECK(Played.Talk.Cancel(Given));
	Played.Run(20);
	CHECK(Played.EndOf(Given).Kind == EventKind::Cancelled);
}

TEST(Context, ANewConnectionIsToldWorldMemoryAndChooses)
{
	Game Played;
	World Facts;
	Facts.Sections = {{"time", {"It is evening."}, {}}};
	CHECK(!Played.Talk.PutWorld(Facts).IsSet());
	CHECK(!Played.Talk.SetSummary("smith", "They met.", 1).IsSet());
	CHECK_EQUAL(Played.Talk.SetSummary("smith", "They met.", 17).Code, "bad-request");
	CHECK_EQUAL(Played.Talk.SetSummary("nobody", "They met.").Code, "unknown-npc");
	const AskHandle Handle = Played.Talk.Choose("smith", "Well?", Answers, {60'000, 3, Policy::Replace}, Played.Now);
	Played.Run(100);
	Played.Sidecar.Drop();
	Played.Sidecar.Messages.clear();
	Played.Run(500);
	const std::vector<Got>& Told = Played.Sidecar.Messages;
	CHECK_EQUAL(Told.size(), 4U);
	CHECK(Told[0].Type == MessageType::WorldPut);
	CHECK(Told[1].Type == MessageType::NpcPut);
	CHECK_EQUAL(Told[2].Text("data"), WriteSave("smith", {"They met.", {}}));
	CHECK(Told[3].Type == MessageType::Choose);
	CHECK_EQUAL(Told[3].Text("policy"), "replace");
	CHECK_EQUAL(Told[3].Int("priority"), 3);
	CHECK(Told[3].Int("deadline_ms") < 60'000);
	Played.Sidecar.SendChoice(Told[3].Request, 2, 3);
	Played.Run(20);
	CHECK_EQUAL(Played.EndOf(Handle).Chosen.Index, 2U);
}

TEST(Context, FallbacksHoldWhatIsPinned)
{
	Game Played;
	Persona Npc = Mira();
	Npc.Fallbacks = {"Not now."};
	Npc.Situations = {{"closed", {"Come back tomorrow."}}};
	CHECK(!Played.Talk.PutNpc(Npc).IsSet());
	Played.Run(100);
	const auto Said = [&Played](const AskOptions& Options)
	{
		const AskHandle Handle = Played.Ask("Hello", Options);
		Played.Run(20);
		Played.Sidecar.SendError(Played.LastAsk(), "busy");
		Played.Run(20);
		return Played.LineOf(Handle).Text;
	};
	AskOptions Closed;
	Closed.Situation = "closed";
	CHECK_EQUAL(Said(Closed), "Come back tomorrow.");
	CHECK_EQUAL(Said(Closed), "Not now.");
	Closed.MustInclude = {"Forty gold"};
	CHECK_EQUAL(Said(Closed), "Come back tomorrow. Forty gold.");
	AskOptions Pinned;
	Pinned.Template = "Bring {*2}, or {*=nothing}.";
	CHECK_EQUAL(Said(Pinned), "Bring ..., or nothing.");
}

TEST(Context, ASummaryOfTheSidecarComesBeforeTheLineThatItIsFor)
{
	Game Played;
	Played.Run(100);
	Played.Ask("One");
	Played.Run(20);
	Played.Sidecar.SendLine(Played.LastAsk(), "Aye.");
	Played.Run(20);
	Played.Ask("Two");
	Played.Run(20);
	Played.Sidecar.Send(SummaryOf(Played.LastAsk() + 100, "Who met?", 0));
	Played.Sidecar.Send(SummaryOf(Played.LastAsk(), "They met.", 0));
	Played.Sidecar.SendLine(Played.LastAsk(), "Aye.");
	Played.Run(20);
	CHECK_EQUAL(Played.Talk.Summary("smith"), "They met.");
	const std::string Saved = WriteSave("smith", {"They met.", {{"Two", "Aye."}}});
	CHECK_EQUAL(Played.Talk.SaveNpc("smith"), Saved);
	CHECK(!Played.Talk.LoadNpc("smith", "{\"palaver_save\": 1, \"npc\": \"smith\", \"turns\": []}").IsSet());
	Played.Sidecar.Send(SummaryOf(Played.LastAsk(), "Of what is no more.", 1));
	Played.Run(20);
	CHECK_EQUAL(Played.Talk.Summary("smith"), "");
}

TEST(Context, LinesTellWhatTheyDo)
{
	MsgPackWriter Out;
	MapWriter Map = Reply(Out, "line", 1);
	Map.Key("text").Text("[lb]Take[lb] it.");
	Map.Key("plain_text").Text("[Take] it.");
	Map.Key("directions").List(1);
	Out.Text("sighs");
	MapWriter Action(Map.Key("action"));
	Action.Key("name").Text("give");
	MapWriter Args(Action.Key("args"));
	Args.Key("item").Text("iron kettle");
	Args.Key("count").Int(3);
	Args.End();
	Action.End();
	Map.End();
	Document Read;
	CHECK(ReadMsgPack(Out.Bytes(), Read) == nullptr);
	const Line Said = ReadLine(Read.Root());
	CHECK_EQUAL(Said.PlainText, "[Take] it.");
	CHECK_EQUAL(Said.Directions.at(0), "sighs");
	CHECK_EQUAL(Said.Action.Name, "give");
	CHECK_EQUAL(Said.Action.Args.at(0).Text, "iron kettle");
	CHECK_EQUAL(Said.Action.Args.at(1).Text, "3");
	CHECK_EQUAL(Said.Action.Args.at(1).Number, 3);
}

TEST(Context, PromptsComeOrTellWhyNot)
{
	Game Played;
	const AskHandle Early = Played.Talk.Prompt("smith", "Hello", Played.Now);
	Played.Run(100);
	CHECK_EQUAL(Played.EndOf(Early).What.Code, "unreachable");
	const AskHandle Handle = Played.Talk.Prompt("smith", "Hello", Played.Now);
	Played.Run(20);
	MsgPackWriter Out;
	MapWriter Map = Reply(Out, "prompt", Played.Sidecar.Last(MessageType::PromptGet).Request);
	Map.Key("text").Text("You are Mira.");
	Map.Key("tokens").Int(12);
	Map.Key("dropped").List(1);
	Out.Text("A fact.");
	Map.End();
	Played.Sidecar.Send(Out.Bytes());
	Played.Run(20);
	const Event Seen = Played.EndOf(Handle);
	CHECK(Seen.Kind == EventKind::Prompt);
	CHECK_EQUAL(Seen.Seen.Text, "You are Mira.");
	CHECK_EQUAL(Seen.Seen.Tokens, 12);
	CHECK_EQUAL(Seen.Seen.Dropped.at(0), "A fact.");
	const AskHandle Refused = Played.Talk.Prompt("smith", "Hello", Played.Now);
	Played.Run(20);
	Played.Sidecar.SendError(Played.Sidecar.Last(MessageType::PromptGet).Request, "loading");
	const AskHandle Silent = Played.Talk.Prompt("smith", "Hello", Played.Now);
	const AskHandle Unknown = Played.Talk.Prompt("nobody", "Hello", Played.Now);
	const AskHandle Blank = Played.Talk.Prompt("smith", " ", Played.Now);
	Played.Run(Client::PromptMs + 100);
	CHECK_EQUAL(Played.EndOf(Refused).What.Code, "loading");
	CHECK_EQUAL(Played.EndOf(Silent).What.Code, "timeout");
	CHECK_EQUAL(Played.EndOf(Unknown).What.Code, "unknown-npc");
	CHECK_EQUAL(Played.EndOf(Blank).What.Code, "bad-request");
}
