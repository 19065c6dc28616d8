"""Ten thousand wrong calls: each raises an exception of ours or of Python's, and nothing ends the interpreter."""

import inspect
import random

import numpy as np
import pytest
from conftest import PENDULUM

import holonom

CALLS = 10_000
SEED = 20240229


def things(rng):
    model = holonom.loads(PENDULUM + '[drive.motor]\nkind = "torque"\njoint = "pin"\nvalue = "0"\n')
    sim = holonom.Simulation(model)
    other = holonom.load("four-bar")
    return {
        "model": model,
        "sim": sim,
        "state": sim.state,
        "selection": model.select("pin.*"),
        "input": sim.drive("motor"),
        "held": sim.held_factor(),
        "equations": sim.joint_equations(),
        "along": holonom.PushAlong.coordinate("pin"),
        "rollout": model.rollout(0.02, 1e-3, "pin"),
        "other": holonom.Simulation(other),
        "foreign": other.select("*.pos.*"),
        "builder": holonom.ModelBuilder("x"),
        "recording": sim.run(0.01, record="pin.*"),
        "module": holonom,
    }


def value(rng, known):
    """Anything at all, some of it nearly right."""
    return rng.choice(
        [
            None, True, 0, 1, -1, 2**31, 2**63, -(2**63), 2**64, 10**40, 0.0, -0.0, 1e-300, 1e300, float("inf"), float("-inf"),
            float("nan"), 1e-3, "", "pin", "rod", "ground", "motor", "rod.tip", "pin.1", "pin.99999999999999999999", "*", "a" * 300,
            "\x00", "\ud800", "energy.*", b"", b"holonom1", bytes(100), known["sim"].save(), [], [1, 2, 3], [float("nan")] * 3,
            (0, 0, 0), ["pin"], [["rod", [0, 0, 0]]], [("rod", (0, 0, float("inf")))], {}, {"a": 1}, np.zeros(3), np.zeros((0, 3)),
            np.full(7, np.nan), np.zeros(6, dtype=np.float32), np.array("text"), lambda *a: 1 / 0, lambda *a: "x", object(), int,
            known["model"], known["sim"], known["other"], known["state"], known["other"].state, known["selection"], known["foreign"],
            1 + 2j, range(3), Ellipsis,
        ]
    )


# What may take long for a call that is right, or ends in files, is called with arguments that are wrong.
BOUNDED = {"run", "step", "equilibrium", "rollout"}


def call(rng, known):
    thing = known[rng.choice(list(known))]
    names = [n for n in dir(thing) if not n.startswith("_") or n in ("__getitem__", "__copy__", "__eq__", "__len__")]
    name = rng.choice(names)
    if name == "show":  # opens a browser
        return
    if name in ("save", "close", "gym") and not isinstance(thing, holonom.Simulation):
        return
    attribute = getattr(thing, name)
    if rng.random() < 0.1:
        setattr(thing, name, value(rng, known)) if isinstance(thing, holonom.Simulation) else None
        return
    if not callable(attribute):
        return
    arguments = [value(rng, known) for _ in range(rng.randrange(4))]
    if name in BOUNDED and any(isinstance(a, (int, float)) and a > 0.05 for a in arguments):
        return
    if name in BOUNDED and not arguments and name == "run":
        return
    if name == "Batch":
        return
    keywords = {}
    if rng.random() < 0.3:
        try:
            parameters = list(inspect.signature(attribute).parameters)
        except (TypeError, ValueError):
            parameters = []
        if parameters and name not in BOUNDED:
            keywords = {rng.choice(parameters): value(rng, known)}
    result = attribute(*arguments, **keywords)
    if name == "builder":
        result.build()


@pytest.mark.filterwarnings("ignore")
def test_nothing_ends_the_interpreter():
    rng = random.Random(SEED)
    known = things(rng)
    raised = 0
    for i in range(CALLS):
        if i % 500 == 0:
            known = things(rng)
        try:
            call(rng, known)
        except Exception:  # panics of Rust are no Exception and fail here
            raised += 1
    assert raised > CALLS / 4, f"only {raised} of them were wrong"
    # all is well after it
    sim = holonom.Simulation(holonom.loads(PENDULUM))
    sim.run(0.01)


@pytest.mark.filterwarnings("ignore")
def test_wrong_scenes():
    rng = random.Random(SEED)
    for _ in range(300):
        m = holonom.ModelBuilder()
        known = {k: None for k in ()}
        for section in ["body", "joint", "force", "drive"]:
            for k in range(rng.randrange(3)):
                kind = rng.choice(list(holonom.kinds(section)))
                words = list(holonom._builder.fields(section, kind))
                simple = [1, -1, 0, 1e300, "x", "a0", [0, 0, 1], [0, 0, 0], True, {"kind": "box", "size": [1, 1, 1]}]
                fields = {rng.choice(words): rng.choice(simple) for _ in range(rng.randrange(5))} if words else {}
                m.add(section, f"{section[0]}{k}", **{**fields, "kind": kind})
        try:
            sim = holonom.Simulation(m.build())
            sim.step(1e-3)
        except holonom.Error as e:
            assert str(e)
        del known
