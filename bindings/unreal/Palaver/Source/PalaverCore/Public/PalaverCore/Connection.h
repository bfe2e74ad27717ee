#pragma once

#include "PalaverCore/MessageCheck.h"
#include "PalaverCore/Messages.h"
#include "PalaverCore/Transport.h"
#include "PalaverCore/Zmtp.h"

namespace PalaverCore
{
	enum class ConnectionState : std::uint8_t
	{
		Disconnected,
		/** The TCP connection is being made. */
		Connecting,
		/** ZMTP's greeting and READY are exchanged. */
		Handshake,
		/** Hello was said, the welcome is awaited. */
		Greeting,
		Ready
	};

	/** What the sidecar said of itself and its model when it was greeted. */
	struct Welcome
	{
		std::string Version;
		/** The model was still being loaded. */
		bool bLoading = false;
		std::string ModelName;
		std::string Licence;
		/** Tokens. */
		std::int64_t CanvasLength = 0;
	};

	/** A message of the sidecar; valid until the next one is received. */
	struct Incoming
	{
		MessageType Type = MessageType::Unknown;
		/** -1 where there is none. */
		RequestId Request = -1;
		Value Fields;
	};

	/**
	 * One connection to a sidecar: made, greeted, kept alive with pings, and made again when it is lost.
	 *
	 * Once a frame: BeginPoll, Receive until it has nothing more, EndPoll. Time is passed in, in milliseconds of any
	 * clock that does not jump. Nothing waits.
	 */
	class PALAVERCORE_API Connection
	{
	public:
		/** Most events of the wire a frame; what is more stays for the next. */
		static constexpr int MaxEventsAPoll = 64;
		static constexpr std::size_t MaxBytesAPoll = std::size_t{1} << 20;
		/** The first wait before another attempt; it doubles up to the last. */
		static constexpr std::int64_t FirstRetryMs = 250;
		static constexpr std::int64_t LastRetryMs = 4000;
		/** After so long without a word from the sidecar it is pinged, and then given up. */
		static constexpr std::int64_t PingAfterMs = 2000;
		static constexpr std::int64_t LostAfterMs = 6000;

		/** @param InLink used by nobody else, and outlives the connection. */
		explicit Connection(Transport& InLink);

		/** Connect to this port from now on, with this secret; drops a connection to another. */
		void Open(std::uint16_t InPort, std::string_view InSecret);
		/** Drop the connection and make no other. */
		void Close();

		void BeginPoll(std::int64_t NowMs);
		/** The next message that is not about the connection itself; false if there is none (in this frame). */
		bool Receive(std::int64_t NowMs, Incoming& Message);
		void EndPoll(std::int64_t NowMs);

		ConnectionState State() const { return Now; }
		/** Counts the welcomes: a new number means that the sidecar knows nothing of this client any more. */
		std::uint32_t Session() const { return SessionNumber; }
		const Welcome& Greeted() const { return LastWelcome; }
		/**
		 * Why the connection was lost or refused the last time; not set in a connection that stands. After "wrong-secret"
		 * and "protocol-version" no other attempt is made until Open is called.
		 */
		const Problem& Trouble() const { return LastTrouble; }
		/** Whether no attempt is made: Open was not called, or the sidecar refused this client. */
		bool IsGivenUp() const { return Port == 0; }
		/** Messages of the sidecar that made no sense and were dropped. */
		std::uint32_t DroppedMessages() const { return Dropped; }
		/** Bytes that the sidecar has not taken yet. */
		std::size_t UnsentBytes() const { return Unsent.size() - UnsentAt; }

		/** An id that no other request of this client has. */
		RequestId NewRequest() { return ++LastRequest; }
		/** Where to write a message, which Send then sends. */
		MsgPackWriter& Begin();
		void Send();
		/** Hand what was sent to the system now, not at the end of the next poll. */
		void Flush();

	private:
		void Advance(std::int64_t NowMs);
		void Lose(std::int64_t NowMs, Problem Why);
		ZmtpEvent NextEvent(std::int64_t NowMs);
		bool ReadMessage(std::int64_t NowMs, Incoming& Message);
		void Greet();
		void OnGreetingReply(std::int64_t NowMs, const Incoming& Message);
		void Refuse(std::int64_t NowMs, Problem Why);

		Transport& Link;
		ZmtpParser Parser;
		Document Read;
		MsgPackWriter Written;
		std::string Unsent;
		std::size_t UnsentAt = 0;

		ConnectionState Now = ConnectionState::Disconnected;
		std::uint16_t Port = 0;
		std::string Secret;
		Welcome LastWelcome;
		Problem LastTrouble;
		RequestId LastRequest = 0;
		RequestId HelloRequest = 0;
		std::uint32_t SessionNumber = 0;
		std::uint32_t Dropped = 0;

		int Failures = 0;
		bool bRetryAtOnce = true;
		std::int64_t RetryAtMs = 0;
		std::int64_t HeardAtMs = 0;
		std::int64_t LastPollMs = 0;
		bool bPinged = false;
		int EventsLeft = 0;
		std::size_t BytesLeft = 0;
	};
}
