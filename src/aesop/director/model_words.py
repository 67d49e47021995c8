"""The words that the model hears: a user's own where its captions speak like that, and the plain
terms for what was understood where they do not."""

import re
from functools import cache

from aesop.camera_words.plain_teller import plain_caption
from aesop.director.facts_filming import read_request
from aesop.director.requests import RequestError

# How the grammar of movements tells: "the camera trucks left". Orders ("lower the camera") are read
# by it too, but captions of the bank have taught the model that they may mean a low camera.
_TELLS = re.compile(r"\bcamera \w+s\b", re.IGNORECASE)


@cache
def model_words(words: str) -> str:
    """ "Let her fill the frame" is heard as "A close-up.", "lower the camera" as "Boom down.".
    Sentences of the grammar of movements are what the model learned, and what nobody can read is
    left to the model: both stay."""
    try:
        asked = read_request(words)
    except RequestError:
        return words
    if asked.movement is not None and _TELLS.search(words):
        return words
    return plain_caption(asked.facts) or words
