#include "PalaverCore/Messages.h"

/** What is said is checked as the message that it becomes: by the rules that the sidecar has too. */
namespace PalaverCore
{
	Problem Persona::Check() const
	{
		MsgPackWriter Written;
		Messages::NpcPut(Written, 0, *this);
		return Messages::Checked(Written,
			"Give id, name and role; 200 characters each, 256 facts and 64 fallbacks of 1000, and actions such as "
			"give(item: rope|torch)");
	}

	Problem World::Check() const
	{
		MsgPackWriter Written;
		Messages::WorldPut(Written, 0, *this);
		return Messages::Checked(Written, "Give 32 sections and 512 facts at most, and no two sections of one name");
	}

	Problem AskOptions::Check(std::string_view Text) const
	{
		MsgPackWriter Written;
		Messages::Ask(Written, 0, {"npc", Text, *this, DeadlineMs});
		return Messages::Checked(
			Written, "The limits stand in the comments of AskOptions; text has 1 to 4000 characters");
	}

	Problem ChooseOptions::Check(std::string_view Text, const std::vector<std::string>& Answers) const
	{
		MsgPackWriter Written;
		Messages::Choose(Written, 0, {"npc", Text, Answers, *this, DeadlineMs});
		return Messages::Checked(Written, "Give 2 to 16 answers of 1 to 400 characters; text has 1 to 4000");
	}
}
