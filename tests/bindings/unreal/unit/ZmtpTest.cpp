#include "Harness.h"

#include "PalaverCore/Document.h"
#include "PalaverCore/Zmtp.h"

using namespace PalaverCore;
using namespace std::string_literals;

namespace
{
	std::string RouterHandshake()
	{
		std::string Bytes;
		Zmtp::AppendGreeting(Bytes);
		// As libzmq greets: with another minor version than ours.
		Bytes[11] = 1;
		return Bytes + "\x04\x29\x05READY\x0BSocket-Type\0\0\0\x06ROUTER\x08Identity\0\0\0\0"s;
	}

	/** All events that come of the bytes when they are fed in pieces of this size. */
	std::vector<std::pair<ZmtpEvent, std::string>> EventsOf(const std::string& Bytes, std::size_t PieceSize)
	{
		std::vector<std::pair<ZmtpEvent, std::string>> Found;
		ZmtpParser Parser;
		for (std::size_t At = 0; At < Bytes.size(); At += PieceSize)
		{
			Parser.Feed(std::string_view(Bytes).substr(At, PieceSize));
			for (ZmtpEvent Each = Parser.Next(); Each != ZmtpEvent::NeedsBytes; Each = Parser.Next())
			{
				Found.emplace_back(Each, Parser.Body());
				if (Each == ZmtpEvent::Violation)
				{
					return Found;
				}
			}
		}
		return Found;
	}

	void CheckViolation(const std::string& Bytes)
	{
		for (const std::size_t PieceSize : {std::size_t{1}, std::size_t{100'000}})
		{
			const auto Found = EventsOf(Bytes, PieceSize);
			CHECK(!Found.empty() && Found.back().first == ZmtpEvent::Violation);
		}
	}
}

TEST(Zmtp, EverythingIsReadHoweverItIsCut)
{
	std::string Bytes = RouterHandshake();
	Zmtp::AppendMessage(Bytes, "");
	Zmtp::AppendMessage(Bytes, "one");
	Zmtp::AppendMessage(Bytes, std::string(255, 'b'));
	Zmtp::AppendMessage(Bytes, std::string(256, 'c'));
	Bytes += "\x04\x0A\x04PING\0\x10"s + "ctx";
	Bytes += "\x04\x05\x04WAVE"s;
	Bytes += "\x01\x02"s + "no" + "\x01\x01-\0\x02"s + "no";
	Zmtp::AppendMessage(Bytes, "last");
	const auto Whole = EventsOf(Bytes, Bytes.size());
	CHECK_EQUAL(Whole.size(), 9U);
	CHECK(Whole[0].first == ZmtpEvent::Greeted);
	CHECK(Whole[1].first == ZmtpEvent::Ready);
	CHECK(Whole[2].first == ZmtpEvent::Message);
	CHECK(Whole[2].second.empty());
	CHECK_EQUAL(Whole[3].second, "one");
	CHECK_EQUAL(Whole[4].second, std::string(255, 'b'));
	CHECK_EQUAL(Whole[5].second, std::string(256, 'c'));
	CHECK(Whole[6].first == ZmtpEvent::Ping);
	CHECK_EQUAL(Whole[6].second, "ctx");
	CHECK(Whole[7].first == ZmtpEvent::Refused);
	CHECK_EQUAL(Whole[8].second, "last");
	for (std::size_t PieceSize = 1; PieceSize < 80; ++PieceSize)
	{
		CHECK(EventsOf(Bytes, PieceSize) == Whole);
	}
}

TEST(Zmtp, OtherServersAreToldFromASidecar)
{
	CheckViolation("HTTP/1.1 400 Bad Request\r\n\r\n");
	CheckViolation(std::string(64, '\0'));
	CheckViolation("\xFF"s + std::string(8, '\0') + "\x7E");
	CheckViolation("\xFF"s + std::string(8, '\0') + "\x7F\x01"s);
	std::string Plain = RouterHandshake();
	CheckViolation(Plain.replace(12, 5, "PLAIN"));
	std::string Dealer = RouterHandshake();
	CheckViolation(Dealer.replace(Dealer.find("ROUTER"), 6, "DEALER"));
	CheckViolation(RouterHandshake().substr(0, 64) + "\x04\x07\x05""ERROR\x00"s);
	CheckViolation(RouterHandshake().substr(0, 64) + "\x04\x0A\x05READY\x0Bxyz"s);
	CheckViolation(RouterHandshake().substr(0, 64) + "\0\x01x"s);
}

TEST(Zmtp, BadFramesEndTheConnectionBeforeTheyAreStored)
{
	CheckViolation(RouterHandshake() + "\x02\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s);
	CheckViolation(RouterHandshake() + "\x02\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF"s);
	CheckViolation(RouterHandshake() + "\x02\0\0\0\0\0\x10\0\x01"s);
	CheckViolation(RouterHandshake() + "\x08\x00"s);
	CheckViolation(RouterHandshake() + "\x05\x00"s);
	CheckViolation(RouterHandshake() + "\x04\x00"s);
	CheckViolation(RouterHandshake() + "\x04\x01\x05"s);
}

TEST(Zmtp, TheLargestMessageIsRead)
{
	std::string Bytes = RouterHandshake();
	Zmtp::AppendMessage(Bytes, std::string(MaxMessageBytes, 'm'));
	const auto Found = EventsOf(Bytes, 16 * 1024);
	CHECK_EQUAL(Found.size(), 3U);
	CHECK_EQUAL(Found.back().second.size(), MaxMessageBytes);
}

TEST(Zmtp, ANewConnectionStartsFromNothing)
{
	ZmtpParser Parser;
	Parser.Feed("HTTP");
	CHECK(Parser.Next() == ZmtpEvent::Violation);
	CHECK(Parser.Next() == ZmtpEvent::Violation);
	Parser.Reset();
	Parser.Feed(RouterHandshake());
	CHECK(Parser.Next() == ZmtpEvent::Greeted);
	CHECK(Parser.Next() == ZmtpEvent::Ready);
	CHECK(Parser.Next() == ZmtpEvent::NeedsBytes);
}
