#include "PalaverCore/MsgPack.h"

#include <cstring>

namespace PalaverCore
{
	void MsgPackWriter::BigEndian(std::uint64_t Number, int ByteCount)
	{
		for (int Shift = 8 * (ByteCount - 1); Shift >= 0; Shift -= 8)
		{
			Out += static_cast<char>(Number >> Shift);
		}
	}

	void MsgPackWriter::Null()
	{
		Out += static_cast<char>(0xC0);
	}

	void MsgPackWriter::Bool(bool bValue)
	{
		Out += static_cast<char>(bValue ? 0xC3 : 0xC2);
	}

	void MsgPackWriter::Int(std::int64_t Number)
	{
		if (Number >= 0)
		{
			Unsigned(static_cast<std::uint64_t>(Number));
			return;
		}
		const auto Bits = static_cast<std::uint64_t>(Number);
		if (Number >= -32)
		{
			Out += static_cast<char>(Number);
			return;
		}
		const int Power = Number >= INT8_MIN ? 0 : Number >= INT16_MIN ? 1 : Number >= INT32_MIN ? 2 : 3;
		Out += static_cast<char>(0xD0 + Power);
		BigEndian(Bits, 1 << Power);
	}

	void MsgPackWriter::Unsigned(std::uint64_t Number)
	{
		if (Number < 0x80)
		{
			Out += static_cast<char>(Number);
			return;
		}
		const int Power = Number <= UINT8_MAX ? 0 : Number <= UINT16_MAX ? 1 : Number <= UINT32_MAX ? 2 : 3;
		Out += static_cast<char>(0xCC + Power);
		BigEndian(Number, 1 << Power);
	}

	void MsgPackWriter::Float(double Number)
	{
		std::uint64_t Bits = 0;
		std::memcpy(&Bits, &Number, sizeof(Bits));
		Out += static_cast<char>(0xCB);
		BigEndian(Bits, 8);
	}

	void MsgPackWriter::Text(std::string_view Text)
	{
		Header(Text.size(), 32, 0xA0, 0xD9, 0xDA);
		Out.append(Text);
	}

	void MsgPackWriter::List(std::uint32_t Elements)
	{
		Header(Elements, 16, 0x90, 0, 0xDC);
	}

	void MsgPackWriter::Map(std::uint32_t Pairs)
	{
		Header(Pairs, 16, 0x80, 0, 0xDE);
	}

	/** A size in the shortest of: the first byte itself, one byte (if there is such a form), two bytes, four bytes. */
	void MsgPackWriter::Header(
		std::size_t Size, std::size_t ShortLimit, std::uint8_t Short, std::uint8_t Byte1, std::uint8_t Byte2)
	{
		if (Size < ShortLimit)
		{
			Out += static_cast<char>(Short | Size);
		}
		else if (Byte1 != 0 && Size <= UINT8_MAX)
		{
			Out += static_cast<char>(Byte1);
			BigEndian(Size, 1);
		}
		else if (Size <= UINT16_MAX)
		{
			Out += static_cast<char>(Byte2);
			BigEndian(Size, 2);
		}
		else
		{
			Out += static_cast<char>(Byte2 + 1);
			BigEndian(Size, 4);
		}
	}

	void MsgPackWriter::Any(const Value& Given)
	{
		// Nodes lie in the order in which msgpack writes them, so nothing has to descend.
		const Node* const First = &Given.Get();
		for (const Node* Each = First; Each != First + Given.NodeCount(); ++Each)
		{
			switch (Each->Kind)
			{
			case NodeKind::Null: Null(); break;
			case NodeKind::Bool: Bool(Each->bBool); break;
			case NodeKind::Int: Int(Each->Int); break;
			case NodeKind::Unsigned: Unsigned(Each->Unsigned); break;
			case NodeKind::Float: Float(Each->Float); break;
			case NodeKind::Text: Text(Each->Text); break;
			case NodeKind::List: List(Each->Count); break;
			case NodeKind::Map: Map(Each->Count); break;
			}
		}
	}

	void MsgPackWriter::SetMapCount(std::size_t At, std::uint32_t Pairs)
	{
		if (Pairs < 16)
		{
			Out[At] = static_cast<char>(0x80 | Pairs);
			return;
		}
		Out[At] = static_cast<char>(0xDE);
		const char Count[] = {static_cast<char>(Pairs >> 8), static_cast<char>(Pairs)};
		Out.insert(At + 1, Count, 2);
	}

	MapWriter::MapWriter(MsgPackWriter& InOut) : Out(InOut), Start(InOut.Bytes().size())
	{
		Out.Map(0);
	}

	MsgPackWriter& MapWriter::Key(std::string_view Name)
	{
		++Pairs;
		Out.Text(Name);
		return Out;
	}

	void MapWriter::End()
	{
		Out.SetMapCount(Start, Pairs);
	}
}
