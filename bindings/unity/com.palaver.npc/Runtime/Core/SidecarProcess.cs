using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Security.Cryptography;
using System.Text;

namespace Palaver
{
    /// <summary>One run of the sidecar as a child process, which ends with this one whatever happens to it.</summary>
    internal sealed class SidecarProcess : IDisposable
    {
        private const int KilledWaitMs = 2000;
        private const int ComplaintLines = 12;

        private readonly Process _process = new Process();
        private readonly Queue<string> _complaints = new Queue<string>();
        private readonly string _readyFile;

        /// <summary>Starts the process; the port is known later, see ReadPort.</summary>
        /// <exception cref="PalaverException">"sidecar-failed": it cannot be started.</exception>
        internal SidecarProcess(SidecarOptions options)
        {
            Secret = RandomHex();
            _readyFile = Path.Combine(options.ReadyFolder, $"palaver-{RandomHex()}.json");
            _process.StartInfo = new ProcessStartInfo(options.Executable, ArgumentsOf(options))
            {
                UseShellExecute = false,
                CreateNoWindow = true,
                WorkingDirectory = options.WorkingFolder ?? "",
                // Held open as long as this process lives: the sidecar ends when it closes.
                RedirectStandardInput = true,
                // Its one line, which is no business of the game's own output; the ready file tells the same.
                RedirectStandardOutput = true,
                RedirectStandardError = true,
                StandardErrorEncoding = Encoding.UTF8,
            };
            // Never among the arguments, which every program on the machine can read.
            _process.StartInfo.EnvironmentVariables["PALAVER_SECRET"] = Secret;
            _process.ErrorDataReceived += (_, line) => Note(line.Data);
            try
            {
                // On the calling thread: a kernel that ends a child with its parent means the thread that made it.
                _process.Start();
                _process.BeginErrorReadLine();
            }
            // The last one is said where the scripting backend has no processes.
            catch (Exception error) when (error is Win32Exception || error is InvalidOperationException
                || error is NotSupportedException)
            {
                throw new PalaverException(
                    "sidecar-failed", $"{options.Executable} cannot be started ({error.Message})",
                    "See that the file is there and may be run");
            }
        }

        internal string Secret { get; }

        internal int Id => _process.Id;

        internal bool HasExited => _process.HasExited;

        /// <summary>Whether its standard error has been read to the end.</summary>
        internal bool SaidAll { get; private set; }

        internal int ExitCode => _process.ExitCode;

        /// <summary>The last lines it wrote to its standard error.</summary>
        internal string Complaints
        {
            get
            {
                lock (_complaints)
                {
                    return string.Join(" / ", _complaints.ToArray());
                }
            }
        }

        public void Dispose()
        {
            _process.Dispose();
            DeleteReadyFile();
        }

        /// <summary>The port, once the sidecar has told it; 0 before.</summary>
        internal int ReadPort()
        {
            return ReadyFile.TryReadPort(_readyFile, out int port) ? port : 0;
        }

        /// <summary>Ends the process: by closing its standard input, and by force if it does not go in time.</summary>
        internal void Stop(int waitMs)
        {
            try
            {
                _process.StandardInput.Close();
            }
            catch (IOException)
            {
                // It is gone already.
            }
            if (_process.WaitForExit(waitMs))
            {
                return;
            }
            try
            {
                _process.Kill();
            }
            catch (Exception error) when (error is Win32Exception || error is InvalidOperationException)
            {
                // It went in this very moment.
            }
            _process.WaitForExit(KilledWaitMs);
        }

        private static string RandomHex()
        {
            var bytes = new byte[16];
            using (RandomNumberGenerator random = RandomNumberGenerator.Create())
            {
                random.GetBytes(bytes);
            }
            return BitConverter.ToString(bytes).Replace("-", "").ToLowerInvariant();
        }

        private static string Quote(string argument)
        {
            var quoted = new StringBuilder("\"");
            bool windows = Path.DirectorySeparatorChar == '\\';
            int backslashes = 0;
            foreach (char letter in argument)
            {
                // Windows takes backslashes as they are, except before a quote; other systems double all of them.
                if (letter == '"')
                {
                    quoted.Append('\\', windows ? backslashes + 1 : 1);
                }
                else if (letter == '\\' && !windows)
                {
                    quoted.Append('\\');
                }
                backslashes = letter == '\\' ? backslashes + 1 : 0;
                quoted.Append(letter);
            }
            return quoted.Append('\\', windows ? backslashes : 0).Append('"').ToString();
        }

        private string ArgumentsOf(SidecarOptions options)
        {
            var arguments = new List<string>(options.LeadingArguments)
            {
                "--ready-file", _readyFile,
                "--parent-pid", OwnId(),
                "--stdio-guard",
                "--threads", options.Threads.ToString(CultureInfo.InvariantCulture),
            };
            if (options.ModelFolder != null)
            {
                arguments.Add("--model");
                arguments.Add(options.ModelFolder);
            }
            if (options.LogFile != null)
            {
                arguments.Add("--log-file");
                arguments.Add(options.LogFile);
            }
            arguments.AddRange(options.TrailingArguments);
            return string.Join(" ", arguments.ConvertAll(Quote).ToArray());
        }

        private static string OwnId()
        {
            using (Process own = Process.GetCurrentProcess())
            {
                return own.Id.ToString(CultureInfo.InvariantCulture);
            }
        }

        private void Note(string line)
        {
            lock (_complaints)
            {
                if (line == null)
                {
                    SaidAll = true;
                    return;
                }
                _complaints.Enqueue(line);
                if (_complaints.Count > ComplaintLines)
                {
                    _complaints.Dequeue();
                }
            }
        }

        private void DeleteReadyFile()
        {
            try
            {
                File.Delete(_readyFile);
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                // A file of a hundred bytes in a temporary folder; nothing hangs on it.
            }
        }
    }
}
