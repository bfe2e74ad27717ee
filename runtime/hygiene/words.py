"""Words to compare: whatever is done with case, width, accents and invisible characters."""

import re
import unicodedata

# Written without spaces: Thai, Lao, Burmese, Khmer, Han and kana.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
    "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
# Vowel signs are marks and yet part of the word.
_SIGNS = "\u0900-\u0963\u0966-\u0dff"
_WORD = re.compile(f"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])\\w|[{_SIGNS}])+")
_ASCII_WORD = re.compile(r"\w+", re.ASCII)
_IS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_APOSTROPHES = str.maketrans("", "", "'\u2019\u02bc")
# Accents of Latin, Greek and Cyrillic, and the vowel points of Hebrew and Arabic, without which the word is the same.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]")


def folded(text: str) -> str:
    """The text in small letters, full-width forms as usual ones, without accents and characters that are not shown."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", unicodedata.normalize("NFKC", text).casefold())
    shown = "".join(char for char in decomposed if unicodedata.category(char) != "Cf")
    return unicodedata.normalize("NFC", _ACCENTS.sub("", shown))


def words_of(text: str, unspaced_length: int = 1) -> list[str]:
    """The words of a text, folded; `don't` is one word, `Mira's` is `mira`.

    Scripts without spaces give overlapping runs of `unspaced_length` characters, and what is shorter as it is.
    """
    plain = _POSSESSIVE.sub("", folded(text)).translate(_APOSTROPHES)
    if plain.isascii():
        return _ASCII_WORD.findall(plain)
    found: list[str] = []
    for word in _WORD.findall(plain):
        if is_unspaced(word):
            runs = max(1, len(word) - unspaced_length + 1)
            found += [word[index : index + unspaced_length] for index in range(runs)]
        else:
            found.append(word)
    return found


def is_unspaced(word: str) -> bool:
    """It is of a script without spaces."""
    return _IS_UNSPACED.match(word) is not None
