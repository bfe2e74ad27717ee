using System;
using System.Diagnostics;

namespace Palaver
{
    /// <summary>
    /// A sidecar of the game's own and the client that talks to it: started, started again when it dies, and stopped.
    /// </summary>
    public sealed class PalaverHost : IDisposable
    {
        private const int FirstRestartMs = 500;
        private const int LongestRestartMs = 30000;
        private const int StartTimeoutMs = 60000;
        private const int StableMs = 30000;
        private const int LookEveryMs = 20;
        private const int LastWordsMs = 500;

        private readonly SidecarOptions _options;
        private readonly Backoff _backoff = new Backoff(FirstRestartMs, LongestRestartMs);
        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private SidecarProcess _sidecar;
        private bool _wanted;
        private bool _connected;
        private long _startAtMs;
        private long _startedAtMs;
        private long _lookAtMs;
        private long _exitedAtMs;

        /// <summary>Makes a host; Start begins.</summary>
        public PalaverHost(SidecarOptions options, PalaverClient client)
        {
            _options = options;
            Client = client;
        }

        /// <summary>
        /// Raised from Update when the sidecar cannot be started or has died; it is started again by itself.
        /// </summary>
        public event Action<PalaverException> Problem;

        /// <summary>The client; asks made before the sidecar runs wait for it.</summary>
        public PalaverClient Client { get; }

        /// <summary>Process id of the sidecar; 0 while there is none.</summary>
        public int SidecarId => _sidecar == null ? 0 : _sidecar.Id;

        /// <summary>How often a sidecar was started.</summary>
        public int Starts { get; private set; }

        /// <summary>Starts the sidecar, and from then on keeps one running.</summary>
        public void Start()
        {
            _wanted = true;
            _startAtMs = _clock.ElapsedMilliseconds;
        }

        /// <summary>
        /// Looks after the process and the client. Call it once a frame, instead of the client's Update.
        /// </summary>
        public void Update()
        {
            Supervise(_clock.ElapsedMilliseconds);
            Client.Update();
        }

        /// <summary>Ends the sidecar and waits for it, by force after the given time. Open asks stay open.</summary>
        /// <param name="waitMs">How long it may take to go on its own.</param>
        public void Stop(int waitMs = 1000)
        {
            _wanted = false;
            if (_sidecar == null)
            {
                return;
            }
            Client.Bye();
            _sidecar.Stop(waitMs);
            Drop();
        }

        /// <summary>Stops the sidecar and ends the client.</summary>
        public void Dispose()
        {
            Stop();
            Client.Dispose();
        }

        private void Supervise(long nowMs)
        {
            if (!_wanted || nowMs < _lookAtMs)
            {
                return;
            }
            _lookAtMs = nowMs + LookEveryMs;
            if (_sidecar == null)
            {
                if (nowMs >= _startAtMs)
                {
                    Launch(nowMs);
                }
            }
            else if (_sidecar.HasExited)
            {
                _exitedAtMs = _exitedAtMs == 0 ? nowMs : _exitedAtMs;
                if (!_sidecar.SaidAll && nowMs - _exitedAtMs < LastWordsMs)
                {
                    return;
                }
                Restart(nowMs, $"the sidecar ended with exit code {_sidecar.ExitCode}: {_sidecar.Complaints}");
            }
            else if (!_connected)
            {
                Connect(nowMs);
            }
            else if (nowMs - _startedAtMs >= StableMs)
            {
                _backoff.Reset();
            }
        }

        private void Launch(long nowMs)
        {
            _startedAtMs = nowMs;
            _exitedAtMs = 0;
            try
            {
                _sidecar = new SidecarProcess(_options);
                Starts++;
            }
            catch (PalaverException error)
            {
                _startAtMs = nowMs + _backoff.NextMs();
                Problem?.Invoke(error);
            }
        }

        private void Connect(long nowMs)
        {
            int port = _sidecar.ReadPort();
            if (port != 0)
            {
                _connected = true;
                Client.Connect(port, _sidecar.Secret);
            }
            else if (nowMs - _startedAtMs >= StartTimeoutMs)
            {
                _sidecar.Stop(0);
                Restart(nowMs, "the sidecar was not ready in time");
            }
        }

        private void Restart(long nowMs, string reason)
        {
            Drop();
            _startAtMs = nowMs + _backoff.NextMs();
            Problem?.Invoke(new PalaverException("sidecar-failed", reason, "See its log"));
        }

        private void Drop()
        {
            _sidecar.Dispose();
            _sidecar = null;
            _connected = false;
            Client.Disconnect();
        }
    }
}
