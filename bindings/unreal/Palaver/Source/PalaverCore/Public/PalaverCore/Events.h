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

	/** What a character says. */
	struct Line
	{
		/** Never empty. */
		std::string Text;
		LineSource Source = LineSource::Fallback;
		/**
		 * Of a line of the sidecar "stop", "max_tokens", "deadline", "empty" or "banned"; of a fallback that the client
		 * made itself the code of an error, "unreachable" or "timeout".
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
		/** The end of an ask that was cancelled, or whose character was forgotten or loaded: Handle and NpcId. */
		Cancelled,
		/** State tells the new one. */
		StateChanged,
		/** Status is the reply to a request for it. */
		Report,
		/** What tells of something that ended no ask; NpcId names the character it is about, if any. */
		Problem
	};

	/** Something that a client has to tell. Each ask comes up exactly once as a Line or Cancelled. */
	struct Event
	{
		EventKind Kind = EventKind::StateChanged;
		AskHandle Handle = 0;
		std::string NpcId;
		Draft SaidSoFar;
		Line Said;
		ConnectionState State = ConnectionState::Disconnected;
		Report Status;
		Problem What;
	};

	/** Read the fields of a checked message. */
	PALAVERCORE_API Draft ReadDraft(const Value& Fields);
	PALAVERCORE_API Line ReadLine(const Value& Fields);
	PALAVERCORE_API Report ReadReport(const Value& Fields);
	PALAVERCORE_API Problem ReadError(const Value& Fields);
}
