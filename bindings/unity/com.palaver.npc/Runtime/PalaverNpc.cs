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

        private readonly List<AskHandle> _open = new List<AskHandle>();

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
            if (ct.IsCancellationRequested || service.Closed)
            {
                return Task.FromCanceled<PalaverLine>(ct.IsCancellationRequested ? ct : new CancellationToken(true));
            }
            AskHandle handle = service.Client.Ask(Id, text, options);
            _open.Add(handle);
            handle.Drafted += draft =>
            {
                lineDrafted.Invoke(Escaped(draft.Text));
                onDraft?.Invoke(draft);
            };
            return Completion(service, handle, ct);
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

        private Task<PalaverLine> Completion(PalaverService service, AskHandle handle, CancellationToken ct)
        {
            // Continuations run by way of the waiter's context, never from inside the client's Update.
            var completion = new TaskCompletionSource<PalaverLine>(TaskCreationOptions.RunContinuationsAsynchronously);
            CancellationTokenRegistration registration = ct.Register(() => service.CancelSoon(handle));
            handle.Ended += ended =>
            {
                registration.Dispose();
                _open.Remove(ended);
                if (ended.State == AskState.Cancelled)
                {
                    completion.TrySetCanceled(ct);
                    return;
                }
                completion.TrySetResult(ended.Line);
                lineFinished.Invoke(Escaped(ended.Line.Text));
            };
            return completion.Task;
        }

        private string Escaped(string text)
        {
            return markup == TextMarkup.TextMeshPro ? RichText.EscapeTextMeshPro(text)
                : markup == TextMarkup.UGui ? RichText.EscapeUGui(text) : text;
        }
    }
}
