using System;
using System.Threading;
using Palaver;
using UnityEngine;

/// <summary>
/// A character to talk to. Put it on a game object with a PalaverNpc that has a persona, and press Play.
/// </summary>
[RequireComponent(typeof(PalaverNpc))]
public sealed class OneNpc : MonoBehaviour
{
    private readonly CancellationTokenSource _destroyed = new CancellationTokenSource();
    private string _question = "What do you sell?";
    private string _answer = "";

    private void OnDestroy()
    {
        _destroyed.Cancel();
    }

    private void OnGUI()
    {
        GUILayout.Label(_answer);
        _question = GUILayout.TextField(_question, Limits.TextChars);
        if (GUILayout.Button("Ask") && _question.Trim().Length > 0)
        {
            Ask(_question);
        }
        if (GUILayout.Button("Save"))
        {
            PlayerPrefs.SetString("palaver", GetComponent<PalaverNpc>().Save());
        }
        if (GUILayout.Button("Load") && PlayerPrefs.HasKey("palaver"))
        {
            GetComponent<PalaverNpc>().Load(PlayerPrefs.GetString("palaver"));
        }
    }

    private async void Ask(string text)
    {
        try
        {
            PalaverLine line = await GetComponent<PalaverNpc>().AskAsync(
                text, draft => _answer = draft.Text, deadlineMs: 4000, ct: _destroyed.Token);
            _answer = line.Text;
        }
        catch (OperationCanceledException)
        {
            // Gave up; there is nothing to show.
        }
    }
}
