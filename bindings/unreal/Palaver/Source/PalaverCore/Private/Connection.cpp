#include "PalaverCore/Connection.h"

#include <algorithm>
#include <utility>

namespace PalaverCore
{
	namespace
	{
		/** A game that did not poll for so long stood still; the sidecar cannot be blamed for that time. */
		constexpr std::int64_t StandstillMs = 1000;
		constexpr int FailuresUntilLastRetry = 4;
		constexpr std::size_t ReadBytes = 16 * 1024;
	}

	Connection::Connection(Transport& InLink) : Link(InLink) {}

	void Connection::Open(std::uint16_t InPort, std::string_view InSecret)
	{
		Close();
		Port = InPort;
		Secret = InSecret;
		Failures = 0;
		bRetryAtOnce = true;
	}

	void Connection::Close()
	{
		Link.Close();
		Now = ConnectionState::Disconnected;
		Port = 0;
		LastTrouble = {};
	}

	void Connection::BeginPoll(std::int64_t NowMs)
	{
		EventsLeft = MaxEventsAPoll;
		BytesLeft = MaxBytesAPoll;
		if (NowMs - LastPollMs > StandstillMs)
		{
			HeardAtMs += NowMs - LastPollMs;
		}
		LastPollMs = NowMs;
		Advance(NowMs);
	}

	void Connection::Advance(std::int64_t NowMs)
	{
		if (Now == ConnectionState::Disconnected && Port != 0 && (bRetryAtOnce || NowMs >= RetryAtMs))
		{
			bRetryAtOnce = false;
			Parser.Reset();
			Unsent.clear();
			UnsentAt = 0;
			bPinged = false;
			HeardAtMs = NowMs;
			Now = ConnectionState::Connecting;
			Link.Open(Port);
		}
		if (Now != ConnectionState::Connecting)
		{
			return;
		}
		const TransportState Reached = Link.State();
		if (Reached == TransportState::Closed)
		{
			Lose(NowMs, {"unreachable", "nobody listens on the sidecar's port", "See whether its process still runs"});
		}
		else if (Reached == TransportState::Open)
		{
			Now = ConnectionState::Handshake;
			Zmtp::AppendGreeting(Unsent);
			Flush();
		}
	}

	bool Connection::Receive(std::int64_t NowMs, Incoming& Message)
	{
		while (Now > ConnectionState::Connecting && EventsLeft > 0)
		{
			const ZmtpEvent Found = NextEvent(NowMs);
			if (Found == ZmtpEvent::NeedsBytes)
			{
				return false;
			}
			--EventsLeft;
			switch (Found)
			{
			case ZmtpEvent::Greeted: Zmtp::AppendReady(Unsent); break;
			case ZmtpEvent::Ready: Greet(); break;
			case ZmtpEvent::Ping: Zmtp::AppendPong(Unsent, Parser.Body()); break;
			case ZmtpEvent::Refused: ++Dropped; break;
			case ZmtpEvent::Violation:
				Lose(NowMs, {"not-a-sidecar", Parser.Complaint(), "See that the port is a Palaver sidecar's"});
				break;
			case ZmtpEvent::Message:
				if (ReadMessage(NowMs, Message))
				{
					return true;
				}
				break;
			case ZmtpEvent::NeedsBytes:
			case ZmtpEvent::Ignored: break;
			}
		}
		return false;
	}

	/** The parser's next event; reads from the wire as long as it wants bytes and there are some. */
	ZmtpEvent Connection::NextEvent(std::int64_t NowMs)
	{
		for (;;)
		{
			const ZmtpEvent Found = Parser.Next();
			if (Found != ZmtpEvent::NeedsBytes || BytesLeft == 0)
			{
				return Found;
			}
			char Bytes[ReadBytes];
			const std::size_t Count = Link.Read(Bytes, std::min(ReadBytes, BytesLeft));
			if (Count == 0)
			{
				if (Link.State() == TransportState::Closed)
				{
					Lose(NowMs, {"unreachable", "the sidecar closed the connection", "See whether its process still runs"});
				}
				return ZmtpEvent::NeedsBytes;
			}
			BytesLeft -= Count;
			HeardAtMs = NowMs;
			bPinged = false;
			Parser.Feed({Bytes, Count});
		}
	}

	/** Whether the parser's message is one for the caller; what is about the connection is dealt with. */
	bool Connection::ReadMessage(std::int64_t NowMs, Incoming& Message)
	{
		if (ReadMsgPack(Parser.Body(), Read) != nullptr)
		{
			++Dropped;
			return false;
		}
		const MessageCheck Checked = CheckMessage(Read);
		if (Checked.Code != nullptr)
		{
			++Dropped;
			return false;
		}
		Message = {Checked.Type, Checked.Request, Read.Root()};
		if (Now == ConnectionState::Greeting)
		{
			OnGreetingReply(NowMs, Message);
			return false;
		}
		if (Checked.Type == MessageType::Error && Message.Fields.Find("code").ToText() == "hello-first")
		{
			// The sidecar has forgotten this client for others that came later.
			Greet();
			return false;
		}
		return Checked.Type != MessageType::Pong;
	}

	void Connection::Greet()
	{
		Now = ConnectionState::Greeting;
		HelloRequest = NewRequest();
		Messages::Hello(Begin(), HelloRequest, Secret);
		Send();
	}

	void Connection::OnGreetingReply(std::int64_t NowMs, const Incoming& Message)
	{
		const Value& Fields = Message.Fields;
		if (Message.Request != HelloRequest)
		{
			return;
		}
		if (Message.Type == MessageType::Error)
		{
			Refuse(NowMs, {std::string(Fields.Find("code").ToText()), std::string(Fields.Find("message").ToText()),
							  std::string(Fields.Find("hint").ToText())});
			return;
		}
		if (Message.Type != MessageType::Welcome || Fields.Find("protocol").ToInt() != ProtocolVersion)
		{
			Refuse(NowMs, {"protocol-version", "the sidecar speaks another protocol", "Use plugin and sidecar of one version"});
			return;
		}
		const Value Model = Fields.Find("model");
		LastWelcome.Version = Fields.Find("version").ToText();
		LastWelcome.bLoading = Fields.Find("state").ToText() == "loading";
		LastWelcome.ModelName = Model.Find("name").ToText();
		LastWelcome.Licence = Model.Find("licence").ToText();
		LastWelcome.CanvasLength = Model.Find("canvas_length").ToInt();
		LastTrouble = {};
		Failures = 0;
		++SessionNumber;
		Now = ConnectionState::Ready;
	}

	void Connection::EndPoll(std::int64_t NowMs)
	{
		if (Now == ConnectionState::Disconnected)
		{
			return;
		}
		const std::int64_t SilenceMs = NowMs - HeardAtMs;
		if (SilenceMs >= LostAfterMs)
		{
			Lose(NowMs, {"unreachable", "the sidecar does not answer", "See whether its process still runs"});
			return;
		}
		if (Now == ConnectionState::Ready && SilenceMs >= PingAfterMs && !bPinged)
		{
			bPinged = true;
			Messages::Ping(Begin(), NewRequest());
			Send();
		}
		Flush();
	}

	void Connection::Lose(std::int64_t NowMs, Problem Why)
	{
		Link.Close();
		Now = ConnectionState::Disconnected;
		LastTrouble = std::move(Why);
		RetryAtMs = NowMs + std::min(LastRetryMs, FirstRetryMs << std::min(Failures, FailuresUntilLastRetry));
		++Failures;
	}

	void Connection::Refuse(std::int64_t NowMs, Problem Why)
	{
		// Neither a wrong secret nor another protocol becomes right by asking again.
		Lose(NowMs, std::move(Why));
		Port = 0;
	}

	MsgPackWriter& Connection::Begin()
	{
		Written.Clear();
		return Written;
	}

	void Connection::Send()
	{
		Zmtp::AppendMessage(Unsent, Written.Bytes());
	}

	void Connection::Flush()
	{
		while (UnsentAt < Unsent.size())
		{
			const std::size_t Count = Link.Write(std::string_view(Unsent).substr(UnsentAt));
			if (Count == 0)
			{
				break;
			}
			UnsentAt += Count;
		}
		// What is half sent stays where it is until it is gone, or has become the smaller part.
		if (UnsentAt == Unsent.size() || UnsentAt > Unsent.size() / 2)
		{
			Unsent.erase(0, UnsentAt);
			UnsentAt = 0;
		}
	}
}
