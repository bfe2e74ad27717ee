"""The checkpoint's tokenizer and chat template: what a bundle copies, and what it says about them."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

from export.errors import ExportError
from runtime.bundle import TEMPLATE_FILE, TOKENIZER_FILE, TokenFacts
from runtime.chat_template import ChatTemplate
from runtime.errors import BundleError

TOKENIZER_CONFIG_FILE = "tokenizer_config.json"
_CHANNEL_OPEN = "<|channel>"
_CHANNEL_CLOSE = "<channel|>"


@dataclass(frozen=True, slots=True)
class TextFiles:
    """tokenizer.json as it stands, the chat template, and the special tokens."""

    tokenizer_json: bytes
    chat_template: str
    tokens: TokenFacts


def read_text_files(folder: Path, vocab_size: int, bos_token_id: int | None) -> TextFiles:
    """Read and check tokenizer.json and the chat template of a checkpoint.

    Args:
        folder: the checkpoint.
        vocab_size: rows of the embedding; no token id may lie beyond.
        bos_token_id: used where tokenizer_config.json names no bos_token.

    Raises:
        ExportError: a file is missing or cannot be used, or tokenizer and model do not fit.
    """
    tokenizer_json = read_file(folder / TOKENIZER_FILE)
    try:
        tokenizer = Tokenizer.from_str(tokenizer_json.decode("utf-8"))
    # The tokenizers library raises plain Exception for a file it cannot use.
    except Exception as error:
        raise ExportError(f"{TOKENIZER_FILE} cannot be used: {error}", "Download or copy it again") from error
    highest = max(tokenizer.get_vocab(with_added_tokens=True).values(), default=-1)
    if highest >= vocab_size:
        raise ExportError(
            f"{TOKENIZER_FILE} has token id {highest}, but vocab_size in config.json is {vocab_size}",
            "Use the tokenizer that the model was trained with",
        )
    tokenizer_config = _read_tokenizer_config(folder / TOKENIZER_CONFIG_FILE)
    special = {
        token_id: token.content for token_id, token in tokenizer.get_added_tokens_decoder().items() if token.special
    }
    names = tuple(special[token_id] for token_id in sorted(special))
    tokens = TokenFacts(
        bos=_bos_token(tokenizer, tokenizer_config, bos_token_id),
        special=names,
        channel_open=_CHANNEL_OPEN if _CHANNEL_OPEN in names else None,
        channel_close=_CHANNEL_CLOSE if _CHANNEL_CLOSE in names else None,
    )
    template = _chat_template(folder, tokenizer_config)
    try:
        ChatTemplate(template, tokens.bos, "")
    except BundleError as error:
        raise ExportError(error.message, "Correct the chat template of the checkpoint") from error
    return TextFiles(tokenizer_json, template, tokens)


def read_file(path: Path) -> bytes:
    """The bytes of a file that a checkpoint must have.

    Raises:
        ExportError: it is not there or cannot be read; names the file.
    """
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise ExportError(
            f"{path.name} is missing from {path.parent}", "Give the folder of a complete Hugging Face checkpoint"
        ) from error
    except OSError as error:
        raise ExportError(f"{path.name} cannot be read ({error.strerror})", "Check its permissions") from error


def read_json_object(path: Path) -> dict[str, Any]:
    """The JSON object in a file that a checkpoint must have.

    Raises:
        ExportError: the file is missing or is not a JSON object; names the file.
    """
    try:
        data = json.loads(read_file(path))
    except ValueError as error:
        raise ExportError(f"{path.name} is not valid JSON ({error})", "Download or copy it again") from error
    if not isinstance(data, dict):
        raise ExportError(f"{path.name} is not a JSON object", "Download or copy it again")
    return data


def _read_tokenizer_config(path: Path) -> dict[str, Any]:
    return read_json_object(path) if path.exists() else {}


def _bos_token(tokenizer: Tokenizer, tokenizer_config: dict[str, Any], bos_token_id: int | None) -> str:
    named = tokenizer_config.get("bos_token")
    if isinstance(named, dict):
        named = named.get("content")
    token = named if named is not None else (None if bos_token_id is None else tokenizer.id_to_token(bos_token_id))
    if not isinstance(token, str) or tokenizer.token_to_id(token) is None:
        raise ExportError(
            f"the begin-of-sequence token {token!r} is not in {TOKENIZER_FILE}",
            f'Name one as "bos_token" in {TOKENIZER_CONFIG_FILE}.',
        )
    return token


def _chat_template(folder: Path, tokenizer_config: dict[str, Any]) -> str:
    path = folder / TEMPLATE_FILE
    if path.exists():
        try:
            return read_file(path).decode("utf-8")
        except UnicodeDecodeError as error:
            raise ExportError(f"{TEMPLATE_FILE} is not UTF-8 text", "Save it as UTF-8") from error
    template = tokenizer_config.get("chat_template")
    if isinstance(template, list):
        # Several named templates: the one for plain chat is called "default".
        named = {entry.get("name"): entry.get("template") for entry in template if isinstance(entry, dict)}
        template = named.get("default")
    if not isinstance(template, str):
        raise ExportError(
            f"the checkpoint has no chat template: neither {TEMPLATE_FILE} nor one in {TOKENIZER_CONFIG_FILE}",
            f"Put the model's chat template into {TEMPLATE_FILE}",
        )
    return template
