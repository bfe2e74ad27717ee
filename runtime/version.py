"""The version of the distribution, kept in one place for the code, the exporter's manifest and the handshake."""

__version__ = "0.1.0"
