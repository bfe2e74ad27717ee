using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using System.Threading;

namespace Palaver.Tests
{
    /// <summary>
    /// The conversation that all clients hold alike: conversation.exe PORT [FILE]. Prints each answer as a JSON string
    /// on a line of its own. The secret comes from PALAVER_SECRET.
    /// </summary>
    internal static class Conversation
    {
        private static int Main(string[] arguments)
        {
            Console.OutputEncoding = new UTF8Encoding(false);
            string file = arguments.Length > 1 ? arguments[1] : "bindings/protocol/conversation.json";
            Json.TryParse(File.ReadAllText(file), out object parsed);
            var conversation = (Dictionary<string, object>)parsed;
            using (var client = new PalaverClient("conversation"))
            {
                foreach (Dictionary<string, object> npc in (List<object>)conversation["npcs"])
                {
                    client.PutNpc(new Persona((string)npc["id"], (string)npc["name"], (string)npc["role"])
                    {
                        Place = Text(npc, "place"),
                        Mood = Text(npc, "mood"),
                        Manner = Text(npc, "manner"),
                        Knowledge = Texts(npc, "knowledge"),
                        Fallbacks = Texts(npc, "fallbacks"),
                        Banned = Texts(npc, "banned"),
                    });
                }
                client.Connect(int.Parse(arguments[0]), Environment.GetEnvironmentVariable("PALAVER_SECRET"));
                foreach (Dictionary<string, object> ask in (List<object>)conversation["asks"])
                {
                    var options = new AskOptions { Seed = (long)(double)ask["seed"], Steps = (int)(double)ask["steps"] };
                    Print(Answer(client, client.Ask((string)ask["npc"], (string)ask["text"], options)));
                }
            }
            return 0;
        }

        private static string Answer(PalaverClient client, AskHandle ask)
        {
            while (ask.State == AskState.Waiting)
            {
                client.Update();
                Thread.Sleep(1);
            }
            return ask.Line.Text;
        }

        private static void Print(string text)
        {
            var json = new StringBuilder();
            Json.AppendString(json, text);
            Console.WriteLine(json);
        }

        private static string Text(Dictionary<string, object> npc, string key)
        {
            return npc.TryGetValue(key, out object text) ? (string)text : "";
        }

        private static List<string> Texts(Dictionary<string, object> npc, string key)
        {
            return npc.TryGetValue(key, out object texts)
                ? ((List<object>)texts).ConvertAll(text => (string)text) : new List<string>();
        }
    }
}
