using System;
using System.Threading;

namespace Palaver.Tests
{
    /// <summary>What a test has to say when something is not as it should be.</summary>
    internal sealed class CheckFailed : Exception
    {
        internal CheckFailed(string message) : base(message)
        {
        }
    }

    /// <summary>The little that tests need: comparing, expecting errors, and waiting with a limit.</summary>
    internal static class Check
    {
        private const int PatienceMs = 20000;

        internal static void That(bool fact, string what)
        {
            if (!fact)
            {
                throw new CheckFailed(what);
            }
        }

        internal static void Equal<T>(T expected, T actual, string what)
        {
            That(Equals(expected, actual), $"{what}: expected {expected}, found {actual}");
        }

        internal static PalaverException Refused(string code, Action action, string what)
        {
            try
            {
                action();
            }
            catch (PalaverException error)
            {
                Equal(code, error.Code, what);
                return error;
            }
            throw new CheckFailed($"{what}: nothing was refused, {code} was due");
        }

        /// <summary>Runs frames until something has come to pass.</summary>
        internal static void Until(Action frame, Func<bool> passed, string what)
        {
            DateTime limit = DateTime.UtcNow.AddMilliseconds(PatienceMs);
            while (!passed())
            {
                That(DateTime.UtcNow < limit, $"{what}: it did not come to pass");
                frame();
                Thread.Sleep(1);
            }
        }

        internal static PalaverLine Line(PalaverClient client, AskHandle handle)
        {
            Until(client.Update, () => handle.State != AskState.Waiting, $"an end of '{handle.Text}'");
            That(handle.Line != null, $"'{handle.Text}' ended without a line");
            return handle.Line;
        }
    }
}
