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

	namespace
	{
		ActionCall ReadAction(const Value& Fields)
		{
			ActionCall Made;
			Made.Name = Fields.Find("name").ToText();
			const Value Args = Fields.Find("args");
			Value Name = Args.First();
			for (std::uint32_t Index = 0; Index < Args.Count(); ++Index, Name = Name.Next().Next())
			{
				const Value Given = Name.Next();
				ActionCall::Argument& Argument = Made.Args.emplace_back();
				Argument.Name = Name.ToText();
				Argument.Number = Given.ToInt();
				Argument.Text = Given.Kind() == NodeKind::Int ? std::to_string(Argument.Number) : Given.ToText();
			}
			return Made;
		}
	}

	Line ReadLine(const Value& Fields)
	{
		Line Made;
		const std::string_view Source = Fields.Find("source").ToText();
		Made.Text = Fields.Find("text").ToText();
		const Value Plain = Fields.Find("plain_text");
		Made.PlainText = Plain.Kind() == NodeKind::Text ? Plain.ToText() : Made.Text;
		Made.Directions = TextsOf(Fields.Find("directions"));
		Made.Action = ReadAction(Fields.Find("action"));
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

	Choice ReadChoice(const Value& Fields)
	{
		Choice Made;
		const Value Probabilities = Fields.Find("probabilities");
		Value Each = Probabilities.First();
		for (std::uint32_t Index = 0; Index < Probabilities.Count(); ++Index, Each = Each.Next())
		{
			Made.Probabilities.push_back(Each.ToNumber());
		}
		Made.Index = static_cast<std::size_t>(Fields.Find("index").ToInt());
		Made.Source = Fields.Find("source").ToText() == "model" ? LineSource::Model : LineSource::Fallback;
		Made.FinishReason = Fields.Find("finish_reason").ToText();
		return Made;
	}

	PromptView ReadPrompt(const Value& Fields)
	{
		PromptView Made;
		Made.Text = Fields.Find("text").ToText();
		Made.Tokens = Fields.Find("tokens").ToInt();
		Made.Dropped = TextsOf(Fields.Find("dropped"));
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
