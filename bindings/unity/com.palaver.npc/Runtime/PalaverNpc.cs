using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using UnityEngine;
using UnityEngine.Events;

namespace Palaver
{
    /// <summary>What a label takes text for.</summary>
    public enum TextMarkup
    {
        /// <summary>Text as it is.</summary>
        Plain,

        /// <summary>Tags of TextMeshPro or UI Toolkit.</summary>
        TextMeshPro,

        /// <summary>Tags of uGUI's Text.</summary>
        UGui,
    }

    /// <summary>One character's voice. Put it on the character and give it a persona.</summary>
    [AddComponentMenu("Palaver/Palaver NPC")]
    public sealed class PalaverNpc : MonoBehaviour
    {
        [SerializeField, Tooltip("Who speaks.")]
        private PalaverPersona persona;

        [SerializeField, Tooltip("Set it where several characters share a persona and each has a memory of its own.")]
        private string idOverride = "";

        [SerializeField, Tooltip("How the two events below escape their text, so that no line is taken for a tag.")]
        private TextMarkup markup = TextMarkup.TextMeshPro;

        [SerializeField, Tooltip("Tell the line while it comes. Needed for the first of the events below.")]
        private bool drafts = true;

        [SerializeField, Tooltip("The line so far, as often as it changes. Connect a label's text.")]
        private TextEvent lineDrafted = new TextEvent();

        [SerializeField, Tooltip("The finished line. Connect a label's text.")]
        private TextEvent lineFinished = new TextEvent();

        private readonly List<RequestHandle> _open = new List<RequestHandle>();

        /// <summary>An event with a text that is escaped for the label.</summary>
        [Serializable]
        public sealed class TextEvent : UnityEvent<string>
        {
        }

        /// <summary>The character's id: the persona's, or the one set here in its place.</summary>
        public string Id => string.IsNullOrEmpty(idOverride) ? Persona.Id : idOverride;

        /// <summary>Who speaks.</summary>
        public PalaverPersona Persona
        {
            get
            {
                if (persona == null)
                {
                    throw new PalaverException("bad-request", $"{name} has no persona", "Choose one in the inspector");
                }
                return persona;
            }
        }

        /// <summary>The line so far, escaped for a label.</summary>
        public TextEvent LineDrafted => lineDrafted;

        /// <summary>The finished line, escaped for a label.</summary>
        public TextEvent LineFinished => lineFinished;

        /// <summary>
        /// What the character answers. There is always a line, whatever happens to the sidecar: where none came in time
        /// it is one of the persona's fallbacks. Call it on the main thread; awaited there, it goes on there.
        /// </summary>
        /// <param name="text">What the player says, 1 to 4000 characters.</param>
        /// <param name="onDraft">Called on the main thread with the line so far.</param>
        /// <param name="deadlineMs">When the line has to be there; null for no deadline: 30 s at most.</param>
        /// <param name="ct">Gives the ask up.</param>
        /// <exception cref="OperationCanceledException">
        /// The token was cancelled, the component was destroyed, or its memory was loaded meanwhile.
        /// </exception>
        /// <exception cref="PalaverException">Text or persona are outside their limits.</exception>
        public Task<PalaverLine> AskAsync(
            string text, Action<PalaverDraft> onDraft = null, int? deadlineMs = null, CancellationToken ct = default)
        {
            return AskWithAsync(text, new AskOptions { DeadlineMs = deadlineMs }, onDraft, ct);
        }

        /// <summary>The same as AskAsync, with everything that can be said with an ask.</summary>
        public Task<PalaverLine> AskWithAsync(
            string text, AskOptions options, Action<PalaverDraft> onDraft = null, CancellationToken ct = default)
        {
            if (options.DraftEveryMs == null && (onDraft != null || drafts))
            {
                options.DraftEveryMs = 0;
            }
            PalaverService service = Ready();
            if (IsOver(service, ct))
            {
                return Over<PalaverLine>(ct);
            }
            AskHandle handle = service.Client.Ask(Id, text, options);
            handle.Drafted += draft =>
            {
                lineDrafted.Invoke(Escaped(draft.Text, options));
                onDraft?.Invoke(draft);
            };
            Action<PalaverLine> end = Completion(service, handle, ct, out Task<PalaverLine> task);
            handle.Ended += ended =>
            {
                end(ended.Line);
                if (ended.Line != null)
                {
                    lineFinished.Invoke(Escaped(ended.Line.Text, options));
                }
            };
            return task;
        }

        /// <summary>
        /// Which of several answers fits best: the first one where that could not be found out in time. Nothing is
        /// remembered.
        /// </summary>
        /// <param name="text">What the player says, 1 to 4000 characters.</param>
        /// <param name="answers">2 to 16 of 1 to 400 characters.</param>
        /// <param name="deadlineMs">When the choice has to be there; null for no deadline: 30 s at most.</param>
        /// <param name="ct">Gives it up.</param>
        /// <exception cref="OperationCanceledException">As of AskAsync.</exception>
        /// <exception cref="PalaverException">Text, answers or persona are outside their limits.</exception>
        public Task<PalaverChoice> ChooseAsync(
            string text, IReadOnlyList<string> answers, int? deadlineMs = null, CancellationToken ct = default)
        {
            return ChooseWithAsync(text, answers, new ChooseOptions { DeadlineMs = deadlineMs }, ct);
        }

        /// <summary>The same as ChooseAsync, with everything that can be said with a choose.</summary>
        public Task<PalaverChoice> ChooseWithAsync(
            string text, IReadOnlyList<string> answers, ChooseOptions options, CancellationToken ct = default)
        {
            PalaverService service = Ready();
            if (IsOver(service, ct))
            {
                return Over<PalaverChoice>(ct);
            }
            ChooseHandle handle = service.Client.Choose(Id, text, answers, options);
            Action<PalaverChoice> end = Completion(service, handle, ct, out Task<PalaverChoice> task);
            handle.Ended += ended => end(ended.Choice);
            return task;
        }

        /// <summary>What the model would read, were this asked now: for finding out why it says what it says.</summary>
        /// <exception cref="PalaverException">
        /// The text is outside its limits; or "loading", "unreachable" or "timeout" when awaited.
        /// </exception>
        public Task<PalaverPrompt> PromptAsync(string text, PromptOptions options = null)
        {
            PalaverService service = Ready();
            if (service.Closed)
            {
                return Over<PalaverPrompt>(default(CancellationToken));
            }
            var completion = new TaskCompletionSource<PalaverPrompt>(TaskCreationOptions.RunContinuationsAsynchronously);
            service.Client.Prompt(Id, text, options).Ended += ended =>
            {
                if (ended.Error != null)
                {
                    completion.TrySetException(ended.Error);
                }
                completion.TrySetResult(ended.Prompt);
            };
            return completion.Task;
        }

        /// <summary>Lets a summary stand for all but the last turns of what the character remembers.</summary>
        /// <param name="text">What was said before, up to 4000 characters; empty for nothing.</param>
        /// <param name="keep">Turns that stay word by word, 0 to 16.</param>
        public void SetSummary(string text, int keep = 4)
        {
            Ready().Client.SetSummary(Id, text, keep);
        }

        /// <summary>Gives up every open ask of this component.</summary>
        public void Cancel()
        {
            for (int index = _open.Count - 1; index >= 0; index--)
            {
                _open[index].Cancel();
            }
        }

        /// <summary>What the character remembers, as a JSON text for the game's own save.</summary>
        public string Save()
        {
            return Ready().Client.Save(Id);
        }

        /// <summary>Replaces what the character remembers by what Save returned; open asks are given up.</summary>
        /// <exception cref="PalaverException">"bad-save" or "save-version"; nothing was changed.</exception>
        public void Load(string data)
        {
            Ready().Client.Load(Id, data);
        }

        /// <summary>Tells the sidecar of the persona again, after its asset was changed in play.</summary>
        public void PutPersona()
        {
            PalaverService.Instance.Client.PutNpc(Persona.ToPersona(idOverride));
        }

        private void OnDestroy()
        {
            Cancel();
        }

        private PalaverService Ready()
        {
            PalaverService service = PalaverService.Instance;
            if (!service.Client.HasNpc(Id))
            {
                PutPersona();
            }
            return service;
        }

        private static bool IsOver(PalaverService service, CancellationToken ct)
        {
            return ct.IsCancellationRequested || service.Closed;
        }

        private static Task<T> Over<T>(CancellationToken ct)
        {
            return Task.FromCanceled<T>(ct.IsCancellationRequested ? ct : new CancellationToken(true));
        }

        /// <summary>A task for a request; what is returned ends it, with null for one that was cancelled.</summary>
        private Action<T> Completion<T>(PalaverService service, RequestHandle handle, CancellationToken ct, out Task<T> task)
            where T : class
        {
            // Continuations run by way of the waiter's context, never from inside the client's Update.
            var completion = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
            CancellationTokenRegistration registration = ct.Register(() => service.CancelSoon(handle));
            _open.Add(handle);
            task = completion.Task;
            return answer =>
            {
                registration.Dispose();
                _open.Remove(handle);
                if (answer == null)
                {
                    completion.TrySetCanceled(ct);
                    return;
                }
                completion.TrySetResult(answer);
            };
        }

        private string Escaped(string text, AskOptions options)
        {
            // What the sidecar has escaped already would show its escapes.
            return options.Escape != LineEscape.Plain || markup == TextMarkup.Plain ? text
                : markup == TextMarkup.TextMeshPro ? RichText.EscapeTextMeshPro(text) : RichText.EscapeUGui(text);
        }
    }
}
