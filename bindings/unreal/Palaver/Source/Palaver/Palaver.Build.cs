using System.IO;
using UnrealBuildTool;

/// <summary>What a game sees: subsystem, component, persona asset, Blueprint node and settings.</summary>
public class Palaver : ModuleRules
{
	public Palaver(ReadOnlyTargetRules Target) : base(Target)
	{
		PCHUsage = PCHUsageMode.UseExplicitOrSharedPCHs;

		PublicDependencyModuleNames.AddRange(new[] { "Core", "CoreUObject", "DeveloperSettings", "Engine" });
		PrivateDependencyModuleNames.AddRange(new[] { "PalaverCore", "Projects" });

		// The sidecar and its model are ordinary files beside the game, not packed: another program has to read them.
		string Sidecar = Path.Combine(PluginDirectory, "Sidecar", Target.Platform.ToString());
		if (Directory.Exists(Sidecar))
		{
			RuntimeDependencies.Add(Path.Combine(Sidecar, "..."), StagedFileType.NonUFS);
		}
	}
}
