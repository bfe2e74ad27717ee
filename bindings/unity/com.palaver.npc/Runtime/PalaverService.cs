using System;
using System.Collections.Concurrent;
using UnityEngine;

namespace Palaver
{
    /// <summary>
    /// The one connection of the game: starts the sidecar, looks after it each frame, and stops it. It makes itself
    /// when first used; put one into the first scene to change its settings.
    /// </summary>
    [AddComponentMenu("Palaver/Palaver Service")]
    [DefaultExecutionOrder(-1000)]
    public sealed class PalaverService : MonoBehaviour
    {
        private const int AttachEveryFrames = 60;

        private static PalaverService _instance;
        private static bool _quitting;

        [SerializeField, Tooltip("The sidecar's executable. Empty: StreamingAssets/Palaver/sidecar/palaver-sidecar.")]
        private string sidecarPath = "";

        [SerializeField, Tooltip("What stands before the sidecar's own arguments. For a Python: -m and runtime.serve.")]
        private string[] leadingArguments = new string[0];

        [SerializeField, Tooltip("Folder in which the sidecar begins. Empty: the game's own.")]
        private string workingFolder = "";

        [SerializeField, Tooltip("The model's folder. Empty: StreamingAssets/Palaver/model, or else the pocket model.")]
        private string modelFolder = "";

        [SerializeField, Range(1, 16), Tooltip("CPU threads of the model.")]
        private int threads = 1;

        [SerializeField, Tooltip("Limit compute to the milliseconds below. Off: it takes one core while it has work.")]
        private bool limitToFrameBudget = true;

        [SerializeField, Range(0, 16), Tooltip("Milliseconds of compute in each frame.")]
        private float frameBudgetMs = 2;

        [SerializeField, Tooltip("Ready file of a sidecar that somebody else starts. Empty: the game starts its own.")]
        private string attachReadyFile = "";

        private readonly ConcurrentQueue<RequestHandle> _cancelled = new ConcurrentQueue<RequestHandle>();
        private PalaverHost _host;
        private int _attachedPort;

        /// <summary>The service, made if there is none yet.</summary>
        public static PalaverService Instance
        {
            get
            {
                // Whoever saves in OnDestroy gets the old one, whose object may be gone.
                if (_instance == null && !_quitting)
                {
                    new GameObject("Palaver").AddComponent<PalaverService>();
                }
                return _instance;
            }
        }

        /// <summary>The client, for what goes beyond one character.</summary>
        public PalaverClient Client { get; private set; }

        /// <summary>Whether it was shut down, and answers no more.</summary>
        public bool Closed => Client.Disposed;

        /// <summary>Milliseconds of compute in each frame, 0 to 1000; 0 while nothing may be computed.</summary>
        public float FrameBudgetMs
        {
            get { return frameBudgetMs; }
            set { frameBudgetMs = value; }
        }

        /// <summary>
        /// Stops the sidecar and cancels all asks, if there is a service. The editor calls it before it reloads.
        /// </summary>
        public static void Shutdown()
        {
            if (_instance != null)
            {
                _instance.Close();
            }
        }

        /// <summary>Cancels from whatever thread; it happens in the next frame.</summary>
        internal void CancelSoon(RequestHandle handle)
        {
            _cancelled.Enqueue(handle);
        }

        // Statics outlive a play session where the editor does not reload assemblies.
        [RuntimeInitializeOnLoadMethod(RuntimeInitializeLoadType.SubsystemRegistration)]
        private static void Forget()
        {
            _instance = null;
            _quitting = false;
        }

        private void Awake()
        {
            if (_instance != null && _instance != this)
            {
                Destroy(gameObject);
                return;
            }
            _instance = this;
            DontDestroyOnLoad(gameObject);
        }

        // Not in Awake: after the editor has reloaded assemblies in play mode, only this is called again.
        private void OnEnable()
        {
            if (Client != null || (_instance != null && _instance != this))
            {
                return;
            }
            _instance = this;
            Client = new PalaverClient("palaver-unity");
            Client.Problem += Warn;
            Client.HandlerThrew += Debug.LogException;
            if (attachReadyFile.Length == 0)
            {
                _host = new PalaverHost(Options(), Client);
                _host.Problem += Warn;
                _host.Start();
            }
        }

        private void Update()
        {
            if (Client == null || Closed)
            {
                return;
            }
            while (_cancelled.TryDequeue(out RequestHandle handle))
            {
                handle.Cancel();
            }
            if (limitToFrameBudget)
            {
                Client.Tick(Time.frameCount, frameBudgetMs);
            }
            if (_host != null)
            {
                _host.Update();
                return;
            }
            Attach();
            Client.Update();
        }

        private void Attach()
        {
            // A sidecar that was started anew has another port; a look at the file every other second finds it.
            bool due = Client.State == ClientState.Disconnected && Time.frameCount % AttachEveryFrames == 0;
            if (due && ReadyFile.TryReadPort(attachReadyFile, out int port) && port != _attachedPort)
            {
                _attachedPort = port;
                Client.Connect(port, Environment.GetEnvironmentVariable("PALAVER_SECRET"));
            }
        }

        private void OnApplicationQuit()
        {
            _quitting = true;
            Close();
        }

        private void OnDestroy()
        {
            Close();
        }

        private void Close()
        {
            // One that found another in its place never had a client.
            if (Client != null && !Closed)
            {
                _host?.Stop();
                Client.Dispose();
            }
        }

        private SidecarOptions Options()
        {
            string shipped = System.IO.Path.Combine(Application.streamingAssetsPath, "Palaver");
            bool windows = Application.platform == RuntimePlatform.WindowsPlayer
                || Application.platform == RuntimePlatform.WindowsEditor;
            string model = modelFolder.Length > 0 ? modelFolder : System.IO.Path.Combine(shipped, "model");
            string executable = sidecarPath.Length > 0 ? sidecarPath
                : System.IO.Path.Combine(shipped, "sidecar", windows ? "palaver-sidecar.exe" : "palaver-sidecar");
            var options = new SidecarOptions(executable)
            {
                Threads = threads,
                ModelFolder = modelFolder.Length > 0 || System.IO.Directory.Exists(model) ? model : null,
                WorkingFolder = workingFolder.Length > 0 ? workingFolder : null,
                ReadyFolder = Application.temporaryCachePath,
                LogFile = System.IO.Path.Combine(Application.persistentDataPath, "palaver.log"),
            };
            options.LeadingArguments.AddRange(leadingArguments);
            return options;
        }

        private void Warn(PalaverException problem)
        {
            Debug.LogWarning($"Palaver: {problem}", this);
        }
    }
}
