"""The probe of people from words as a Markdown page."""

from collections.abc import Sequence
from itertools import groupby

from aesop.measuring.acts import (
    RARE_BELOW,
    ActsResult,
    BodiesResult,
    MatchedPeople,
    SentenceResult,
    TakesResult,
)


def acts_page(result: ActsResult) -> str:
    """The probe as a Markdown page."""
    setting = result.setting
    count = len(result.acted[0].sentences)
    lines = [
        f"# People who do what words say: {setting.probe} sentences",
        "",
        f"{count} sentences that no training caption contains, {len(setting.seeds)} seeds each, "
        f"weights `{setting.weights[:12]}`. A person is right if the geometric test of the "
        "action holds (docs/acts.md).",
        "",
    ]
    for takes in result.acted:
        lines += [*_takes_lines(takes), ""]
    if result.matched is not None:
        lines += [*_matched_lines(result.matched), ""]
    way = "; ".join(f"{name}: {choice}" for name, choice in setting.choices)
    return "\n".join([*lines, f"Sampled: {way}.", "", f"Repeat: `{result.repeat}`", ""])


def _matched_lines(found: MatchedPeople) -> list[str]:
    lines = [
        "## People from captions of real test segments",
        "",
        f"{found.segments} segments of {found.takes} takes, evaluator `{found.evaluator[:12]}`.",
        "",
        "| people | top 1 of 32 | top 2 | top 3 | TMR score |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, it in (("real", found.real), ("made", found.made)):
        ranks = it.r_precision
        shares = f"{ranks.top1:.1%} | {ranks.top2:.1%} | {ranks.top3:.1%}"
        lines.append(f"| {name} | {shares} | {it.score:.2f} |")
    lines += ["", f"FD TMR {found.fd_tmr:.2f}.", ""]
    lines += ["| made people | precision | recall | density | coverage |", "|---|" + "---:|" * 4]
    for name, it in (("all", found.everybody), ("one a take", found.one_a_take)):
        shares = (it.precision, it.recall, it.density, it.coverage)
        lines.append(f"| {name} | {' | '.join(f'{share:.3f}' for share in shares)} |")
    return lines


def _takes_lines(result: TakesResult) -> list[str]:
    near = result.right_interval
    over = "" if near is None else f" ({near.low:.1%} to {near.high:.1%} over sentences)"
    worst, share = result.worst_core
    lines = [
        f"## {result.takes.capitalize()}",
        "",
        f"**{result.right:.1%} of the people are right**{over}; {result.right_frequent:.1%} of "
        f"those whose action {RARE_BELOW} training segments or more show and whose test is sure. "
        f"Of the actions that everybody asks for, {worst} is done least: {share:.0%}.",
        "",
        "| action | right | training segments | real people | others pass |",
        "|---|---:|---:|---:|---:|",
    ]
    for it in result.actions:
        real, others = "–", "–"
        if it.real is not None:
            real = _of(it.real.examples_pass, it.real.examples, 0)
            others = _of(it.real.others_pass, it.real.others, 1)
        rare = " (rare)" if it.is_rare else " (unsure)" if it.is_unsure else ""
        cells = (f"{it.right:.0%} of {it.people}", f"{it.training_segments}{rare}", real, others)
        lines.append(f"| {it.action} | {' | '.join(cells)} |")
    return [*lines, "", *_body_lines(result.bodies), "", *_sentence_lines(result.sentences)]


def _of(share: float, count: int, digits: int) -> str:
    return f"{share:.{digits}%} of {count}" if count else "none"


def _body_lines(bodies: BodiesResult) -> list[str]:
    rows = (
        ("who walks", bodies.walking),
        ("real people who walk", bodies.real_walking),
        ("who stands still", bodies.standing),
        ("real people who stand still", bodies.real_standing),
        ("everybody", bodies.everybody),
    )
    lines = [
        "| bodies | people | low toes (m/s) | sliding | jerk (m/s³) | p95 | bones |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, it in rows:
        if it is not None:
            lines.append(
                f"| {name} | {it.people} | {it.slide_mps:.3f} | {it.sliding_share:.1%} | "
                f"{it.jerk_mps3:.1f} | {it.jerk_p95_mps3:.1f} | {it.bone_spread:.2%} |"
            )
    return lines


def _sentence_lines(sentences: Sequence[SentenceResult]) -> list[str]:
    lines = ["| action | words | right |", "|---|---|---:|"]
    for _, some in groupby(sentences, key=lambda it: it.action):
        lines += [f"| {it.action} | {it.words} | {sum(it.right)}/{len(it.right)} |" for it in some]
    return lines
