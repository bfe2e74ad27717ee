#include "PalaverCore/Zmtp.h"
#include "PalaverCore/Document.h"

namespace PalaverCore
{
	namespace
	{
		constexpr std::size_t GreetingBytes = 64;
		constexpr std::size_t MechanismAt = 12;
		constexpr std::size_t MechanismBytes = 20;
		constexpr std::uint8_t FlagMore = 1;
		constexpr std::uint8_t FlagLong = 2;
		constexpr std::uint8_t FlagCommand = 4;
		constexpr std::size_t MaxPingContextBytes = 16;

		void AppendFrame(std::string& Out, std::uint8_t Flags, std::string_view Body)
		{
			const bool bLong = Body.size() > UINT8_MAX;
			Out += static_cast<char>(bLong ? Flags | FlagLong : Flags);
			for (int Shift = bLong ? 56 : 0; Shift >= 0; Shift -= 8)
			{
				Out += static_cast<char>(static_cast<std::uint64_t>(Body.size()) >> Shift);
			}
			Out.append(Body);
		}

		std::uint64_t BigEndian(std::string_view Bytes)
		{
			std::uint64_t Number = 0;
			for (const char Byte : Bytes)
			{
				Number = (Number << 8) | static_cast<std::uint8_t>(Byte);
			}
			return Number;
		}

		/** Cut a text with its size before it (in so many bytes) from the front; false if it is not all there. */
		bool TakeSized(std::string_view& Bytes, std::size_t SizeBytes, std::string_view& Taken)
		{
			if (Bytes.size() < SizeBytes)
			{
				return false;
			}
			const std::uint64_t Size = BigEndian(Bytes.substr(0, SizeBytes));
			Bytes.remove_prefix(SizeBytes);
			if (Size > Bytes.size())
			{
				return false;
			}
			Taken = Bytes.substr(0, static_cast<std::size_t>(Size));
			Bytes.remove_prefix(Taken.size());
			return true;
		}
	}

	void Zmtp::AppendGreeting(std::string& Out)
	{
		std::string Greeting(GreetingBytes, '\0');
		Greeting[0] = static_cast<char>(0xFF);
		Greeting[9] = 0x7F;
		Greeting[10] = 3;
		Greeting.replace(MechanismAt, 4, "NULL");
		Out += Greeting;
	}

	void Zmtp::AppendReady(std::string& Out)
	{
		using namespace std::string_view_literals;
		AppendFrame(Out, FlagCommand, "\5READY\13Socket-Type\0\0\0\6DEALER\10Identity\0\0\0\0"sv);
	}

	void Zmtp::AppendMessage(std::string& Out, std::string_view Body)
	{
		AppendFrame(Out, 0, Body);
	}

	void Zmtp::AppendPong(std::string& Out, std::string_view Context)
	{
		std::string Command("\4PONG");
		Command.append(Context.substr(0, MaxPingContextBytes));
		AppendFrame(Out, FlagCommand, Command);
	}

	void ZmtpParser::Reset()
	{
		Buffer.clear();
		At = 0;
		EventBody = {};
		Wrong = nullptr;
		Where = Stage::Greeting;
		bSkipping = false;
	}

	void ZmtpParser::Feed(std::string_view Bytes)
	{
		Buffer.erase(0, At);
		At = 0;
		Buffer.append(Bytes);
	}

	ZmtpEvent ZmtpParser::Next()
	{
		if (Wrong != nullptr)
		{
			return ZmtpEvent::Violation;
		}
		if (Where == Stage::Greeting)
		{
			return ReadGreeting();
		}
		ZmtpEvent Found = ReadFrame();
		while (Found == ZmtpEvent::Ignored)
		{
			Found = ReadFrame();
		}
		return Found;
	}

	ZmtpEvent ZmtpParser::Violate(const char* Complaint)
	{
		Wrong = Complaint;
		return ZmtpEvent::Violation;
	}

	ZmtpEvent ZmtpParser::ReadGreeting()
	{
		// Each byte is judged as soon as it is there: a server of another kind may never send 64.
		const auto Byte = [this](std::size_t Index) { return static_cast<std::uint8_t>(Buffer[Index]); };
		if (!Buffer.empty() && Byte(0) != 0xFF)
		{
			return Violate("what answers on this port does not speak ZeroMQ");
		}
		if (Buffer.size() > 9 && (Byte(9) & 1) != 1)
		{
			return Violate("what answers on this port does not speak ZeroMQ");
		}
		if (Buffer.size() > 10 && Byte(10) < 3)
		{
			return Violate("the peer speaks a version of ZMTP before 3.0");
		}
		if (Buffer.size() < GreetingBytes)
		{
			return ZmtpEvent::NeedsBytes;
		}
		std::string Null("NULL");
		Null.resize(MechanismBytes);
		if (std::string_view(Buffer).substr(MechanismAt, MechanismBytes) != Null)
		{
			return Violate("the peer wants another ZMTP mechanism than NULL");
		}
		At = GreetingBytes;
		Where = Stage::Handshake;
		return ZmtpEvent::Greeted;
	}

	ZmtpEvent ZmtpParser::ReadFrame()
	{
		const std::string_view Rest = std::string_view(Buffer).substr(At);
		if (Rest.empty())
		{
			return ZmtpEvent::NeedsBytes;
		}
		const auto Flags = static_cast<std::uint8_t>(Rest[0]);
		if (Flags > (FlagMore | FlagLong | FlagCommand) || (Flags & (FlagMore | FlagCommand)) == (FlagMore | FlagCommand))
		{
			return Violate("a frame has unknown flags");
		}
		const std::size_t SizeBytes = (Flags & FlagLong) != 0 ? 8 : 1;
		if (Rest.size() < 1 + SizeBytes)
		{
			return ZmtpEvent::NeedsBytes;
		}
		const std::uint64_t Size = BigEndian(Rest.substr(1, SizeBytes));
		if (Size > MaxMessageBytes)
		{
			return Violate("a frame has more than 1 MiB");
		}
		if (Rest.size() - 1 - SizeBytes < Size)
		{
			return ZmtpEvent::NeedsBytes;
		}
		const std::string_view Body = Rest.substr(1 + SizeBytes, static_cast<std::size_t>(Size));
		At += 1 + SizeBytes + Body.size();
		if ((Flags & FlagCommand) != 0)
		{
			return OnCommand(Body);
		}
		if (Where != Stage::Traffic)
		{
			return Violate("a message came before the READY command");
		}
		const bool bPart = bSkipping || (Flags & FlagMore) != 0;
		bSkipping = (Flags & FlagMore) != 0;
		EventBody = Body;
		// Parts of a message of many frames are passed over; its last one tells of it.
		return !bPart ? ZmtpEvent::Message : bSkipping ? ZmtpEvent::Ignored : ZmtpEvent::Refused;
	}

	ZmtpEvent ZmtpParser::OnCommand(std::string_view Command)
	{
		std::string_view Name;
		if (!TakeSized(Command, 1, Name))
		{
			return Violate("a command has no name");
		}
		if (Where == Stage::Handshake)
		{
			return Name == "READY" ? OnReady(Command) : Violate("the peer refused the handshake");
		}
		constexpr std::size_t TimeToLiveBytes = 2;
		if (Name == "PING" && Command.size() >= TimeToLiveBytes)
		{
			EventBody = Command.substr(TimeToLiveBytes);
			return ZmtpEvent::Ping;
		}
		return ZmtpEvent::Ignored;
	}

	ZmtpEvent ZmtpParser::OnReady(std::string_view Properties)
	{
		constexpr std::string_view Wanted = "socket-type";
		while (!Properties.empty())
		{
			std::string_view Name;
			std::string_view Given;
			if (!TakeSized(Properties, 1, Name) || !TakeSized(Properties, 4, Given))
			{
				return Violate("the READY command is cut off");
			}
			bool bWanted = Name.size() == Wanted.size();
			for (std::size_t Index = 0; bWanted && Index < Wanted.size(); ++Index)
			{
				// Names are told apart without regard to case.
				bWanted = (Name[Index] | 0x20) == (Wanted[Index] | 0x20);
			}
			if (bWanted && Given == "ROUTER")
			{
				Where = Stage::Traffic;
				return ZmtpEvent::Ready;
			}
		}
		return Violate("the peer is not a ROUTER socket");
	}
}
