#pragma once

#include "PalaverCore/Api.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace PalaverCore
{
	/** Limits of whatever is read: a peer that goes beyond one is refused before anything is allocated for it. */
	constexpr std::size_t MaxMessageBytes = std::size_t{1} << 20;
	constexpr std::uint32_t MaxElements = 1024;
	constexpr std::size_t MaxDepth = 16;
	constexpr std::size_t MaxValues = 16384;

	enum class NodeKind : std::uint8_t
	{
		Null,
		Bool,
		Int,
		/** A whole number above the largest Int. */
		Unsigned,
		Float,
		Text,
		List,
		Map
	};

	/** One value of a document. A list's elements, or a map's keys and values in turn, follow it directly. */
	struct Node
	{
		NodeKind Kind = NodeKind::Null;
		/** Elements of a list, pairs of a map. */
		std::uint32_t Count = 0;
		/** Index of the first node that is no longer part of this one. */
		std::uint32_t End = 0;
		union
		{
			bool bBool;
			std::int64_t Int = 0;
			std::uint64_t Unsigned;
			double Float;
		};
		std::string_view Text;
	};

	class Value;

	/**
	 * A decoded message or JSON text as a flat list of nodes. One document is read into again and again, so that it
	 * allocates nothing once it has grown to the size of what usually comes. Its texts are valid as long as the bytes
	 * that it was read from (msgpack), or until it is read into again (JSON).
	 */
	struct Document
	{
		std::vector<Node> Nodes;
		/** Holds what JSON writes in escapes. */
		std::string Unescaped;

		/** The outermost value; not valid in an empty document. */
		PALAVERCORE_API Value Root() const;
	};

	/** One value of a document, as light as a pointer. All reads of a value that is not there give the default. */
	class PALAVERCORE_API Value
	{
	public:
		Value() = default;
		Value(const Document& InSource, std::uint32_t InIndex);

		bool IsValid() const { return Source != nullptr; }
		/** The value's node, of the kind Null if it is not valid. */
		const Node& Get() const;
		NodeKind Kind() const { return Get().Kind; }
		/** Elements of a list, pairs of a map, else 0. */
		std::uint32_t Count() const { return Get().Count; }
		/** Nodes of the document that the value is made of, itself among them. */
		std::uint32_t NodeCount() const { return IsValid() ? Get().End - Index : 1; }

		/** The value of a key of a map, the last one if JSON has it twice; not valid if it is not there. */
		Value Find(std::string_view Key) const;
		/** The first element of a list, or key of a map; not valid if there is none. */
		Value First() const;
		/** What follows a value in its list or map: only to be called if something does. */
		Value Next() const;

		std::string_view ToText() const;
		std::int64_t ToInt(std::int64_t Default = 0) const;
		/** A Float or an Int as a number. */
		double ToNumber() const;
		bool ToBool() const;

	private:
		const Document* Source = nullptr;
		std::uint32_t Index = 0;
	};

	/** The texts of a list. */
	PALAVERCORE_API std::vector<std::string> TextsOf(const Value& List);
}
