"""Words stay inside their width; panels lie where they are placed."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from aesop.preview.page import Words, badge, blank_page, font, letterbox, place, plain, write_words

LONG = "The camera trucks to the left and slowly booms up while the character turns around twice"


def inked(page: np.ndarray) -> np.ndarray:
    return page.min(axis=-1) < 250


@pytest.mark.parametrize("width", [3, 40, 113, 307, 900])
@pytest.mark.parametrize("lines", [1, 2])
@pytest.mark.parametrize("is_right", [False, True])
def test_words_stay_inside_their_width(width: int, lines: int, is_right: bool):
    page = blank_page(1009, 97)
    left = 900 if is_right else 50
    write_words(page, [Words(LONG, left, 11, width, 17, lines=lines, is_right=is_right)])
    columns = np.flatnonzero(inked(page).any(axis=0))
    low, high = (left - width, left) if is_right else (left, left + width)
    if len(columns):
        assert columns.min() >= low - 1
        assert columns.max() <= high + 1
    rows = np.flatnonzero(inked(page).any(axis=1))
    if len(rows):
        assert rows.min() >= 11
        assert rows.max() < 11 + lines * 1.3 * 17 + 6


def test_words_on_a_plate_are_read_over_anything():
    dice = np.random.default_rng(5)
    pages = [blank_page(113, 41), dice.integers(0, 256, (41, 113, 3), np.uint8)]
    for page in pages:
        write_words(page, [Words("1.20 s", 13, 11, 90, 17, has_plate=True)])
    rows, columns = (np.flatnonzero(inked(pages[0]).any(axis=axis)) for axis in (1, 0))
    inside = slice(rows.min() - 3, rows.max() + 4), slice(columns.min() - 3, columns.max() + 4)
    np.testing.assert_array_equal(pages[0][inside], pages[1][inside])
    assert not np.array_equal(pages[0], pages[1])


def test_words_that_fit_are_not_cut():
    wide, narrow = blank_page(1009, 41), blank_page(1009, 41)
    length = font(17).getlength(LONG)
    write_words(wide, [Words(LONG, 5, 7, 1000, 17)])
    write_words(narrow, [Words(LONG, 5, 7, int(length) - 40, 17)])
    assert abs(np.flatnonzero(inked(wide).any(axis=0)).max() - 5 - length) < 3
    assert inked(narrow).any(axis=0).sum() < inked(wide).any(axis=0).sum()


@pytest.mark.parametrize(
    ("text", "signs"),
    [
        ("naïve  café\n– walks", "naive cafe - walks"),
        ("2 × “turns” — now", "2 x “turns” - now"),
        ("Łódź straße ½ → „so“", "Lodz strasse 1/2 -> “so“"),
        ("push in Привет 推进", "push in [another script]"),
        ("Привет, мир: push in", "[another script], [another script]: push in"),
        ("カメラが寄る", "[another script]"),
        ("हिन्दी push", "[another script] push"),
        ("عربي ٣ push", "[another script] push"),
        ("push 🙂\ufe0f in €5", "push ? in ?5"),
        ("\u202eright\x00\x07\u200b", "right"),
        ("   ", ""),
        ("", ""),
    ],
)
def test_text_is_put_into_signs_the_typeface_has(text: str, signs: str):
    assert plain(text) == signs


def drawn(sign: str) -> np.ndarray:
    image = Image.fromarray(blank_page(41, 37))
    ImageDraw.Draw(image).text((5, 5), sign, "black", font(17))
    return np.asarray(image)


@given(text=st.text(max_size=23))
def test_what_is_set_is_never_an_empty_box(text: str):
    box = drawn("\uffff")
    assert inked(box).any() and not any(np.array_equal(drawn(it), box) for it in plain(text))
    assert plain(plain(text)) == plain(text)


def test_any_text_can_be_set():
    page = blank_page(211, 61)
    for text in ("日本語 🙂", "\x00\x07", "a" * 5000, "\t\n", "‮right"):
        write_words(page, [Words(text, 5, 5, 200, 13, lines=2)])


def test_letterbox_keeps_the_picture_in_the_middle():
    picture = np.arange(5 * 7 * 3, dtype=np.uint8).reshape(5, 7, 3)
    panel = letterbox(picture, (7, 11))
    np.testing.assert_array_equal(panel[3:8], picture)
    assert len(np.unique(panel[:3].reshape(-1, 3), axis=0)) == 1
    np.testing.assert_array_equal(panel[:3], panel[8:])


def test_badges_are_round_and_may_stick_out():
    page = blank_page(53, 47)
    badge(page, "3", (0.0, 0.0), 9)
    badge(page, "1", (30.0, 25.0), 11)
    ink = inked(page)
    assert not ink[46, 52]
    assert abs(ink[14:37, 19:42].sum() - np.pi * 11**2) < 45
    assert not ink[14, 19]


def test_place_copies_exactly():
    page = blank_page(13, 11)
    place(page, np.full((3, 5, 3), 7, np.uint8), 2, 4)
    assert (page[4:7, 2:7] == 7).all()
    assert (page == 7).sum() == 3 * 5 * 3
