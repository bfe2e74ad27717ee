namespace Palaver
{
    /// <summary>Something that has news for its subscribers, to be told from PalaverClient.Update.</summary>
    internal interface INotified
    {
        void Notify();
    }
}
