"""Answers about a state, against what is known otherwise."""

import numpy as np
import pytest
from conftest import PENDULUM

import holonom


def held(sim):
    """What the pin of the horizontal rod, let go, carries: weight less mass times acceleration of the centre."""
    inertia = 1 / 12 * (1 + 0.05**2) + 0.25
    return sim.model.total_mass * 9.81 * (1 - 0.25 / inertia)


@pytest.fixture
def pendulum():
    return holonom.Simulation(holonom.loads(PENDULUM))


def test_where_things_are(pendulum):
    sim = pendulum
    assert np.allclose(sim.poses(), [[0.5, 0, 0, 1, 0, 0, 0]])
    sim.run(0.3)
    angle, rate = sim.coordinate("pin"), sim.rate("pin")
    assert sim.joint_positions().tolist() == [angle] and sim.joint_velocities().tolist() == [rate]
    assert sim.model.coordinates == ["pin"]
    # the rod turns about y: its tip is half a metre beyond the centre
    tip, velocity = sim.point("rod", (0.5, 0, 0))
    assert np.allclose(tip, [np.cos(angle), 0, -np.sin(angle)], atol=1e-12)
    assert np.allclose(velocity, rate * np.array([-np.sin(angle), 0, -np.cos(angle)]), atol=1e-12)
    assert np.allclose(sim.rotation("rod")[:, 0], [np.cos(angle), 0, -np.sin(angle)], atol=1e-12)
    assert np.allclose(sim.velocity("rod")[3:], [0, rate, 0], atol=1e-12)
    assert np.allclose(sim.pose("rod"), sim.poses()[0]) and np.allclose(sim.velocity("rod"), sim.velocities()[0])
    assert np.allclose(sim.pose("ground"), [0, 0, 0, 1, 0, 0, 0])
    assert np.allclose(sim.centres_of_mass()[0], sim.pose("rod")[:3])
    assert sim.quantity("pin.coordinate") == angle and sim.quantity("time") == 0.3
    values = sim.model.select("pin.coordinate", "rod.pos.*").read(sim)
    assert np.allclose(values, [angle, *sim.pose("rod")[:3]])


def test_energies_and_their_balance(pendulum):
    sim = pendulum
    before = sim.energy()
    sim.run(0.5)
    after = sim.energy()
    assert after.kinetic > 1 and after.total == pytest.approx(before.total, abs=1e-7 * after.kinetic)
    ledger = sim.ledger()
    assert abs(ledger.unaccounted) < 1e-7 * after.kinetic and ledger.joints.keys() == {"pin"}
    linear, angular = sim.momentum()
    assert np.allclose(linear, sim.model.total_mass * sim.velocity("rod")[:3])
    assert angular[1] != 0


def test_loads_and_which_are_unique(pendulum):
    r = pendulum.reaction("pin")
    assert r.unique and r.force[2] == pytest.approx(held(pendulum), rel=1e-12)
    assert np.allclose(pendulum.reactions()["pin"].force, r.force)
    turned = pendulum.reaction("pin", axes="b")
    assert np.linalg.norm(turned.force) == pytest.approx(np.linalg.norm(r.force))
    door = holonom.Simulation(holonom.load("door-3-hinges"))
    d = door.diagnose()
    assert (d.rows, d.rank, d.mobility) == (15, 5, 1) and d.redundant and d.not_unique
    assert "more than once" in str(d)
    doubtful = [n for n, r in d.reactions.items() if not r.unique]
    assert len(doubtful) == 3 and not door.reaction(doubtful[0]).unique
    # together they hold the door, however they share it
    total = sum(r.force for r in d.reactions.values())
    lost = sum(door.model.masses) * 9.81
    assert total[2] == pytest.approx(lost, rel=0.5)


def test_certificates_and_gaps(pendulum):
    c = pendulum.certificate()
    assert c.motion < 1e-10 and c.constraint < 1e-10 and not c.contradiction
    assert pendulum.violation()[0] < 1e-12
    assert pendulum.multipliers("pin").shape == (5,) and pendulum.accelerations().shape == (6,)


def test_contacts_and_events():
    sim = holonom.Simulation(holonom.load("bouncing-ball"))
    sim.keep_events(100)
    sim.run(2.0)
    impacts = [e for e in sim.take_events() if e.kind == "impact"]
    assert impacts and impacts[0].speed > 0 and {impacts[0].a, impacts[0].b} & set(sim.model.bodies)
    assert sim.take_events() == []
    wall = holonom.Simulation(holonom.load("wall-100"))
    wall.step(1e-3)
    contacts = wall.contacts()
    assert len(contacts) > 100
    on_ground = sum(c.force[2] * (1 if c.b == "ground" else -1) for c in contacts if "ground" in (c.a, c.b))
    assert on_ground == pytest.approx(wall.model.total_mass * 9.81, rel=1e-6)


def test_small_motions_and_equilibria(pendulum):
    found = pendulum.equilibrium()
    assert found.stable and pendulum.coordinate("pin") == pytest.approx(np.pi / 2, abs=1e-9)
    small = pendulum.linearise()
    assert small.A.shape == (2, 2) and small.stable
    # a rod about its end: inertia m (L^2/3 + h^2/12), L = 1, h = 0.05
    inertia = 1 / 12 * (1 + 0.05**2) + 0.25
    assert small.frequencies[0] == pytest.approx(np.sqrt(9.81 * 0.5 / inertia) / (2 * np.pi), rel=1e-8)
    assert small.modes[0].body == "rod" and abs(small.modes[0].damping) < 1e-9
    assert np.allclose(sorted(np.linalg.eigvals(small.A).imag), sorted(small.eigenvalues.imag))


def test_edits():
    sim = holonom.Simulation(holonom.load("double-pendulum"))
    sim.run(0.1)
    joint = sim.model.joints[-1]
    sim.lock_joint(joint)
    assert sim.diagnose().mobility == 1
    sim.unlock_joint(joint)
    sim.break_joint(joint)
    assert sim.diagnose().mobility == 7
    with pytest.raises(holonom.UsageError):
        sim.break_joint(joint)
    sim.mend_joint(joint)
    assert sim.diagnose().mobility == 2
    sim.break_joint(joint)
    sim.step(1e-3)
    sim.reset()
    assert sim.diagnose().mobility == 2 and sim.time == 0


def test_a_blow(pendulum):
    pendulum.strike("rod", (0, 0, 1.0), at=(0.5, 0, 0))
    mass = pendulum.model.total_mass
    inertia = mass * (1 / 12 * (1 + 0.05**2) + 0.25)
    assert pendulum.rate("pin") == pytest.approx(-1.0 / inertia, rel=1e-9)


def test_everything_has_words():
    for thing in [
        holonom.Simulation, holonom.Model, holonom.State, holonom.Selection, holonom.Input, holonom.Recording,
        holonom.HeldFactor, holonom.JointEquations, holonom.PushAlong,
    ]:
        for name in dir(thing):
            if not name.startswith("_"):
                assert getattr(thing, name).__doc__, f"{thing.__name__}.{name}"
