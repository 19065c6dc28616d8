"""Torque curves of the prosthetic arm: what its motors must give to lift a bottle along a path, full and empty."""

import numpy as np

import holonom

# the motors together keep the hand on the path: their efforts come out of the same solve as the loads of the joints
MOTORS = {"task.effort": "left shoulder", "task.effort.1": "right shoulder", "task.effort.2": "elbow", "level.effort": "rotation"}

largest = {}
for words, kilograms in [("empty", 0.4), ("full", 1.2)]:
    model = holonom.load("prosthetic-arm-bottle", set={"full": kilograms})
    sim = holonom.Simulation(model)
    recording = sim.run(4.6, record=[*MOTORS, "bottle.pos.*"], rate=100)
    height = np.ptp(recording["bottle.pos.z"])
    print(f"{words} bottle, {model.total_mass:.2f} kg in motion, lifted by {height:.3f} m")
    for column, motor in MOTORS.items():
        torque = recording[column]
        at = int(np.abs(torque).argmax())
        print(f"  {motor:16} largest {torque[at]:+9.4f} {recording.units[column]:4} at {recording.time[at]:4.2f} s")
        largest[words, motor] = abs(torque[at])
    # recording.save(f"{words}.parquet") keeps it for `holonom plot` and every table program
    assert not recording.notes, "all of these are unique"

assert largest["full", "elbow"] > largest["empty", "elbow"], "a bottle weighs something"
