"""Clients of a sidecar, and tokenizers of the two common kinds with a few merges."""

import contextlib
import json
import shutil

import pytest
import zmq
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers

from runtime.manifest import TokenFacts
from runtime.npc import Npc
from tests.talker import Talker

SPECIAL_TOKENS = (
    "<pad>",
    "<eos>",
    "<bos>",
    "<turn|>",
    "<|system>",
    "<|user>",
    "<|npc>",
    "<|channel>",
    "<channel|>",
)


@pytest.fixture(scope="session")
def patient_bundle(tiny_bundle, tmp_path_factory):
    """The tiny model, but with the sampler "reference" no canvas is done before it has had all of its steps."""
    folder = shutil.copytree(tiny_bundle, tmp_path_factory.mktemp("patient") / "bundle")
    manifest = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
    manifest["generation"]["stability_threshold"] = 1000
    (folder / "bundle.json").write_text(json.dumps(manifest), encoding="utf-8")
    return folder


@pytest.fixture
def connect():
    """Makes clients of a port that have not said hello."""
    with contextlib.ExitStack() as cleanup:
        context = cleanup.enter_context(zmq.Context())

        def connect(port, **options):
            talker = Talker(context, port, **options)
            cleanup.callback(talker.socket.close)
            return talker

        yield connect


@pytest.fixture(scope="session")
def mira():
    return Npc("smith", "Mira", "blacksmith", "Oakvale", knowledge=("The iron sword costs 40 gold.",))


@pytest.fixture(scope="session")
def token_facts():
    return TokenFacts("<bos>", SPECIAL_TOKENS, channel_open="<|channel>", channel_close="<channel|>")


@pytest.fixture(scope="session")
def byte_level():
    """Byte-level BPE, as of GPT-2 and the pocket model: any token may end inside a character."""
    pieces = [*SPECIAL_TOKENS, *sorted(pre_tokenizers.ByteLevel.alphabet()), "he", "ã\u0123"]
    vocab = {piece: index for index, piece in enumerate(pieces)}
    # The second merge joins two of the three bytes of a Japanese syllable.
    tokenizer = Tokenizer(models.BPE(vocab, [("h", "e"), ("ã", "\u0123")]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    return with_special_tokens(tokenizer)


@pytest.fixture(scope="session")
def byte_fallback():
    """SentencePiece-like BPE, as of Gemma: what has no piece is spelled in byte tokens."""
    letters = [chr(code) for code in range(0x21, 0x7F)]
    pieces = [*SPECIAL_TOKENS, *(f"<0x{byte:02X}>" for byte in range(256)), "▁", *letters, "é", "日"]
    vocab = {piece: index for index, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.BPE(vocab, [], byte_fallback=True, fuse_unk=True))
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    tokenizer.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    return with_special_tokens(tokenizer)


@pytest.fixture(params=["byte_level", "byte_fallback"])
def tokenizer(request):
    return request.getfixturevalue(request.param)


def with_special_tokens(tokenizer):
    tokenizer.add_special_tokens([AddedToken(token, special=True, normalized=False) for token in SPECIAL_TOKENS])
    return tokenizer
