#include "Fuzz.h"
#include "Vectors.h"

#include "PalaverCore/Json.h"
#include "PalaverCore/MessageCheck.h"
#include "PalaverCore/MsgPack.h"
#include "PalaverCore/Zmtp.h"

#include <cstdio>
#include <cstdlib>

using namespace PalaverCore;

namespace
{
	void Demand(bool bKept, const char* What)
	{
		if (!bKept)
		{
			std::printf("broken: %s\n", What);
			std::abort();
		}
	}

	/** What is read must be written and read to the same again; checking it may do no harm. */
	void FuzzMsgPack(std::string_view Bytes)
	{
		static Document Read;
		if (ReadMsgPack(Bytes, Read) != nullptr)
		{
			Demand(Read.Nodes.empty(), "a refused document is empty");
			return;
		}
		CheckMessage(Read);
		MsgPackWriter Out;
		Out.Any(Read.Root());
		Document Again;
		Demand(ReadMsgPack(Out.Bytes(), Again) == nullptr, "what was written is read");
		MsgPackWriter OutAgain;
		OutAgain.Any(Again.Root());
		Demand(Out.Bytes() == OutAgain.Bytes(), "what was written is written again");
	}

	/** However the bytes are cut, the same comes of them. */
	void FuzzZmtp(std::string_view Bytes)
	{
		const auto SumOf = [Bytes](std::size_t PieceSize)
		{
			ZmtpParser Parser;
			std::size_t Sum = 0;
			for (std::size_t At = 0; At < Bytes.size(); At += PieceSize)
			{
				Parser.Feed(Bytes.substr(At, PieceSize));
				for (ZmtpEvent Each = Parser.Next(); Each != ZmtpEvent::NeedsBytes; Each = Parser.Next())
				{
					Sum = Sum * 31 + static_cast<std::size_t>(Each) + Parser.Body().size();
					if (Each == ZmtpEvent::Violation)
					{
						return Sum;
					}
				}
			}
			return Sum;
		};
		const std::size_t Whole = SumOf(Bytes.size() + 1);
		Demand(SumOf(7) == Whole, "pieces of 7 bytes give the same");
	}

	void FuzzJson(std::string_view Text)
	{
		static Document Read;
		if (ReadJson(Text, Read) == nullptr && Read.Root().Kind() == NodeKind::Text)
		{
			std::string Json;
			AppendJsonText(Json, Read.Root().ToText());
			Document Again;
			Demand(ReadJson(Json, Again) == nullptr, "what was written is read");
		}
	}

	class Mutator
	{
	public:
		explicit Mutator(std::uint64_t Seed) : State(Seed) {}

		std::uint64_t Draw(std::uint64_t Below)
		{
			State = State * 6364136223846793005U + 1442695040888963407U;
			return (State >> 33) % Below;
		}

		void Mutate(std::string& Bytes, const std::string& Other)
		{
			for (std::uint64_t Times = 1 + Draw(4); Times > 0; --Times)
			{
				const std::size_t At = static_cast<std::size_t>(Draw(Bytes.size() + 1));
				switch (Draw(6))
				{
				case 0: Bytes.insert(At, 1, static_cast<char>(Draw(256))); break;
				case 1: Bytes.erase(At, 1 + Draw(4)); break;
				case 2: Bytes.insert(At, Other, static_cast<std::size_t>(Draw(Other.size() + 1)), 1 + Draw(24)); break;
				case 3: Bytes.resize(At); break;
				default:
					if (At < Bytes.size())
					{
						// Heads of containers, texts and long numbers are where decoders break.
						constexpr unsigned char Heads[] = {0x80, 0x9F, 0xA1, 0xBF, 0xC0, 0xC4, 0xC7, 0xCA, 0xCF, 0xD3, 0xD9, 0xDB,
							0xDC, 0xDD, 0xDF, 0xFF};
						Bytes[At] = static_cast<char>(Draw(2) == 0 ? Heads[Draw(sizeof(Heads))] : Draw(256));
					}
				}
			}
		}

	private:
		std::uint64_t State;
	};

	std::string Framed(const std::string& Message)
	{
		std::string Bytes;
		Zmtp::AppendGreeting(Bytes);
		Bytes += std::string("\x04\x1C\x05READY\x0BSocket-Type\0\0\0\x06ROUTER", 30);
		Zmtp::AppendMessage(Bytes, Message);
		Zmtp::AppendMessage(Bytes, "");
		return Bytes;
	}
}

/** The entry point that libFuzzer looks for, used by the loop below as well. */
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* Data, std::size_t Size)
{
	const std::string_view Bytes(reinterpret_cast<const char*>(Data), Size);
	FuzzMsgPack(Bytes);
	FuzzZmtp(Bytes);
	FuzzJson(Bytes);
	return 0;
}

int RunFuzz(const std::string& VectorsPath, int Cases)
{
	std::vector<std::string> Seeds = {"{\"palaver_save\": 1, \"npc\": \"smith\", \"turns\": [[\"H\\u00e9\", \"Aye.\"]]}"};
	for (const Vector& Each : ReadVectors(VectorsPath))
	{
		// Long ones take long and break nothing that short ones do not.
		if (Each.Bytes.size() < 400)
		{
			Seeds.push_back(Each.Bytes);
			Seeds.push_back(Framed(Each.Bytes));
		}
	}
	Mutator Random(20'260'101);
	for (int Case = 0; Case < Cases; ++Case)
	{
		std::string Bytes = Seeds[Random.Draw(Seeds.size())];
		Random.Mutate(Bytes, Seeds[Random.Draw(Seeds.size())]);
		// On the heap and exactly as long as it is, so that a byte too many is noticed.
		const std::vector<std::uint8_t> Exact(Bytes.begin(), Bytes.end());
		LLVMFuzzerTestOneInput(Exact.data(), Exact.size());
	}
	std::printf("%d cases from %zu seeds\n", Cases, Seeds.size());
	return 0;
}
