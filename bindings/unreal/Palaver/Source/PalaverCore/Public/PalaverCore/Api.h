#pragma once

// Unreal's build tool defines this for a module that is a library of its own; everywhere else nothing is exported.
#ifndef PALAVERCORE_API
#define PALAVERCORE_API
#endif
