"""What Unreal's header tool and include paths would give the engine layer, so far as it needs them to compile."""

import re
from pathlib import Path

# Where the engine has what the plugin includes; here EngineObjects.h has it all.
ENGINE_HEADERS = (
    "Components/ActorComponent.h",
    "CoreMinimal.h",
    "Engine/CancellableAsyncAction.h",
    "Engine/DataAsset.h",
    "Engine/DeveloperSettings.h",
    "Engine/GameInstance.h",
    "Engine/World.h",
    "HAL/FileManager.h",
    "HAL/PlatformMisc.h",
    "HAL/PlatformProcess.h",
    "HAL/PlatformTime.h",
    "Interfaces/IPluginManager.h",
    "Kismet/BlueprintFunctionLibrary.h",
    "Misc/Paths.h",
    "Modules/ModuleManager.h",
    "Subsystems/GameInstanceSubsystem.h",
    "Tickable.h",
)
_CLASS = re.compile(r"^(?:class|struct) \w+_API (\w+)(?: : public (\w+))?")


def write_engine_headers(folder: Path) -> Path:
    """The engine's headers, each a door to the stand-ins; returns the folder."""
    for name in ENGINE_HEADERS:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('#pragma once\n#include "EngineObjects.h"\n', encoding="utf-8")
    return folder


def write_generated_headers(headers: list[Path], folder: Path) -> None:
    """For each header the one that the header tool writes: what GENERATED_BODY stands for, line by line."""
    for header in headers:
        base = None
        rows = []
        for number, line in enumerate(header.read_text(encoding="utf-8").splitlines(), 1):
            if found := _CLASS.match(line):
                base = found[2]
            if line.strip() == "GENERATED_BODY()":
                # In a class it ends with `private:`, so that whoever forgets `public:` behind it is told.
                body = f"public: using Super = {base}; private:" if base else ""
                rows.append(f"#undef STUB_BODY_OF_LINE_{number}\n#define STUB_BODY_OF_LINE_{number} {body}\n")
        (folder / f"{header.stem}.generated.h").write_text("".join(rows), encoding="utf-8")
