"""Pin loads of the excavator: the largest load of every pin in a digging cycle, and which of them rigid bodies can tell."""

import numpy as np

import holonom

# with self-aligning bearings every load is unique; with plain pins the doctor says which are not
plain = holonom.Simulation(holonom.load("excavator")).diagnose()
doubtful = [name for name, load in plain.reactions.items() if not load.unique]
print(f"plain pins: mobility {plain.mobility}, {len(doubtful)} loads of {len(plain.reactions)} are not unique")

model = holonom.load("excavator", set={"bearings": 1})
sim = holonom.Simulation(model)
recording = sim.run(6.0, record=["*.force.*", "*.torque.*"], rate=50, progress=True)

print(f"{'pin':24} {'largest force':>14} {'at':>8}")
for joint in model.joints:
    if f"{joint}.force.x" not in recording:
        continue
    force = np.linalg.norm(recording.vector(f"{joint}.force"), axis=1)
    at = int(force.argmax())
    print(f"{joint:24} {force[at] / 1e3:11.2f} kN {recording.time[at]:6.2f} s")

assert not recording.notes, "every load is unique"
assert sim.diagnose().mobility == 0, "the cylinders hold it"
