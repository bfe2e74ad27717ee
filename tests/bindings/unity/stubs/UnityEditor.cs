// What the package's editor part uses of Unity's editor.
using System;

namespace UnityEditor
{
    [AttributeUsage(AttributeTargets.Class)]
    public sealed class InitializeOnLoadAttribute : Attribute
    {
    }

    public enum PlayModeStateChange
    {
        EnteredEditMode,
        ExitingEditMode,
        EnteredPlayMode,
        ExitingPlayMode,
    }

    public static class EditorApplication
    {
        public static event Action quitting;

        public static event Action<PlayModeStateChange> playModeStateChanged;

        public static void ChangePlayMode(PlayModeStateChange change)
        {
            playModeStateChanged?.Invoke(change);
        }

        public static void Quit()
        {
            quitting?.Invoke();
        }
    }

    public static class AssemblyReloadEvents
    {
        public delegate void AssemblyReloadCallback();

        public static event AssemblyReloadCallback beforeAssemblyReload;

        public static void Reload()
        {
            beforeAssemblyReload?.Invoke();
        }
    }
}
