#include "PalaverCore/Document.h"

namespace PalaverCore
{
	Value Document::Root() const
	{
		return Nodes.empty() ? Value() : Value(*this, 0);
	}

	Value::Value(const Document& InSource, std::uint32_t InIndex) : Source(&InSource), Index(InIndex) {}

	const Node& Value::Get() const
	{
		static const Node Nothing;
		return Source == nullptr ? Nothing : Source->Nodes[Index];
	}

	Value Value::Find(std::string_view Key) const
	{
		Value Found;
		if (Kind() == NodeKind::Map)
		{
			std::uint32_t At = Index + 1;
			while (At < Get().End)
			{
				const std::uint32_t ValueAt = Source->Nodes[At].End;
				if (Source->Nodes[At].Text == Key)
				{
					Found = Value(*Source, ValueAt);
				}
				At = Source->Nodes[ValueAt].End;
			}
		}
		return Found;
	}

	Value Value::First() const
	{
		return Count() == 0 ? Value() : Value(*Source, Index + 1);
	}

	Value Value::Next() const
	{
		return Value(*Source, Get().End);
	}

	std::string_view Value::ToText() const
	{
		return Kind() == NodeKind::Text ? Get().Text : std::string_view();
	}

	std::int64_t Value::ToInt(std::int64_t Default) const
	{
		return Kind() == NodeKind::Int ? Get().Int : Default;
	}

	double Value::ToNumber() const
	{
		return Kind() == NodeKind::Float ? Get().Float : static_cast<double>(ToInt());
	}

	bool Value::ToBool() const
	{
		return Kind() == NodeKind::Bool && Get().bBool;
	}

	std::vector<std::string> TextsOf(const Value& List)
	{
		std::vector<std::string> Texts;
		Value Each = List.First();
		for (std::uint32_t Index = 0; Index < List.Count(); ++Index, Each = Each.Next())
		{
			Texts.emplace_back(Each.ToText());
		}
		return Texts;
	}
}
