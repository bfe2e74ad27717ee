using System;
using System.Reflection;
using System.Text;

namespace Palaver.Tests
{
    /// <summary>
    /// tests.exe Class.Method ARGUMENT... runs one test, tests.exe Class all of a class that take nothing. Exit code 1
    /// and the reason if one fails.
    /// </summary>
    internal static class Program
    {
        private const BindingFlags Tests = BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.DeclaredOnly;

        private static int Main(string[] arguments)
        {
            Console.OutputEncoding = new UTF8Encoding(false);
            string[] name = arguments[0].Split('.');
            Type tests = typeof(Program).Assembly.GetType($"Palaver.Tests.{name[0]}");
            var given = new object[arguments.Length - 1];
            Array.Copy(arguments, 1, given, 0, given.Length);
            int failed = 0;
            foreach (MethodInfo test in tests.GetMethods(Tests))
            {
                bool meant = name.Length == 2 ? test.Name == name[1]
                    : test.IsAssembly && test.ReturnType == typeof(void) && test.GetParameters().Length == 0;
                failed += meant && !Passes(test, given) ? 1 : 0;
            }
            return failed == 0 ? 0 : 1;
        }

        private static bool Passes(MethodInfo test, object[] given)
        {
            try
            {
                test.Invoke(null, given);
                Console.WriteLine($"passed {test.Name}");
                return true;
            }
            catch (TargetInvocationException error)
            {
                Console.Error.WriteLine($"{test.Name}: {error.InnerException}");
                return false;
            }
        }
    }
}
