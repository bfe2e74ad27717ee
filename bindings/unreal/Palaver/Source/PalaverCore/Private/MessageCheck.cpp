#include "PalaverCore/MessageCheck.h"
#include "FieldRules.h"
#include "PinnedLine.h"

namespace PalaverCore
{
	namespace
	{
		constexpr FieldRule RequestRule = {"request", Rule::Int, Presence::Required, 0, MaxRequest};
		constexpr FieldRule NpcIdRule = {"id", Rule::Text, Presence::Required, 1, MaxFieldCharacters};

		constexpr FieldRule RequestFields[] = {RequestRule};
		constexpr FieldRule NpcIdFields[] = {RequestRule, NpcIdRule};
		constexpr FieldRule HelloFields[] = {
			RequestRule,
			{"protocol", Rule::Int, Presence::Required, INT64_MIN, INT64_MAX},
			{"secret", Rule::Text, Presence::Optional, 0, INT64_MAX},
			{"client", Rule::Text, Presence::Optional, 0, MaxFieldCharacters},
		};
		constexpr FieldRule NpcPutFields[] = {RequestRule, {"npc", Rule::Persona, Presence::Required}};
		constexpr FieldRule NpcLoadFields[] = {RequestRule, {"data", Rule::Text, Presence::Required, 0, INT64_MAX}};
		constexpr FieldRule NpcSummaryFields[] = {
			RequestRule,
			NpcIdRule,
			{"text", Rule::Text, Presence::Required, 0, MaxSummaryCharacters},
			{"keep", Rule::Int, Presence::Optional, 0, 16},
		};
		constexpr FieldRule WorldPutFields[] = {RequestRule, {"world", Rule::World, Presence::Required}};
		constexpr FieldRule WhoRule = {"npc", Rule::PersonaOrId, Presence::Required, 1, MaxFieldCharacters};
		constexpr FieldRule PlayerRule = {"text", Rule::Text, Presence::Required, 1, MaxTextCharacters};
		constexpr FieldRule HistoryRule = {"history", Rule::Turns, Presence::Optional, 0, MaxHistoryTurns};
		constexpr FieldRule WorldRule = {"world", Rule::World, Presence::Optional};
		constexpr FieldRule SummaryRule = {"summary", Rule::Text, Presence::Optional, 0, MaxSummaryCharacters};
		constexpr FieldRule DeadlineRule = {"deadline_ms", Rule::Int, Presence::Optional, 1, 600'000};
		constexpr FieldRule PriorityRule = {"priority", Rule::Int, Presence::Optional, -10, 10};
		constexpr FieldRule PolicyRule = {"policy", Rule::Choice, Presence::Optional, 0, 0, "queue|replace|reject"};
		constexpr FieldRule PromptGetFields[] = {RequestRule, WhoRule, PlayerRule, HistoryRule, WorldRule, SummaryRule};
		constexpr FieldRule ChooseFields[] = {
			RequestRule,
			WhoRule,
			PlayerRule,
			{"options", Rule::Options, Presence::Required},
			HistoryRule,
			WorldRule,
			SummaryRule,
			DeadlineRule,
			PriorityRule,
			PolicyRule,
		};
		constexpr FieldRule AskFields[] = {
			RequestRule,
			WhoRule,
			PlayerRule,
			{"seed", Rule::Int, Presence::Optional, 0, INT64_MAX},
			{"steps", Rule::Int, Presence::Optional, 1, 1000},
			{"max_tokens", Rule::Int, Presence::Optional, 1, 4096},
			HistoryRule,
			DeadlineRule,
			PriorityRule,
			PolicyRule,
			{"draft_every_ms", Rule::Int, Presence::Optional, 0, 600'000},
			{"stop_after_steps", Rule::Int, Presence::Optional, 1, 1'000'000},
			{"sampler", Rule::Choice, Presence::Optional, 0, 0, "reference|fast"},
			{"deterministic", Rule::Bool, Presence::Optional},
			{"template", Rule::Template, Presence::Optional},
			{"must_include", Rule::Texts, Presence::Optional, MaxPhrases, MaxFieldCharacters},
			{"situation", Rule::Text, Presence::Optional, 1, MaxFieldCharacters},
			{"escape", Rule::Choice, Presence::Optional, 0, 0, "plain|bbcode|richtext|yarn|ink"},
			WorldRule,
			SummaryRule,
			{"record", Rule::Bool, Presence::Optional},
		};
		constexpr FieldRule CancelFields[] = {RequestRule, {"target", Rule::Int, Presence::Required, 0, MaxRequest}};
		constexpr FieldRule TickFields[] = {
			{"frame", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"budget_ms", Rule::Number, Presence::Required, 0, 1000},
		};
		constexpr FieldRule BudgetFields[] = {
			RequestRule,
			{"max_load", Rule::Load, Presence::Required},
			{"fps", Rule::Number, Presence::Optional, 1, 1000},
		};
		constexpr FieldRule WelcomeFields[] = {
			RequestRule,
			{"protocol", Rule::Int, Presence::Required, INT64_MIN, INT64_MAX},
			{"version", Rule::Text, Presence::Required, 0, INT64_MAX},
			{"state", Rule::Choice, Presence::Required, 0, 0, "loading|ready"},
			{"model", Rule::Model, Presence::Required},
		};
		constexpr FieldRule NpcFields[] = {RequestRule, {"npc", Rule::Persona, Presence::Required}};
		constexpr FieldRule CancelledFields[] = {
			RequestRule,
			{"target", Rule::Int, Presence::Required, 0, MaxRequest},
			{"found", Rule::Bool, Presence::Required},
		};
		constexpr FieldRule ReportFields[] = {
			RequestRule,
			{"state", Rule::Choice, Presence::Required, 0, 0, "loading|ready"},
			{"load_progress", Rule::Number, Presence::Required, 0, 1},
			{"uptime_s", Rule::Number, Presence::Required, 0, INT64_MAX},
			{"open_asks", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"clients", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"npcs", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"lines_model", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"lines_draft", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"lines_fallback", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"errors", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"memory_mb", Rule::Number, Presence::Required, 0, INT64_MAX},
			{"step_ms", Rule::Number, Presence::Required, 0, INT64_MAX},
		};
		constexpr FieldRule DraftFields[] = {
			RequestRule,
			{"text", Rule::Text, Presence::Required, 0, INT64_MAX},
			{"stable_chars", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"steps_done", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"steps_planned", Rule::Int, Presence::Required, 0, INT64_MAX},
		};
		constexpr FieldRule LineFields[] = {
			RequestRule,
			{"text", Rule::Text, Presence::Required, 0, INT64_MAX},
			{"source", Rule::Choice, Presence::Required, 0, 0, "model|draft|fallback"},
			{"finish_reason", Rule::Text, Presence::Required, 1, MaxFieldCharacters},
			{"seed", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"steps_planned", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"steps_done", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"canvases", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"tokens", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"rerolls", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"confidence", Rule::Number, Presence::Required, 0, 1},
			{"deterministic", Rule::Bool, Presence::Required},
			{"directions", Rule::AnyTexts, Presence::Optional},
			{"action", Rule::Action, Presence::Optional},
			{"plain_text", Rule::Text, Presence::Optional, 0, INT64_MAX},
			{"timings", Rule::Timings, Presence::Required},
		};
		constexpr FieldRule ChoiceFields[] = {
			RequestRule,
			{"index", Rule::Int, Presence::Required, 0, MaxOptions - 1},
			{"probabilities", Rule::Numbers, Presence::Required},
			{"source", Rule::Choice, Presence::Required, 0, 0, "model|fallback"},
			{"finish_reason", Rule::Text, Presence::Required, 1, MaxFieldCharacters},
			{"timings", Rule::Timings, Presence::Required},
		};
		constexpr FieldRule PromptFields[] = {
			RequestRule,
			{"text", Rule::Text, Presence::Required, 0, INT64_MAX},
			{"tokens", Rule::Int, Presence::Required, 0, INT64_MAX},
			{"dropped", Rule::AnyTexts, Presence::Required},
		};
		constexpr FieldRule SummaryFields[] = {
			RequestRule,
			NpcIdRule,
			{"text", Rule::Text, Presence::Required, 0, INT64_MAX},
			{"keep", Rule::Int, Presence::Required, 0, INT64_MAX},
		};
		constexpr FieldRule SavedFields[] = {
			RequestRule,
			NpcIdRule,
			{"data", Rule::Text, Presence::Required, 0, INT64_MAX},
		};
		constexpr FieldRule ErrorFields[] = {
			{"request", Rule::Int, Presence::Optional, 0, MaxRequest},
			{"code", Rule::Text, Presence::Required, 0, INT64_MAX},
			{"message", Rule::Text, Presence::Required, 0, INT64_MAX},
			{"hint", Rule::Text, Presence::Required, 0, INT64_MAX},
		};

		struct MessageRules
		{
			std::string_view Name;
			MessageType Type;
			FieldRules Fields;
		};

		constexpr MessageRules AllMessages[] = {
			{"hello", MessageType::Hello, HelloFields},
			{"ping", MessageType::Ping, RequestFields},
			{"stats", MessageType::Stats, RequestFields},
			{"npc.put", MessageType::NpcPut, NpcPutFields},
			{"npc.get", MessageType::NpcGet, NpcIdFields},
			{"npc.forget", MessageType::NpcForget, NpcIdFields},
			{"npc.save", MessageType::NpcSave, NpcIdFields},
			{"npc.load", MessageType::NpcLoad, NpcLoadFields},
			{"npc.summary", MessageType::NpcSummary, NpcSummaryFields},
			{"world.put", MessageType::WorldPut, WorldPutFields},
			{"ask", MessageType::Ask, AskFields},
			{"choose", MessageType::Choose, ChooseFields},
			{"prompt.get", MessageType::PromptGet, PromptGetFields},
			{"cancel", MessageType::Cancel, CancelFields},
			{"tick", MessageType::Tick, TickFields},
			{"budget", MessageType::Budget, BudgetFields},
			{"bye", MessageType::Bye, RequestFields},
			{"welcome", MessageType::Welcome, WelcomeFields},
			{"pong", MessageType::Pong, RequestFields},
			{"ok", MessageType::Ok, RequestFields},
			{"npc", MessageType::Npc, NpcFields},
			{"saved", MessageType::Saved, SavedFields},
			{"cancelled", MessageType::Cancelled, CancelledFields},
			{"report", MessageType::Report, ReportFields},
			{"draft", MessageType::Draft, DraftFields},
			{"line", MessageType::Line, LineFields},
			{"choice", MessageType::Choice, ChoiceFields},
			{"prompt", MessageType::Prompt, PromptFields},
			{"summary", MessageType::Summary, SummaryFields},
			{"error", MessageType::Error, ErrorFields},
		};

		/** A field that its own rule allows, but not beside another one; empty if there is none. */
		std::string_view FindContradiction(const Value& Message)
		{
			if (Message.Find("npc").Kind() == NodeKind::Text)
			{
				// Who is asked for by id has what the sidecar remembers and was told.
				for (const std::string_view Context : {"history", "world", "summary"})
				{
					const Value Given = Message.Find(Context);
					if (Given.Count() > 0 || !Given.ToText().empty())
					{
						return Context;
					}
				}
			}
			const Value Phrases = Message.Find("must_include");
			if (Message.Find("template").Kind() == NodeKind::Text && Phrases.Count() > 0)
			{
				return PinnedLine::CanHold(Message.Find("template").ToText(), TextsOf(Phrases)) ? "" : "must_include";
			}
			return {};
		}
	}

	MessageCheck CheckMessage(const Document& Message)
	{
		MessageCheck Result;
		const Value Root = Message.Root();
		if (Root.Kind() != NodeKind::Map)
		{
			Result.Code = "malformed-message";
			return Result;
		}
		Result.Request = Root.Find("request").ToInt(-1);
		Result.Code = "unknown-type";
		Result.Field = "type";
		const std::string_view Name = Root.Find("type").ToText();
		for (const MessageRules& Rules : AllMessages)
		{
			if (Rules.Name == Name)
			{
				Result.Type = Rules.Type;
				Result.Field = FindBadField(Root, Rules.Fields);
				if (Result.Field.empty())
				{
					Result.Field = FindContradiction(Root);
				}
				Result.Code = Result.Field.empty() ? nullptr : "bad-request";
			}
		}
		return Result;
	}
}
