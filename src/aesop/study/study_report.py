"""The report of a study: one record with everything that was counted, and its pages in Markdown,
LaTeX, JSON and one figure."""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from aesop.core.whole_files import atomic_path
from aesop.measuring.method_table import AskedTask
from aesop.metrics.bootstrap import EXPANDED, MEAN_RESAMPLES, IntervalWay
from aesop.study.preference_figure import FigureRow, draw_preferences
from aesop.study.preferences import CHANCE, Preference, all_preferences
from aesop.study.record import StudyRecord, Vote
from aesop.study.study_folder import Study
from aesop.study.study_plan import CRITERIA, OVERALL, TASK_TITLES, StudyError
from aesop.study.voters import (
    Agreement,
    PowerAsked,
    SideBias,
    VoteCount,
    VoterFacts,
    agreement_of,
    chance_to_tell,
    count_votes,
    participants_needed,
    side_bias,
    trial_seconds,
    voter_facts,
)

SIMULATED = "SIMULATED VOTES: nobody was asked. For teaching and tests only."
TOLD_APART = 0.55  # the preference that a study should tell from one half


@dataclass(frozen=True)
class StudyReport:
    """What a study found, and of whom. Only whole questionnaires count unless asked otherwise."""

    title: str
    is_simulated: bool
    study_sha256: str
    made_by: str
    participants: int
    incomplete: int  # participants who did not finish
    with_incomplete: bool  # whether their votes are in here
    intervals: IntervalWay
    removed: int
    trials: tuple[tuple[str, int], ...]
    comparisons: tuple[tuple[str, int, int], ...]  # task, clip–pair comparisons made, of how many
    counted: tuple[VoteCount, ...]
    preferences: tuple[Preference, ...]
    agreements: tuple[Agreement, ...]
    side: SideBias
    seconds: tuple[tuple[str, tuple[float, float, float] | None], ...]
    voters: tuple[VoterFacts, ...]

    def found(
        self, task: AskedTask, criterion: str, method: str, opponent: str | None
    ) -> Preference:
        return next(
            it
            for it in self.preferences
            if (it.task, it.criterion, it.method, it.opponent)
            == (task, criterion, method, opponent)
        )


def whole_questionnaires(study: Study, votes: Sequence[Vote]) -> tuple[Vote, ...]:
    """Votes of those who answered their whole sheet."""
    answered = Counter(number for number, _ in {(it.participant, it.trial) for it in votes})
    sheets = {vote.participant: study.sheets[vote.sheet] for vote in votes}
    whole = {number for number, count in answered.items() if count == len(sheets[number])}
    return tuple(vote for vote in votes if vote.participant in whole)


def report_study(
    study: Study,
    votes: Sequence[Vote],
    begun: int,
    removed: int,
    *,
    with_incomplete: bool = False,
    resamples: int = MEAN_RESAMPLES,
    intervals: IntervalWay = EXPANDED,
) -> StudyReport:
    """Count and estimate everything. `begun` participants have a sheet."""
    whole = whole_questionnaires(study, votes)
    used = tuple(votes) if with_incomplete else whole
    if not used:
        raise StudyError(
            "Nobody has finished a questionnaire yet.",
            "Wait, or count unfinished ones with --incomplete.",
        )
    clips: dict[AskedTask, tuple[str, ...]] = {
        task: tuple(clip.id for clip in some) for task, some in study.clips
    }
    answers = {(it.answer, it.task, it.clip, it.left_method, it.right_method) for it in used}
    made = {(task, clip, frozenset(pair)) for _, task, clip, *pair in answers}
    trials = Counter(task for _, task, *_ in answers)
    return StudyReport(
        title=study.plan.title,
        is_simulated=study.is_simulated,
        study_sha256=study.sha256,
        made_by=study.made_by,
        participants=len({vote.participant for vote in used}),
        incomplete=begun - len({vote.participant for vote in whole}),
        with_incomplete=with_incomplete,
        intervals=intervals,
        removed=removed,
        trials=tuple((task.task, trials[task.task]) for task in study.plan.tasks),
        comparisons=tuple(
            (
                task.task,
                sum(it[0] == task.task for it in made),
                task.clips * len(task.pairs),
            )
            for task in study.plan.tasks
        ),
        counted=count_votes(used),
        preferences=all_preferences(study.plan, clips, used, resamples, intervals),
        agreements=tuple(
            agreement_of(task.task, criterion.name, used)
            for task in study.plan.tasks
            for criterion in CRITERIA[task.task]
        ),
        side=side_bias(used, intervals),
        seconds=tuple((task.task, trial_seconds(used, task.task)) for task in study.plan.tasks),
        voters=voter_facts(used),
    )


def report_record(
    study: Study,
    record: StudyRecord,
    *,
    with_incomplete: bool,
    intervals: IntervalWay = EXPANDED,
) -> StudyReport:
    """Of what the database has."""
    return report_study(
        study,
        record.votes(),
        begun=len(record.participants()),
        removed=record.removed(),
        with_incomplete=with_incomplete,
        intervals=intervals,
    )


def write_report(study: Study, report: StudyReport, folder: Path) -> list[Path]:
    """All pages of a report."""
    folder.mkdir(parents=True, exist_ok=True)
    texts = {
        "report.md": markdown(study, report),
        "tables.tex": latex(study, report),
        "report.json": json.dumps(asdict(report), indent=1) + "\n",
    }
    paths: list[Path] = []
    for name, text in texts.items():
        with atomic_path(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
        paths.append(folder / name)
    figure = folder / "preferences.png"
    draw_preferences(figure_rows(study, report), report.title, report.is_simulated, figure)
    return [*paths, figure]


def figure_rows(study: Study, report: StudyReport) -> list[FigureRow]:
    """Every task and criterion, with every method's preference against all others."""
    rows: list[FigureRow] = []
    for task in study.plan.tasks:
        for criterion in CRITERIA[task.task]:
            found = [
                (study.plan.method(it).title, report.found(task.task, criterion.name, it, None))
                for it in task.methods
            ]
            is_overall = criterion.name == OVERALL
            rows.append(
                FigureRow(TASK_TITLES[task.task], criterion.title, is_overall, tuple(found))
            )
    return rows


def percent(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def bounds(found: Preference | SideBias) -> str:
    if found.interval is None:
        return "–"
    return f"[{percent(found.interval.low)}, {percent(found.interval.high)}]"


def markdown(study: Study, report: StudyReport) -> str:
    """The whole report as a page."""
    parts = [f"# {report.title}", ""]
    parts += [f"**{SIMULATED}**", ""] if report.is_simulated else []
    parts += _who(report)
    for task in study.plan.tasks:
        parts += ["", f"## {TASK_TITLES[task.task]}: overall preference", ""]
        parts += _pairwise_rows(study, report, task.task)
        parts += ["", f"## {TASK_TITLES[task.task]}: all criteria, against all others", ""]
        parts += _criteria_rows(study, report, task.task)
    parts += ["", "![Preferences across all criteria](preferences.png)", ""]
    parts += ["## Responses", "", *_count_rows(report), "", "## Agreement", "", *_agreement(report)]
    parts += ["", "## Participants", "", *_voter_rows(report), "", "## How to read this", "", *_HOW]
    parts += _INTERVALS[report.intervals]
    return "\n".join(parts) + "\n"


_HOW = [
    "Preference is (W + T/2) / (W + T + L) in percent, computed for every clip and pair, averaged",
    'equally over clips, then over opponents; "cannot judge" is counted apart. Brackets are 95 %',
    f"intervals from {MEAN_RESAMPLES:,} draws of participants, with the stimuli as they are: they",
    "speak about other people who would see these clips, not about other clips.",
]
_INTERVALS: dict[IntervalWay, list[str]] = {
    "percentile": [
        "Their ends are the plain percentiles of the draws, as in the paper; with few participants",
        "they are a little too narrow.",
    ],
    "expanded": [
        "Their ends are percentiles further out than 2.5 and 97.5, as few participants need",
        "(Hesterberg's expanded percentiles: √(n/(n − 1)) and Student's t); `--intervals",
        "percentile` gives the paper's.",
    ],
}


def _who(report: StudyReport) -> list[str]:
    trials = " and ".join(f"{count} {task}" for task, count in report.trials)
    made = " and ".join(f"{done} of {of}" for _, done, of in report.comparisons)
    responses = sum(it.responses for it in report.counted)
    cannot = sum(it.cannot_judge for it in report.counted)
    more = ", counted as far as they came" if report.with_incomplete else ", left out"
    lines = [
        f"{report.participants} participants, {trials} trials, on {made} clip–pair comparisons.",
        f"Of {responses:,} responses {responses - cannot:,} are judgeable and {cannot:,} are "
        f'"cannot judge".',
        f"{report.incomplete} began and did not finish{more}; {report.removed} were removed at "
        "their wish.",
        "",
        f"Left video preferred: {percent(report.side.left)} % {bounds(report.side)}; 50 without a "
        "bias.",
    ]
    for task, seconds in report.seconds:
        if seconds is not None:
            low, middle, high = seconds
            half = f"half of them {low:.0f} to {high:.0f}"
            lines.append(f"A {task} trial took {middle:.0f} s (median; {half}).")
    return lines


def _pairwise_rows(study: Study, report: StudyReport, task: AskedTask) -> list[str]:
    methods = study.plan.task(task).methods
    titles = [study.plan.method(name).title for name in methods]
    lines = [f"| preferred, % | {' | '.join(f'to {it}' for it in titles)} | to all |"]
    lines.append("|---" + "|---:" * (len(methods) + 1) + "|")
    for name, title in zip(methods, titles, strict=True):
        cells: list[str] = []
        for other in (*methods, None):
            if other == name:
                cells.append("")
                continue
            found = report.found(task, OVERALL, name, other)
            cells.append(f"{percent(found.value)} {bounds(found)}")
        lines.append(f"| {title} | {' | '.join(cells)} |")
    return lines


def _criteria_rows(study: Study, report: StudyReport, task: AskedTask) -> list[str]:
    methods = study.plan.task(task).methods
    lines = [f"| | {' | '.join(study.plan.method(it).title for it in methods)} |"]
    lines.append("|---" + "|---:" * len(methods) + "|")
    for criterion in CRITERIA[task]:
        found = [report.found(task, criterion.name, it, None) for it in methods]
        cells = [f"{percent(it.value)} {bounds(it)}" for it in found]
        lines.append(f"| {criterion.title} | {' | '.join(cells)} |")
    return lines


def _count_rows(report: StudyReport) -> list[str]:
    lines = ["| task | criterion | responses | judgeable | ties | cannot judge |"]
    lines.append("|---|---|---:|---:|---:|---:|")
    for it in report.counted:
        numbers = f"{it.responses} | {it.judgeable} | {it.ties} | {it.cannot_judge}"
        lines.append(f"| {it.task} | {it.criterion} | {numbers} |")
    return lines


def _agreement(report: StudyReport) -> list[str]:
    lines = ["| task | criterion | Krippendorff's α | same side, % | pairs of raters |"]
    lines.append("|---|---|---:|---:|---:|")
    for it in report.agreements:
        alpha = "–" if it.alpha is None else f"{it.alpha:.3f}"
        lines.append(
            f"| {it.task} | {it.criterion} | {alpha} | {percent(it.same_side)} | {it.compared} |"
        )
    return lines


def _voter_rows(report: StudyReport) -> list[str]:
    lines = ["| number | trials | minutes | s a trial | left, % | ties, % | cannot judge, % | |"]
    lines.append("|---:|---:|---:|---:|---:|---:|---:|---|")
    for it in report.voters:
        shares = f"{percent(it.left)} | {percent(it.ties)} | {percent(it.cannot_judge)}"
        mark = "one side only" if it.is_one_sided else ""
        lines.append(
            f"| {it.participant} | {it.trials} | {it.minutes:.1f} | {it.median_seconds:.0f} "
            f"| {shares} | {mark} |"
        )
    return lines


def latex(study: Study, report: StudyReport) -> str:
    """The first method against every other, as the paper prints it, and all criteria."""
    lines = [f"% {SIMULATED}"] if report.is_simulated else []
    lines += [r"\begin{tabular}{@{}lrr@{}}\toprule", r"Compared with & Pref. & 95\% CI\\"]
    for task in study.plan.tasks:
        first, *others = task.methods
        title = f"{TASK_TITLES[task.task]}, preference for {study.plan.method(first).title}"
        lines += [r"\midrule", rf"\multicolumn{{3}}{{l}}{{\textit{{{_tex(title)}}}}}\\"]
        for other in (*others, None):
            found = report.found(task.task, OVERALL, first, other)
            name = "all, equally" if other is None else study.plan.method(other).title
            lines.append(f"{_tex(name)} & {_number(found.value)} & {_tex(bounds(found))}" + r"\\")
    lines += [r"\bottomrule\end{tabular}", ""]
    for task in study.plan.tasks:
        titles = [_tex(study.plan.method(it).title) for it in task.methods]
        lines.append(rf"\begin{{tabular}}{{@{{}}l*{{{len(titles)}}}{{r}}@{{}}}}\toprule")
        lines += [f"{TASK_TITLES[task.task]} & {' & '.join(titles)}" + r"\\", r"\midrule"]
        for criterion in CRITERIA[task.task]:
            found = [report.found(task.task, criterion.name, it, None) for it in task.methods]
            cells = [f"{_number(it.value)} {_tex(bounds(it))}" for it in found]
            lines.append(f"{_tex(criterion.title)} & {' & '.join(cells)}" + r"\\")
        lines += [r"\bottomrule\end{tabular}", ""]
    return "\n".join(lines) + "\n"


def _number(value: float | None) -> str:
    return _tex(percent(value))


def _tex(text: str) -> str:
    for sign in "&%_#":
        text = text.replace(sign, f"\\{sign}")
    return text.replace("–", "--")


def power_text(study: Study, ties: float = 0.2, spread: float = 0.1) -> str:
    """Before a study: how many participants tell 55 % from 50 %, and what those planned can."""
    lines = [
        f"Participants who tell {TOLD_APART:.0%} from {CHANCE:.0%} with a chance of 80 %, if a",
        f"share of {ties:g} of the answers are ties and participants' own preferences spread by",
        f"{spread:g}; and the chance that {study.plan.participants} of them have:",
        "",
        "| | trials a participant | needed | chance |",
        "|---|---:|---:|---:|",
    ]
    for task in study.plan.tasks:
        per_pair = task.comparisons / len(task.pairs)
        of_method = per_pair * (len(task.methods) - 1)
        rows: list[tuple[str, float]] = [("one pair of methods", per_pair)]
        rows += [("a method against all", of_method)] if len(task.methods) > 2 else []
        for name, trials in rows:
            asked = PowerAsked(TOLD_APART, trials, ties, spread)
            chance = chance_to_tell(asked, study.plan.participants)
            lines.append(
                f"| {task.task}: {name} | {trials:.1f} | {participants_needed(asked)} "
                f"| {chance:.0%} |"
            )
    return "\n".join(lines)
