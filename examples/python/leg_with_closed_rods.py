"""A leg whose knee is driven by a rod from the hip: a URDF tree, closed by a side file; a squat under feedback, and what the rod carries."""

from pathlib import Path

import numpy as np

import holonom

model = holonom.load(Path(__file__).with_name("leg.urdf"))
sim = holonom.Simulation(model)
found = sim.diagnose()
print(f"{model.n_bodies} bodies, {found.loops} loop, mobility {found.mobility}, redundant: {len(found.redundant)}")
assert (found.mobility, found.loops, found.redundant) == (2, 1, [])

# the two motors stand at the hip; the knee follows the crank
motors = {name: sim.effort(name, limit=200.0) for name in ("hip", "crank")}
rows = []
for step in range(2000):
    t = sim.time
    squat = 0.5 * (1 - np.cos(np.pi * t))
    wanted = {"hip": -0.5 * squat, "crank": 0.5 * squat}
    for name, motor in motors.items():
        motor.value = 400 * (wanted[name] - sim.coordinate(name)) - 20 * sim.rate(name)
    sim.step(1e-3)
    if step % 50 == 0:
        foot, _ = sim.point("shin", (0, 0, -0.4))
        rows.append((t, sim.coordinate("knee"), np.linalg.norm(sim.reaction("lower").force), foot[2]))

for t, knee, rod, height in rows[::4]:
    print(f"t = {t:5.2f} s   knee {np.degrees(knee):7.2f} deg   rod {rod:7.2f} N   foot {height:7.4f} m")
# rod, thigh and levers are a parallelogram: the shin turns with the crank
assert abs(sim.coordinate("hip") + sim.coordinate("knee") - sim.coordinate("crank")) < 1e-9
assert sim.violation()[0] < 1e-10, "the loop stays closed"
