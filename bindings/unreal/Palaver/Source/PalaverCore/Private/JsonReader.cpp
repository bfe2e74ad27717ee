#include "PalaverCore/Json.h"
#include "PalaverCore/Utf8.h"

#include <cstdlib>

namespace PalaverCore
{
	namespace
	{
		bool IsDigit(char Letter)
		{
			return Letter >= '0' && Letter <= '9';
		}

		/** Reads value after value without recursion, as the msgpack reader does. */
		class JsonReader
		{
		public:
			JsonReader(std::string_view InText, Document& InInto) : Text(InText), Into(InInto) {}

			const char* Read()
			{
				Into.Unescaped.reserve(Text.size());
				do
				{
					bool bOpened = false;
					const char* Wrong = ReadElement(bOpened);
					if (Wrong == nullptr && !bOpened)
					{
						Wrong = ReadClosings();
					}
					if (Wrong != nullptr)
					{
						return Wrong;
					}
				} while (Depth > 0);
				SkipSpace();
				return At == Text.size() ? nullptr : "there is text behind the value";
			}

		private:
			/** The letter at the reading place; a NUL, which JSON has no use for, behind the end. */
			char Peek() const { return At < Text.size() ? Text[At] : '\0'; }

			char SkipSpace()
			{
				while (Peek() == ' ' || Peek() == '\t' || Peek() == '\n' || Peek() == '\r')
				{
					++At;
				}
				return Peek();
			}

			Node& Add(NodeKind Kind)
			{
				Node& Made = Into.Nodes.emplace_back();
				Made.Kind = Kind;
				Made.End = static_cast<std::uint32_t>(Into.Nodes.size());
				return Made;
			}

			/** A value, with its key where it stands in a map; a list or map that is not empty is only opened. */
			const char* ReadElement(bool& bOpened)
			{
				if (Depth > 0)
				{
					Node& Parent = Into.Nodes[Open[Depth - 1]];
					if (++Parent.Count > MaxElements)
					{
						return "a list or map has more than 1024 elements";
					}
					const char* Wrong = Parent.Kind == NodeKind::Map ? ReadKey() : nullptr;
					if (Wrong != nullptr)
					{
						return Wrong;
					}
				}
				const char Lead = SkipSpace();
				if (Lead == '{' || Lead == '[')
				{
					return OpenContainer(Lead, bOpened);
				}
				return Lead == '"' ? ReadText() : Lead == '-' || IsDigit(Lead) ? ReadNumber() : ReadWord();
			}

			const char* ReadKey()
			{
				if (SkipSpace() != '"')
				{
					return "the key of a map is no text";
				}
				const char* Wrong = ReadText();
				if (Wrong == nullptr && SkipSpace() != ':')
				{
					Wrong = "a key has no value";
				}
				++At;
				return Wrong;
			}

			const char* OpenContainer(char Lead, bool& bOpened)
			{
				++At;
				const auto Index = static_cast<std::uint32_t>(Into.Nodes.size());
				Add(Lead == '{' ? NodeKind::Map : NodeKind::List);
				if (SkipSpace() == (Lead == '{' ? '}' : ']'))
				{
					++At;
					return nullptr;
				}
				if (Depth == MaxDepth)
				{
					return "lists and maps are nested deeper than 16";
				}
				Open[Depth++] = Index;
				bOpened = true;
				return nullptr;
			}

			/** Closing brackets behind a value, and the comma before the next one. */
			const char* ReadClosings()
			{
				while (Depth > 0)
				{
					Node& Parent = Into.Nodes[Open[Depth - 1]];
					const char Found = SkipSpace();
					++At;
					if (Found == ',')
					{
						return nullptr;
					}
					if (Found != (Parent.Kind == NodeKind::Map ? '}' : ']'))
					{
						return "a list or map is not closed";
					}
					Parent.End = static_cast<std::uint32_t>(Into.Nodes.size());
					--Depth;
				}
				return nullptr;
			}

			const char* ReadText()
			{
				const std::size_t Start = Into.Unescaped.size();
				for (++At; Peek() != '"'; ++At)
				{
					if (static_cast<unsigned char>(Peek()) < 0x20)
					{
						return "a text is not closed, or has a control character in it";
					}
					if (Peek() != '\\')
					{
						Into.Unescaped += Text[At];
					}
					else if (const char* Wrong = ReadEscape())
					{
						return Wrong;
					}
				}
				++At;
				// Never reallocated: what is unescaped is shorter than what was written.
				Node& Made = Add(NodeKind::Text);
				Made.Text = std::string_view(Into.Unescaped).substr(Start);
				return IsUtf8(Made.Text) ? nullptr : "a text is not UTF-8";
			}

			const char* ReadEscape()
			{
				constexpr std::string_view Letters = "\"\\/bfnrt";
				constexpr std::string_view Meant = "\"\\/\b\f\n\r\t";
				++At;
				if (Peek() != 'u')
				{
					const std::size_t Which = Letters.find(Peek());
					if (Which == std::string_view::npos)
					{
						return "a text has an unknown escape";
					}
					Into.Unescaped += Meant[Which];
					return nullptr;
				}
				char32_t CodePoint = ReadHex();
				if (CodePoint >= 0xD800 && CodePoint < 0xDC00 && Text.substr(At + 1, 2) == "\\u")
				{
					At += 2;
					const char32_t Low = ReadHex();
					CodePoint = Low >= 0xDC00 && Low < 0xE000 ? 0x10000 + ((CodePoint - 0xD800) << 10) + (Low - 0xDC00)
															  : NoCodePoint;
				}
				if (CodePoint == NoCodePoint || (CodePoint >= 0xD800 && CodePoint < 0xE000))
				{
					return "a text has a broken escape";
				}
				AppendUtf8(Into.Unescaped, CodePoint);
				return nullptr;
			}

			/** The four digits behind the `u` at the reading place, which is moved to the last of them. */
			char32_t ReadHex()
			{
				char32_t Number = 0;
				for (int Index = 0; Index < 4; ++Index)
				{
					++At;
					const char Letter = Peek();
					const char Small = static_cast<char>(Letter | 0x20);
					const bool bLetter = Small >= 'a' && Small <= 'f';
					if (!bLetter && !IsDigit(Letter))
					{
						--At;
						return NoCodePoint;
					}
					Number = Number * 16 + static_cast<char32_t>(bLetter ? Small - 'a' + 10 : Letter - '0');
				}
				return Number;
			}

			bool SkipDigits()
			{
				const std::size_t Start = At;
				while (IsDigit(Peek()))
				{
					++At;
				}
				return At > Start;
			}

			const char* ReadNumber()
			{
				const std::size_t Start = At;
				At += Peek() == '-';
				const std::size_t Digits = At;
				const bool bZero = Peek() == '0';
				bool bGood = SkipDigits() && !(bZero && At > Digits + 1);
				const std::size_t WholeEnd = At;
				if (Peek() == '.')
				{
					++At;
					bGood = SkipDigits() && bGood;
				}
				if (Peek() == 'e' || Peek() == 'E')
				{
					++At;
					At += Peek() == '-' || Peek() == '+';
					bGood = SkipDigits() && bGood;
				}
				if (!bGood)
				{
					return "a number is broken";
				}
				const std::string Written(Text.substr(Start, At - Start));
				// Eighteen digits always fit; what is longer is of no use as a whole number here.
				if (At == WholeEnd && At - Digits <= 18)
				{
					Add(NodeKind::Int).Int = std::strtoll(Written.c_str(), nullptr, 10);
				}
				else
				{
					Add(NodeKind::Float).Float = std::strtod(Written.c_str(), nullptr);
				}
				return nullptr;
			}

			const char* ReadWord()
			{
				for (const std::string_view Word : {"null", "true", "false"})
				{
					if (Text.substr(At, Word.size()) == Word)
					{
						At += Word.size();
						Node& Made = Add(Word == "null" ? NodeKind::Null : NodeKind::Bool);
						Made.bBool = Word == "true";
						return nullptr;
					}
				}
				return "there is no value where one is due";
			}

			static constexpr char32_t NoCodePoint = 0xFFFFFFFF;

			std::string_view Text;
			Document& Into;
			std::size_t At = 0;
			std::uint32_t Open[MaxDepth] = {};
			std::size_t Depth = 0;
		};
	}

	const char* ReadJson(std::string_view Text, Document& Into)
	{
		Into.Nodes.clear();
		Into.Unescaped.clear();
		const char* Wrong = Text.size() > MaxMessageBytes ? "a JSON text has more than 1 MiB" : JsonReader(Text, Into).Read();
		if (Wrong != nullptr)
		{
			Into.Nodes.clear();
		}
		return Wrong;
	}
}
