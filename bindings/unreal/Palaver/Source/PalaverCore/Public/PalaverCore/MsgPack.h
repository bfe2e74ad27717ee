#pragma once

#include "PalaverCore/Document.h"

namespace PalaverCore
{
	/** Writes msgpack in its shortest form, appending to bytes that keep their room when they are cleared. */
	class PALAVERCORE_API MsgPackWriter
	{
	public:
		const std::string& Bytes() const { return Out; }
		void Clear() { Out.clear(); }

		void Null();
		void Bool(bool bValue);
		void Int(std::int64_t Number);
		void Unsigned(std::uint64_t Number);
		void Float(double Number);
		void Text(std::string_view Text);
		void List(std::uint32_t Elements);
		void Map(std::uint32_t Pairs);

		/** Write the value once more, nodes in their order. */
		void Any(const Value& Given);

		/** Give a map that was written as an empty one, at this offset, the pairs that have been written since. */
		void SetMapCount(std::size_t At, std::uint32_t Pairs);

	private:
		void BigEndian(std::uint64_t Number, int ByteCount);
		void Header(std::size_t Size, std::size_t ShortLimit, std::uint8_t Short, std::uint8_t Byte1, std::uint8_t Byte2);

		std::string Out;
	};

	/** A map whose number of pairs is not known beforehand; `End` has to be called. */
	class PALAVERCORE_API MapWriter
	{
	public:
		explicit MapWriter(MsgPackWriter& InOut);

		/** Begin a pair; the value has to be written to what is returned. */
		MsgPackWriter& Key(std::string_view Name);
		void End();

	private:
		MsgPackWriter& Out;
		std::size_t Start;
		std::uint32_t Pairs = 0;
	};

	/**
	 * Read one msgpack value that fills the bytes.
	 *
	 * Keys of maps have to be text and different from each other, text has to be UTF-8. Byte strings and extension types
	 * are refused, and so is what is beyond MaxMessageBytes, MaxElements, MaxDepth or MaxValues.
	 *
	 * @return nullptr, or what is wrong with the bytes; the document is empty then.
	 */
	PALAVERCORE_API const char* ReadMsgPack(std::string_view Bytes, Document& Into);
}
