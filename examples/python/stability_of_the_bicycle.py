"""Stability of the bicycle against speed: linearised where it rides, and the two speeds between which it rides by itself."""

import holonom


def growth(speed: float) -> float:
    """The largest real part of the four eigenvalues of lean and steer at this speed, 1/s."""
    model = holonom.load("whipple-bicycle", set={"v": speed, "push": 0})
    # they come by size; the smaller ones are zero: where it is and which way it heads are free
    return holonom.Simulation(model).linearise().eigenvalues[-4:].real.max()


def border(low: float, high: float) -> float:
    """Where the growth changes its sign between two speeds, by bisection."""
    stable = growth(low) < 0
    while high - low > 1e-6:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (growth(middle) < 0) == stable else (low, middle)
    return 0.5 * (low + high)


for speed in [3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0]:
    g = growth(speed)
    print(f"{speed:4.1f} m/s   {g:+8.4f} 1/s   {'rides by itself' if g < 0 else 'falls'}")

weave, capsize = border(4.0, 5.0), border(5.0, 7.0)
print(f"it rides by itself between {weave:.4f} and {capsize:.4f} m/s")
# Meijaard, Papadopoulos, Ruina and Schwab (2007): 4.292382536341 and 6.024262015388 m/s
assert abs(weave - 4.292382536) < 1e-5 and abs(capsize - 6.024262015) < 1e-5
