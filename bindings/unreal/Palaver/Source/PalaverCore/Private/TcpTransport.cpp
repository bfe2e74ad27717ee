#include "PalaverCore/Transport.h"

#if defined(_WIN32)
#ifndef NOMINMAX
#define NOMINMAX
#endif
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <arpa/inet.h>
#include <cerrno>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#endif

#include <climits>

namespace PalaverCore
{
	namespace
	{
#if defined(_WIN32)
		using NativeSocket = SOCKET;
		using Length = int;

		bool IsStarted()
		{
			WSADATA Ignored;
			static const bool bStarted = WSAStartup(MAKEWORD(2, 2), &Ignored) == 0;
			return bStarted;
		}

		bool MustWait()
		{
			return WSAGetLastError() == WSAEWOULDBLOCK;
		}

		bool SetNonBlocking(NativeSocket Handle)
		{
			u_long bOn = 1;
			return ioctlsocket(Handle, static_cast<long>(FIONBIO), &bOn) == 0;
		}

		void CloseNative(NativeSocket Handle)
		{
			closesocket(Handle);
		}

		int PollNative(pollfd* Polled)
		{
			return WSAPoll(Polled, 1, 0);
		}
#else
		using NativeSocket = int;
		using Length = std::size_t;

		bool IsStarted()
		{
			return true;
		}

		bool MustWait()
		{
			return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINPROGRESS || errno == EINTR;
		}

		bool SetNonBlocking(NativeSocket Handle)
		{
			// Else a sidecar or any other child of the game would keep the connection open.
			return fcntl(Handle, F_SETFD, FD_CLOEXEC) == 0 && fcntl(Handle, F_SETFL, O_NONBLOCK) == 0;
		}

		void CloseNative(NativeSocket Handle)
		{
			close(Handle);
		}

		int PollNative(pollfd* Polled)
		{
			return poll(Polled, 1, 0);
		}
#endif

#if defined(MSG_NOSIGNAL)
		constexpr int SendFlags = MSG_NOSIGNAL;
#else
		constexpr int SendFlags = 0;
#endif

		void SetOption(NativeSocket Handle, int Level, int Name)
		{
			const int bOn = 1;
			setsockopt(Handle, Level, Name, reinterpret_cast<const char*>(&bOn), sizeof(bOn));
		}

		Length Bounded(std::size_t Size)
		{
			return static_cast<Length>(Size < INT_MAX ? Size : INT_MAX);
		}
	}

	TcpTransport::~TcpTransport()
	{
		Close();
	}

	void TcpTransport::Open(std::uint16_t Port)
	{
		Close();
		if (!IsStarted())
		{
			return;
		}
		const NativeSocket Handle = socket(AF_INET, SOCK_STREAM, 0);
		if (Handle == static_cast<NativeSocket>(NoSocket))
		{
			return;
		}
		Socket = static_cast<std::intptr_t>(Handle);
		if (!SetNonBlocking(Handle))
		{
			Close();
			return;
		}
		SetOption(Handle, IPPROTO_TCP, TCP_NODELAY);
#if defined(SO_NOSIGPIPE)
		SetOption(Handle, SOL_SOCKET, SO_NOSIGPIPE);
#endif
		sockaddr_in Address = {};
		Address.sin_family = AF_INET;
		Address.sin_port = htons(Port);
		Address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
		Now = TransportState::Opening;
		if (connect(Handle, reinterpret_cast<const sockaddr*>(&Address), sizeof(Address)) == 0)
		{
			Now = TransportState::Open;
		}
		else if (!MustWait())
		{
			Close();
		}
	}

	void TcpTransport::Close()
	{
		if (Socket != NoSocket)
		{
			CloseNative(static_cast<NativeSocket>(Socket));
		}
		Socket = NoSocket;
		Now = TransportState::Closed;
	}

	TransportState TcpTransport::State()
	{
		if (Now != TransportState::Opening)
		{
			return Now;
		}
		pollfd Polled = {};
		Polled.fd = static_cast<NativeSocket>(Socket);
		Polled.events = POLLOUT;
		if (PollNative(&Polled) > 0)
		{
			int Error = 0;
			socklen_t Size = sizeof(Error);
			const int Got = getsockopt(
				static_cast<NativeSocket>(Socket), SOL_SOCKET, SO_ERROR, reinterpret_cast<char*>(&Error), &Size);
			if (Got != 0 || Error != 0 || (Polled.revents & POLLOUT) == 0)
			{
				Close();
			}
			else
			{
				Now = TransportState::Open;
			}
		}
		return Now;
	}

	std::size_t TcpTransport::Read(char* Into, std::size_t Size)
	{
		if (Now != TransportState::Open)
		{
			return 0;
		}
		const auto Count = recv(static_cast<NativeSocket>(Socket), Into, Bounded(Size), 0);
		if (Count > 0)
		{
			return static_cast<std::size_t>(Count);
		}
		if (Count == 0 || !MustWait())
		{
			Close();
		}
		return 0;
	}

	std::size_t TcpTransport::Write(std::string_view Bytes)
	{
		if (Now != TransportState::Open)
		{
			return 0;
		}
		// A failure is left for Read to find: what the peer sent before it closed may still be there to read.
		const auto Count = send(static_cast<NativeSocket>(Socket), Bytes.data(), Bounded(Bytes.size()), SendFlags);
		return Count < 0 ? 0 : static_cast<std::size_t>(Count);
	}
}
