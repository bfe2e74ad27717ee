using System.Collections.Generic;

namespace Palaver
{
    /// <summary>How to start a sidecar.</summary>
    public sealed class SidecarOptions
    {
        /// <summary>Makes options for an executable.</summary>
        /// <param name="executable">The standalone sidecar, or a Python.</param>
        public SidecarOptions(string executable)
        {
            Executable = executable;
        }

        /// <summary>The standalone sidecar, or a Python.</summary>
        public string Executable { get; }

        /// <summary>What stands before the sidecar's own arguments: "-m", "runtime.serve" for a Python.</summary>
        public List<string> LeadingArguments { get; } = new List<string>();

        /// <summary>What stands behind them: "--max-batch", "4".</summary>
        public List<string> TrailingArguments { get; } = new List<string>();

        /// <summary>Folder of the model; null for the pocket model.</summary>
        public string ModelFolder { get; set; }

        /// <summary>CPU threads of the model.</summary>
        public int Threads { get; set; } = 1;

        /// <summary>Where the process begins; null for the game's own working folder.</summary>
        public string WorkingFolder { get; set; }

        /// <summary>A folder that can be written to, for the file by which the sidecar tells its port.</summary>
        public string ReadyFolder { get; set; } = System.IO.Path.GetTempPath();

        /// <summary>The sidecar's log; null for none.</summary>
        public string LogFile { get; set; }
    }
}
