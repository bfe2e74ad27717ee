using UnrealBuildTool;

/// <summary>Protocol, connection, client and sidecar process in plain C++17; the engine is not needed to build it.</summary>
public class PalaverCore : ModuleRules
{
	public PalaverCore(ReadOnlyTargetRules Target) : base(Target)
	{
		// System headers and the engine's do not go well together, so neither may come in by way of the other.
		PCHUsage = PCHUsageMode.NoPCHs;
		bUseUnity = false;
		bEnableExceptions = false;
		bUseRTTI = false;

		// For IMPLEMENT_MODULE alone.
		PrivateDependencyModuleNames.Add("Core");

		if (Target.Platform == UnrealTargetPlatform.Win64)
		{
			PublicSystemLibraries.Add("Ws2_32.lib");
		}
	}
}
