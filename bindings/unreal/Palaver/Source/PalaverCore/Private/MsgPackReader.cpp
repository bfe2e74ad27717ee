#include "PalaverCore/MsgPack.h"
#include "PalaverCore/Utf8.h"

#include <cstring>

namespace PalaverCore
{
	namespace
	{
		/** Reads node after node; what containers are still open is kept in an array, so no input can exhaust the stack. */
		class MsgPackReader
		{
		public:
			MsgPackReader(std::string_view InBytes, Document& InInto) : Bytes(InBytes), Nodes(InInto.Nodes) {}

			const char* Read()
			{
				do
				{
					if (const char* Wrong = ReadNode())
					{
						return Wrong;
					}
					while (Depth > 0 && Open[Depth - 1].NodesLeft == 0)
					{
						Nodes[Open[--Depth].Index].End = static_cast<std::uint32_t>(Nodes.size());
					}
				} while (Depth > 0);
				return At == Bytes.size() ? nullptr : "there are bytes behind the value";
			}

		private:
			struct Container
			{
				std::uint32_t Index;
				std::uint32_t NodesLeft;
			};

			const char* ReadNode()
			{
				bool bKey = false;
				if (Depth > 0)
				{
					Container& Parent = Open[Depth - 1];
					bKey = Nodes[Parent.Index].Kind == NodeKind::Map && Parent.NodesLeft % 2 == 0;
					--Parent.NodesLeft;
				}
				if (At == Bytes.size())
				{
					return "the bytes end too early";
				}
				if (Nodes.size() == MaxValues)
				{
					return "a message has more than 16384 values";
				}
				Node& Made = Nodes.emplace_back();
				Made.End = static_cast<std::uint32_t>(Nodes.size());
				const char* Wrong = ReadValue(static_cast<std::uint8_t>(Bytes[At++]), Made);
				if (Wrong == nullptr && bKey && Made.Kind != NodeKind::Text)
				{
					return "the key of a map is no text";
				}
				return Wrong == nullptr && bKey && HasKeyTwice(Open[Depth - 1].Index) ? "a map has a key twice" : Wrong;
			}

			/** Whether the key that was read last is in its map already. */
			bool HasKeyTwice(std::uint32_t Map) const
			{
				const std::size_t Latest = Nodes.size() - 1;
				for (std::size_t Key = Map + 1; Key < Latest; Key = Nodes[Nodes[Key].End].End)
				{
					if (Nodes[Key].Text == Nodes[Latest].Text)
					{
						return true;
					}
				}
				return false;
			}

			const char* ReadValue(std::uint8_t Lead, Node& Made)
			{
				if (Lead < 0x80 || Lead >= 0xE0)
				{
					Made.Kind = NodeKind::Int;
					Made.Int = static_cast<std::int8_t>(Lead);
					return nullptr;
				}
				if (Lead < 0x90)
				{
					return OpenContainer(NodeKind::Map, Lead & 0x0FU, Made);
				}
				if (Lead < 0xA0)
				{
					return OpenContainer(NodeKind::List, Lead & 0x0FU, Made);
				}
				if (Lead < 0xC0)
				{
					return ReadText(Lead & 0x1FU, Made);
				}
				switch (Lead)
				{
				case 0xC0: return nullptr;
				case 0xC2:
				case 0xC3:
					Made.Kind = NodeKind::Bool;
					Made.bBool = Lead == 0xC3;
					return nullptr;
				case 0xCA:
				case 0xCB: return ReadFloat(Lead == 0xCA ? 4 : 8, Made);
				case 0xCC:
				case 0xCD:
				case 0xCE:
				case 0xCF: return ReadUnsigned(1 << (Lead - 0xCC), Made);
				case 0xD0:
				case 0xD1:
				case 0xD2:
				case 0xD3: return ReadSigned(1 << (Lead - 0xD0), Made);
				case 0xD9:
				case 0xDA:
				case 0xDB: return ReadSized(1 << (Lead - 0xD9), NodeKind::Text, Made);
				case 0xDC:
				case 0xDD: return ReadSized(2 << (Lead - 0xDC), NodeKind::List, Made);
				case 0xDE:
				case 0xDF: return ReadSized(2 << (Lead - 0xDE), NodeKind::Map, Made);
				default: return "byte strings and extension types are not allowed";
				}
			}

			bool ReadBigEndian(int ByteCount, std::uint64_t& Number)
			{
				if (Bytes.size() - At < static_cast<std::size_t>(ByteCount))
				{
					return false;
				}
				Number = 0;
				for (int Index = 0; Index < ByteCount; ++Index)
				{
					Number = (Number << 8) | static_cast<std::uint8_t>(Bytes[At++]);
				}
				return true;
			}

			const char* ReadUnsigned(int ByteCount, Node& Made)
			{
				std::uint64_t Bits = 0;
				if (!ReadBigEndian(ByteCount, Bits))
				{
					return "the bytes end in a number";
				}
				if (Bits <= INT64_MAX)
				{
					Made.Kind = NodeKind::Int;
					Made.Int = static_cast<std::int64_t>(Bits);
				}
				else
				{
					Made.Kind = NodeKind::Unsigned;
					Made.Unsigned = Bits;
				}
				return nullptr;
			}

			const char* ReadSigned(int ByteCount, Node& Made)
			{
				std::uint64_t Bits = 0;
				if (!ReadBigEndian(ByteCount, Bits))
				{
					return "the bytes end in a number";
				}
				const std::uint64_t Sign = std::uint64_t{1} << (8 * ByteCount - 1);
				Made.Kind = NodeKind::Int;
				Made.Int = static_cast<std::int64_t>((Bits ^ Sign) - Sign);
				return nullptr;
			}

			const char* ReadFloat(int ByteCount, Node& Made)
			{
				std::uint64_t Bits = 0;
				if (!ReadBigEndian(ByteCount, Bits))
				{
					return "the bytes end in a number";
				}
				Made.Kind = NodeKind::Float;
				if (ByteCount == 8)
				{
					std::memcpy(&Made.Float, &Bits, sizeof(Made.Float));
					return nullptr;
				}
				const auto Bits32 = static_cast<std::uint32_t>(Bits);
				float Single = 0.0F;
				std::memcpy(&Single, &Bits32, sizeof(Single));
				Made.Float = static_cast<double>(Single);
				return nullptr;
			}

			const char* ReadSized(int ByteCount, NodeKind Kind, Node& Made)
			{
				std::uint64_t Size = 0;
				if (!ReadBigEndian(ByteCount, Size))
				{
					return "the bytes end in a size";
				}
				return Kind == NodeKind::Text ? ReadText(Size, Made) : OpenContainer(Kind, Size, Made);
			}

			const char* ReadText(std::uint64_t Size, Node& Made)
			{
				if (Size > Bytes.size() - At)
				{
					return "the bytes end in a text";
				}
				Made.Kind = NodeKind::Text;
				Made.Text = Bytes.substr(At, static_cast<std::size_t>(Size));
				At += static_cast<std::size_t>(Size);
				return IsUtf8(Made.Text) ? nullptr : "a text is not UTF-8";
			}

			const char* OpenContainer(NodeKind Kind, std::uint64_t Count, Node& Made)
			{
				if (Count > MaxElements)
				{
					return "a list or map has more than 1024 elements";
				}
				if (Depth == MaxDepth)
				{
					return "lists and maps are nested deeper than 16";
				}
				Made.Kind = Kind;
				Made.Count = static_cast<std::uint32_t>(Count);
				Open[Depth++] = {static_cast<std::uint32_t>(Nodes.size() - 1),
					Kind == NodeKind::Map ? 2 * Made.Count : Made.Count};
				return nullptr;
			}

			std::string_view Bytes;
			std::vector<Node>& Nodes;
			std::size_t At = 0;
			Container Open[MaxDepth] = {};
			std::size_t Depth = 0;
		};
	}

	const char* ReadMsgPack(std::string_view Bytes, Document& Into)
	{
		Into.Nodes.clear();
		const char* Wrong =
			Bytes.size() > MaxMessageBytes ? "a message has more than 1 MiB" : MsgPackReader(Bytes, Into).Read();
		if (Wrong != nullptr)
		{
			Into.Nodes.clear();
		}
		return Wrong;
	}
}
