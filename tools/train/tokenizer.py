"""The pocket model's tokenizer: byte-level BPE trained on the corpus.

Every word carries its leading space, also the first one of a line, and digits stand alone. A name is then spelled with
the same tokens wherever it occurs, which is what copying it from the prompt needs.
"""

import itertools

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

from runtime.prompt import system_text
from tools.train.corpus import scenes

PAD, EOS, BOS, TURN_END, SYSTEM, USER, NPC = range(7)
SPECIAL_TOKENS = (
    *("<pad>", "<eos>", "<bos>", "<turn|>", "<|system>", "<|user>", "<|npc>"),
    *("<|channel>", "<channel|>", "<|image>", "<image|>", "<|img|>"),
)

# The same turns as the template of the real checkpoint, each opened by one token of its own.
CHAT_TEMPLATE = (
    "{{ bos_token }}"
    "{% for message in messages %}"
    "{% if message.role == 'system' %}<|system>{% elif message.role == 'user' %}<|user>{% else %}<|npc>{% endif %}"
    "{{ message.content | trim }}<turn|>"
    "{% endfor %}"
    "{% if add_generation_prompt %}<|npc>{% endif %}"
)

_WORDS = Regex(r"\n| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]+|\s+")


def train_tokenizer(vocab_size: int, seed: int, num_scenes: int = 4000) -> Tokenizer:
    """Train the tokenizer on `num_scenes` scenes of the training side of the corpus.

    Args:
        vocab_size: tokens in all, the 12 special tokens and 256 bytes among them.
        seed: seed of the corpus.
    """
    tokenizer = Tokenizer(models.BPE())
    tokenizer.normalizer = normalizers.Sequence([normalizers.Replace("\n", "\n "), normalizers.Prepend(" ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(_WORDS, "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=list(SPECIAL_TOKENS),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = (
        text
        for scene in itertools.islice(scenes(seed, exchanges=6), num_scenes)
        for text in (
            system_text(scene.npc),
            *(line for exchange in scene.exchanges for line in (exchange.player, exchange.answer)),
        )
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer
