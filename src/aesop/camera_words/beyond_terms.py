"""What people ask for and no camera path can give: cuts, focus, time, light, somebody else."""

import re

# The pattern, and what it is called in the answer.
_BEYOND: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), name)
    for pattern, name in (
        (
            r"(?:jump|smash|match|hard|cross|quick)[- ]?cuts?|cut(?:s|ting)? (?:to|between|away"
            r"|back)|intercut\w*|montage|edit(?:s|ed)? together",
            "cuts",
        ),
        (
            r"(?:rack|pull)(?:s|ing)?(?: the)? focus|focus (?:pull|rack|shift)s?|(?:soft|deep"
            r"|shallow|sharp|selective) focus|bokeh|(?:shallow )?depth of field|out of focus"
            r"|blurr(?:y|ed) background|split diopter|f/?[ ]?(?:1|2|4|8|11|16|22)(?:\.\d)?",
            "focus",
        ),
        (
            # "Over the shoulder of the dancer" is the one person's; over his, of her, are two.
            r"over[- ](?:his|her|their)[- ]shoulders?(?:[- ]shot)? of|two[- ]shot"
            r"|three[- ]shot|group shot|reverse (?:shot|angle)|between the two of them",
            "a second person",
        ),
        (
            r"pov|points? of view|first[- ]person|subjective camera|through (?:his|her|their) eyes",
            "somebody's eyes",
        ),
        (
            r"slow[- ]?mo(?:tion)?|slo[- ]mo|time[- ]?lapse|hyper[- ]?lapse|fast[- ]forward"
            r"|freeze[- ]frames?|speed ramp(?:s|ing)?|\d+ ?fps|played backwards?|rewind",
            "time",
        ),
        (
            r"fad(?:e|es|ing) (?:in|out|to)|dissolves?|wipe to|split[- ]screen|iris (?:in|out)"
            r"|picture[- ]in[- ]picture|superimpos\w+|double exposure",
            "transitions",
        ),
        (
            r"(?:over|under)?expos(?:ure|ed)|white balance|lens flares?|colou?r grad\w+"
            r"|film grain|(?:low|high)[- ]key(?: light\w*)?|back[- ]?lit|rim light|strobe"
            r"|chiaroscuro",
            "light and colour",
        ),
        (r"voice[- ]?over|soundtrack|subtitles?|title card|caption(?:s|ed)?", "sound and titles"),
    )
)


def beyond_in(text: str) -> tuple[str, ...]:
    """Names of what a text asks for and no camera path can give."""
    plain = text.lower().replace("’", "'")
    return tuple(dict.fromkeys(name for pattern, name in _BEYOND if pattern.search(plain)))


def without_beyond(text: str) -> tuple[str, tuple[str, ...]]:
    """A text in lower case without what no camera path can give, and those words."""
    words: list[str] = []
    for pattern, _ in _BEYOND:
        words += [match[0] for match in pattern.finditer(text)]
        text = pattern.sub(" ", text)
    return text, tuple(words)
