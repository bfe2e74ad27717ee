#include "PalaverCore/Client.h"
#include "PalaverCore/MessageCheck.h"

namespace PalaverCore
{
	Problem Client::PutNpc(const Persona& Npc)
	{
		Problem Wrong = Npcs.Put(Npc);
		if (!Wrong.IsSet() && IsReady())
		{
			SendPut(Npc);
		}
		return Wrong;
	}

	bool Client::ForgetNpc(std::string_view NpcId)
	{
		if (Npcs.Find(NpcId) == nullptr)
		{
			return false;
		}
		if (IsReady())
		{
			Messages::NpcForget(Wire.Begin(), Wire.NewRequest(), NpcId);
			Wire.Send();
		}
		CancelAllOf(NpcId);
		return Npcs.Forget(NpcId);
	}

	std::string Client::SaveNpc(std::string_view NpcId)
	{
		const NpcEntry* Found = Npcs.Find(NpcId);
		return Found == nullptr ? std::string() : WriteSave(NpcId, Found->Remembered);
	}

	Problem Client::LoadNpc(std::string_view NpcId, std::string_view Data)
	{
		NpcEntry* Found = Npcs.Find(NpcId);
		if (Found == nullptr)
		{
			return {"unknown-npc", "there is no character of this id", "Put the character first"};
		}
		Problem Wrong = ReadSave(Data, NpcId, Found->Remembered);
		if (!Wrong.IsSet())
		{
			CancelAllOf(NpcId);
			if (IsReady())
			{
				SendMemory(*Found);
			}
		}
		return Wrong;
	}

	Problem Client::SetSummary(std::string_view NpcId, std::string_view Text, std::int64_t Keep)
	{
		NpcEntry* Found = Npcs.Find(NpcId);
		if (Found == nullptr)
		{
			return {"unknown-npc", "there is no character of this id", "Put the character first"};
		}
		MsgPackWriter Written;
		Messages::NpcSummary(Written, 0, NpcId, Text, Keep);
		Problem Wrong = Messages::Checked(Written, "Give up to 4000 characters, and 0 to 16 turns to keep");
		if (!Wrong.IsSet())
		{
			NpcBook::Summarise(*Found, Text, static_cast<std::size_t>(Keep));
			if (IsReady())
			{
				Messages::NpcSummary(Wire.Begin(), Wire.NewRequest(), NpcId, Text, Keep);
				Wire.Send();
			}
		}
		return Wrong;
	}

	std::string_view Client::Summary(std::string_view NpcId)
	{
		const NpcEntry* Found = Npcs.Find(NpcId);
		return Found == nullptr ? std::string_view() : Found->Remembered.Summary;
	}

	Problem Client::PutWorld(const World& NewFacts)
	{
		Problem Wrong = NewFacts.Check();
		if (!Wrong.IsSet())
		{
			Facts = NewFacts;
			if (IsReady())
			{
				Messages::WorldPut(Wire.Begin(), Wire.NewRequest(), Facts);
				Wire.Send();
			}
		}
		return Wrong;
	}

	void Client::SendWorld()
	{
		// A sidecar that knows nothing yet has no world either.
		if (!Facts.Sections.empty())
		{
			Messages::WorldPut(Wire.Begin(), Wire.NewRequest(), Facts);
			Wire.Send();
		}
	}

	void Client::SendPut(const Persona& Npc)
	{
		const RequestId Request = Wire.NewRequest();
		Messages::NpcPut(Wire.Begin(), Request, Npc);
		Wire.Send();
		AboutNpcs.push_back({Request, Npc.Id});
	}

	void Client::SendMemory(const NpcEntry& Entry)
	{
		const RequestId Request = Wire.NewRequest();
		Messages::NpcLoad(Wire.Begin(), Request, WriteSave(Entry.Npc.Id, Entry.Remembered));
		Wire.Send();
		AboutNpcs.push_back({Request, Entry.Npc.Id});
	}
}
