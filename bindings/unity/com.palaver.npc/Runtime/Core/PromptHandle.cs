using System;
using System.Collections.Generic;

namespace Palaver
{
    /// <summary>What the model would read: for finding out why a character says what it says.</summary>
    public sealed class PalaverPrompt
    {
        internal PalaverPrompt(string text, int tokens, IReadOnlyList<string> dropped)
        {
            Text = text;
            Tokens = tokens;
            Dropped = dropped;
        }

        /// <summary>All of it.</summary>
        public string Text { get; }

        /// <summary>How many tokens that is.</summary>
        public int Tokens { get; }

        /// <summary>What did not fit.</summary>
        public IReadOnlyList<string> Dropped { get; }
    }

    /// <summary>A prompt that was asked for. It ends exactly once, with the prompt or an error.</summary>
    public sealed class PromptHandle : INotified
    {
        internal PromptHandle(long madeMs)
        {
            MadeMs = madeMs;
        }

        /// <summary>Raised once, from PalaverClient.Update, when Prompt or Error is there.</summary>
        public event Action<PromptHandle> Ended;

        /// <summary>The prompt; null until it has come.</summary>
        public PalaverPrompt Prompt { get; private set; }

        /// <summary>
        /// Why there is none: "loading" while the sidecar has no model yet, "unreachable", "timeout"; else null.
        /// </summary>
        public PalaverException Error { get; private set; }

        /// <summary>Whether it has ended.</summary>
        public bool HasEnded => Prompt != null || Error != null;

        internal long MadeMs { get; }

        internal void Finish(PalaverPrompt prompt, PalaverException error)
        {
            Prompt = prompt;
            Error = error;
        }

        void INotified.Notify()
        {
            Ended?.Invoke(this);
        }
    }
}
