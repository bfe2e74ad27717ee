"""Bundles: the folder that holds one exported model, checked before anything of it is used."""

import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PureWindowsPath
from typing import Any

from tokenizers import Tokenizer

from runtime.errors import BundleError
from runtime.manifest import (
    FORMAT,
    FORMAT_VERSION,
    BundleManifest,
    FileRecord,
    GenerationDefaults,
    Quantisation,
    Source,
    TokenFacts,
)
from runtime.records import RecordError
from runtime.signature import Geometry, GraphSignature, LayerGeometry, TensorSpec, step_signature

__all__ = [
    "FORMAT",
    "FORMAT_VERSION",
    "GRAPH_FILE",
    "MANIFEST_FILE",
    "TEMPLATE_FILE",
    "TOKENIZER_FILE",
    "WEIGHTS_FILE",
    "Bundle",
    "BundleManifest",
    "FileRecord",
    "GenerationDefaults",
    "Geometry",
    "GraphSignature",
    "LayerGeometry",
    "Quantisation",
    "Source",
    "TensorSpec",
    "TokenFacts",
    "bundle_files",
    "graph_files",
    "load_bundle",
    "read_manifest",
    "step_signature",
]

MANIFEST_FILE = "bundle.json"
GRAPH_FILE = "step.onnx"
WEIGHTS_FILE = "step.onnx.data"
TOKENIZER_FILE = "tokenizer.json"
TEMPLATE_FILE = "chat_template.jinja"

_PART_BYTES = 1 << 22
_EXPORT_AGAIN = "Copy the bundle again from its source, or export it again with python -m export"


@dataclass(frozen=True, slots=True)
class Bundle:
    """A verified bundle.

    Attributes:
        path: the folder.
        manifest: what bundle.json says.
        tokenizer: loaded from tokenizer.json.
        chat_template: text of chat_template.jinja.
    """

    path: Path
    manifest: BundleManifest
    tokenizer: Tokenizer
    chat_template: str

    @property
    def graphs(self) -> dict[str, GraphSignature]:
        """File name and signature of each slice of the step graph, in the order in which they run."""
        signatures = self.manifest.slices or (self.manifest.signature,)
        return dict(zip(graph_files(len(signatures)), signatures, strict=True))

    @property
    def eos_token(self) -> str:
        """Spelling of the first end-of-turn token."""
        return str(self.tokenizer.id_to_token(self.manifest.generation.eos_token_ids[0]) or "")

    @property
    def end_of_line_id(self) -> int:
        """The token that ends a character's line: of those that may, the last one that the chat template writes out."""
        ends = self.manifest.generation.eos_token_ids
        written = [token_id for token_id in ends if str(self.tokenizer.id_to_token(token_id)) in self.chat_template]
        return written[-1] if written else ends[0]


def graph_files(slices: int) -> tuple[str, ...]:
    """Names of the graph files of a bundle, in the order in which they run."""
    return (GRAPH_FILE,) if slices <= 1 else tuple(f"step.{number}.onnx" for number in range(slices))


def bundle_files(slices: int) -> tuple[str, ...]:
    """Names of all files of a bundle beside its manifest."""
    return (*graph_files(slices), WEIGHTS_FILE, TOKENIZER_FILE, TEMPLATE_FILE)


def load_bundle(path: Path | str, on_read: Callable[[float], None] | None = None) -> Bundle:
    """Read a bundle and check all of it: manifest, format version, sizes, SHA-256 sums and signatures.

    Args:
        path: the folder.
        on_read: called now and then with the share of its bytes that was checked, 0 to 1.

    Raises:
        BundleError: naming the file that is missing, damaged or of another version, and what to do about it.
    """
    folder = Path(path)
    manifest = read_manifest(folder)
    for name in bundle_files(len(manifest.slices)):
        if name not in manifest.files:
            raise BundleError(f"{MANIFEST_FILE} lists no file {name}", _EXPORT_AGAIN)
    total_bytes, read_bytes = sum(record.bytes for record in manifest.files.values()), 0
    for name, record in manifest.files.items():
        for count in _check_file(folder, name, record):
            read_bytes += count
            if on_read is not None:
                on_read(read_bytes / max(1, total_bytes))
    if manifest.signature != step_signature(manifest.geometry):
        raise BundleError(f"the signature in {MANIFEST_FILE} does not follow from its geometry", _EXPORT_AGAIN)
    tokenizer = _read_tokenizer(folder / TOKENIZER_FILE, manifest.geometry.vocab_size)
    return Bundle(folder, manifest, tokenizer, _read_text(folder / TEMPLATE_FILE))


def read_manifest(folder: Path) -> BundleManifest:
    """What bundle.json says, checked; nothing else of the bundle is read. Raises BundleError."""
    if not folder.is_dir():
        raise BundleError(f"{folder} is not a folder", "Give the folder that holds bundle.json")
    path = folder / MANIFEST_FILE
    if not path.is_file():
        raise BundleError(f"{path.name} is missing from {path.parent}", "Give the folder of a bundle, or export one")
    try:
        data = json.loads(_read_text(path))
    except json.JSONDecodeError as error:
        raise BundleError(f"{path.name} is not valid JSON ({error})", _EXPORT_AGAIN) from error
    _check_format(data)
    try:
        return BundleManifest.from_data(data)
    except RecordError as error:
        raise BundleError(f"{path.name} is not complete: {error}", _EXPORT_AGAIN) from error


def _check_format(data: Any) -> None:
    """Version first: a newer manifest may differ in any other field, and then only the version explains why."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BundleError(f'{MANIFEST_FILE} does not say "format": "{FORMAT}"', "Give the folder of a Palaver bundle")
    version = data.get("format_version")
    if isinstance(version, bool) or not isinstance(version, int):
        raise BundleError(f"{MANIFEST_FILE} has no whole number as format_version", _EXPORT_AGAIN)
    if version > FORMAT_VERSION:
        raise BundleError(
            f"{MANIFEST_FILE} has format version {version}, newer than version {FORMAT_VERSION} that is read here",
            "Update Palaver, or export the model again with this version",
        )
    if version < FORMAT_VERSION:
        raise BundleError(
            f"{MANIFEST_FILE} has format version {version}, older than version {FORMAT_VERSION} that is read here",
            "Export the model again with this version of Palaver",
        )


def _check_file(folder: Path, name: str, record: FileRecord) -> Iterator[int]:
    """Check a file, and tell after each part of it how many bytes it had."""
    # The Windows rules know both separators and drives, so nothing outside the folder can be named on any system.
    if PureWindowsPath(name).name != name:
        raise BundleError(f"{MANIFEST_FILE} lists {name!r}, which is not a plain file name", _EXPORT_AGAIN)
    path = folder / name
    if not path.is_file():
        raise BundleError(f"{name} is missing from {folder}", _EXPORT_AGAIN)
    try:
        size = path.stat().st_size
        if size != record.bytes:
            raise BundleError(f"{name} has {size} bytes instead of {record.bytes}: cut off or changed", _EXPORT_AGAIN)
        with path.open("rb") as stream:
            digest = hashlib.sha256()
            while part := stream.read(_PART_BYTES):
                digest.update(part)
                yield len(part)
    except OSError as error:
        raise _unreadable(path, error) from error
    if digest.hexdigest() != record.sha256:
        raise BundleError(f"{name} does not match its SHA-256 sum: damaged or changed", _EXPORT_AGAIN)


def _read_tokenizer(path: Path, vocab_size: int) -> Tokenizer:
    text = _read_text(path)
    try:
        tokenizer = Tokenizer.from_str(text)
    # The tokenizers library raises plain Exception for a file it cannot use.
    except Exception as error:
        raise BundleError(f"{path.name} cannot be used: {error}", _EXPORT_AGAIN) from error
    if tokenizer.get_vocab_size() > vocab_size:
        raise BundleError(
            f"{path.name} has {tokenizer.get_vocab_size()} tokens, the step graph only {vocab_size}", _EXPORT_AGAIN
        )
    return tokenizer


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise BundleError(f"{path.name} is not UTF-8 text", _EXPORT_AGAIN) from error


def _unreadable(path: Path, error: OSError) -> BundleError:
    reason = error.strerror or type(error).__name__
    return BundleError(f"{path.name} cannot be read ({reason})", f"Check the permissions of {path.parent}")
