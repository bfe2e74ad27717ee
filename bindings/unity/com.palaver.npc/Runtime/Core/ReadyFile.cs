using System;
using System.Collections.Generic;
using System.IO;

namespace Palaver
{
    /// <summary>The file by which a sidecar that was started with --ready-file tells its port.</summary>
    public static class ReadyFile
    {
        /// <summary>The port in the file; false while there is no such file, or no port in it.</summary>
        public static bool TryReadPort(string path, out int port)
        {
            port = 0;
            try
            {
                if (File.Exists(path) && Json.TryParse(File.ReadAllText(path), out object parsed)
                    && parsed is Dictionary<string, object>
                    && ((Dictionary<string, object>)parsed).TryGetValue("port", out object found) && found is double
                    && (double)found >= 1 && (double)found <= 65535)
                {
                    port = (int)(double)found;
                }
            }
            catch (Exception error) when (error is IOException || error is UnauthorizedAccessException)
            {
                // It is being replaced; the next look will find it whole.
            }
            return port != 0;
        }
    }
}
