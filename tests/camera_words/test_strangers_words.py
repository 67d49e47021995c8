"""What strangers say in other ways than manuals: whose pace it is, stories, lists, ends, places."""

import pytest

from aesop.camera_words.denials import without_their_doing
from aesop.camera_words.pace_words import pace_in
from aesop.director.facts_filming import asked_in, read_request
from aesop.director.film_report import notes_on
from aesop.director.intensity_words import pace_text

THEIRS = (
    "she walks {}", "the guy is running {}", "as the dancer waves {}", "while they {} go on",
)  # fmt: skip


def names(words: str) -> set[str]:
    asked = asked_in(words)
    return set() if asked is None else set(asked.facts.names)


@pytest.mark.parametrize("doing", THEIRS)
@pytest.mark.parametrize("pace", ["slowly", "quickly"])
def test_how_fast_somebody_moves_is_no_pace_of_the_camera(doing: str, pace: str):
    theirs = doing.format(pace)
    assert pace_in(f"{theirs}, push in") is None
    assert pace_text(f"{theirs}, push in") is None
    assert names(f"{theirs}, push in") == {"move:push-in"}
    other = "quickly" if pace == "slowly" else "slowly"
    assert names(f"{theirs}, the camera pushes in {other}") == {"move:push-in", f"pace:{other}"}


def test_what_somebody_does_is_no_movement_of_the_camera():
    assert names("as the man rushes past, the camera arcs left") == {"move:arc-left"}
    # What the picture does with them is the camera's.
    assert "slowly" in without_their_doing("she slowly fills the frame")


def test_two_movements_may_each_have_a_pace_and_one_has_one():
    assert pace_text("push in slowly and pull out quickly") == "slowly → 0.7, then quickly → 1.3"
    assert pace_text("slowly and dramatically push in") == "slowly → 0.7"
    assert "'dramatically' is not heard: a movement has one pace" in notes_on(
        "slowly and dramatically push in"
    )
    assert not notes_on("push in slowly and pull out quickly")


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("not a zoom but a dolly in", {"move:push-in"}),
        ("not wide but close", {"size:close-up"}),
        ("it's not a close-up, it's a wide shot", {"size:wide"}),
    ],
)
def test_what_comes_after_but_is_asked_for(words: str, asked: set[str]):
    assert names(words) == asked


def test_a_list_of_three_movements_is_made_one_by_one_and_two_at_once():
    three = read_request("push in, arc right, boom up").facts
    assert [step.moves for step in three.steps] == [("push-in",), ("arc-right",), ("boom-up",)]
    assert len(read_request("push in, boom up").facts.steps) == 1
    four = asked_in("push in, arc right, boom up, pan left")
    assert four is not None and len(four.facts.steps) == 3 and four.left_out == 1
    assert "too many" in notes_on("push in, arc right, boom up, pan left")[0]


def test_a_height_that_a_movement_comes_to_is_not_where_it_starts_and_is_told():
    start = "start low on the ground and rise to eye level"
    assert names(start) == {"height:ground", "move:boom-up"}
    assert names("crane down to eye level") == {"move:boom-down"}
    assert any("'eye level'" in note for note in notes_on(start))
    assert names("at eye level, crane down") == {"height:eye", "move:boom-down"}


def test_whoever_goes_with_somebody_and_ends_ahead_leads_them():
    story = asked_in("walk behind him, swing round, end up ahead")
    assert story is not None and story.facts.steps[-1].moves == ("lead",)
    by_the_end = asked_in("start out following her and by the end be in front of her")
    assert by_the_end is not None
    assert [step.moves for step in by_the_end.facts.steps] == [("follow",), ("lead",)]
    assert by_the_end.text == by_the_end.facts.text  # and nothing tells the last step alone
    # Who stands in front from the start leads nobody.
    assert names("in front of her, static") == {"side:front", "move:static"}


def test_whoever_goes_backwards_in_front_of_somebody_leads_them():
    for words in ("dolly back in front of her as she walks", "tracking backwards ahead of him"):
        assert names(words) == {"move:lead"}
    assert names("medium shot, dolly back") == {"size:medium", "move:pull-out"}


def test_over_the_shoulder_is_the_one_persons():
    for words in ("OTS of the hero", "over the shoulder of the dancer", "over her shoulder"):
        assert names(words) == {"side:three-quarter-back"}
    follow = asked_in("follow over her shoulder")
    assert follow is not None and follow.movement is None, "the side has to be judged too"
    assert "second person" in notes_on("over his shoulder of her")[0]


@pytest.mark.parametrize(
    "words", ["a whip pan, left", "swish pan over to the left", "whip left round to him"]
)
def test_a_whip_pan_keeps_its_side(words: str):
    assert names(words) == {"turn:whip-pan", "turn:pan-left"}


def test_near_somebody_is_a_size_where_it_is_no_way_to_follow():
    assert names("a wide-angle lens, close to him") == {"lens:wide-angle", "size:close-up"}
    assert names("follow close to her") == {"move:follow"}


def test_slashes_part_a_list_and_short_angles_are_read_in_it():
    assert names("WS / LA / static") == {"size:wide", "height:low", "move:static"}
    assert names("MS, HA, dolly in") == {"size:medium", "height:high", "move:push-in"}


def test_a_pace_alone_is_not_said_to_be_an_unknown_word():
    assert not any(" means nothing here" in note for note in notes_on("starts slow, ends fast"))


def test_what_a_sentence_says_again_is_no_second_step():
    assert len(read_request("bullet time!! spin around him").facts.steps) == 1
    assert len(read_request("orbit. then orbit").facts.steps) <= 2
    assert len(read_request("push in! pull out!").facts.steps) == 2


@pytest.mark.parametrize("words", ["eyes only", "just the eyes", "only her mouth"])
def test_who_asks_for_eyes_wants_to_see_the_face(words: str):
    assert read_request(words).facts.face == "throughout"
    assert read_request("at eye level, push in").facts.face is None


def test_on_somebodys_heels_is_behind_them():
    assert "side:behind" in names("shaky handheld chase, right on his heels")
