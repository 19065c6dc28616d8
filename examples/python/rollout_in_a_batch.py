"""A policy rolled out in a batch: random linear feedbacks for a double pendulum driven at the shoulder, the best of each round refined."""

import numpy as np

import holonom

model = holonom.load("double-pendulum")
rng = np.random.default_rng(1)
COUNT, ROUNDS, STEPS = 32, 4, 60


def rollout(batch, motors, seen, policies):
    """The mean height of the tip under each policy."""
    batch.reset()
    heights = np.zeros(COUNT)
    for _ in range(STEPS):
        states = batch.read(seen)
        batch.set(motors, np.clip((policies[:, :4] * states[:, :4]).sum(axis=1) + policies[:, 4], -5, 5))
        batch.step(1e-3, 20)
        heights += states[:, 4]
    return heights / STEPS


with holonom.Batch(model, COUNT, integrator="rk4") as batch:
    motors = [sim.effort("shoulder") for sim in batch]
    seen = model.select("shoulder.coordinate", "shoulder.rate", "elbow.coordinate", "elbow.rate", "lower.pos.z")
    best, width = np.zeros(5), 3.0
    first = None
    for k in range(ROUNDS):
        policies = best + width * rng.standard_normal((COUNT, 5))
        policies[0] = best
        scores = rollout(batch, motors, seen, policies)
        best, width = policies[scores.argmax()], 0.6 * width
        first = scores[0] if first is None else first
        print(f"round {k}: mean height {scores.mean():+.4f} m, best {scores.max():+.4f} m")

print(f"without a policy {first:+.4f} m, with the best {scores.max():+.4f} m")
assert scores.max() > first
