#pragma once

#include "PalaverCore/MsgPack.h"
#include "PalaverCore/Persona.h"
#include "PalaverCore/World.h"

namespace PalaverCore
{
	/** Personas and worlds in their canonical form: in order, without what is empty. */
	namespace Payload
	{
		void WritePersona(MsgPackWriter& Out, const Persona& Npc);
		void WriteWorld(MsgPackWriter& Out, const World& Facts);
		/** A field that is left out where there are no texts. */
		void WriteTexts(MapWriter& Map, std::string_view Name, const std::vector<std::string>& Texts);
	}
}
