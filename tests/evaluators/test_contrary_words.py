"""What denies a caption in one point."""

import pytest

from aesop.camera_words.vocabulary import mirror_caption
from aesop.evaluators.caption_claims import contraries
from aesop.fables.segment_captions import read_segment_captions


@pytest.mark.parametrize(
    ("text", "denials"),
    [
        ("a person sits down", ("a person stands up",)),
        ("a person stands up", ("a person sits down",)),
        ("someone walks forward", ("someone walks backward",)),
        ("she turns left", ("she turns right",)),
        ("wave with the left hand", ("wave with the right hand", "wave with the left foot")),
        ("he runs", ("he walks",)),
        ("a man raises both arms", ("a man lowers both arms",)),
        ("someone dances", ()),
        ("a man understands", ()),
    ],
)
def test_a_text_is_denied_in_one_point(text: str, denials: tuple[str, ...]):
    assert contraries(text) == denials


def test_no_caption_denies_itself_and_sides_are_denied_first():
    denied = 0
    for caption in read_segment_captions()[::19]:
        for text in caption.sentences:
            found = contraries(text)
            denied += bool(found)
            assert text not in found and len(set(found)) == len(found) <= 2
            if mirror_caption(text) != text:
                assert found[0] == mirror_caption(text)
                # "Counterclockwise" comes back as "anticlockwise".
                assert mirror_caption(mirror_caption(found[0])) == found[0]
            # One point is exchanged: the rest of the words is as it was.
            for it in found:
                assert abs(len(it.split()) - len(text.split())) <= len(text.split()) / 2
    assert denied > 300
