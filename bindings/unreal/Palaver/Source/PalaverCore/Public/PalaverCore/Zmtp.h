#pragma once

#include "PalaverCore/Api.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace PalaverCore
{
	/** ZMTP 3.0 as a DEALER with the NULL mechanism: what a client says to a ZeroMQ ROUTER socket (RFC 23). */
	namespace Zmtp
	{
		/** The first 64 bytes of a connection. */
		PALAVERCORE_API void AppendGreeting(std::string& Out);
		/** The READY command, which ends the handshake of the NULL mechanism. */
		PALAVERCORE_API void AppendReady(std::string& Out);
		/** A message of one frame. */
		PALAVERCORE_API void AppendMessage(std::string& Out, std::string_view Body);
		/** The answer to a PING command with this context. */
		PALAVERCORE_API void AppendPong(std::string& Out, std::string_view Context);
	}

	/** What a ZmtpParser comes upon. */
	enum class ZmtpEvent : std::uint8_t
	{
		/** Nothing, until more bytes are fed. */
		NeedsBytes,
		/** The peer has greeted with a mechanism and version that fit. */
		Greeted,
		/** The peer is a ready ROUTER: messages may follow. */
		Ready,
		Message,
		/** The peer wants a PONG with the body as its context. */
		Ping,
		/** A message of more than one frame, which the protocol does not have; it was skipped. */
		Refused,
		/** A command or a part of a message that nobody needs to know of; Next never tells it. */
		Ignored,
		/** The peer does not speak ZMTP as it should; the connection is of no use any more. */
		Violation
	};

	/** Reads what a ROUTER sends, however its bytes are cut. Never holds more than one frame and one feed. */
	class PALAVERCORE_API ZmtpParser
	{
	public:
		/** Forget everything: a new connection begins. */
		void Reset();

		/** Take bytes in. To be called after Next has told that it needs them. */
		void Feed(std::string_view Bytes);

		/** The next event. A body it has is valid until the next call of any member. */
		ZmtpEvent Next();

		/** Of a message: its bytes. Of a ping: its context. */
		std::string_view Body() const { return EventBody; }
		/** Of a violation: what is wrong. */
		const char* Complaint() const { return Wrong; }

	private:
		enum class Stage : std::uint8_t
		{
			Greeting,
			Handshake,
			Traffic
		};

		ZmtpEvent Violate(const char* Complaint);
		ZmtpEvent ReadGreeting();
		/** Move behind the next frame, if all of it is there. */
		ZmtpEvent ReadFrame();
		ZmtpEvent OnCommand(std::string_view Command);
		ZmtpEvent OnReady(std::string_view Properties);

		std::string Buffer;
		std::size_t At = 0;
		std::string_view EventBody;
		const char* Wrong = nullptr;
		Stage Where = Stage::Greeting;
		bool bSkipping = false;
	};
}
