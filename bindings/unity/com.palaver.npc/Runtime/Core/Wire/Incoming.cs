using System;
using System.Collections.Generic;
using System.Text;

namespace Palaver.Wire
{
    internal enum IncomingType
    {
        Welcome,
        Pong,
        Ok,
        Npc,
        Saved,
        Cancelled,
        Report,
        Draft,
        Line,
        Choice,
        Prompt,
        Summary,
        Error,
    }

    /// <summary>
    /// One message of the sidecar, decoded and checked; the object is used again for the next one. Fields that are not
    /// known are passed over. Known ones of a wrong kind count as missing.
    /// </summary>
    internal sealed class Incoming
    {
        // In the order of the enums; not made from their members, which code stripping may take away.
        private static readonly byte[][] TypeNames = Utf8(
            "welcome pong ok npc saved cancelled report draft line choice prompt summary error");

        private static readonly byte[][] FieldNames = Utf8(
            "type request protocol version state model npc id data target found load_progress uptime_s open_asks "
            + "clients npcs lines_model lines_draft lines_fallback errors memory_mb step_ms text stable_chars "
            + "steps_done steps_planned source finish_reason seed canvases tokens rerolls confidence deterministic directions "
            + "action plain_text timings index probabilities dropped keep code message hint name canvas_length licence queue_ms encode_ms denoise_ms compute_ms total_ms");

        private readonly string[] _texts = new string[FieldNames.Length];
        private readonly long[] _wholes = new long[FieldNames.Length];
        private readonly double[] _reals = new double[FieldNames.Length];
        private readonly List<string> _unknownKeys = new List<string>();
        private List<string> _list;
        private List<double> _probabilities;
        private ActionCall _action;
        private ulong _seen;
        private ulong _keys;
        private ulong _nils;
        private int _type;

        internal IncomingType Type => (IncomingType)_type;

        /// <summary>The request that is answered; -1 in an error that names none.</summary>
        internal long Request => Has(Field.Request) ? _wholes[(int)Field.Request] : -1;

        internal string Text(Field field)
        {
            return _texts[(int)field];
        }

        internal long Whole(Field field)
        {
            return _wholes[(int)field];
        }

        internal int Int(Field field)
        {
            return (int)Math.Min(_wholes[(int)field], int.MaxValue);
        }

        internal double Real(Field field)
        {
            return _reals[(int)field];
        }

        internal bool Flag(Field field)
        {
            return _wholes[(int)field] != 0;
        }

        /// <summary>The directions of a line, or what a prompt has dropped.</summary>
        internal List<string> List => _list;

        /// <summary>Of the options of a choice; at least one.</summary>
        internal List<double> Probabilities => _probabilities;

        /// <summary>What a line carries out; null for nothing.</summary>
        internal ActionCall Action => _action;

        internal bool Has(Field field)
        {
            return (_seen >> (int)field & 1) != 0;
        }

        /// <summary>Reads a message; a PalaverException tells by its code what is wrong with it.</summary>
        internal void Decode(ArraySegment<byte> bytes)
        {
            _seen = _keys = _nils = 0;
            _list = null;
            _action = null;
            _unknownKeys.Clear();
            if (bytes.Count > Limits.MessageBytes)
            {
                throw new PalaverException(
                    "message-too-large", $"a message has {bytes.Count} bytes, at most {Limits.MessageBytes} are allowed", "");
            }
            var reader = new MsgPackReader(bytes);
            _type = -1;
            ReadMap(ref reader, Fields.Message);
            if (!reader.AtEnd)
            {
                throw MsgPackReader.Malformed("something stands behind the map");
            }
            if (_type < 0)
            {
                throw new PalaverException("unknown-type", "a message is of no known type", "See both versions");
            }
            Check(Fields.Required(Type));
        }

        private void Check(ulong required)
        {
            ulong missing = required & ~_seen;
            if (Type == IncomingType.Error && (_keys & Fields.Bit(Field.Request)) != 0)
            {
                missing |= Fields.Bit(Field.Request) & ~_seen;
            }
            if (Type == IncomingType.Line)
            {
                missing |= Fields.OptionalInLine & _keys & ~_seen & ~_nils;
            }
            string source = Text(Field.Source);
            bool known = source == "model" || source == "fallback" || (source == "draft" && Type == IncomingType.Line);
            if (!known && (required & Fields.Bit(Field.Source)) != 0)
            {
                missing |= Fields.Bit(Field.Source);
            }
            if (missing != 0)
            {
                throw Limits.BadRequest(
                    $"{Type} lacks {FirstOf(missing)}, or it is of a wrong kind or out of range", "See the protocol");
            }
        }

        private static Field FirstOf(ulong mask)
        {
            int field = 0;
            while ((mask >> field & 1) == 0)
            {
                field++;
            }
            return (Field)field;
        }

        private static byte[][] Utf8(string names)
        {
            string[] split = names.Split(' ');
            var bytes = new byte[split.Length][];
            for (int index = 0; index < split.Length; index++)
            {
                bytes[index] = Encoding.ASCII.GetBytes(split[index]);
            }
            return bytes;
        }

        private static int Find(byte[][] names, ArraySegment<byte> wanted)
        {
            for (int index = 0; index < names.Length; index++)
            {
                if (names[index].Length == wanted.Count && Same(names[index], wanted))
                {
                    return index;
                }
            }
            return -1;
        }

        private static bool Same(byte[] name, ArraySegment<byte> wanted)
        {
            for (int index = 0; index < name.Length; index++)
            {
                if (name[index] != wanted.Array[wanted.Offset + index])
                {
                    return false;
                }
            }
            return true;
        }

        /// <summary>Reads the fields of the message itself, or of one of the two maps in messages.</summary>
        private void ReadMap(ref MsgPackReader reader, ulong allowed)
        {
            int count = reader.ReadMapHeader();
            for (int index = 0; index < count; index++)
            {
                MsgPackReader ahead = reader;
                int found = Find(FieldNames, reader.ReadStringBytes());
                if (found < 0 || (allowed >> found & 1) == 0)
                {
                    MsgPackReader.NoteKey(_unknownKeys, $"{allowed} {ahead.ReadString()}");
                    reader.Skip(allowed == Fields.Message ? 1 : 2);
                    continue;
                }
                if ((_keys >> found & 1) != 0)
                {
                    throw MsgPackReader.Malformed("a key comes twice");
                }
                _keys |= 1UL << found;
                ReadField(ref reader, (Field)found);
            }
        }

        private void ReadField(ref MsgPackReader reader, Field field)
        {
            bool good = false;
            MsgPackType found = reader.Peek();
            FieldKind kind = Fields.KindOf(field);
            if (field == Field.Type && found == MsgPackType.String)
            {
                _type = Find(TypeNames, reader.ReadStringBytes());
            }
            else if (field == Field.Request && found == MsgPackType.Nil)
            {
                // An error says so that it answers nothing in particular: the same as leaving it out.
                reader.ReadNil();
                _keys &= ~Fields.Bit(field);
            }
            else if (found == MsgPackType.Nil)
            {
                reader.ReadNil();
                _nils |= Fields.Bit(field);
            }
            else if (kind == FieldKind.Texts && found == MsgPackType.Array)
            {
                good = Nested.TryReadTexts(ref reader, out _list);
            }
            else if (kind == FieldKind.Reals && found == MsgPackType.Array)
            {
                good = Nested.TryReadReals(ref reader, out _probabilities);
            }
            else if (kind == FieldKind.Action && found == MsgPackType.Map)
            {
                good = Nested.TryReadAction(ref reader, out _action);
            }
            else if (kind == FieldKind.Text && found == MsgPackType.String)
            {
                _texts[(int)field] = reader.ReadString();
                good = true;
            }
            else if (kind == FieldKind.Whole && found == MsgPackType.Int)
            {
                good = reader.TryReadInt(out _wholes[(int)field]) && _wholes[(int)field] >= 0;
            }
            else if (kind == FieldKind.Real && found == MsgPackType.Float)
            {
                good = SetReal(field, reader.ReadFloat());
            }
            else if (kind == FieldKind.Real && found == MsgPackType.Int)
            {
                good = reader.TryReadInt(out long whole) && SetReal(field, whole);
            }
            else if (kind == FieldKind.Flag && found == MsgPackType.Bool)
            {
                _wholes[(int)field] = reader.ReadBool() ? 1 : 0;
                good = true;
            }
            else if (kind == FieldKind.Map && found == MsgPackType.Map && Fields.Inside(field) != 0)
            {
                ReadMap(ref reader, Fields.Inside(field));
                good = true;
            }
            else
            {
                good = kind == FieldKind.Map && found == MsgPackType.Map;
                reader.Skip(1);
            }
            if (good)
            {
                _seen |= Fields.Bit(field);
            }
        }

        private bool SetReal(Field field, double value)
        {
            _reals[(int)field] = value;
            return !double.IsNaN(value) && !double.IsInfinity(value);
        }
    }
}
