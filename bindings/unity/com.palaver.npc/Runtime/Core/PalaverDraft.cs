namespace Palaver
{
    /// <summary>The line so far. Any word in it may still change; it is the line that counts.</summary>
    public struct PalaverDraft
    {
        internal PalaverDraft(string text, int stableChars, int stepsDone, int stepsPlanned)
        {
            Text = text;
            StableLength = Utf16Length(text, stableChars);
            StepsDone = stepsDone;
            StepsPlanned = stepsPlanned;
        }

        /// <summary>The whole text so far.</summary>
        public string Text { get; }

        /// <summary>
        /// How much of the beginning the model was sure of: a length in Text, so that
        /// Text.Substring(0, StableLength) is that part.
        /// </summary>
        public int StableLength { get; }

        /// <summary>Denoising steps that were run.</summary>
        public int StepsDone { get; }

        /// <summary>Denoising steps that are planned for a canvas.</summary>
        public int StepsPlanned { get; }

        // The protocol counts code points, strings of .NET count UTF-16 units.
        private static int Utf16Length(string text, int codePoints)
        {
            int length = 0;
            for (; codePoints > 0 && length < text.Length; codePoints--)
            {
                length += char.IsSurrogatePair(text, length) ? 2 : 1;
            }
            return length;
        }
    }
}
