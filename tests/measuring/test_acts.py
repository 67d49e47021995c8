"""The probe of people from words: its sentences, its labels, and its counts."""

import csv
import re
from collections.abc import Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import pytest

from aesop.director.act_report import SELDOM
from aesop.director.director import Director
from aesop.director.protocols import SHIPPED
from aesop.director.requests import ActRequest
from aesop.fables.motion_sets import read_set_takes
from aesop.fables.segment_captions import read_segment_captions
from aesop.fables.segment_table import read_segments
from aesop.measuring.action_labels import (
    FAMILIES,
    FAMILY_OF,
    RULES,
    SEQUENCES,
    mirrored_facts,
    mirrored_label,
    names_side,
    other_side,
    training_counts,
)
from aesop.measuring.acts import (
    CORE,
    RARE_BELOW,
    UNSURE,
    ActsSetting,
    Bodies,
    KeptActs,
    ProbeSentence,
    ProbeSet,
    RealNumbers,
    RealPeople,
    judged,
    measure_acts,
    probe_sentences,
)
from aesop.metrics.action_tests import ACTION_TESTS
from aesop.metrics.metric_book import MetricError
from aesop.pages.result_pages import write_pages, write_result
from aesop.scene.human import HumanMotion
from tests.measuring.makers import quiet
from tests.metrics.acting import ACTING

SETS: tuple[ProbeSet, ...] = ("judging", "choosing", "fresh")
LONGEST_SHARED = 6  # words in a row that a sentence and a caption may have in common
NOBODY = Bodies(1, 0.1, 0.2, 3.0, 4.0, 0.0)


def plain(sentence: str) -> list[str]:
    return re.findall(r"[a-z']+", sentence.lower())


def captions() -> str:
    """Every sentence about a person that training shows, a line each."""
    texts = [text for it in read_segment_captions() for text in it.sentences]
    for it in read_set_takes():
        texts += [*it.take.captions, it.take.description]
    return "\n".join(f" {' '.join(plain(text))} " for text in texts)


def everything() -> list[ProbeSentence]:
    return [it for name in SETS for it in probe_sentences(name)]


def test_what_is_told_of_actions_that_seldom_come_out_is_what_training_shows():
    counts = training_counts()
    assert {name: counts[name] for name in SELDOM} == SELDOM


def test_no_sentence_is_in_a_caption_nor_shares_many_words_in_a_row_with_one():
    known = captions()
    for it in everything():
        words = plain(it.words)
        assert f" {' '.join(words)} " not in known
        for start in range(len(words) - LONGEST_SHARED):
            assert f" {' '.join(words[start : start + LONGEST_SHARED + 1])} " not in known


def test_there_are_sentences_enough_and_those_that_choose_are_others():
    judging, choosing, fresh = ({it.words for it in probe_sentences(name)} for name in SETS)
    assert len(judging) == len(probe_sentences("judging")) >= 60
    assert len(choosing) == len(probe_sentences("choosing")) >= 24
    assert len(fresh) == len(probe_sentences("fresh")) >= 40
    assert not judging & choosing and not fresh & (judging | choosing)
    assert set(CORE) <= {it.action for it in probe_sentences("judging")}


def test_every_row_of_the_table_is_read():
    table = files("aesop.measuring").joinpath("action_probe.tsv").read_text(encoding="utf-8")
    rows = list(csv.reader(table.splitlines(), delimiter="\t"))
    assert {len(row) for row in rows} == {4} and {row[0] for row in rows[1:]} == set(SETS)
    assert len(rows) - 1 == len(everything())


def test_every_sentence_has_a_test_and_time_for_it():
    for it in everything():
        assert it.action in ACTION_TESTS
        assert 2 <= it.seconds <= 6


def test_every_test_has_labels_and_every_label_a_test():
    assert RULES.keys() | SEQUENCES.keys() == ACTION_TESTS.keys()
    assert not RULES.keys() & SEQUENCES.keys()


def test_no_verb_is_of_two_families_and_every_family_is_used_somewhere():
    assert len(FAMILY_OF) == sum(len(verbs) for verbs in FAMILIES.values())
    for rule in RULES.values():
        assert set(rule.shows) <= FAMILIES.keys() and set(rule.may_show) <= FAMILIES.keys()


def test_no_label_shows_what_it_excludes():
    labels = read_segment_captions()[::11]
    for rule in RULES.values():
        assert not [it.id for it in labels if rule.is_shown(it) and rule.is_excluded(it)]


def test_a_mirror_twice_is_no_mirror_and_once_is_one():
    for label in read_segment_captions()[::97]:
        assert mirrored_label(mirrored_label(label)) == label
        for action, rule in RULES.items():
            if names_side(action):
                mirror = RULES[other_side(action)]
                assert rule.is_shown(label) == mirror.is_shown(mirrored_label(label))
    for segment in read_segments()[::97]:
        facts = segment.facts
        assert mirrored_facts(mirrored_facts(facts)) == facts
        assert mirrored_facts(facts).left_foot_m == facts.right_foot_m
        assert mirrored_facts(facts).left_m == -facts.left_m
        assert mirrored_facts(facts).turn_deg == -facts.turn_deg
        assert mirrored_facts(facts).most_right_deg == facts.most_left_deg


def test_training_has_as_many_left_as_right_and_counts_what_labels_say():
    counts = training_counts()
    assert counts["kick with the left leg"] == counts["kick with the right leg"] > 0
    assert counts["walk forward"] > counts["sit down"] > counts["crouch, then jump"]
    assert counts.keys() == ACTION_TESTS.keys()


class Puppets:
    """Act every sentence rightly with even seeds, and stand still with odd ones."""

    def __init__(self) -> None:
        self.asked: list[ActRequest] = []

    def __call__(self, requests: Sequence[ActRequest]) -> list[HumanMotion]:
        self.asked += requests
        action = {it.words: it.action for it in everything()}
        return [
            ACTING[_known(action[it.human_words]) if it.seed in (0, 2, 4) else "stand still"]()
            for it in requests
        ]


def _known(action: str) -> str:
    return action if action in ACTING else "stand still"


def setting(seeds: tuple[int, ...]) -> ActsSetting:
    return ActsSetting("choosing", "nobody", seeds, (("protocol", "none"),))


def test_shares_are_counted_by_action_and_by_sentence(tmp_path: Path):
    puppets = Puppets()
    real = RealNumbers({"sit down": RealPeople(31, 0.9, 47, 0.02)}, NOBODY, NOBODY, "file")
    result = measure_acts({"first take": puppets}, setting((0, 1, 2)), real, quiet, 5)
    (takes,) = result.acted
    assert len(puppets.asked) == 3 * len(probe_sentences("choosing"))
    found = {it.action: it for it in takes.actions}
    assert found["sit down"].right == pytest.approx(2 / 3)  # two of three seeds
    assert found["sit down"].real == RealPeople(31, 0.9, 47, 0.02)
    assert found["walk forward"].real is None
    assert found["stand still"].right == 1
    assert found["dance"].right == 0
    assert takes.right == pytest.approx(
        sum(sum(it.right) for it in takes.sentences) / len(puppets.asked)
    )
    counts = training_counts()
    often = [
        it for it in takes.sentences if counts[it.action] >= RARE_BELOW and it.action not in UNSURE
    ]
    assert takes.right_frequent == pytest.approx(
        sum(sum(it.right) for it in often) / len(often) / 3
    )
    assert takes.worst_core[1] == min(it.right for it in takes.actions if it.action in CORE)
    write_result(tmp_path, "acts_puppets", result)
    (page,) = write_pages([tmp_path / "acts" / "puppets.json"], tmp_path / "pages")
    text = page.read_text(encoding="utf-8")
    assert "| sit down | 67% of 3 |" in text and "90% of 31" in text and "2.0% of 47" in text


def test_bodies_stand_beside_real_ones():
    sentences = [
        ProbeSentence("one", "walk forward", 3.0),
        ProbeSentence("two", "stand still", 3.0),
    ]
    people = [[ACTING["walk forward"]()], [ACTING["stand still"]()]]
    real = RealNumbers({}, NOBODY, replace(NOBODY, people=7), "file")
    bodies = judged("first take", sentences, people, real).bodies
    assert bodies.walking.people == bodies.standing.people == 1 and bodies.everybody.people == 2
    assert bodies.standing.jerk_mps3 < bodies.walking.jerk_mps3
    assert bodies.everybody.bone_spread < 1e-3  # single precision on the way
    assert bodies.real_standing == replace(NOBODY, people=7)


def test_without_a_seed_nothing_is_acted():
    with pytest.raises(MetricError, match="nothing to act"):
        measure_acts({"first take": Puppets()}, setting(()), None, quiet, 5)


def test_people_are_acted_once_and_read_again(director: Director, tmp_path: Path):
    some = [ActRequest("somebody sits", 2.0, seed) for seed in (0, 3)]
    first = KeptActs(director, SHIPPED, tmp_path)(some)
    kept = sorted(tmp_path.rglob("*.safetensors"))
    times = [path.stat().st_mtime_ns for path in kept]
    again = KeptActs(director, SHIPPED, tmp_path)(some)
    assert len(kept) == len(some) and [path.stat().st_mtime_ns for path in kept] == times
    for one, other in zip(first, again, strict=True):
        assert one.joints.equal(other.joints) and one.rotations.equal(other.rotations)
    alone = director.act("somebody sits", 2.0, 3).motion
    assert alone.joints.equal(first[1].joints)
    harder = replace(SHIPPED, human_guidance=7.0)
    other = KeptActs(director, harder, tmp_path)(some)
    assert not other[0].joints.equal(first[0].joints)


def test_whom_another_evaluator_chose_is_not_read_again(
    director: Director, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for identity in ("a", "b", "b"):
        chooser = SimpleNamespace(identity=identity)
        monkeypatch.setitem(vars(director.parts), "chooser", chooser)
        KeptActs(director, SHIPPED, tmp_path / "best")
        KeptActs(director, SHIPPED.with_first_people, tmp_path / "first")
    assert len(list((tmp_path / "best").iterdir())) == 2
    assert len(list((tmp_path / "first").iterdir())) == 1


def test_a_damaged_person_is_refused(director: Director, tmp_path: Path):
    act, some = KeptActs(director, SHIPPED, tmp_path), [ActRequest("somebody sits", 2.0, 0)]
    act(some)
    (path,) = tmp_path.rglob("*.safetensors")
    path.write_bytes(b"nothing")
    with pytest.raises(MetricError, match="damaged"):
        act(some)
