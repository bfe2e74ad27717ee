using System.Collections.Generic;
using Palaver.Wire;

namespace Palaver
{
    /// <summary>The part that asks for prompts: a tool for whoever writes characters.</summary>
    public sealed partial class PalaverClient
    {
        private const int PromptPatienceMs = 10000;

        private static readonly PromptOptions NoContext = new PromptOptions();

        private readonly Dictionary<long, PromptHandle> _prompts = new Dictionary<long, PromptHandle>();

        /// <summary>What the model would read, were this asked now.</summary>
        /// <param name="npcId">Of a persona that was put.</param>
        /// <param name="text">What the player would say, 1 to 4000 characters.</param>
        /// <param name="options">What to use in place of memory and world; null for nothing.</param>
        /// <returns>
        /// What ends with the prompt, or with an error: "loading", "unreachable" without a connection, "timeout" after
        /// 10 s.
        /// </returns>
        /// <exception cref="PalaverException">As of Ask.</exception>
        public PromptHandle Prompt(string npcId, string text, PromptOptions options = null)
        {
            CheckAlive();
            RememberedNpc npc = Known(npcId);
            options = options ?? NoContext;
            PromptOptions.CheckPrompt(text, options);
            long request = NextRequest();
            Outgoing.PromptGet(Fresh(), request, npc.Persona, text, options);
            CheckSize();
            var handle = new PromptHandle(_clockMs());
            _prompts.Add(request, handle);
            if (State == ClientState.Ready)
            {
                SendWritten();
            }
            else
            {
                EndPrompt(request, null, NoPrompt("unreachable"));
            }
            return handle;
        }

        private static PalaverException NoPrompt(string code)
        {
            return new PalaverException(code, "the sidecar gave no prompt", "See whether it runs, and ask again");
        }

        private void PromptCame()
        {
            EndPrompt(
                _incoming.Request,
                new PalaverPrompt(_incoming.Text(Field.Text), _incoming.Int(Field.Tokens), _incoming.List), null);
        }

        /// <summary>Whether there was one of this request.</summary>
        private bool EndPrompt(long request, PalaverPrompt prompt, PalaverException error)
        {
            if (!_prompts.TryGetValue(request, out PromptHandle handle))
            {
                return false;
            }
            _prompts.Remove(request);
            handle.Finish(prompt, error);
            _due.Enqueue(handle);
            return true;
        }

        /// <summary>Ends all, or those that have waited too long.</summary>
        private void EndPrompts(string code, long madeBeforeMs = long.MaxValue)
        {
            // A dictionary that is being looked through must not change, and a frame without prompts costs nothing.
            if (_prompts.Count == 0)
            {
                return;
            }
            foreach (long request in new List<long>(_prompts.Keys))
            {
                if (_prompts[request].MadeMs <= madeBeforeMs)
                {
                    EndPrompt(request, null, NoPrompt(code));
                }
            }
        }
    }
}
