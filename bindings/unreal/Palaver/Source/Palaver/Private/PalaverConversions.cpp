#include "PalaverConversions.h"

#include "PalaverPersona.h"

namespace PalaverConversions
{
	namespace
	{
		int64 Milliseconds(float Seconds)
		{
			return static_cast<int64>(FMath::RoundToDouble(static_cast<double>(Seconds) * 1000.0));
		}

		/** Length in TCHARs of the first code points of a text: those beyond U+FFFF take two where TCHAR has 16 bits. */
		int32 LengthOf(const FString& Text, int64 CodePoints)
		{
			int32 Length = 0;
			for (; CodePoints > 0 && Length < Text.Len(); --CodePoints)
			{
				const bool bPair = sizeof(TCHAR) == 2 && (Text[Length] & 0xFC00) == 0xD800;
				Length += bPair ? 2 : 1;
			}
			return FMath::Min(Length, Text.Len());
		}

		TArray<FString> FromTexts(const std::vector<std::string>& Texts)
		{
			TArray<FString> Made;
			for (const std::string& Text : Texts)
			{
				Made.Add(FromUtf8(Text));
			}
			return Made;
		}

		FPalaverAction FromAction(const PalaverCore::ActionCall& Action)
		{
			FPalaverAction Made;
			Made.Name = FromUtf8(Action.Name);
			for (const PalaverCore::ActionCall::Argument& Each : Action.Args)
			{
				FPalaverArgument Argument;
				Argument.Name = FromUtf8(Each.Name);
				Argument.Text = FromUtf8(Each.Text);
				Argument.Number = static_cast<int32>(Each.Number);
				Made.Args.Add(Argument);
			}
			return Made;
		}
	}

	std::string ToUtf8(const FString& Text)
	{
		const FTCHARToUTF8 Converted(*Text);
		return std::string(reinterpret_cast<const char*>(Converted.Get()), static_cast<std::size_t>(Converted.Length()));
	}

	FString FromUtf8(const std::string& Text)
	{
		return FString(UTF8_TO_TCHAR(Text.c_str()));
	}

	std::vector<std::string> ToCore(const TArray<FString>& Texts)
	{
		std::vector<std::string> Made;
		for (const FString& Text : Texts)
		{
			Made.push_back(ToUtf8(Text));
		}
		return Made;
	}

	PalaverCore::World ToCore(const TArray<FPalaverWorldSection>& Sections)
	{
		PalaverCore::World Made;
		for (const FPalaverWorldSection& Each : Sections)
		{
			PalaverCore::WorldSection& Section = Made.Sections.emplace_back();
			Section.Name = ToUtf8(Each.Name);
			Section.Facts = ToCore(Each.Facts);
			if (Each.BudgetTokens >= 0)
			{
				Section.BudgetTokens = Each.BudgetTokens;
			}
		}
		return Made;
	}

	PalaverCore::Persona ToCore(const UPalaverPersona& Persona)
	{
		PalaverCore::Persona Made;
		Made.Id = ToUtf8(Persona.GetNpcId());
		Made.Name = ToUtf8(Persona.Name);
		Made.Role = ToUtf8(Persona.Role);
		Made.Place = ToUtf8(Persona.Place);
		Made.Mood = ToUtf8(Persona.Mood);
		Made.Manner = ToUtf8(Persona.Manner);
		Made.Language = ToUtf8(Persona.Language);
		Made.Knowledge = ToCore(Persona.Knowledge);
		Made.Secrets = ToCore(Persona.Secrets);
		Made.Names = ToCore(Persona.Names);
		Made.Actions = ToCore(Persona.Actions);
		Made.Fallbacks = ToCore(Persona.Fallbacks);
		for (const FPalaverSituation& Each : Persona.Situations)
		{
			Made.Situations.push_back({ToUtf8(Each.Name), ToCore(Each.Lines)});
		}
		Made.Banned = ToCore(Persona.Banned);
		if (Persona.MaxSentences > 0)
		{
			Made.MaxSentences = Persona.MaxSentences;
		}
		if (Persona.MaxChars > 0)
		{
			Made.MaxChars = Persona.MaxChars;
		}
		return Made;
	}

	PalaverCore::AskOptions ToCore(const FPalaverAskOptions& Options)
	{
		PalaverCore::AskOptions Made;
		if (Options.DeadlineSeconds > 0.0f)
		{
			Made.DeadlineMs = FMath::Max<int64>(1, Milliseconds(Options.DeadlineSeconds));
		}
		if (Options.DraftEverySeconds >= 0.0f)
		{
			Made.DraftEveryMs = Milliseconds(Options.DraftEverySeconds);
		}
		if (Options.Seed >= 0)
		{
			Made.Seed = Options.Seed;
		}
		if (Options.Steps > 0)
		{
			Made.Steps = Options.Steps;
		}
		if (Options.MaxTokens > 0)
		{
			Made.MaxTokens = Options.MaxTokens;
		}
		Made.Priority = Options.Priority;
		Made.WhenBusy = static_cast<PalaverCore::Policy>(Options.WhenBusy);
		Made.Template = ToUtf8(Options.Template);
		Made.MustInclude = ToCore(Options.MustInclude);
		Made.Situation = ToUtf8(Options.Situation);
		Made.Escape = static_cast<PalaverCore::LineEscape>(Options.Escape);
		Made.bRecord = Options.bRecord;
		return Made;
	}

	PalaverCore::ChooseOptions ToCoreChoose(const FPalaverAskOptions& Options)
	{
		const PalaverCore::AskOptions Made = ToCore(Options);
		return {Made.DeadlineMs, Made.Priority, Made.WhenBusy};
	}

	FPalaverDraft FromCore(const PalaverCore::Draft& Draft)
	{
		FPalaverDraft Made;
		Made.Text = FromUtf8(Draft.Text);
		Made.StableLength = LengthOf(Made.Text, Draft.StableCharacters);
		Made.StepsDone = static_cast<int32>(Draft.StepsDone);
		Made.StepsPlanned = static_cast<int32>(Draft.StepsPlanned);
		return Made;
	}

	FPalaverLine FromCore(const PalaverCore::Line& Line)
	{
		FPalaverLine Made;
		Made.Text = FromUtf8(Line.Text);
		Made.PlainText = FromUtf8(Line.PlainText);
		Made.Directions = FromTexts(Line.Directions);
		Made.Action = FromAction(Line.Action);
		Made.Source = static_cast<EPalaverLineSource>(Line.Source);
		Made.FinishReason = FromUtf8(Line.FinishReason);
		Made.Seed = Line.Seed;
		Made.StepsPlanned = static_cast<int32>(Line.StepsPlanned);
		Made.StepsDone = static_cast<int32>(Line.StepsDone);
		Made.Confidence = static_cast<float>(Line.Confidence);
		Made.Seconds = static_cast<float>(Line.TotalMs) / 1000.0f;
		return Made;
	}

	FPalaverChoice FromCore(const PalaverCore::Choice& Choice)
	{
		FPalaverChoice Made;
		Made.Index = static_cast<int32>(Choice.Index);
		for (const double Each : Choice.Probabilities)
		{
			Made.Probabilities.Add(static_cast<float>(Each));
		}
		Made.Source = static_cast<EPalaverLineSource>(Choice.Source);
		Made.FinishReason = FromUtf8(Choice.FinishReason);
		return Made;
	}
}
