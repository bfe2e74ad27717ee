#pragma once

#include "EngineText.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

template <typename Type>
class TArray : private std::vector<Type>
{
	using Base = std::vector<Type>;

public:
	using Base::Base;
	using Base::begin;
	using Base::end;
	void Add(const Type& Given) { Base::push_back(Given); }
	int32 Num() const { return static_cast<int32>(Base::size()); }
	bool Contains(const Type& Given) const { return std::find(begin(), end(), Given) != end(); }
	int32 Remove(const Type& Given)
	{
		const int32 Before = Num();
		Base::erase(std::remove(Base::begin(), Base::end(), Given), Base::end());
		return Before - Num();
	}
};

template <typename KeyType, typename ValueType>
struct TPair
{
	KeyType Key;
	ValueType Value;
};

template <typename KeyType, typename ValueType>
class TMap
{
public:
	void Add(const KeyType& Key, const ValueType& Given)
	{
		Remove(Key);
		Pairs.push_back({Key, Given});
	}
	ValueType FindRef(const KeyType& Key) const
	{
		for (const auto& Each : Pairs)
		{
			if (Each.Key == Key)
			{
				return Each.Value;
			}
		}
		return ValueType();
	}
	void Remove(const KeyType& Key)
	{
		const auto IsIt = [&Key](const auto& Each) { return Each.Key == Key; };
		Pairs.erase(std::remove_if(Pairs.begin(), Pairs.end(), IsIt), Pairs.end());
	}
	void Empty() { Pairs.clear(); }
	int32 Num() const { return static_cast<int32>(Pairs.size()); }
	auto begin() const { return Pairs.begin(); }
	auto end() const { return Pairs.end(); }

private:
	std::vector<TPair<KeyType, ValueType>> Pairs;
};

template <typename Type>
class TSharedPtr
{
public:
	TSharedPtr() = default;
	explicit TSharedPtr(std::shared_ptr<Type> InHeld) : Held(std::move(InHeld)) {}
	bool IsValid() const { return Held != nullptr; }
	void Reset() { Held.reset(); }
	Type* operator->() const { return Held.get(); }

private:
	std::shared_ptr<Type> Held;
};

template <typename Type, typename... Arguments>
TSharedPtr<Type> MakeShared(Arguments&&... Given)
{
	return TSharedPtr<Type>(std::make_shared<Type>(std::forward<Arguments>(Given)...));
}

struct FMath
{
	static double RoundToDouble(double Number) { return std::floor(Number + 0.5); }
	template <typename Type>
	static Type Max(Type A, Type B)
	{
		return A > B ? A : B;
	}
	template <typename Type>
	static Type Min(Type A, Type B)
	{
		return A < B ? A : B;
	}
};

class UGameInstance;
class UWorld;

class UObject
{
public:
	virtual ~UObject() = default;
	FString GetName() const { return StubName; }
	bool IsTemplate() const { return false; }
	virtual UWorld* GetWorld() const { return nullptr; }

	FString StubName = TEXT("Object");
};

/** Objects are kept until the program ends, as if something always referred to them. */
std::vector<std::unique_ptr<UObject>>& StubObjects();

template <typename Type>
Type* NewObject(UObject* = nullptr)
{
	StubObjects().push_back(std::make_unique<Type>());
	return static_cast<Type*>(StubObjects().back().get());
}

template <typename Type>
Type* GetMutableDefault()
{
	static Type* const Made = NewObject<Type>();
	return Made;
}

template <typename Type>
const Type* GetDefault()
{
	return GetMutableDefault<Type>();
}

template <typename Type>
class TObjectPtr
{
public:
	TObjectPtr() = default;
	TObjectPtr(Type* InHeld) : Held(InHeld) {}
	operator Type*() const { return Held; }
	Type* operator->() const { return Held; }

private:
	Type* Held = nullptr;
};

template <typename Type>
class TWeakObjectPtr
{
public:
	TWeakObjectPtr() = default;
	TWeakObjectPtr(Type* InHeld) : Held(InHeld) {}
	Type* Get() const { return Held; }

private:
	Type* Held = nullptr;
};

inline bool IsValid(const UObject* Object)
{
	return Object != nullptr;
}

template <typename... Types>
class TStubDelegate
{
public:
	template <typename Class>
	void AddDynamic(Class* Object, void (Class::*Function)(Types...))
	{
		Bound.push_back({Object, [Object, Function](Types... Given) { (Object->*Function)(Given...); }});
	}
	void RemoveAll(const void* Object)
	{
		const auto IsIts = [Object](const auto& Each) { return Each.first == Object; };
		Bound.erase(std::remove_if(Bound.begin(), Bound.end(), IsIts), Bound.end());
	}
	void Broadcast(Types... Given) const
	{
		// As in the engine, a handler may take itself or another away.
		const auto Now = Bound;
		for (const auto& Each : Now)
		{
			Each.second(Given...);
		}
	}

private:
	std::vector<std::pair<const void*, std::function<void(Types...)>>> Bound;
};
