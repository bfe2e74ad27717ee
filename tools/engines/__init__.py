"""Engines and compilers that the tests of the bindings run: found on this machine, or installed into `.engines/`."""
