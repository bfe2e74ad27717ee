#include "PalaverCore/Events.h"

namespace PalaverCore
{
	Draft ReadDraft(const Value& Fields)
	{
		Draft Made;
		Made.Text = Fields.Find("text").ToText();
		Made.StableCharacters = Fields.Find("stable_chars").ToInt();
		Made.StepsDone = Fields.Find("steps_done").ToInt();
		Made.StepsPlanned = Fields.Find("steps_planned").ToInt();
		return Made;
	}

	Line ReadLine(const Value& Fields)
	{
		Line Made;
		const std::string_view Source = Fields.Find("source").ToText();
		Made.Text = Fields.Find("text").ToText();
		Made.Source = Source == "model" ? LineSource::Model
			: Source == "draft"			? LineSource::Draft
										: LineSource::Fallback;
		Made.FinishReason = Fields.Find("finish_reason").ToText();
		Made.Seed = Fields.Find("seed").ToInt();
		Made.StepsPlanned = Fields.Find("steps_planned").ToInt();
		Made.StepsDone = Fields.Find("steps_done").ToInt();
		Made.Tokens = Fields.Find("tokens").ToInt();
		Made.Confidence = Fields.Find("confidence").ToNumber();
		Made.bDeterministic = Fields.Find("deterministic").ToBool();
		return Made;
	}

	Report ReadReport(const Value& Fields)
	{
		Report Made;
		Made.bLoading = Fields.Find("state").ToText() == "loading";
		Made.LoadProgress = Fields.Find("load_progress").ToNumber();
		Made.UptimeS = Fields.Find("uptime_s").ToNumber();
		Made.OpenAsks = Fields.Find("open_asks").ToInt();
		Made.Clients = Fields.Find("clients").ToInt();
		Made.Npcs = Fields.Find("npcs").ToInt();
		Made.LinesModel = Fields.Find("lines_model").ToInt();
		Made.LinesDraft = Fields.Find("lines_draft").ToInt();
		Made.LinesFallback = Fields.Find("lines_fallback").ToInt();
		Made.Errors = Fields.Find("errors").ToInt();
		Made.MemoryMb = Fields.Find("memory_mb").ToNumber();
		Made.StepMs = Fields.Find("step_ms").ToNumber();
		return Made;
	}

	Problem ReadError(const Value& Fields)
	{
		return {std::string(Fields.Find("code").ToText()), std::string(Fields.Find("message").ToText()),
			std::string(Fields.Find("hint").ToText())};
	}
}
