using UnityEditor;

namespace Palaver.Editor
{
    /// <summary>Stops the sidecar before the editor leaves play mode, reloads assemblies or quits.</summary>
    [InitializeOnLoad]
    internal static class PalaverEditor
    {
        static PalaverEditor()
        {
            AssemblyReloadEvents.beforeAssemblyReload += PalaverService.Shutdown;
            EditorApplication.quitting += PalaverService.Shutdown;
            EditorApplication.playModeStateChanged += state =>
            {
                if (state == PlayModeStateChange.ExitingPlayMode)
                {
                    PalaverService.Shutdown();
                }
            };
        }
    }
}
