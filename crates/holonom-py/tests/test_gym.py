"""Environments pass Gymnasium's own checks."""

import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import holonom
from holonom.gym import SceneEnv, SceneVectorEnv

OBSERVED = ["shoulder.coordinate", "shoulder.rate", "elbow.coordinate", "elbow.rate"]


def swing(sim, rng):
    sim.state = sim.state.replace(v=sim.state.v)
    sim.strike("lower", rng.normal(scale=0.1, size=3) * [1, 0, 1])


def options():
    return {
        "observations": OBSERVED,
        "actions": {"shoulder": 5.0, "elbow": (-1.0, 2.0)},
        "reward": lambda sim: float(sim.poses()[1, 2]),
        "start": swing,
        "max_steps": 20,
        "integrator": "rk4",
    }


def test_check_env():
    env = SceneEnv("double-pendulum", **options())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # bounds at infinity, and bounds that are not -1 to 1, are what the quantities are
        warnings.filterwarnings("ignore", message=".*(infinity|symmetric|normalized|spec).*")
        check_env(env, skip_render_check=True)


def test_an_episode():
    env = SceneEnv("double-pendulum", **options())
    first, _ = env.reset(seed=3)
    again, _ = env.reset(seed=3)
    other, _ = env.reset(seed=4)
    assert np.array_equal(first, again) and not np.array_equal(first, other)
    for k in range(20):
        seen, reward, ended, cut, _ = env.step(np.array([1.0, 0.0]))
    assert cut and not ended and seen.shape == (4,) and env.simulation.time == pytest.approx(0.2)
    assert reward == pytest.approx(env.simulation.pose("lower")[2])
    with pytest.raises(holonom.UnknownNameError):
        SceneEnv("double-pendulum", observations=OBSERVED, actions={"nothing": 1})


def test_environments_side_by_side_are_those_alone():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        envs = SceneVectorEnv("double-pendulum", 5, threads=2, **options())
    alone = SceneEnv("double-pendulum", **options())
    seen, _ = envs.reset(seed=10)
    mine, _ = alone.reset(seed=12)
    assert np.array_equal(seen[2], mine)
    for k in range(25):
        actions = np.tile([0.5, 0.1 * k % 1], (5, 1))
        seen, rewards, ended, cut, _ = envs.step(actions)
        assert seen.shape == (5, 4) and rewards.shape == (5,)
        if k < 20:
            mine, reward, *_ = alone.step(actions[2])
            assert np.array_equal(seen[2], mine) and rewards[2] == reward
        assert cut.all() == (k == 19)
    envs.close()
