#pragma once

#include <string>

/** Feed so many mutated vectors to all readers; aborts when one of them breaks its word. */
int RunFuzz(const std::string& VectorsPath, int Cases);
