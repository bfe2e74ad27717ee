#pragma once

#include "PalaverCore/Document.h"
#include "PalaverCore/Persona.h"

/** Milliseconds of a clock that does not jump. */
std::int64_t NowMs();

/** The persona that a JSON map tells of. */
PalaverCore::Persona ReadPersona(const PalaverCore::Value& Given);

/** Does what comes line by line on standard input, as a game would, and tells on standard output what happens. */
int PlayPuppet();

/** Holds the conversation of a file with the sidecar on a port, and prints one JSON text a line. */
int PlayConversation(std::uint16_t Port, const char* Path);
