"""What of a model texts are scored with."""

from dataclasses import dataclass
from typing import Self

from tokenizers import Tokenizer

from runtime.bundle import Bundle
from runtime.hygiene.player_text import plain_words


@dataclass(frozen=True, slots=True)
class Stage:
    """A model as the scoring of texts sees it.

    Attributes:
        tokenizer: the model's.
        special_tokens: its control tokens, as they are spelled; nothing that is scored holds one.
        eos: id of the token that ends a line.
        canvas_length: most positions of a canvas.
        vocab_size: of the noise.
    """

    tokenizer: Tokenizer
    special_tokens: tuple[str, ...]
    eos: int
    canvas_length: int
    vocab_size: int

    @classmethod
    def of(cls, bundle: Bundle) -> Self:
        """The stage of a bundle's model."""
        manifest, geometry = bundle.manifest, bundle.manifest.geometry
        sizes = geometry.canvas_length, geometry.vocab_size
        return cls(bundle.tokenizer, manifest.tokens.special, bundle.end_of_line_id, *sizes)

    def ids(self, text: str) -> list[int]:
        """Token ids of something that the character says."""
        words = plain_words(text, self.special_tokens)
        return list(self.tokenizer.encode(words, add_special_tokens=False).ids)
