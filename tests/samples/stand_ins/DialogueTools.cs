// As much of Yarn Spinner's and Ink's types as docs/dialogue-tools.md uses, so that its C# can be compiled.
using System;
using System.Collections.Generic;

namespace Yarn.Unity
{
    [AttributeUsage(AttributeTargets.Method)]
    public sealed class YarnCommandAttribute : Attribute
    {
        public YarnCommandAttribute(string name)
        {
            Name = name;
        }

        public string Name { get; }
    }

    public abstract class VariableStorageBehaviour : UnityEngine.MonoBehaviour
    {
        public abstract void SetValue(string variableName, string stringValue);
    }

    public sealed class DialogueRunner : UnityEngine.MonoBehaviour
    {
        public VariableStorageBehaviour VariableStorage { get; set; }
    }
}

namespace Ink.Runtime
{
    public sealed class Story
    {
        public List<string> currentTags { get; } = new List<string>();

        public string Continue()
        {
            return "";
        }
    }
}
