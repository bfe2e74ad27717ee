using System;
using System.Collections.Generic;
using System.Diagnostics;
using Palaver.Wire;

namespace Palaver
{
    /// <summary>How far the connection to the sidecar is.</summary>
    public enum ClientState
    {
        /// <summary>Not connected; the next try comes by itself.</summary>
        Disconnected,

        /// <summary>The TCP connection is being made.</summary>
        Connecting,

        /// <summary>The transport's handshake is under way.</summary>
        Handshake,

        /// <summary>Hello was said, the welcome is due.</summary>
        Greeting,

        /// <summary>Welcome came: asks are sent at once.</summary>
        Ready,
    }

    /// <summary>
    /// One connection to a sidecar on this machine. Call <see cref="Update"/> once a frame; nothing in here waits, and
    /// all events are raised from Update. For one thread: the one that calls Update.
    /// </summary>
    /// <remarks>
    /// A frame in which nothing comes allocates nothing. A draft costs its text, a line its text and one small object.
    /// </remarks>
    public sealed partial class PalaverClient : IDisposable
    {
        /// <summary>More stay for the next frame, so that no frame ever pays for a flood.</summary>
        private const int MaxMessagesAnUpdate = 64;
        private const int FirstRetryMs = 250;
        private const int LongestRetryMs = 4000;
        private const int PingAfterMs = 2000;
        private const int LostAfterMs = 6000;
        private const int LoadPollMs = 500;
        private const int HitchMs = 1000;

        private readonly string _name;
        private readonly Func<long> _clockMs;
        private readonly Connection _link = new Connection();
        private readonly MsgPackWriter _writer = new MsgPackWriter();
        private readonly Incoming _incoming = new Incoming();
        private readonly Backoff _backoff = new Backoff(FirstRetryMs, LongestRetryMs);
        private readonly Queue<PalaverException> _problems = new Queue<PalaverException>();
        private readonly Queue<INotified> _due = new Queue<INotified>();

        private int _port;
        private string _secret;
        private bool _linked;
        private bool _welcomed;
        private bool _complained;
        private bool _updating;
        private string _lastReason;
        private long _lastRequest;
        private long _helloRequest = -1;
        private long _retryAtMs;
        private long _heardAtMs;
        private long _pingedAtMs;
        private long _polledAtMs;
        private long _updatedAtMs;
        private ClientState _toldState;
        private SidecarReport _newReport;
        private double? _maxLoad;
        private double _fps;

        /// <summary>Makes a client that is connected to nothing yet.</summary>
        /// <param name="name">What the sidecar's log calls this client; null for nothing.</param>
        /// <param name="clockMs">Milliseconds that never go back; null for the system's.</param>
        public PalaverClient(string name = null, Func<long> clockMs = null)
        {
            _name = name;
            _clockMs = clockMs;
            if (clockMs == null)
            {
                Stopwatch watch = Stopwatch.StartNew();
                _clockMs = () => watch.ElapsedMilliseconds;
            }
            _updatedAtMs = _clockMs();
        }

        /// <summary>Raised when State has changed.</summary>
        public event Action<ClientState> StateChanged;

        /// <summary>
        /// Raised for what a log should tell: a lost connection, a refused persona. Asks end with a line all the same.
        /// </summary>
        public event Action<PalaverException> Problem;

        /// <summary>
        /// Raised for what a handler of any event threw; without a subscriber it comes out of Update.
        /// </summary>
        public event Action<Exception> HandlerThrew;

        /// <summary>Raised with the answer to RequestReport.</summary>
        public event Action<SidecarReport> Reported;

        /// <summary>How far the connection is.</summary>
        public ClientState State => _link.State != LinkState.Open ? (ClientState)_link.State
            : _welcomed ? ClientState.Ready : ClientState.Greeting;

        /// <summary>What the sidecar said of itself and its model; null before the first welcome.</summary>
        public SidecarFacts Facts { get; private set; }

        /// <summary>0 to 1: how much of the model is loaded. Asks that come before wait for it.</summary>
        public double LoadProgress { get; private set; }

        /// <summary>Connects to a sidecar, and again whenever the connection is lost, until Disconnect.</summary>
        /// <param name="port">From the sidecar's READY line or ready file.</param>
        /// <param name="secret">The sidecar's secret; null for none.</param>
        public void Connect(int port, string secret = null)
        {
            Limits.CheckRange("port", port, 1, 65535);
            Disconnect();
            _port = port;
            _secret = secret;
            _backoff.Reset();
            _retryAtMs = _clockMs();
        }

        /// <summary>
        /// Drops the connection and makes no other. Open asks wait for the next Connect, as long as they can.
        /// </summary>
        public void Disconnect()
        {
            _port = 0;
            _link.Close(null);
            Lose(_clockMs());
        }

        /// <summary>Takes in what has come, sends what is due, raises events. Call it once a frame.</summary>
        public void Update()
        {
            // A handler that calls Update would take messages from under the running one.
            if (_updating)
            {
                return;
            }
            _updating = true;
            try
            {
                Step(_clockMs());
                Notify();
            }
            finally
            {
                _updating = false;
            }
        }

        /// <summary>Tells that a frame begins in which the sidecar may compute for so long; ends SetBudget.</summary>
        /// <param name="frame">The frame's number; the same one twice in a row counts once.</param>
        /// <param name="budgetMs">0 to 1000 milliseconds.</param>
        public void Tick(long frame, double budgetMs)
        {
            Limits.CheckRange("frame", frame, 0, long.MaxValue);
            Limits.CheckRange("budget_ms", budgetMs, 0, 1000);
            _maxLoad = null;
            // Where ticks pile up, nobody computes either: one more would not help.
            if (State == ClientState.Ready && !_link.HasUnsent)
            {
                Outgoing.Tick(Fresh(), frame, budgetMs);
                SendWritten();
            }
        }

        /// <summary>Lets the sidecar pace itself from now on, instead of by ticks.</summary>
        /// <param name="maxLoad">Most of one core's time, 0.001 to 1.</param>
        /// <param name="fps">Frames a second over which it is spread, 1 to 1000.</param>
        public void SetBudget(double maxLoad, double fps = 60)
        {
            Limits.CheckRange("max_load", maxLoad, 0.001, 1);
            Limits.CheckRange("fps", fps, 1, 1000);
            _maxLoad = maxLoad;
            _fps = fps;
            SendBudget();
        }

        /// <summary>
        /// Asks the sidecar for its statistics; Reported tells them. Nothing happens while not connected.
        /// </summary>
        public void RequestReport()
        {
            if (State == ClientState.Ready)
            {
                Outgoing.Stats(Fresh(), NextRequest());
                SendWritten();
            }
        }

        /// <summary>Tells the sidecar to end. Only who started it should.</summary>
        public void Bye()
        {
            if (State == ClientState.Ready)
            {
                Outgoing.Bye(Fresh(), NextRequest());
                SendWritten();
            }
        }

        /// <summary>Whether Dispose was called: nothing can be asked any more, turns can still be saved.</summary>
        public bool Disposed { get; private set; }

        /// <summary>Drops the connection; open asks end cancelled.</summary>
        public void Dispose()
        {
            Disposed = true;
            Disconnect();
            CancelWhere(null);
            EndPrompts("unreachable");
            Notify();
        }

        private long NextRequest()
        {
            return ++_lastRequest;
        }

        private MsgPackWriter Fresh()
        {
            _writer.Clear();
            return _writer;
        }

        private void SendWritten()
        {
            try
            {
                _link.Send(_writer.Written);
                _link.Flush();
            }
            catch (PalaverException error)
            {
                _link.Close(error.Message);
            }
        }

        private void SendBudget()
        {
            if (_maxLoad != null && State == ClientState.Ready)
            {
                Outgoing.Budget(Fresh(), NextRequest(), _maxLoad.Value, _fps);
                SendWritten();
            }
        }

        private void Notify()
        {
            while (_problems.Count > 0)
            {
                Raise(Problem, _problems.Dequeue());
            }
            if (_toldState != State)
            {
                _toldState = State;
                Raise(StateChanged, _toldState);
            }
            if (_newReport != null)
            {
                SidecarReport report = _newReport;
                _newReport = null;
                Raise(Reported, report);
            }
            while (_due.Count > 0)
            {
                Raise(Tell, _due.Dequeue());
            }
        }

        private static void Tell(INotified handle)
        {
            handle.Notify();
        }

        private void Raise<T>(Action<T> handlers, T argument)
        {
            try
            {
                handlers?.Invoke(argument);
            }
            catch (Exception error) when (HandlerThrew != null)
            {
                HandlerThrew(error);
            }
        }
    }
}
