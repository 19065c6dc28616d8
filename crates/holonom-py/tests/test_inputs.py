"""Control: drives and efforts set while a simulation runs, and forces as Python functions."""

import gc
import weakref

import numpy as np
import pytest
from conftest import PENDULUM

import holonom

DRIVEN = PENDULUM + '[drive.motor]\nkind = "KIND"\njoint = "pin"\nvalue = "VALUE"\n'


def driven(kind, value):
    return holonom.loads(DRIVEN.replace("KIND", kind).replace("VALUE", value))


def test_an_input_is_what_the_scene_says_until_it_is_set():
    model = driven("torque", "3 * sin(t)")
    plain, ready = holonom.Simulation(model), holonom.Simulation(model)
    motor = ready.drive("motor")
    plain.run(0.5)
    ready.run(0.5)
    assert plain.hash() == ready.hash()
    assert motor.value == pytest.approx(3 * np.sin(0.5)) and float(motor) == motor.value
    motor.value = 20.0
    ready.run(0.6)
    plain.run(0.6)
    assert plain.hash() != ready.hash() and motor.value == 20.0
    motor.clear()
    assert motor.value == pytest.approx(3 * np.sin(0.6))


@pytest.mark.parametrize("integrator", ["dop853", "rk4", "stepping"])
def test_an_effort_is_the_torque_that_it_says(integrator):
    model = holonom.loads(PENDULUM, set={"gravity": [0, 0, 0]})
    sim = holonom.Simulation(model, integrator=integrator)
    torque = sim.effort("pin", limit=5.0)
    inertia = model.total_mass * (1 / 12 * (1 + 0.05**2) + 0.25)
    assert torque.unit == "N m" and torque.value == 0
    torque.value = 2.0
    for _ in range(100):
        sim.step(1e-3)
    assert sim.rate("pin") == pytest.approx(2.0 * 0.1 / inertia, rel=1e-6)
    assert sim.accelerations()[4] == pytest.approx(2.0 / inertia, rel=1e-9)
    torque.value = -100.0  # the limit holds
    assert sim.accelerations()[4] == pytest.approx(-5.0 / inertia, rel=1e-9)
    assert sum(sim.ledger().forces.values()) == pytest.approx(sim.energy().kinetic, rel=1e-3)


def test_feedback_holds_the_pendulum():
    sim = holonom.Simulation(holonom.loads(PENDULUM))
    torque = sim.effort("pin")
    for _ in range(6000):
        torque.value = -300 * sim.coordinate("pin") - 60 * sim.rate("pin") - 19.5 * 9.81 / 2
        sim.step(1e-3)
    assert abs(sim.coordinate("pin")) < 1e-3


def test_a_servo_moves_smoothly():
    sim = holonom.Simulation(driven("position", "0"), dt=1e-3, integrator="rk4")
    servo = sim.drive("motor")
    servo.set(0.5, over=1.0)
    r = sim.run(1.5, record=["pin.coordinate", "pin.rate", "motor.effort"], rate=1000)
    assert r["pin.coordinate"][-1] == pytest.approx(0.5, abs=1e-9) and r["pin.rate"][-1] == pytest.approx(0, abs=1e-9)
    assert np.abs(np.diff(r["pin.rate"])).max() < 0.01, "no jump of the rate"
    servo.set(0.5, rate=0.1)
    with pytest.warns(holonom.MotionWarning, match="rate of a gap"):  # told to jump, and said so
        sim.run(2.5)
    assert sim.coordinate("pin") == pytest.approx(0.6, abs=1e-9)


def test_simulations_of_one_model_have_inputs_of_their_own():
    model = driven("torque", "0")
    a, b = holonom.Simulation(model), holonom.Simulation(model)
    a.drive("motor").value = 10.0
    other = a.copy()
    other.drive("motor").value = -10.0
    for s in (a, b, other):
        s.run(0.1)
    assert len({a.hash(), b.hash(), other.hash()}) == 3
    assert a.drive("motor").value == 10.0


def test_an_input_asked_for_on_the_way_changes_nothing():
    model = driven("torque", "3")
    a, b = holonom.Simulation(model, dt=1e-3), holonom.Simulation(model, dt=1e-3)
    a.step(1e-3, 100)
    b.step(1e-3, 100)
    b.drive("motor")
    assert a.hash() == b.hash()
    a.step(1e-3, 100)
    b.step(1e-3, 100)
    assert a.hash() == b.hash()


def test_what_cannot_be_an_input():
    sim = holonom.Simulation(driven("torque", "0"))
    with pytest.raises(holonom.UnknownNameError, match="did you mean `motor`"):
        sim.drive("moter")
    with pytest.raises(holonom.UnknownNameError):
        sim.effort("rod")
    with pytest.raises(holonom.UsageError):
        sim.drive("motor").value = float("nan")
    with pytest.raises(holonom.UsageError):
        sim.effort("pin", limit=-1)


def test_a_spring_in_python_is_the_spring_of_the_engine():
    spring = '[body.ball]\nkind = "particle"\nmass = 2\nat = [1, 0, 0]\n'
    built_in = spring + '[force.s]\nkind = "spring"\nb = "ball"\nstiffness = 50\nlength = 0.5\ndamping = 1\n'
    a = holonom.Simulation(holonom.loads(built_in))
    b = holonom.Simulation(holonom.loads(spring))

    def law(t, positions, velocities):
        p, v = positions[0], velocities[0]
        n = p / np.linalg.norm(p)
        return -(50 * (np.linalg.norm(p) - 0.5) + 1 * (v @ n)) * n

    b.add_force("s", law, at=[("ball", (0, 0, 0))])
    a.run(0.5)
    b.run(0.5)
    assert np.allclose(a.state.q, b.state.q, rtol=0, atol=1e-10)
    assert b.ledger().forces["s"] != 0


def test_a_force_on_a_coordinate():
    model = holonom.loads(PENDULUM)
    a, b = holonom.Simulation(model), holonom.Simulation(model)
    a.effort("pin").value = 3.0
    calls = []
    b.add_coordinate_force("push", "pin", lambda angle, rate, time: calls.append(time) or 3.0)
    a.run(0.3)
    b.run(0.3)
    assert calls and np.allclose(a.state.q, b.state.q, rtol=0, atol=1e-12)
    b.reset()
    b.run(0.3)
    assert np.allclose(a.state.q, b.state.q, rtol=0, atol=1e-12)


def test_what_a_force_raises_comes_out():
    class Mine(Exception):
        pass

    def bad(angle, rate, time):
        if time > 0.1:
            raise Mine("enough")
        return 0.0

    sim = holonom.Simulation(holonom.loads(PENDULUM))
    sim.add_coordinate_force("bad", "pin", bad)
    with pytest.raises(Mine, match="enough"):
        sim.run(1.0)
    assert sim.time < 0.3
    for answer in ["text", None, float("nan"), [1, 2]]:
        sim = holonom.Simulation(holonom.loads(PENDULUM))
        with pytest.raises((TypeError, ValueError)):
            sim.add_force("f", lambda t, p, v, answer=answer: answer, at=[("rod", (0, 0, 0))])
            sim.step(1e-3)
    with pytest.raises(TypeError):
        sim.add_coordinate_force("x", "pin", 3)


def test_functions_and_simulations_that_hold_each_other_are_collected():
    class Mine:
        def __init__(self, sim):
            self.sim = sim

        def __call__(self, angle, rate, time):
            return 0.0

    sim = holonom.Simulation(holonom.loads(PENDULUM))
    mine = Mine(sim)
    gone = weakref.ref(mine)
    sim.add_coordinate_force("mine", "pin", mine)
    sim.step(1e-3)
    del sim, mine
    gc.collect()
    assert gone() is None
