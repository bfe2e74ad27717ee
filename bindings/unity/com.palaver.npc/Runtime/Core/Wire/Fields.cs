namespace Palaver.Wire
{
    /// <summary>Fields of the sidecar's messages, and of the maps in them.</summary>
    internal enum Field
    {
        Type,
        Request,
        Protocol,
        Version,
        State,
        Model,
        Npc,
        Id,
        Data,
        Target,
        Found,
        LoadProgress,
        UptimeS,
        OpenAsks,
        Clients,
        Npcs,
        LinesModel,
        LinesDraft,
        LinesFallback,
        Errors,
        MemoryMb,
        StepMs,
        Text,
        StableChars,
        StepsDone,
        StepsPlanned,
        Source,
        FinishReason,
        Seed,
        Canvases,
        Tokens,
        Rerolls,
        Confidence,
        Deterministic,
        Directions,
        Action,
        PlainText,
        Timings,
        Index,
        Probabilities,
        Dropped,
        Keep,
        Code,
        Message,
        Hint,

        // Inside of model.
        Name,
        CanvasLength,
        Licence,

        // Inside of timings.
        QueueMs,
        EncodeMs,
        DenoiseMs,
        ComputeMs,
        TotalMs,
    }

    internal enum FieldKind
    {
        Text,

        /// <summary>0 to 2^63 - 1.</summary>
        Whole,

        /// <summary>A finite number.</summary>
        Real,
        Flag,
        Map,

        /// <summary>A list of texts.</summary>
        Texts,

        /// <summary>A list of finite numbers.</summary>
        Reals,

        /// <summary>An action with its arguments.</summary>
        Action,
    }

    /// <summary>What the protocol says of the fields: their kinds, where they stand, and who must have them.</summary>
    internal static class Fields
    {
        private static readonly ulong ModelFields = Mask(Field.Name, Field.CanvasLength, Field.Licence);

        private static readonly ulong TimingFields =
            Mask(Field.QueueMs, Field.EncodeMs, Field.DenoiseMs, Field.ComputeMs, Field.TotalMs);

        /// <summary>Those that stand in the message itself.</summary>
        internal static readonly ulong Message = ~(ModelFields | TimingFields);

        private static readonly ulong[] RequiredBy =
        {
            ModelFields | Mask(Field.Request, Field.Protocol, Field.Version, Field.State, Field.Model),
            Mask(Field.Request),
            Mask(Field.Request),
            Mask(Field.Request, Field.Npc),
            Mask(Field.Request, Field.Id, Field.Data),
            Mask(Field.Request, Field.Target, Field.Found),
            Mask(Field.Request, Field.State, Field.LoadProgress, Field.UptimeS, Field.OpenAsks, Field.Clients,
                Field.Npcs, Field.LinesModel, Field.LinesDraft, Field.LinesFallback, Field.Errors, Field.MemoryMb, Field.StepMs),
            Mask(Field.Request, Field.Text, Field.StableChars, Field.StepsDone, Field.StepsPlanned),
            TimingFields | Mask(Field.Request, Field.Text, Field.Source, Field.FinishReason, Field.Seed,
                Field.StepsPlanned, Field.StepsDone, Field.Canvases, Field.Tokens, Field.Rerolls, Field.Confidence,
                Field.Deterministic, Field.Timings),
            TimingFields | Mask(Field.Request, Field.Index, Field.Probabilities, Field.Source, Field.FinishReason,
                Field.Timings),
            Mask(Field.Request, Field.Text, Field.Tokens, Field.Dropped),
            Mask(Field.Request, Field.Id, Field.Text, Field.Keep),
            Mask(Field.Code, Field.Message, Field.Hint),
        };

        /// <summary>Fields that a line may be without, though not of another kind.</summary>
        internal static readonly ulong OptionalInLine = Mask(Field.Directions, Field.Action, Field.PlainText);

        /// <summary>Fields that a message of this type must have, as a bit mask.</summary>
        internal static ulong Required(IncomingType type)
        {
            return RequiredBy[(int)type];
        }

        /// <summary>Fields that stand inside this one, as a bit mask; 0 for a map that is passed over.</summary>
        internal static ulong Inside(Field field)
        {
            return field == Field.Model ? ModelFields : field == Field.Timings ? TimingFields : 0;
        }

        internal static FieldKind KindOf(Field field)
        {
            switch (field)
            {
                case Field.Type:
                case Field.Version:
                case Field.State:
                case Field.Id:
                case Field.Data:
                case Field.Text:
                case Field.PlainText:
                case Field.Source:
                case Field.FinishReason:
                case Field.Code:
                case Field.Message:
                case Field.Hint:
                case Field.Name:
                case Field.Licence:
                    return FieldKind.Text;
                case Field.LoadProgress:
                case Field.UptimeS:
                case Field.MemoryMb:
                case Field.StepMs:
                case Field.Confidence:
                case Field.QueueMs:
                case Field.EncodeMs:
                case Field.DenoiseMs:
                case Field.ComputeMs:
                case Field.TotalMs:
                    return FieldKind.Real;
                case Field.Found:
                case Field.Deterministic:
                    return FieldKind.Flag;
                case Field.Model:
                case Field.Npc:
                case Field.Timings:
                    return FieldKind.Map;
                case Field.Directions:
                case Field.Dropped:
                    return FieldKind.Texts;
                case Field.Probabilities:
                    return FieldKind.Reals;
                case Field.Action:
                    return FieldKind.Action;
                default:
                    return FieldKind.Whole;
            }
        }

        internal static ulong Bit(Field field)
        {
            return 1UL << (int)field;
        }

        private static ulong Mask(params Field[] fields)
        {
            ulong mask = 0;
            foreach (Field field in fields)
            {
                mask |= Bit(field);
            }
            return mask;
        }
    }
}
