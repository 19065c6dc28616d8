"""Environments for reinforcement learning over any scene, for Gymnasium (`pip install gymnasium`).

    env = holonom.gym.SceneEnv(
        "double-pendulum", observations=["*.coordinate", "*.rate"], actions={"shoulder": 5.0}, reward=lambda sim: ...
    )

Observations are quantities by name, as recordings have them; actions are drives or joint coordinates by name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from ._batch import Batch
from ._errors import StepError, UnknownNameError, UsageError
from ._holonom import Input, Model, Selection, Simulation, State
from ._loading import load

Array = NDArray[np.float64]
Judge = Callable[[Simulation], float]
Start = Callable[[Simulation, np.random.Generator], None]


def _inputs(sim: Simulation, actions: Sequence[str]) -> list[Input]:
    """Drives by their names, joint coordinates as efforts."""
    model = sim.model
    inputs = []
    for name in actions:
        if name in model.drives:
            inputs.append(sim.drive(name))
        elif name in model.coordinates:
            inputs.append(sim.effort(name))
        else:
            known = ", ".join([*model.drives, *model.coordinates][:12])
            raise UnknownNameError(f"there is no drive or coordinate `{name}` to act on: there are {known}")
    return inputs


def _box(bounds: Mapping[str, float | tuple[float, float]]) -> gymnasium.Space[Array]:
    low, high = [], []
    for name, bound in bounds.items():
        a, b = (-bound, bound) if isinstance(bound, (int, float)) else bound
        if not a < b:
            raise UsageError(f"the bounds of the action `{name}` are {a} and {b}: the first must be less")
        low.append(a)
        high.append(b)
    bounds_low, bounds_high = np.array(low, dtype=np.float64), np.array(high, dtype=np.float64)
    return cast("gymnasium.Space[Array]", gymnasium.spaces.Box(bounds_low, bounds_high, dtype=np.float64))


def _anything(n: int) -> gymnasium.Space[Array]:
    return cast("gymnasium.Space[Array]", gymnasium.spaces.Box(-np.inf, np.inf, (n,), dtype=np.float64))


class SceneEnv(gymnasium.Env[Array, Array]):
    """A scene as an environment.

    Args:
        scene: a model, a file, or a name of the gallery.
        observations: names or patterns of quantities.
        actions: what is acted on, with its bounds: `{"motor": 2.0}` for -2 to 2, or `{"motor": (0, 3)}`. A drive is told
            the value in the place of its function of time; a joint coordinate gets it as a force (N) or torque (N m).
        reward: of the state after a step; 0 unless given.
        terminated: has the task ended, in success or failure? Never unless given.
        start: changes the simulation at the start of an episode, with the environment's random numbers.
        dt: one step of the simulation, s.
        substeps: steps of the simulation in one of the environment.
        max_steps: steps of the environment after which an episode is cut off; never unless given.
        options: those of `Simulation`.

    A motion that cannot be followed ends the episode: `terminated`, and the reason is `info["stopped"]`.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        scene: Model | str | os.PathLike[str],
        *,
        observations: Sequence[str],
        actions: Mapping[str, float | tuple[float, float]],
        reward: Judge | None = None,
        terminated: Callable[[Simulation], bool] | None = None,
        start: Start | None = None,
        dt: float = 1e-3,
        substeps: int = 10,
        max_steps: int | None = None,
        **options: Any,
    ) -> None:
        model = scene if isinstance(scene, Model) else load(scene)
        self.simulation = Simulation(model, **options)
        self.selection: Selection = model.select(*observations)
        self.inputs = _inputs(self.simulation, list(actions))
        self.action_space = _box(actions)
        self.observation_space = _anything(len(self.selection))
        self.reward, self.judge, self.start = reward, terminated, start
        self.dt, self.substeps, self.max_steps = dt, substeps, max_steps
        self.steps = 0
        self.start_state: State = self.simulation.state

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """A new episode."""
        super().reset(seed=seed)
        self.steps = 0
        for x in self.inputs:
            x.clear()
        self.simulation.state = self.start_state
        if self.start is not None:
            self.start(self.simulation, self.np_random)
        return self.selection.read(self.simulation), {}

    def step(self, action: Array) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Actions held for `substeps` steps."""
        for x, value in zip(self.inputs, action):
            x.value = float(value)
        info: dict[str, Any] = {}
        ended = False
        try:
            self.simulation.step(self.dt, self.substeps)
        except StepError as e:
            info["stopped"], ended = str(e), True
        self.steps += 1
        seen = self.selection.read(self.simulation)
        reward = 0.0 if self.reward is None else float(self.reward(self.simulation))
        ended = ended or (self.judge is not None and bool(self.judge(self.simulation)))
        cut = self.max_steps is not None and self.steps >= self.max_steps
        return seen, reward, ended, cut, info


class SceneVectorEnv(gymnasium.vector.VectorEnv[Array, Array, Array]):
    """`count` environments of one scene side by side, stepped by the threads of a `Batch`.

    Arguments are those of `SceneEnv`. Episodes that end begin anew at the next step.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, scene: Model | str | os.PathLike[str], count: int, *, threads: int | None = None, **options: Any) -> None:
        model = scene if isinstance(scene, Model) else load(scene)
        self.envs = [SceneEnv(model, **options) for _ in range(count)]
        self.batch = Batch(model, 1, threads=threads)
        self.batch.simulations = [e.simulation for e in self.envs]
        self.of = {id(e.simulation): e for e in self.envs}
        self.num_envs = count
        self.single_action_space = self.envs[0].action_space
        self.single_observation_space = self.envs[0].observation_space
        self.action_space = gymnasium.vector.utils.batch_space(self.single_action_space, count)
        self.observation_space = gymnasium.vector.utils.batch_space(self.single_observation_space, count)
        self.over = np.zeros(count, dtype=bool)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """New episodes in all of them."""
        seeds = [None if seed is None else seed + i for i in range(self.num_envs)] if not isinstance(seed, list) else seed
        seen = [e.reset(seed=s)[0] for e, s in zip(self.envs, seeds)]
        self.over[:] = False
        return np.stack(seen), {}

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """One step of all; those whose episode is over begin a new one instead."""
        waiting = dict(zip(map(id, self.batch.simulations), zip(range(self.num_envs), actions)))

        def one(sim: Simulation) -> tuple[Array, float, bool, bool, dict[str, Any]]:
            i, action = waiting[id(sim)]
            env = self.envs[i]
            return (env.reset()[0], 0.0, False, False, {}) if self.over[i] else env.step(action)

        seen, rewards, ended, cut, infos = zip(*self.batch.map(one))
        stopped = {i: x["stopped"] for i, x in enumerate(infos) if "stopped" in x}
        self.over = np.array(ended) | np.array(cut)
        info = {"stopped": stopped} if stopped else {}
        return np.stack(seen), np.array(rewards, dtype=np.float64), np.array(ended), np.array(cut), info

    def close_extras(self, **_: Any) -> None:
        """End the threads."""
        self.batch.close()
