using Palaver.Wire;

namespace Palaver
{
    /// <summary>The part that takes in what the sidecar answers.</summary>
    public sealed partial class PalaverClient
    {
        private static LineSource SourceOf(string name)
        {
            return name == "fallback" ? LineSource.Fallback : name == "draft" ? LineSource.Draft : LineSource.Model;
        }

        private T Asked<T>() where T : RequestHandle
        {
            _asks.TryGetValue(_incoming.Request, out RequestHandle handle);
            return handle as T;
        }

        private void Draft()
        {
            AskHandle handle = Asked<AskHandle>();
            if (handle != null)
            {
                handle.SetDraft(new PalaverDraft(
                    _incoming.Text(Field.Text), _incoming.Int(Field.StableChars), _incoming.Int(Field.StepsDone),
                    _incoming.Int(Field.StepsPlanned)));
                _due.Enqueue(handle);
            }
        }

        private void Line()
        {
            LineSource source = SourceOf(_incoming.Text(Field.Source));
            string plain = _incoming.Text(_incoming.Has(Field.PlainText) ? Field.PlainText : Field.Text);
            if (_late.TryGetValue(_incoming.Request, out AskHandle late))
            {
                _late.Remove(_incoming.Request);
                if (source != LineSource.Fallback && !late.Dropped)
                {
                    Remember(late, plain);
                }
                return;
            }
            AskHandle handle = Asked<AskHandle>();
            if (handle == null)
            {
                return;
            }
            if (handle.Recorded && source != LineSource.Fallback)
            {
                Remember(handle, plain);
            }
            handle.SetLine(ReadLine(source, plain), plain);
            End(handle, true);
        }

        private void Remember(AskHandle handle, string answer)
        {
            handle.Npc.Remember(handle.Text, answer);
        }

        private PalaverLine ReadLine(LineSource source, string plain)
        {
            var line = new PalaverLine(_incoming.Text(Field.Text), source, _incoming.Text(Field.FinishReason))
            {
                PlainText = plain,
                Seed = _incoming.Whole(Field.Seed),
                StepsPlanned = _incoming.Int(Field.StepsPlanned),
                StepsDone = _incoming.Int(Field.StepsDone),
                Canvases = _incoming.Int(Field.Canvases),
                Tokens = _incoming.Int(Field.Tokens),
                Rerolls = _incoming.Int(Field.Rerolls),
                Confidence = _incoming.Real(Field.Confidence),
                Deterministic = _incoming.Flag(Field.Deterministic),
                Action = _incoming.Action,
                Timings = ReadTimings(),
            };
            if (_incoming.Has(Field.Directions))
            {
                line.Directions = _incoming.List;
            }
            return line;
        }

        private LineTimings ReadTimings()
        {
            return new LineTimings
            {
                QueueMs = _incoming.Real(Field.QueueMs),
                EncodeMs = _incoming.Real(Field.EncodeMs),
                DenoiseMs = _incoming.Real(Field.DenoiseMs),
                ComputeMs = _incoming.Real(Field.ComputeMs),
                TotalMs = _incoming.Real(Field.TotalMs),
            };
        }

        private void Choice()
        {
            ChooseHandle handle = Asked<ChooseHandle>();
            if (handle != null)
            {
                handle.SetChoice(
                    _incoming.Int(Field.Index), _incoming.Probabilities, SourceOf(_incoming.Text(Field.Source)),
                    _incoming.Text(Field.FinishReason), ReadTimings());
                End(handle, true);
            }
        }

        /// <summary>The sidecar tells the older turns of a character as a summary from now on.</summary>
        private void Summary()
        {
            RequestHandle asked = Asked<RequestHandle>();
            if (asked == null && _late.TryGetValue(_incoming.Request, out AskHandle late) && !late.Dropped)
            {
                asked = late;
            }
            // One that was under way while the character's memory was loaded tells of what is no more.
            if (asked != null && _npcs.TryGetValue(_incoming.Text(Field.Id), out RememberedNpc npc) && asked.Npc == npc)
            {
                npc.Summarise(_incoming.Text(Field.Text), _incoming.Int(Field.Keep));
            }
        }
    }
}
