namespace Palaver
{
    /// <summary>What the sidecar said of itself and its model in its welcome.</summary>
    public sealed class SidecarFacts
    {
        internal SidecarFacts(string version, string modelName, int canvasLength, string licence)
        {
            Version = version;
            ModelName = modelName;
            CanvasLength = canvasLength;
            Licence = licence;
        }

        /// <summary>Version of Palaver.</summary>
        public string Version { get; }

        /// <summary>Name of the model.</summary>
        public string ModelName { get; }

        /// <summary>Tokens of one canvas.</summary>
        public int CanvasLength { get; }

        /// <summary>Licence of the model.</summary>
        public string Licence { get; }
    }

    /// <summary>The sidecar's answer to a request for statistics.</summary>
    public sealed class SidecarReport
    {
        internal SidecarReport()
        {
        }

        /// <summary>Whether the model is loaded; asks wait until it is.</summary>
        public bool Ready { get; internal set; }

        /// <summary>0 to 1.</summary>
        public double LoadProgress { get; internal set; }

        /// <summary>Seconds since the sidecar began.</summary>
        public double UptimeSeconds { get; internal set; }

        /// <summary>Asks that are open, of all clients.</summary>
        public int OpenAsks { get; internal set; }

        /// <summary>Clients that said hello.</summary>
        public int Clients { get; internal set; }

        /// <summary>Personas that were put, of all clients.</summary>
        public int Npcs { get; internal set; }

        /// <summary>Lines that the model finished.</summary>
        public long LinesModel { get; internal set; }

        /// <summary>Lines that a deadline cut short.</summary>
        public long LinesDraft { get; internal set; }

        /// <summary>Lines that were written beforehand.</summary>
        public long LinesFallback { get; internal set; }

        /// <summary>Errors that were sent.</summary>
        public long Errors { get; internal set; }

        /// <summary>Memory of the sidecar in megabytes.</summary>
        public double MemoryMb { get; internal set; }

        /// <summary>Expected cost of one whole denoising step in milliseconds; 0 if it is not known.</summary>
        public double StepMs { get; internal set; }
    }
}
