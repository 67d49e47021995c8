"""Words to vocabulary numbers, as uncased BERT models expect them.

Written out because the library that does this brings a downloader with it. Unlike that library,
markers such as "[MASK]" typed by a user are plain words here, never special tokens.
"""

import unicodedata
from collections.abc import Mapping

LONGEST_WORD = 100  # characters; BERT gives up on longer ones

# Blocks whose characters BERT treats as words of their own.
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


_BLANKS = "\t\n\r"
_DROPPED = ("Cc", "Cf", "Co", "Cs")  # control, format, private, half of a character


def _cleaned(text: str) -> str:
    """Control characters dropped, every kind of space one space, ideographs set apart."""
    kept: list[str] = []
    for char in text:
        if char in _BLANKS:
            kept.append(" ")
        elif unicodedata.category(char) in _DROPPED or char == "\ufffd":
            continue
        elif char.isspace():
            kept.append(" ")
        elif any(low <= ord(char) <= high for low, high in _IDEOGRAPHS):
            kept.append(f" {char} ")
        else:
            kept.append(char)
    return "".join(kept)


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(char for char in decomposed if unicodedata.category(char) != "Mn")


def _is_punctuation(char: str) -> bool:
    # BERT counts every ASCII symbol, so that "$" and "+" split words as "," does.
    ascii_symbol = char.isascii() and char.isprintable() and not char.isalnum() and char != " "
    return ascii_symbol or unicodedata.category(char).startswith("P")


def split_words(text: str) -> list[str]:
    """Lower-case words and punctuation marks."""
    plain = "".join(char.lower() for char in _without_accents(_cleaned(text)))
    spaced = (f" {char} " if _is_punctuation(char) else char for char in plain)
    return "".join(spaced).split()


class WordPiece:
    """Greedy longest-match pieces of a fixed vocabulary, framed by [CLS] and [SEP]."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._first = vocabulary["[CLS]"]
        self._last = vocabulary["[SEP]"]
        self._unknown = vocabulary["[UNK]"]

    def __call__(self, text: str) -> list[int]:
        """Token numbers of a text, both frame tokens included."""
        pieces = [number for word in split_words(text) for number in self._pieces(word)]
        return [self._first, *pieces, self._last]

    def _pieces(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self._unknown]
        numbers: list[int] = []
        start = 0
        while start < len(word):
            found = self._longest(word, start)
            if found is None:
                return [self._unknown]
            number, start = found
            numbers.append(number)
        return numbers

    def _longest(self, word: str, start: int) -> tuple[int, int] | None:
        prefix = "##" if start else ""
        for stop in range(len(word), start, -1):
            number = self._vocabulary.get(prefix + word[start:stop])
            if number is not None:
                return number, stop
        return None
