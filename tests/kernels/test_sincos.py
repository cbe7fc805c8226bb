import numpy as np
import pytest

from tacit.kernels.sincos import sincos


@pytest.mark.parametrize("reach", [1.0, 30.0, 1e3, 1e6])
def test_waves_are_cosines_and_sines(rng, reach):
    phases = rng.uniform(-reach, reach, (7, 9))
    out = np.empty((7, 18))
    sincos(phases, 0.5, out)
    expected = 0.5 * np.hstack([np.cos(phases), np.sin(phases)])
    # A phase of size z is itself known to about 1e-16·z only.
    np.testing.assert_allclose(out, expected, rtol=0, atol=2e-16 * (4 + reach))


def test_quarter_turns_fall_into_the_right_quadrant():
    phases = np.arange(-8, 9)[None, :] * (np.pi / 2)
    out = np.empty((1, 34))
    sincos(phases, 1.0, out)
    np.testing.assert_allclose(out, np.hstack([np.cos(phases), np.sin(phases)]), atol=1e-14)


def test_phases_beyond_all_precision_stay_bounded():
    out = np.empty((1, 8))
    sincos(np.array([[1e18, -1e25, 1e300, -1e308]]), 1.0, out)
    assert np.all(np.abs(out) <= 1.0)
