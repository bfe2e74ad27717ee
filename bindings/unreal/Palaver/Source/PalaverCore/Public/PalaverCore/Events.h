#pragma once

#include "PalaverCore/Connection.h"

namespace PalaverCore
{
	/** Names an ask of one client; 0 is none. */
	using AskHandle = std::uint64_t;

	enum class LineSource : std::uint8_t
	{
		/** The model finished the line. */
		Model,
		/** The deadline cut it short, and it may be said all the same. */
		Draft,
		/** It was written beforehand. */
		Fallback
	};

	/** The line so far. */
	struct Draft
	{
		std::string Text;
		/** The first characters (code points) that the model is sure of. */
		std::int64_t StableCharacters = 0;
		std::int64_t StepsDone = 0;
		std::int64_t StepsPlanned = 0;
	};

	/** What a line carries out: one of the persona's actions. */
	struct ActionCall
	{
		struct Argument
		{
			std::string Name;
			/** Of a number, its digits. */
			std::string Text;
			/** 0 for one that is no number. */
			std::int64_t Number = 0;
		};

		/** As declared ("give"); empty for a line that carries out nothing. */
		std::string Name;
		/** In the order of the declaration. */
		std::vector<Argument> Args;
	};

	/** What a character says. */
	struct Line
	{
		/** Never empty. Escaped as the ask's options wanted it. */
		std::string Text;
		/** The text before it was escaped: what the character remembers. */
		std::string PlainText;
		/** Stage directions that stood in the text and were taken out ("sighs"). */
		std::vector<std::string> Directions;
		ActionCall Action;
		LineSource Source = LineSource::Fallback;
		/**
		 * Of a line of the sidecar "stop", "max_tokens", "deadline", "empty", "banned", "secret", "repeat" or "filtered", and
		 * others of later ones; of a fallback that the client made itself the code of an error, "unreachable" or "timeout".
		 */
		std::string FinishReason;
		/** Asking again with this seed and StepsPlanned as steps gives the same text. */
		std::int64_t Seed = 0;
		std::int64_t StepsPlanned = 0;
		std::int64_t StepsDone = 0;
		std::int64_t Tokens = 0;
		/** 0 to 1. */
		double Confidence = 0.0;
		bool bDeterministic = false;
		/** From the ask to this line, as the client saw it. */
		std::int64_t TotalMs = 0;
	};

	/** Which of several answers fits best. */
	struct Choice
	{
		/** The first one for a fallback. */
		std::size_t Index = 0;
		/** Of each option, together 1; all the same for a fallback. */
		std::vector<double> Probabilities;
		/** Model or Fallback. */
		LineSource Source = LineSource::Fallback;
		/** "stop" or "deadline"; of a fallback that the client made itself as of a line. */
		std::string FinishReason;
		/** From the question to this choice, as the client saw it. */
		std::int64_t TotalMs = 0;
	};

	/** What the model would read. */
	struct PromptView
	{
		std::string Text;
		std::int64_t Tokens = 0;
		/** What did not fit. */
		std::vector<std::string> Dropped;
	};

	/** How the sidecar is. */
	struct Report
	{
		bool bLoading = false;
		/** 0 to 1. */
		double LoadProgress = 0.0;
		double UptimeS = 0.0;
		std::int64_t OpenAsks = 0;
		std::int64_t Clients = 0;
		std::int64_t Npcs = 0;
		std::int64_t LinesModel = 0;
		std::int64_t LinesDraft = 0;
		std::int64_t LinesFallback = 0;
		std::int64_t Errors = 0;
		double MemoryMb = 0.0;
		/** Expected cost of a denoising step, 0 if it is not known. */
		double StepMs = 0.0;
	};

	enum class EventKind : std::uint8_t
	{
		/** Handle, NpcId and SaidSoFar tell of it. */
		Draft,
		/** The end of an ask: Handle, NpcId and Said; What tells why, where the client had to make the line. */
		Line,
		/** The end of a choose: Handle, NpcId and Chosen; What tells why, where the client had to choose. */
		Choice,
		/** The end of a request for a prompt: Handle, NpcId and Seen, or What if there is none. */
		Prompt,
		/** The end of an ask or a choose that was cancelled, or whose character was forgotten or loaded: Handle and NpcId. */
		Cancelled,
		/** State tells the new one. */
		StateChanged,
		/** Status is the reply to a request for it. */
		Report,
		/** What tells of something that ended no ask; NpcId names the character it is about, if any. */
		Problem
	};

	/** Something that a client has to tell. Each ask comes up exactly once as a Line or Cancelled, each choose as a
	 * Choice or Cancelled. */
	struct Event
	{
		EventKind Kind = EventKind::StateChanged;
		AskHandle Handle = 0;
		std::string NpcId;
		Draft SaidSoFar;
		Line Said;
		Choice Chosen;
		PromptView Seen;
		ConnectionState State = ConnectionState::Disconnected;
		Report Status;
		Problem What;
	};

	/** Read the fields of a checked message. */
	PALAVERCORE_API Draft ReadDraft(const Value& Fields);
	PALAVERCORE_API Line ReadLine(const Value& Fields);
	PALAVERCORE_API Choice ReadChoice(const Value& Fields);
	PALAVERCORE_API PromptView ReadPrompt(const Value& Fields);
	PALAVERCORE_API Report ReadReport(const Value& Fields);
	PALAVERCORE_API Problem ReadError(const Value& Fields);
}
