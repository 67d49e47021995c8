"""Whitening: round trip, unit covariance, streaming, and the paper's formula."""

import torch

from aesop.models.codec import RIDGE, LatentMoments, Whitening
from tests.models.makers import mask_of
from tests.tolerances import GEOMETRY32, SOLVED64, rounded32, rounded64

WIDTH, CLIPS, TOKENS = 5, 211, 13


def correlated(dice: torch.Generator) -> torch.Tensor:
    mixing = torch.randn(WIDTH, WIDTH, generator=dice, dtype=torch.float64)
    offset = torch.randn(WIDTH, generator=dice, dtype=torch.float64) * 100
    rows = torch.randn(CLIPS, TOKENS, WIDTH, generator=dice, dtype=torch.float64)
    return rows @ mixing * 7 + offset


def lengths(dice: torch.Generator) -> torch.Tensor:
    return mask_of(torch.randint(1, TOKENS + 1, (CLIPS,), generator=dice).tolist(), TOKENS)


def fitted(latents: torch.Tensor, mask: torch.Tensor, ridge: float = RIDGE) -> Whitening:
    moments = LatentMoments(WIDTH)
    moments.add(latents, mask)
    whitening = Whitening(WIDTH)
    whitening.fit(moments, ridge)
    return whitening


def test_valid_tokens_become_white(dice: torch.Generator):
    latents, mask = correlated(dice), lengths(dice)
    whitening = fitted(latents, mask)
    white = whitening(latents.masked_fill(~mask[..., None], torch.nan), mask)
    assert not white[~mask].any()
    rows = white[mask]
    torch.testing.assert_close(rows.mean(0), torch.zeros(WIDTH).double(), atol=SOLVED64, rtol=0)
    # L Lᵀ = Σ + r·I, so the covariance is I − r·L⁻¹L⁻ᵀ: unit, less what the ridge takes.
    inner = torch.linalg.inv(whitening.factor)
    expected = torch.eye(WIDTH) - RIDGE * inner @ inner.T
    torch.testing.assert_close(rows.T.cov(correction=0), expected, atol=SOLVED64, rtol=0)
    # The ridge takes this much of the smallest direction.
    torch.testing.assert_close(expected, torch.eye(WIDTH).double(), atol=0.02, rtol=0)
    exact = fitted(latents, mask, ridge=0.0)(latents, mask)[mask].T.cov(correction=0)
    torch.testing.assert_close(exact, torch.eye(WIDTH).double(), atol=SOLVED64, rtol=0)


def test_round_trip(dice: torch.Generator):
    latents, mask = correlated(dice), lengths(dice)
    whitening = fitted(latents, mask)
    for precision, tolerance in ((torch.float64, SOLVED64), (torch.float32, rounded32(32, 500.0))):
        values = latents.to(precision)
        back = whitening.inverse(whitening(values, mask), mask)
        assert back.dtype == precision and not back[~mask].any()
        # The offsets are in the hundreds.
        torch.testing.assert_close(back[mask], values[mask], atol=tolerance, rtol=0)


def test_it_is_the_papers_formula(dice: torch.Generator):
    latents, mask = correlated(dice), lengths(dice)
    whitening = fitted(latents, mask)
    rows = latents[mask]
    mean, spread = rows.mean(0), rows.std(0, correction=0)
    standard = (rows - mean) / spread
    centre, covariance = standard.mean(0), standard.T.cov(correction=0)
    factor = torch.linalg.cholesky(covariance + RIDGE * torch.eye(WIDTH))
    expected = (torch.linalg.inv(factor) @ (standard - centre).T).T
    torch.testing.assert_close(whitening(latents, mask)[mask], expected, atol=10 * SOLVED64, rtol=0)


def test_statistics_do_not_depend_on_how_they_were_gathered(dice: torch.Generator):
    latents, mask = correlated(dice), lengths(dice)
    whole = LatentMoments(WIDTH)
    whole.add(latents, mask)
    first = LatentMoments(WIDTH)
    first.add(latents[:3], torch.zeros(3, TOKENS, dtype=torch.bool))
    for part in (slice(0, 17), slice(17, 59), slice(59, None)):
        first.add(latents[part], mask[part])
    first.add(latents[:3], torch.zeros(3, TOKENS, dtype=torch.bool))
    assert first.count == whole.count == int(mask.sum())
    torch.testing.assert_close(first.mean, whole.mean, atol=rounded64(450, 500.0), rtol=0)
    torch.testing.assert_close(first.covariance, whole.covariance, atol=SOLVED64, rtol=0)


def test_a_dead_channel_does_no_harm(dice: torch.Generator):
    latents, mask = correlated(dice), lengths(dice)
    latents[..., 2] = 3.0
    whitening = fitted(latents, mask)
    white = whitening(latents, mask)
    assert bool(white.isfinite().all()) and white[..., 2].abs().max() < GEOMETRY32
    back = whitening.inverse(white, mask)
    torch.testing.assert_close(back[mask], latents[mask], atol=SOLVED64, rtol=0)


def test_before_fitting_nothing_changes(dice: torch.Generator):
    latents, mask = correlated(dice).float(), lengths(dice)
    assert torch.equal(Whitening(WIDTH)(latents, mask)[mask], latents[mask])
