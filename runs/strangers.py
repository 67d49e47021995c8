"""Requests as strangers type them, against what is read in them before anything is filmed.

    python runs/strangers.py                    # results/reader/strangers.json
    python runs/strangers.py --show open        # and what is read wrong

runs/stranger_requests.tsv holds whole requests with the values that a professional reads in them,
by writers who saw neither the bank nor the terms. `a/b` are readings that are equally right, and a
value in brackets may be read or not. Terms were written with the part "open" in sight; "closed" and
"fresh", by two writers, are measured alone, and their errors are not shown. A seventh writer's page
came later: every second request of it was mended by ("late-open"), the others were not.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, is_dataclass, replace
from pathlib import Path
from typing import Literal

from aesop.camera_words.phrase_bank import END
from aesop.camera_words.understanding import load_reader
from aesop.core.whole_files import atomic_path
from aesop.director.facts_filming import asked_in
from aesop.measuring.runs import origin_of_result

ROOT = Path(__file__).resolve().parents[1]
REQUESTS, RESULT = ROOT / "runs" / "stranger_requests.tsv", ROOT / "results" / "reader"
Part = Literal["open", "closed", "fresh", "late-open", "late-closed"]
PARTS: tuple[Part, ...] = ("open", "closed", "fresh", "late-open", "late-closed")


@dataclass(frozen=True)
class StrangerRequest:
    """A sentence, and what is asked in it: of every entry of `asked` one value."""

    part: Part
    asked: tuple[frozenset[str], ...]
    allowed: frozenset[str]  # beside those
    words: str


@dataclass(frozen=True)
class RequestsRead:
    """How a part is read."""

    requests: int
    values: int
    right: float  # share of the asked values
    unasked: int  # values that nobody asked for
    exactly: float  # share of requests with all that was asked, and nothing else
    nothing: int  # requests in which nothing was read
    other_topics: int
    other_topics_read: int


def stranger_requests(path: Path = REQUESTS) -> tuple[StrangerRequest, ...]:
    """All of them; those about other things ask for nothing."""
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    assert header.split("\t") == ["part", "values", "words"]
    requests: list[StrangerRequest] = []
    for part, values, words in (line.split("\t") for line in lines):
        assert part in PARTS, part
        entries = values.split()
        asked = tuple(frozenset(it.split("/")) for it in entries if not it.startswith("("))
        optional = [frozenset(it.strip("()").split("/")) for it in entries if it.startswith("(")]
        allowed = frozenset[str]().union(*optional)
        requests.append(StrangerRequest(part, asked, allowed, words))
    return tuple(requests)


def read_by_director(words: str) -> frozenset[str]:
    """What takes are chosen by, whoever films: terms and the reader together."""
    asked = asked_in(words)
    if asked is None:
        return frozenset()
    facts = asked.facts
    end = {f"size:{facts.size_end}{END}"} if facts.size_end else set[str]()
    return frozenset(replace(facts, size_end=None).names) | end


def read_by_network(words: str) -> frozenset[str]:
    """What the trained reader says alone."""
    return frozenset(value.name for value in load_reader().understand(words).values)


def measured(
    requests: Sequence[StrangerRequest], read: Callable[[str], frozenset[str]], *, shows: bool
) -> RequestsRead:
    values = right = unasked = exactly = nothing = others = others_read = 0
    for request in requests:
        found = frozenset(name for name in read(request.words) if not name.startswith("when:"))
        if not request.asked:
            others += 1
            others_read += bool(found)
            continue
        hits = sum(bool(one & found) for one in request.asked)
        more = found - request.allowed.union(*request.asked)
        values, right, unasked = values + len(request.asked), right + hits, unasked + len(more)
        is_exact = hits == len(request.asked) and not more
        exactly, nothing = exactly + is_exact, nothing + (not found)
        if shows and not is_exact:
            wanted = [" or ".join(sorted(one)) for one in request.asked]
            sys.stdout.write(f"{request.words}\n  asked {wanted}\n  read  {sorted(found)}\n")
    count = len(requests) - others
    return RequestsRead(
        requests=count,
        values=values,
        right=right / max(1, values),
        unasked=unasked,
        exactly=exactly / max(1, count),
        nothing=nothing,
        other_topics=others,
        other_topics_read=others_read,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--part", choices=PARTS, help="this one alone, and no file is written")
    parser.add_argument("--show", choices=("open", "late-open"), help="say what is read wrong")
    parser.add_argument("-o", "--output", type=Path, default=RESULT / "strangers.json")
    args = parser.parse_args()
    figures: dict[str, dict[str, object]] = {}
    for part in PARTS if args.part is None else (args.part,):
        some = [request for request in stranger_requests() if request.part == part]
        shows = args.show == part
        figures[part] = {
            "terms and reader": asdict(measured(some, read_by_director, shows=shows)),
            "reader alone": asdict(measured(some, read_by_network, shows=False)),
        }
        sys.stdout.write(f"{part}: {figures[part]}\n")
    if args.part is not None:
        return
    origin = dict(zip(("code", "machine", "command"), origin_of_result(), strict=True))
    record = {name: asdict(it) if is_dataclass(it) else it for name, it in origin.items()}
    with atomic_path(args.output) as path:
        text = json.dumps({**record, "strangers": figures}, indent=1)
        path.write_text(text + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
