namespace Palaver
{
    /// <summary>What the player said, and what the character answered.</summary>
    public struct Turn
    {
        /// <summary>Makes a turn.</summary>
        public Turn(string player, string answer)
        {
            Player = player;
            Answer = answer;
        }

        /// <summary>What the player said.</summary>
        public string Player { get; }

        /// <summary>What the character answered.</summary>
        public string Answer { get; }
    }
}
