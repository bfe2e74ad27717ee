using System;

namespace Palaver
{
    /// <summary>What went wrong, as a code for programs, a message for people and a hint what to do.</summary>
    public sealed class PalaverException : Exception
    {
        /// <summary>Makes an error.</summary>
        /// <param name="code">A code of the protocol ("bad-request", "bad-save"), in lower case with hyphens.</param>
        /// <param name="message">What is wrong, naming the value and its limits.</param>
        /// <param name="hint">What to do about it.</param>
        public PalaverException(string code, string message, string hint) : base(message)
        {
            Code = code;
            Hint = hint;
        }

        /// <summary>A code of the protocol, in lower case with hyphens.</summary>
        public string Code { get; }

        /// <summary>What to do about it.</summary>
        public string Hint { get; }

        /// <summary>Code, message and hint in one line, for a log.</summary>
        public override string ToString()
        {
            return $"{Code}: {Message} ({Hint})";
        }
    }
}
