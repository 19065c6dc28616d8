"""Gradients of runs against differences of runs; fitting and optimising with them."""

import numpy as np
import pytest

import holonom
from holonom import PushAlong, fit

FOUR_BAR = """
[params]
crank = 0.3
coupler = 1.0
mass = 1.2
torque = 2.0
damping = 0.05

[body.crank]
shape = { kind = "box", size = ["${crank}", 0.05, 0.05] }
mass = "${mass}"
at = ["${crank/2}", 0, 0]

[body.coupler]
shape = { kind = "box", size = ["${coupler}", 0.05, 0.05] }
mass = 1
at = ["${crank + coupler/2}", 0, 0]

[joint.pin]
kind = "revolute"
b = "crank"
at = [0, 0, 0]
axis = [0, 1, 0]

[joint.elbow]
kind = "revolute"
a = "crank"
b = "coupler"
at = ["${crank}", 0, 0]
axis = [0, 1, 0]

[joint.rocker]
kind = "distance"
a = { body = "ground", at = ["${crank + coupler}", 0, -0.8] }
b = { body = "coupler", at = ["${coupler/2}", 0, 0] }

[force.motor]
kind = "coordinate-force"
joint = "pin"
force = "torque * cos(3*t)"

[force.bearing]
kind = "coordinate-spring"
joint = "pin"
damping = "${damping}"
"""

NUMBERS = {"crank": 0.3, "coupler": 1.0, "mass": 1.2, "torque": 2.0, "damping": 0.05}
TIP = PushAlong.point("coupler", [0.2, 0.0, 0.1], [0.3, 0.0, 1.0])


def scene():
    return holonom.loads(FOUR_BAR)


def objective(run, weights):
    return float((weights[0] * run.values).sum() + (weights[1] * run.rates**2).sum())


def test_gradients_are_those_of_differences():
    model = scene()
    rng = np.random.default_rng(5)
    run = model.rollout(0.4, 2e-3, ["pin", TIP])
    assert run.values.shape == run.rates.shape == (201, 2) and run.times[-1] == pytest.approx(0.4)
    weights = rng.normal(size=(2, 201, 2))
    found = run.gradient(weights[0], 2 * weights[1] * run.rates, parameters=list(NUMBERS))
    for name, value in NUMBERS.items():

        def at(h, name=name, value=value):
            return objective(model.changed({name: value + h}).rollout(0.4, 2e-3, ["pin", TIP]), weights)

        h = 1e-3 * value
        coarse, fine = ((at(k) - at(-k)) / (2 * k) for k in (h, h / 2))
        wanted = fine + (fine - coarse) / 3
        assert found.parameters[name] == pytest.approx(wanted, rel=1e-6), name
    # forwards, number by number
    both = run.derivatives(["mass", "crank"])
    for name, (values, rates) in both.items():
        forwards = (weights[0] * values).sum() + (2 * weights[1] * run.rates * rates).sum()
        assert forwards == pytest.approx(found.parameters[name], rel=1e-7), name
    named = run.gradient(weights[0], parameters={"body.coupler.mass": 1.0})
    assert list(named.parameters) == ["body.coupler.mass"] and np.isfinite(named.parameters["body.coupler.mass"])
    # along the velocities alone a run is linear to first order
    assert found.position.shape == found.velocity.shape == (model.n_v,)


def test_the_run_is_that_of_the_simulation():
    model = scene()
    sim = holonom.Simulation(model, integrator="rk4")
    for _ in range(200):
        sim.step(2e-3)
    last = model.rollout(0.4, 2e-3, "pin").last
    assert np.array_equal(last.q, sim.state.q) and np.array_equal(last.v, sim.state.v)


def test_controls():
    model = scene()
    steps, rng = 50, np.random.default_rng(1)
    sizes = rng.normal(size=(steps, 2))
    controls = ["pin", PushAlong.point("coupler", [0, 0, 0], [0, 0, 1])]
    run = model.rollout(0.1, 2e-3, "pin", controls, sizes)
    weights = rng.normal(size=(steps + 1, 1))
    found = run.gradient(weights).controls
    assert found.shape == (steps, 2)
    for i, j in [(0, 0), (10, 1), (49, 0)]:
        sides = []
        for h in (1e-2, -1e-2):
            moved = sizes.copy()
            moved[i, j] += h
            sides.append((weights * model.rollout(0.1, 2e-3, "pin", controls, moved).values).sum())
        assert found[i, j] == pytest.approx((sides[0] - sides[1]) / 2e-2, abs=1e-7 * np.abs(found).max())


def test_masses_and_damping_are_identified():
    truth = {"mass": 1.7, "damping": 0.12}
    measured = scene().changed(truth).rollout(1.0, 2e-3, "pin").values[::10]
    found = fit.identify(scene(), {"mass": 1.0, "damping": 0.05}, measured, dt=2e-3, observe="pin", every=10)
    assert found.parameters == pytest.approx(truth, rel=1e-7), found
    assert found.model.parameters["mass"] == found.parameters["mass"]


def test_what_cannot_be_is_refused():
    model = scene()
    with pytest.raises(holonom.UsageError, match="shape"):
        model.rollout(0.1, 1e-2, "pin").gradient(np.zeros((3, 3)))
    with pytest.raises(holonom.UsageError, match="no parameter of the scene"):
        model.rollout(0.1, 1e-2, "pin").gradient(parameters="masss")
    with pytest.raises(holonom.UsageError, match="dt must be greater"):
        model.rollout(0.1, 0.0, "pin")
    with pytest.raises(holonom.Error, match="only a rate"):
        model.rollout(0.1, 1e-2, PushAlong.turn("crank", [0, 0, 1]))
    with pytest.raises(holonom.Error, match="shapes touch"):
        holonom.load("newtons-cradle").rollout(0.1, 1e-2, [])
    with pytest.raises(holonom.Error):
        model.changed({"masss": 1.0})
