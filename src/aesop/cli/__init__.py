"""The commands: each parses, checks, calls one function. Nothing heavy is imported early.

Paths that a command wrote go to stdout, one a line; everything said to a person goes to stderr. The
exceptions are reports (`check`, `data stats`), whose text is what was asked for.
"""

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path

from aesop.cli.terminal import drop_stdout, open_streams, report, to_stdout
from aesop.core.errors import AesopError, FileError

READER_GONE = 141  # what a shell says of a command that SIGPIPE ended


@dataclass(frozen=True)
class Command:
    """A leaf of the command tree; its function (module:name) is imported only when it runs."""

    function: str
    summary: str


@dataclass(frozen=True)
class Group:
    """A word that other commands follow."""

    summary: str
    children: "dict[str, Command | Group]"
    default: str | None = None  # the child that is meant where flags follow at once
    by_flag: "dict[str, str]" = field(default_factory=dict)  # or where this flag is among them


_DATA = Group(
    "Datasets: import, build and inspect collections of shots.",
    {
        "build": Group(
            "Make a dataset.",
            {
                "fables": Command(
                    "data_commands:build_fables", "CMU motion filmed by a procedural operator."
                ),
                "people": Command(
                    "data_commands:build_people", "People with words for every moment."
                ),
                "thin": Command("data_commands:build_thin", "Fables with few, uneven captions."),
            },
        ),
        "import": Group(
            "Convert a dataset, or shots of your own, into an AESOP store.",
            {
                "pulpmotion": Command(
                    "data_commands:import_pulpmotion", "Convert PulpMotion, as published."
                ),
                "shots": Command("data_commands:import_shots", "Convert a folder of your shots."),
            },
        ),
        "show": Command("data_commands:show", "Draw one shot of a store."),
        "stats": Command("data_commands:stats", "Tell what a store holds."),
    },
)
_MEASURE = Group(
    "Judge a model: metrics, intensity, direction, tables. Flags alone mean `run`, and\n"
    "`jobs` if --jobs is among them.",
    {
        "run": Command("measure_commands:run", "All metrics of one task on a split."),
        "sweep": Command("measure_commands:sweep", "Travel and quality over intensity."),
        "direction": Command("measure_commands:direction", "Original and reversed words."),
        "presets": Command("measure_commands:presets", "Fast sampling against the reference."),
        "wording": Command("measure_commands:wording", "Words that training never said."),
        "attributes": Command(
            "attribute_command:attributes", "Sizes, angles, sides, turns, zooms: what is obeyed."
        ),
        "curves": Command("curve_command:curves", "Intensity over time, part by part."),
        "travel": Command("curve_command:travel", "Whether ways in metres are met."),
        "acts": Command("measure_commands:acts", "Whether people do what words say."),
        "jobs": Command("measure_commands:jobs", "Many measurements from a list, side by side."),
        "evaluators": Command("measure_commands:evaluators", "How good the judges are."),
        "tables": Command("measure_commands:tables", "Join results into the paper's tables."),
    },
    default="run",
    by_flag={"--jobs": "jobs"},
)
_PAIRS = Group(
    "Direction and intensity pairs: what the camera flow learns control from.",
    {
        "build": Command("data_commands:build", "Find, make and screen pairs of one kind."),
        "show": Command("data_commands:show_pairs", "Draw pairs, accepted and rejected."),
        "report": Command("data_commands:report_funnels", "Tell what every gate takes."),
    },
)
_FIGURE = Group(
    "The paper's figures, each from a list of ids, results or files.",
    {
        "comparison": Command("figure_commands:comparison", "Several methods, clip by clip."),
        "intensity": Command("figure_commands:intensity", "Chosen clips at several intensities."),
        "population": Command("figure_commands:population", "Travel and quality over intensity."),
        "construction": Command("figure_commands:construction", "How pairs are made."),
        "outside": Command("figure_commands:outside", "Motions and sentences from elsewhere."),
    },
)
_STUDY = Group(
    "The paired user study: people compare what methods make of the same clips.",
    {
        "make": Command("study_commands:make", "Film, draw and deal a study from its plan."),
        "serve": Command("study_commands:serve", "Show it to participants and take answers."),
        "report": Command("study_commands:report_votes", "Preferences, intervals, and who agreed."),
        "simulate": Command("study_commands:simulate", "A study by made-up participants."),
        "export": Command("study_commands:export", "All votes as CSV and JSON."),
        "remove": Command("study_commands:remove", "Erase a participant's answers."),
    },
)
TREE = Group(
    "AESOP generates how a human action is filmed.",
    {
        "check": Command("motion_commands:check", "Say what AESOP sees in a motion or shot file."),
        "convert": Command(
            "motion_commands:convert", "Convert a motion or shot to another format."
        ),
        "preview": Command(
            "motion_commands:preview", "Draw a motion or shot as a picture or a video."
        ),
        "film": Command("film_commands:film", "Make a camera for a motion."),
        "shoot": Command("film_commands:shoot", "Make a motion and a camera for it from words."),
        "act": Command("film_commands:act", "Make a motion from words."),
        "sweep": Command("film_commands:sweep", "Film a motion at several intensities."),
        "studio": Command("studio_command:studio", "Film in the browser: look, drag, keep."),
        "serve": Command("serve_command:serve", "Film over HTTP, for other programs."),
        "train": Command("train_command:train", "Train a phase of the method, or all of them."),
        "reproduce": Command(
            "reproduce_command:reproduce", "From raw files to the paper's tables and figures."
        ),
        "data": _DATA,
        "measure": _MEASURE,
        "figure": _FIGURE,
        "pairs": _PAIRS,
        "study": _STUDY,
    },
)


def group_help(prog: str, group: Group) -> str:
    """The help text of a word that other commands follow."""
    width = max(len(name) for name in group.children)
    rows = [f"  {name:<{width}}  {child.summary}" for name, child in group.children.items()]
    lines = [f"usage: {prog} COMMAND ...", "", group.summary, "", "commands:", *rows, ""]
    return "\n".join([*lines, f"`{prog} COMMAND --help` explains a command."])


def main(args: Sequence[str] | None = None) -> None:
    """Run one command; exit code 1 and one message for a mistake that the user can mend."""
    open_streams()
    try:
        try:
            _obey(list(sys.argv[1:] if args is None else args))
        finally:
            with to_stdout():
                sys.stdout.flush()
    except BrokenPipeError:  # `| head` has read what it wanted
        drop_stdout()
        sys.exit(READER_GONE)
    except AesopError as error:
        drop_stdout()
        sys.stderr.write(f"aesop: {error}\n")
        sys.exit(1)


def _obey(rest: list[str]) -> None:
    prog, node = "aesop", TREE
    while isinstance(node, Group):
        if not rest or rest[0] in ("-h", "--help"):
            report(group_help(prog, node))
            sys.exit(0 if rest else 2)
        if prog == "aesop" and rest[0] == "--version":
            from aesop import __version__

            report(f"aesop {__version__}")
            sys.exit(0)
        if node.default is not None and rest[0].startswith("-"):
            named = [child for flag, child in node.by_flag.items() if flag in rest]
            rest.insert(0, named[0] if named else node.default)
        word = rest.pop(0)
        if word not in node.children:
            known = ", ".join(node.children)
            sys.stderr.write(f"{prog}: there is no command {word!r}. Choose one of: {known}.\n")
            sys.exit(2)
        prog, node = f"{prog} {word}", node.children[word]
    _run(node, prog, rest)


def _run(command: Command, prog: str, args: list[str]) -> None:
    module, name = command.function.split(":")
    try:
        _refuse_lost_folder()
        import tyro

        function = getattr(import_module(f"aesop.cli.{module}"), name)
        tyro.cli(function, prog=prog, args=args)
    except AesopError as error:
        sys.stderr.write(f"{prog}: {error}\n")
        sys.exit(1)
    except OSError as problem:
        from aesop.core.whole_files import system_refusal

        refusal = system_refusal(problem)
        if refusal is None:
            raise
        sys.stderr.write(f"{prog}: {refusal}\n")
        sys.exit(1)
    except KeyboardInterrupt:
        sys.stderr.write(f"{prog}: stopped.\n")
        sys.exit(130)


def _refuse_lost_folder() -> None:
    """Where the folder was removed, torch's libraries end the process with a message of theirs."""
    try:
        Path.cwd()
    except FileNotFoundError:
        raise FileError(
            "The folder you are in was removed.", "Go to one that is there, with cd."
        ) from None
