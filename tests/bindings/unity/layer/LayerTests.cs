using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using UnityEditor;
using UnityEngine;

namespace Palaver.Tests
{
    /// <summary>The Unity layer, run frame by frame on stubs. Arguments: test, Python, a folder to write to.</summary>
    internal static class LayerTests
    {
        private const int PatienceMs = 20000;

        private static int Main(string[] arguments)
        {
            Application.temporaryCachePath = Application.persistentDataPath = arguments[2];
            // The editor runs what carries InitializeOnLoad.
            Type editor = Assembly.Load("Palaver.Editor").GetType("Palaver.Editor.PalaverEditor");
            RuntimeHelpers.RunClassConstructor(editor.TypeHandle);
            Service(arguments[1]);
            PalaverNpc npc = Npc("smith");
            typeof(LayerTests).GetMethod(arguments[0], BindingFlags.Static | BindingFlags.NonPublic).Invoke(
                null, new object[] { npc });
            return 0;
        }

        private static void LinesComeByTask(PalaverNpc npc)
        {
            var shown = new List<string>();
            npc.LineFinished.AddListener(shown.Add);
            int drafts = 0;
            Task<PalaverLine> ask = npc.AskAsync("What does the iron sword cost?", draft => drafts++, 60000);
            Frames(() => ask.IsCompleted);
            That(ask.Result.Source == LineSource.Model, $"a line of the model, not {ask.Result.Source}");
            That(drafts > 0, "drafts");
            That(shown.Count == 1 && shown[0] == ask.Result.Text, "the event's text");

            string saved = npc.Save();
            That(saved.Contains("iron sword"), saved);
            npc.Load(saved.Replace("iron sword", "old sword"));
            That(npc.Save().Contains("old sword"), "the loaded text");

            PalaverNpc other = Npc("smith-2");
            That(!other.Save().Contains("sword"), "a character with a memory of its own");
            End(npc);
        }

        private static void TokensCancel(PalaverNpc npc)
        {
            var source = new CancellationTokenSource();
            Task<PalaverLine> ask = npc.AskWithAsync("Tell me all", new AskOptions { Steps = 1000 }, null, source.Token);
            Frames(() => PalaverService.Instance.Client.State == ClientState.Ready);
            // From another thread, as a time limit of .NET does it.
            Task.Run(() => source.Cancel()).Wait();
            Frames(() => ask.IsCompleted);
            That(ask.IsCanceled, "a cancelled task");
            That(npc.AskAsync("Hello?", null, null, source.Token).IsCanceled, "a token that was cancelled before");

            Task<PalaverLine> destroyed = npc.AskWithAsync("And now?", new AskOptions { Steps = 1000 });
            UnityEngine.Object.Destroy(npc.gameObject);
            Frames(() => destroyed.IsCompleted);
            That(destroyed.IsCanceled, "the task of a component that is gone");
            End(npc);
        }

        private static void LeavingPlayModeStopsTheSidecar(PalaverNpc npc)
        {
            StopsBy(npc, () => EditorApplication.ChangePlayMode(PlayModeStateChange.ExitingPlayMode));
        }

        private static void ReloadingAssembliesStopsTheSidecar(PalaverNpc npc)
        {
            StopsBy(npc, AssemblyReloadEvents.Reload);
        }

        private static void QuittingStopsTheSidecar(PalaverNpc npc)
        {
            StopsBy(npc, Player.Quit);
        }

        private static void StopsBy(PalaverNpc npc, Action stop)
        {
            Task<PalaverLine> ask = npc.AskWithAsync("Tell me all", new AskOptions { Steps = 1000 });
            PalaverService service = PalaverService.Instance;
            Frames(() => service.Client.State == ClientState.Ready);
            int sidecar = SidecarOf(service);
            That(IsRunning(sidecar), "a sidecar");
            stop();
            That(!IsRunning(sidecar), "no sidecar");
            That(ask.IsCanceled, "an end of the ask");
            That(service.Closed && npc.Save().Contains("turns"), "turns can still be saved");
            That(npc.AskAsync("Hello?").IsCanceled, "asks of a closed service");
        }

        private static void End(PalaverNpc npc)
        {
            int sidecar = SidecarOf(PalaverService.Instance);
            Player.Quit();
            That(!IsRunning(sidecar), "no sidecar");
            That(UnityEngine.Debug.Warnings.Count == 0, string.Join(" / ", UnityEngine.Debug.Warnings.ToArray()));
        }

        private static void Service(string python)
        {
            var service = new GameObject("Palaver").AddComponent<PalaverService>(
                added =>
                {
                    Set(added, "sidecarPath", python);
                    Set(added, "leadingArguments", new[] { "-m", "runtime.serve" });
                    Set(added, "frameBudgetMs", 16f);
                });
            That(PalaverService.Instance == service, "one service");
        }

        private static PalaverNpc Npc(string id)
        {
            var persona = ScriptableObject.CreateInstance<PalaverPersona>();
            Set(persona, "id", "smith");
            Set(persona, "displayName", "Borin");
            Set(persona, "role", "blacksmith");
            Set(persona, "knowledge", new[] { "The iron sword costs 40 gold." });
            return new GameObject(id).AddComponent<PalaverNpc>(
                added =>
                {
                    Set(added, "persona", persona);
                    Set(added, "idOverride", id == "smith" ? "" : id);
                });
        }

        // What the inspector does.
        private static void Set(object target, string field, object value)
        {
            target.GetType().GetField(field, BindingFlags.Instance | BindingFlags.NonPublic).SetValue(target, value);
        }

        private static int SidecarOf(PalaverService service)
        {
            FieldInfo host = typeof(PalaverService).GetField("_host", BindingFlags.Instance | BindingFlags.NonPublic);
            return ((PalaverHost)host.GetValue(service)).SidecarId;
        }

        private static bool IsRunning(int process)
        {
            return process != 0 && System.IO.Directory.Exists($"/proc/{process}");
        }

        private static void Frames(Func<bool> passed)
        {
            Stopwatch watch = Stopwatch.StartNew();
            while (!passed())
            {
                That(watch.ElapsedMilliseconds < PatienceMs, "it did not come to pass");
                Player.Frame();
                Thread.Sleep(2);
            }
        }

        private static void That(bool fact, string what)
        {
            if (!fact)
            {
                throw new InvalidOperationException($"missing: {what}");
            }
        }
    }
}
