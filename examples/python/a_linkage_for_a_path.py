"""Watch for: a four-bar linkage whose pen draws half a turn of its crank as a straight line at an even speed, designed from a crude guess."""

import numpy as np

import holonom
from holonom import PushAlong, fit

# every pin is where it is at the start; the crank, 0.1 m, turns once in a second
SCENE = """
gravity = [0, 0, 0]
params = { base = 0.18, cx = 0.16, cz = 0.22, px = 0.20, pz = 0.45 }

[body.crank]
shape = { kind = "box", size = [0.1, 0.02, 0.02] }
at = [0.05, 0, 0]
mass = 1
[body.coupler]
shape = { kind = "sphere", radius = 0.1 }
at = ["${cx}", 0, "${cz}"]
mass = 1
[body.rocker]
shape = { kind = "sphere", radius = 0.1 }
at = ["${base}", 0, 0]
mass = 1
[body.pen]
shape = { kind = "sphere", radius = 0.01 }
at = ["${px}", 0, "${pz}"]
mass = 0.1

[joint]
a = { kind = "revolute", b = "crank", at = [0, 0, 0], axis = [0, 1, 0] }
b = { kind = "revolute", a = "crank", b = "coupler", at = [0.1, 0, 0], axis = [0, 1, 0] }
c = { kind = "revolute", a = "coupler", b = "rocker", at = ["${cx}", 0, "${cz}"], axis = [0, 1, 0] }
d = { kind = "revolute", b = "rocker", at = ["${base}", 0, 0], axis = [0, 1, 0] }
grip = { kind = "weld", a = "coupler", b = "pen" }
[drive.motor]
kind = "position"
joint = "a"
value = "2 * pi * t"
"""
model = holonom.loads(SCENE)
pen = [PushAlong.point("pen", [0, 0, 0], e) for e in ([1, 0, 0], [0, 0, 1])]
half = slice(25, 76)  # of a hundred steps: the crank points to the left


def off_the_line(run):
    """Mean square distance from a point that runs along a line, 0.4 m in half a second; its derivatives."""
    wanted = np.stack([np.linspace(0.0, 0.4, 51), np.full(51, 0.4)], axis=1)
    off, by = run.values[half] - wanted, np.zeros_like(run.values)
    by[half] = 2 * off / 51
    return float((off**2).sum() / 51), by


start = model.parameters
before = off_the_line(model.rollout(1.0, 0.01, pen))[0]
found = fit.minimise(model, start, off_the_line, duration=1.0, dt=0.01, observe=pen)
print("pins, m:", {name: round(x, 4) for name, x in found.parameters.items()})
print(f"off the line: {1e3 * before**0.5:.1f} mm before, {1e3 * found.value**0.5:.2f} mm after {found.runs} runs and gradients")
assert found.value < 3e-3**2
