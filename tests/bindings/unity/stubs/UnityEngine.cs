// The few types of Unity that the package uses, as far as it uses them: enough to compile it strictly and to run it
// frame by frame. What a member does here is what Unity's manual says of it, no more.
using System;
using System.Collections.Generic;
using System.Reflection;

namespace UnityEngine
{
    public class Object
    {
        internal bool Destroyed { get; set; }

        public string name { get; set; }

        public static bool operator ==(Object left, Object right)
        {
            bool leftGone = ReferenceEquals(left, null) || left.Destroyed;
            bool rightGone = ReferenceEquals(right, null) || right.Destroyed;
            return leftGone || rightGone ? leftGone == rightGone : ReferenceEquals(left, right);
        }

        public static bool operator !=(Object left, Object right)
        {
            return !(left == right);
        }

        public static void Destroy(Object gone)
        {
            Player.Destroy((GameObject)gone);
        }

        public static void DontDestroyOnLoad(Object kept)
        {
        }

        public override bool Equals(object other)
        {
            return this == other as Object;
        }

        public override int GetHashCode()
        {
            return base.GetHashCode();
        }
    }

    public class Component : Object
    {
        public GameObject gameObject { get; internal set; }

        public T GetComponent<T>() where T : Component
        {
            return gameObject.GetComponent<T>();
        }
    }

    public class Behaviour : Component
    {
        public bool enabled { get; set; } = true;
    }

    public class MonoBehaviour : Behaviour
    {
    }

    public class ScriptableObject : Object
    {
        public static T CreateInstance<T>() where T : ScriptableObject, new()
        {
            return new T();
        }
    }

    public sealed class GameObject : Object
    {
        internal readonly List<Component> Components = new List<Component>();

        public GameObject(string name)
        {
            this.name = name;
        }

        public T AddComponent<T>() where T : Component, new()
        {
            return AddComponent<T>(added => { });
        }

        /// <summary>
        /// Sets what the inspector would have set, before the component wakes up; Unity has no such thing.
        /// </summary>
        public T AddComponent<T>(Action<T> inspect) where T : Component, new()
        {
            var added = new T { gameObject = this, name = name };
            inspect(added);
            Components.Add(added);
            Player.Add(added);
            return added;
        }

        public T GetComponent<T>() where T : Component
        {
            return (T)Components.Find(component => component is T);
        }
    }

    /// <summary>The player loop; Unity has none that a game can call.</summary>
    public static class Player
    {
        private static readonly List<Component> Running = new List<Component>();

        public static void Frame()
        {
            Time.frameCount++;
            foreach (Component component in Running.ToArray())
            {
                Send(component, "Update");
            }
        }

        public static void Quit()
        {
            foreach (Component component in Running.ToArray())
            {
                Send(component, "OnApplicationQuit");
            }
            foreach (Component component in Running.ToArray())
            {
                Destroy(component.gameObject);
            }
        }

        internal static void Add(Component component)
        {
            Running.Add(component);
            Send(component, "Awake");
            Send(component, "OnEnable");
        }

        internal static void Destroy(GameObject gone)
        {
            foreach (Component component in gone.Components)
            {
                if (Running.Remove(component))
                {
                    Send(component, "OnDestroy");
                    component.Destroyed = true;
                }
            }
            gone.Destroyed = true;
        }

        private static void Send(Component component, string message)
        {
            MethodInfo method = component.GetType().GetMethod(message, BindingFlags.Instance | BindingFlags.NonPublic);
            if (method != null && !component.Destroyed)
            {
                method.Invoke(component, null);
            }
        }
    }

    public static class Debug
    {
        public static readonly List<string> Warnings = new List<string>();

        public static void LogWarning(object message, Object context)
        {
            Warnings.Add(message.ToString());
        }

        public static void LogException(Exception exception)
        {
            Warnings.Add(exception.ToString());
        }
    }

    public static class Time
    {
        public static int frameCount { get; internal set; }
    }

    public enum RuntimePlatform
    {
        LinuxPlayer,
        WindowsPlayer,
        WindowsEditor,
    }

    public static class Application
    {
        public static RuntimePlatform platform => RuntimePlatform.LinuxPlayer;

        public static string streamingAssetsPath { get; set; } = "StreamingAssets";

        public static string temporaryCachePath { get; set; } = System.IO.Path.GetTempPath();

        public static string persistentDataPath { get; set; } = System.IO.Path.GetTempPath();
    }

    public static class PlayerPrefs
    {
        private static readonly Dictionary<string, string> Values = new Dictionary<string, string>();

        public static void SetString(string key, string value)
        {
            Values[key] = value;
        }

        public static string GetString(string key)
        {
            return Values[key];
        }

        public static bool HasKey(string key)
        {
            return Values.ContainsKey(key);
        }
    }

    public sealed class GUILayoutOption
    {
    }

    public static class GUILayout
    {
        public static void Label(string text, params GUILayoutOption[] options)
        {
        }

        public static string TextField(string text, int maxLength, params GUILayoutOption[] options)
        {
            return text;
        }

        public static bool Button(string text, params GUILayoutOption[] options)
        {
            return false;
        }
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class SerializeField : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class TooltipAttribute : Attribute
    {
        public TooltipAttribute(string tooltip)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class TextAreaAttribute : Attribute
    {
    }

    [AttributeUsage(AttributeTargets.Field)]
    public sealed class RangeAttribute : Attribute
    {
        public RangeAttribute(float min, float max)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class CreateAssetMenuAttribute : Attribute
    {
        public string fileName { get; set; }

        public string menuName { get; set; }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class AddComponentMenu : Attribute
    {
        public AddComponentMenu(string menuName)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class DefaultExecutionOrder : Attribute
    {
        public DefaultExecutionOrder(int order)
        {
        }
    }

    [AttributeUsage(AttributeTargets.Class)]
    public sealed class RequireComponent : Attribute
    {
        public RequireComponent(Type requiredComponent)
        {
        }
    }

    public enum RuntimeInitializeLoadType
    {
        AfterSceneLoad,
        SubsystemRegistration = 4,
    }

    [AttributeUsage(AttributeTargets.Method)]
    public sealed class RuntimeInitializeOnLoadMethodAttribute : Attribute
    {
        public RuntimeInitializeOnLoadMethodAttribute(RuntimeInitializeLoadType loadType)
        {
        }
    }
}

namespace UnityEngine.Events
{
    public delegate void UnityAction<T0>(T0 argument);

    public class UnityEvent<T0>
    {
        private UnityAction<T0> _listeners;

        public void AddListener(UnityAction<T0> call)
        {
            _listeners += call;
        }

        public void Invoke(T0 argument)
        {
            _listeners?.Invoke(argument);
        }
    }
}

namespace TMPro
{
    public class TMP_Text : UnityEngine.Component
    {
        public string text { get; set; }
    }
}
