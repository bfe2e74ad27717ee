#pragma once

#include "PalaverCore/MessageCheck.h"
#include "PalaverCore/Messages.h"
#include "PalaverCore/Transport.h"

/** A message that a FakeSidecar has got, kept together with the bytes that its document points into. */
struct Got
{
	PalaverCore::MessageType Type;
	PalaverCore::RequestId Request;
	std::string Bytes;

	/** The field as a whole number, or its text. */
	std::int64_t Int(const char* Field) const;
	std::string Text(const char* Field) const;
	bool Has(const char* Field) const;
};

/**
 * The other end of a client: speaks ZMTP as a ROUTER, and says what the test lets it say. It is a transport, so that
 * neither sockets nor clocks are needed; a real sidecar has tests of its own.
 */
class FakeSidecar final : public PalaverCore::Transport
{
public:
	/** Whether connections are taken. */
	bool bListening = true;
	/** Whether hellos are answered. */
	bool bWelcoming = true;
	/** Whether the model is still being loaded when they are. */
	bool bLoading = false;
	/** Whether anything is taken from the wire. */
	bool bReading = true;
	/** How often a connection was tried. */
	int Attempts = 0;
	/** Messages but hellos and pings, in their order. */
	std::vector<Got> Messages;
	int Hellos = 0;
	int Pings = 0;
	std::string HelloSecret;

	/** Drop the connection, as a killed process does. */
	void Drop();
	void Send(const std::string& Message);
	/** Bytes as they are. */
	void SendRaw(const std::string& Bytes) { ToClient += Bytes; }
	void SendOk(PalaverCore::RequestId Request);
	void SendLine(PalaverCore::RequestId Request, const char* Text, const char* Source = "model");
	void SendChoice(PalaverCore::RequestId Request, int Index, int Count);
	void SendReport(PalaverCore::RequestId Request, double LoadProgress);
	void SendDraft(PalaverCore::RequestId Request, const char* Text);
	void SendError(PalaverCore::RequestId Request, const char* Code);
	/** The latest message of a type; one of the type Unknown if there is none. */
	Got Last(PalaverCore::MessageType Type) const;
	int CountOf(PalaverCore::MessageType Type) const;

	void Open(std::uint16_t Port) override;
	void Close() override;
	PalaverCore::TransportState State() override;
	std::size_t Read(char* Into, std::size_t Size) override;
	std::size_t Write(std::string_view Bytes) override;

private:
	void TakeIn();
	void OnMessage(const std::string& Bytes);

	bool bOpen = false;
	bool bGreeted = false;
	bool bReady = false;
	std::string ToClient;
	std::string FromClient;
};
