namespace Palaver
{
    /// <summary>Makes plain text safe for labels that read tags. Lines and drafts are plain text.</summary>
    public static class RichText
    {
        /// <summary>For TextMeshPro and UI Toolkit: every &lt; is shown as it is and begins no tag.</summary>
        public static string EscapeTextMeshPro(string text)
        {
            // One tag pair for each "<": around the whole text, a "</noparse>" in it would end the protection.
            return text.Replace("<", "<noparse><</noparse>");
        }

        /// <summary>
        /// For the Text component of uGUI, which knows no escape: every &lt; becomes the look-alike &#x2039;.
        /// </summary>
        public static string EscapeUGui(string text)
        {
            return text.Replace('<', '\u2039');
        }
    }
}
