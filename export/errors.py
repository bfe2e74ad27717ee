"""The exporter's one error."""

from runtime.errors import PalaverError


class ExportError(PalaverError):
    """A checkpoint that cannot be turned into an exact bundle, or an output folder that cannot be written.

    The message names the file or tensor that is at fault, the hint says what to do about it.
    """

    default_code = "export-failed"
