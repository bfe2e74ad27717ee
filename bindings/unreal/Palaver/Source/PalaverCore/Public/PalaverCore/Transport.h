#pragma once

#include "PalaverCore/Api.h"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace PalaverCore
{
	enum class TransportState : std::uint8_t
	{
		Closed,
		Opening,
		Open
	};

	/** A stream of bytes to a port on this machine. No member ever waits. */
	class PALAVERCORE_API Transport
	{
	public:
		virtual ~Transport() = default;

		/** Begin to connect to the port on 127.0.0.1; what was open before is closed. */
		virtual void Open(std::uint16_t Port) = 0;
		virtual void Close() = 0;
		/** Whether it is open by now; Closed after a failure. */
		virtual TransportState State() = 0;
		/** Read what is there, at most Size bytes; returns how many. Closes when the peer has closed. */
		virtual std::size_t Read(char* Into, std::size_t Size) = 0;
		/** Write what fits; returns how many bytes did. */
		virtual std::size_t Write(std::string_view Bytes) = 0;
	};

	/** A Transport on a socket of the platform: BSD sockets or WinSock. */
	class PALAVERCORE_API TcpTransport final : public Transport
	{
	public:
		TcpTransport() = default;
		TcpTransport(const TcpTransport&) = delete;
		TcpTransport& operator=(const TcpTransport&) = delete;
		~TcpTransport() override;

		void Open(std::uint16_t Port) override;
		void Close() override;
		TransportState State() override;
		std::size_t Read(char* Into, std::size_t Size) override;
		std::size_t Write(std::string_view Bytes) override;

	private:
		static constexpr std::intptr_t NoSocket = -1;

		/** What the platform names its sockets by: an int, or WinSock's SOCKET. */
		std::intptr_t Socket = NoSocket;
		TransportState Now = TransportState::Closed;
	};
}
