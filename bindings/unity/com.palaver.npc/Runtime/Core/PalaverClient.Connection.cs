using System;
using Palaver.Wire;

namespace Palaver
{
    /// <summary>The part that keeps the connection up and understands what comes over it.</summary>
    public sealed partial class PalaverClient
    {
        private void Step(long nowMs)
        {
            // A frame that took long (a level was loaded) is no silence of the sidecar.
            if (nowMs - _updatedAtMs > HitchMs)
            {
                _heardAtMs += nowMs - _updatedAtMs;
            }
            _updatedAtMs = nowMs;
            if (!_linked && _port != 0 && nowMs >= _retryAtMs)
            {
                _link.Open(_port);
                _linked = true;
                _heardAtMs = nowMs;
            }
            Drain();
            if (_link.HeardBytes > 0)
            {
                _link.HeardBytes = 0;
                _heardAtMs = nowMs;
            }
            if (_linked)
            {
                KeepAlive(nowMs);
            }
            if (_linked && _link.State == LinkState.Closed)
            {
                Complain(new PalaverException("unreachable", _link.Reason, "See the sidecar's log"));
                Lose(nowMs);
                _retryAtMs = nowMs + _backoff.NextMs();
            }
            Watch(nowMs);
            EndPrompts("timeout", nowMs - PromptPatienceMs);
            _link.Flush();
        }

        private void Drain()
        {
            try
            {
                for (int left = MaxMessagesAnUpdate; left > 0 && _link.Advance(out ArraySegment<byte> message); left--)
                {
                    if (message.Array != null)
                    {
                        Take(message);
                    }
                    if (_link.State == LinkState.Open && _helloRequest < 0)
                    {
                        _helloRequest = NextRequest();
                        Outgoing.Hello(Fresh(), _helloRequest, _secret, _name);
                        SendWritten();
                    }
                }
            }
            catch (PalaverException error)
            {
                _link.Close(error.Message);
            }
        }

        private void KeepAlive(long nowMs)
        {
            long silentMs = nowMs - _heardAtMs;
            if (silentMs >= LostAfterMs)
            {
                _link.Close("the sidecar does not answer");
            }
            else if (_link.State == LinkState.Open && silentMs >= PingAfterMs && nowMs - _pingedAtMs >= PingAfterMs)
            {
                _pingedAtMs = nowMs;
                Outgoing.Ping(Fresh(), NextRequest());
                SendWritten();
            }
            else if (State == ClientState.Ready && LoadProgress < 1 && nowMs - _polledAtMs >= LoadPollMs)
            {
                _polledAtMs = nowMs;
                RequestReport();
            }
        }

        /// <summary>Forgets what belonged to the connection that is gone.</summary>
        private void Lose(long nowMs)
        {
            _linked = _welcomed = _complained = false;
            _helloRequest = -1;
            _retryAtMs = nowMs;
            _late.Clear();
            EndPrompts("unreachable");
            foreach (RequestHandle handle in _open)
            {
                handle.Sent = false;
            }
        }

        /// <summary>Tells of a lost connection once, not again for each vain try to make it anew.</summary>
        private void Complain(PalaverException problem)
        {
            if (problem.Message != _lastReason)
            {
                _lastReason = problem.Message;
                _problems.Enqueue(problem);
            }
        }

        private void Take(ArraySegment<byte> message)
        {
            try
            {
                _incoming.Decode(message);
            }
            catch (PalaverException error)
            {
                // Once a connection: a peer that talks nonsense should not fill the log as well.
                if (!_complained)
                {
                    _complained = true;
                    _problems.Enqueue(error);
                }
                return;
            }
            switch (_incoming.Type)
            {
                case IncomingType.Welcome:
                    Welcome();
                    break;
                case IncomingType.Report:
                    Report();
                    break;
                case IncomingType.Draft:
                    Draft();
                    break;
                case IncomingType.Line:
                    Line();
                    break;
                case IncomingType.Choice:
                    Choice();
                    break;
                case IncomingType.Prompt:
                    PromptCame();
                    break;
                case IncomingType.Summary:
                    Summary();
                    break;
                case IncomingType.Error:
                    Error();
                    break;
            }
        }

        private void Welcome()
        {
            if (_incoming.Request != _helloRequest || _welcomed)
            {
                return;
            }
            _welcomed = true;
            _lastReason = null;
            _backoff.Reset();
            LoadProgress = _incoming.Text(Field.State) == "ready" ? 1 : 0;
            Facts = new SidecarFacts(
                _incoming.Text(Field.Version), _incoming.Text(Field.Name), _incoming.Int(Field.CanvasLength),
                _incoming.Text(Field.Licence));
            SendBudget();
            SendWorld();
            foreach (RememberedNpc npc in _npcs.Values)
            {
                SendNpc(npc);
            }
            foreach (RequestHandle handle in _open)
            {
                SendAsk(handle);
            }
        }

        private void Report()
        {
            bool ready = _incoming.Text(Field.State) == "ready";
            LoadProgress = ready ? 1 : Math.Min(_incoming.Real(Field.LoadProgress), 0.99);
            _newReport = new SidecarReport
            {
                Ready = ready,
                LoadProgress = _incoming.Real(Field.LoadProgress),
                UptimeSeconds = _incoming.Real(Field.UptimeS),
                OpenAsks = _incoming.Int(Field.OpenAsks),
                Clients = _incoming.Int(Field.Clients),
                Npcs = _incoming.Int(Field.Npcs),
                LinesModel = _incoming.Whole(Field.LinesModel),
                LinesDraft = _incoming.Whole(Field.LinesDraft),
                LinesFallback = _incoming.Whole(Field.LinesFallback),
                Errors = _incoming.Whole(Field.Errors),
                MemoryMb = _incoming.Real(Field.MemoryMb),
                StepMs = _incoming.Real(Field.StepMs),
            };
        }

        private void Refused(PalaverException error)
        {
            Complain(error);
            // The next try will hardly end better: who waits for a line gets one now.
            while (_open.Count > 0)
            {
                FinishWithFallback(_open[0], error.Code);
            }
            if (error.Code == "wrong-secret" || error.Code == "protocol-version")
            {
                Disconnect();
            }
            else
            {
                _link.Close(error.Message);
            }
        }

        private void Error()
        {
            long request = _incoming.Request;
            string code = _incoming.Text(Field.Code);
            var error = new PalaverException(code, _incoming.Text(Field.Message), _incoming.Text(Field.Hint));
            if (request == _helloRequest)
            {
                Refused(error);
            }
            else if (code == "hello-first")
            {
                // It has forgotten this client: everything is told again, from the hello on. Whatever else it refused
                // for that reason is among it.
                if (_welcomed)
                {
                    Lose(_updatedAtMs);
                    _linked = true;
                }
            }
            else if (_asks.TryGetValue(request, out RequestHandle handle))
            {
                FinishWithFallback(handle, code);
            }
            else if (!EndPrompt(request, null, error) && !_late.Remove(request))
            {
                _problems.Enqueue(error);
            }
        }
    }
}
