using System;

namespace Palaver
{
    /// <summary>How long to wait before the next try: doubling from the first wait to the longest.</summary>
    internal sealed class Backoff
    {
        private readonly int _firstMs;
        private readonly int _longestMs;
        private int _nextMs;

        internal Backoff(int firstMs, int longestMs)
        {
            _firstMs = firstMs;
            _longestMs = longestMs;
            _nextMs = firstMs;
        }

        internal int NextMs()
        {
            int waitMs = _nextMs;
            _nextMs = Math.Min(_nextMs * 2, _longestMs);
            return waitMs;
        }

        internal void Reset()
        {
            _nextMs = _firstMs;
        }
    }
}
