"""Watch for: the mass of a load and the friction of two bearings, found from a recording of two angles that has noise in it."""

import numpy as np

import holonom
from holonom import fit

SCENE = """
[params]
load = 1.0       # kg
shoulder = 0.1   # N m s/rad
elbow = 0.1

[body.upper]
shape = { kind = "box", size = [0.5, 0.05, 0.05] }
mass = 2
at = [0.25, 0, 0]
[body.lower]
shape = { kind = "box", size = [0.4, 0.04, 0.04] }
mass = 1
at = [0.7, 0, 0]
[body.load]
shape = { kind = "sphere", radius = 0.05 }
mass = "${load}"
at = [0.9, 0, 0]

[joint.shoulder]
kind = "revolute"
b = "upper"
at = [0, 0, 0]
axis = [0, 1, 0]
[joint.elbow]
kind = "revolute"
a = "upper"
b = "lower"
at = [0.5, 0, 0]
axis = [0, 1, 0]
[joint.grip]
kind = "weld"
a = "lower"
b = "load"
[force]
friction-of-shoulder = { kind = "coordinate-spring", joint = "shoulder", damping = "${shoulder}" }
friction-of-elbow = { kind = "coordinate-spring", joint = "elbow", damping = "${elbow}" }
"""
truth = {"load": 1.7, "shoulder": 0.32, "elbow": 0.05}
angles = ["shoulder", "elbow"]
recorded = holonom.loads(SCENE, set=truth).rollout(1.5, 2e-3, angles).values[::10]
recorded = recorded + np.random.default_rng(1).normal(0, 1e-4, recorded.shape)  # 0.1 mrad of noise

found = fit.identify(holonom.loads(SCENE), {"load": 1.0, "shoulder": 0.1, "elbow": 0.1}, recorded, dt=2e-3, observe=angles, every=10)
for name, value in found.parameters.items():
    print(f"{name:9} {value:.5f}, was {truth[name]}")
    assert abs(value - truth[name]) < 2e-3 * truth["load"]
print(f"{found.runs} runs, some with their derivatives beside them; {1e3 * found.value**0.5:.2f} thousandths of the motion are left")
