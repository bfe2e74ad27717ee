"""Bundles: the folder that holds one exported model, checked before anything of it is used."""

import hashlib
import json
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
    "REQUIRED_FILES",
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
    "load_bundle",
    "step_signature",
]

MANIFEST_FILE = "bundle.json"
GRAPH_FILE = "step.onnx"
WEIGHTS_FILE = "step.onnx.data"
TOKENIZER_FILE = "tokenizer.json"
TEMPLATE_FILE = "chat_template.jinja"
REQUIRED_FILES = (GRAPH_FILE, WEIGHTS_FILE, TOKENIZER_FILE, TEMPLATE_FILE)

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
    def graph_path(self) -> Path:
        """The step graph; its weights lie beside it."""
        return self.path / GRAPH_FILE

    @property
    def eos_token(self) -> str:
        """Spelling of the first end-of-turn token."""
        return str(self.tokenizer.id_to_token(self.manifest.generation.eos_token_ids[0]) or "")


def load_bundle(path: Path | str) -> Bundle:
    """Read a bundle and check all of it: manifest, format version, sizes, SHA-256 sums and the graph's signature.

    Raises:
        BundleError: naming the file that is missing, damaged or of another version, and what to do about it.
    """
    folder = Path(path)
    if not folder.is_dir():
        raise BundleError(f"{folder} is not a folder", "Give the folder that holds bundle.json")
    manifest = _read_manifest(folder / MANIFEST_FILE)
    for name in REQUIRED_FILES:
        if name not in manifest.files:
            raise BundleError(f"{MANIFEST_FILE} lists no file {name}", _EXPORT_AGAIN)
    for name, record in manifest.files.items():
        _check_file(folder, name, record)
    if manifest.signature != step_signature(manifest.geometry):
        raise BundleError(f"the signature in {MANIFEST_FILE} does not follow from its geometry", _EXPORT_AGAIN)
    tokenizer = _read_tokenizer(folder / TOKENIZER_FILE, manifest.geometry.vocab_size)
    return Bundle(folder, manifest, tokenizer, _read_text(folder / TEMPLATE_FILE))


def _read_manifest(path: Path) -> BundleManifest:
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


def _check_file(folder: Path, name: str, record: FileRecord) -> None:
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
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(path, error) from error
    if digest != record.sha256:
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
