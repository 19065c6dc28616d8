"""One factor, many answers, against what is known otherwise: other roads through the engine, differences, formulas."""

import numpy as np
import pytest
from conftest import PENDULUM, ROOT

import holonom
from holonom import PushAlong

LEG = ROOT / "examples/python/leg.urdf"
LOOPED = [LEG, "parallelogram", "strandbeest", "prosthetic-arm"]


def settled(name, **options):
    sim = holonom.Simulation(holonom.load(name, **options))
    sim.run(0.1)
    return sim


def advanced(sim, along, h):
    """The state with positions advanced by h along a displacement in velocity coordinates: rotations by their exponential."""
    state, q = sim.state, sim.state.q
    for i, body in enumerate(sim.model.bodies):
        first, end = sim.model.velocity_range(body)
        assert end - first == 6 and sim.model.n_q == 7 * sim.model.n_bodies
        d = h * along[first:end]
        q[7 * i : 7 * i + 3] += d[:3]
        angle = np.linalg.norm(d[3:])
        half = np.append(np.cos(angle / 2), 0.5 * np.sinc(angle / 2 / np.pi) * d[3:])
        w, x = q[7 * i + 3], q[7 * i + 4 : 7 * i + 7].copy()
        q[7 * i + 3] = half[0] * w - half[1:] @ x
        q[7 * i + 4 : 7 * i + 7] = half[0] * x + w * half[1:] + np.cross(half[1:], x)
    return state.replace(q=q)


def test_many_answers_cost_a_solve_each():
    sim = settled("double-pendulum")
    held = sim.held_factor()
    factors, solves = held.counts
    rng = np.random.default_rng(1)
    sides = rng.standard_normal((1000, held.n_v + held.n_rows))
    found = held.solve(sides)
    assert held.counts == (factors, solves + 1000)
    assert np.array_equal(held.solve(sides[7]), found[7])
    a, l = found[:, : held.n_v], found[:, held.n_v :]
    rows = held.joint_rows(sim.model.joints)
    moved = np.array([held.mass_times(x) for x in a]) - l @ rows
    assert np.allclose(moved, sides[:, : held.n_v], atol=1e-9) and np.allclose(-a @ rows.T, sides[:, held.n_v :], atol=1e-9)
    many = held.respond(sides[:5, : held.n_v])
    assert many.acceleration.shape == (5, held.n_v)
    assert np.array_equal(many.acceleration[3], held.respond(sides[3, : held.n_v]).acceleration)


@pytest.mark.parametrize("scene", LOOPED)
def test_inverse_of_forward_is_the_identity(scene):
    sim = settled(scene)
    held = sim.held_factor()
    rng = np.random.default_rng(2)
    freedom = sim.diagnose().mobility
    assert sim.model.has_loops and (freedom > 0 or scene not in LOOPED[:2])
    along = sim.model.coordinates[: max(freedom, 1)]
    rows = held.jacobian(along)
    efforts = rng.standard_normal(len(along))
    made = held.accelerations().acceleration + held.respond(efforts @ rows).acceleration
    found = held.inverse_dynamics(made, along)
    assert found.missed < 1e-10
    again = held.accelerations().acceleration + held.respond(found.efforts @ rows).acceleration
    assert np.abs(again - made).max() <= 1e-10 * max(1.0, np.abs(made).max())
    if found.unique:
        assert np.allclose(found.efforts, efforts, rtol=1e-8, atol=1e-8)


def test_a_pendulum_by_hand():
    sim = holonom.Simulation(holonom.loads(PENDULUM))
    held, mass = sim.held_factor(), sim.model.total_mass
    inertia = mass * (1 / 12 * (1 + 0.05**2) + 0.25)
    assert held.effective_mass("pin") == pytest.approx(inertia, rel=1e-12)
    assert held.effective_mass(PushAlong.point("rod", (0.5, 0, 0), (0, 0, 1))) == pytest.approx(inertia, rel=1e-12)
    assert held.effective_mass(PushAlong.point("rod", (0.5, 0, 0), (1, 0, 0))) == np.inf
    assert held.mobility(["pin"])[0, 0] == pytest.approx(1 / inertia)
    still = held.inverse_dynamics(np.zeros(6), ["pin"])
    assert still.efforts[0] == pytest.approx(-mass * 9.81 * 0.5) and still.unique
    assert held.efforts_for("pin", [2.0]).efforts[0] == pytest.approx(2 * inertia - mass * 9.81 * 0.5)
    equations = sim.joint_equations()
    assert equations.names == ["pin.0"] and equations.mass_matrix[0, 0] == pytest.approx(inertia)
    assert equations.bias[0] == pytest.approx(-mass * 9.81 * 0.5)
    assert np.allclose(equations.jacobian(PushAlong.axes("rod", (0.5, 0, 0)))[:, 0], [0, 0, -1])
    assert np.allclose(equations.efforts([1.0]), inertia + equations.bias)
    assert held.delassus(["pin"]).shape == (5, 5)
    assert np.allclose(held.force_left_over(*vars(held.accelerations()).values()), 0, atol=1e-9)


def test_jacobians_are_those_of_the_motion():
    sim = settled("double-pendulum")
    held = sim.held_factor()
    tip = PushAlong.axes("lower", (0, 0, 0.1))
    assert np.allclose(held.jacobian(tip) @ sim.state.v, sim.point("lower", (0, 0, 0.1))[1])
    assert np.allclose(held.jacobian(PushAlong.turns("lower")) @ sim.state.v, sim.velocity("lower")[3:])
    assert np.allclose(held.jacobian(["shoulder", "elbow"]) @ sim.state.v, sim.joint_velocities())
    equations = sim.joint_equations()
    assert np.allclose(equations.jacobian(tip) @ equations.rates, sim.point("lower", (0, 0, 0.1))[1])
    # accelerations by both roads
    a = held.jacobian(tip) @ sim.accelerations() + held.jacobian_dot_v(tip)
    wdot = np.linalg.solve(equations.mass_matrix, equations.applied - equations.bias)
    assert np.allclose(a, equations.jacobian(tip) @ wdot + equations.jacobian_dot_v(tip), atol=1e-9)
    assert np.allclose(equations.body_accelerations(wdot), sim.accelerations(), atol=1e-9)
    assert np.allclose(equations.directions.T @ equations.rates, sim.state.v)
    # the factor stays where it was made, until it is moved
    kept = held.state
    sim.run(0.3)
    assert held.state == kept
    held.move_to(sim.state)
    assert np.allclose(held.accelerations().acceleration, sim.accelerations(), atol=1e-9)


@pytest.mark.parametrize("scene", ["double-pendulum", LEG])
def test_derivatives_on_the_manifold_are_those_of_whole_solutions(scene):
    """Exact derivatives along legal changes against central differences of accelerations between whole states."""
    sim = settled(scene)
    held = sim.held_factor()
    rng = np.random.default_rng(3)
    dq, dv = held.legal(rng.standard_normal(held.n_v), rng.standard_normal(held.n_v))
    exact = held.derivative(dq, dv)

    def solution(h):
        # a legal change leaves the joints closed to first order; what it leaves open is even in h and drops out
        state = advanced(sim, dq, h)
        held.move_to(state.replace(v=sim.state.v + h * dv))
        return held.accelerations().acceleration

    def difference(h):
        return (solution(h) - solution(-h)) / (2 * h)

    coarse, fine = difference(2e-3), difference(1e-3)
    better = fine + (fine - coarse) / 3
    assert np.abs(better - exact.acceleration).max() < 1e-6 * np.abs(exact.acceleration).max()


def test_all_derivatives_are_their_columns():
    held = settled("double-pendulum").held_factor()
    found = held.derivatives()
    unit = np.eye(held.n_v)
    for k in [0, 4, 11]:
        assert np.allclose(found.acceleration_by_position[:, k], held.derivative(position=unit[k]).acceleration)
        assert np.allclose(found.multipliers_by_velocity[:, k], held.derivative(velocity=unit[k]).multipliers)
    by_force = held.derivative(force=unit[3])
    assert by_force.error == 0 and np.allclose(by_force.acceleration, held.respond(unit[3]).acceleration)


def test_derivatives_by_parameters():
    scene = PENDULUM.replace("density = 7800", 'mass = "${m}"') + '[params]\nm = 2.0\n[force.w]\nkind = "point-force"\non = "rod"\nforce = [0, 0, "5"]\n'
    model = holonom.loads(scene)
    held = holonom.Simulation(model).held_factor()
    found = held.derivative_by_parameter("m")

    def at(m):
        return holonom.Simulation(model.changed({"m": m})).held_factor().accelerations().acceleration

    h = 1e-4
    assert np.allclose(found.acceleration, (at(2 + h) - at(2 - h)) / (2 * h), atol=1e-6) and found.acceleration[2] != 0
    with pytest.raises(holonom.UsageError, match="present value"):
        held.derivative_by_parameter("force.w.force")
    with pytest.raises(holonom.SceneError):
        held.derivative_by_parameter("nothing", 1.0)
    assert model.changed({"m": 3.0}).changed({"body.rod.at": [0.5, 0, 0]}).total_mass == pytest.approx(3.0)


def test_a_system_for_control():
    sim = holonom.Simulation(holonom.loads(PENDULUM))
    sim.equilibrium()
    small = sim.linearise(inputs=["pin"], outputs=["pin.coordinate", "pin.rate", "pin.force.x"])
    mass = sim.model.total_mass
    inertia = mass * (1 / 12 * (1 + 0.05**2) + 0.25)
    a, b, c, d = small.state_space
    assert a.shape == (2, 2) and b.shape == (2, 1) and c.shape == (3, 2) and d.shape == (3, 1)
    # the transfer function from torque to angle: 1 / (I s^2 + m g L/2)
    for s in [0.5j, 2.0 + 1j, 11j]:
        y = c @ np.linalg.solve(s * np.eye(2) - a, b) + d
        want = 1 / (inertia * s * s + mass * 9.81 * 0.5)
        assert np.allclose(y[:2, 0], [want, s * want], rtol=1e-8)
        # the pin pushes the centre to the side: it moves along -x when the angle about y grows
        assert np.allclose(y[2, 0], -mass * 0.5 * s * s * want, rtol=1e-7)
    assert small.inputs == ["pin"] and small.outputs == ["pin.coordinate", "pin.rate", "pin.force.x"]
    by_point = sim.linearise(inputs=[PushAlong.point("rod", (0.5, 0, 0), (1, 0, 0)), PushAlong.turn("rod", (0, 1, 0))])
    # the rod hangs down: its tip is a metre below the pin, and a torque is a torque
    assert np.allclose(by_point.B, small.B @ [[-1.0, 1.0]]) and by_point.C.shape == (0, 2)
    assert small.D[2, 0] != 0 and small.D[0, 0] == 0


def test_inverse_kinematics_and_inverse_dynamics_of_a_motion():
    sim = holonom.Simulation(holonom.load("four-bar"))
    motion = sim.inverse_kinematics(0.5, 50)
    assert motion.names == sim.model.coordinates and motion.positions.shape == (51, len(motion.names))
    assert motion.time[-1] == 0.5 and sim.time == 0 and motion.velocities.shape == motion.positions.shape
    assert np.allclose(motion.positions[0], sim.joint_positions())


def test_wrong_questions():
    held = holonom.Simulation(holonom.loads(PENDULUM)).held_factor()
    with pytest.raises(holonom.UnknownNameError, match="did you mean `pin`"):
        held.jacobian(["pim"])
    with pytest.raises(holonom.UsageError, match="must be 6"):
        held.respond(np.zeros(5))
    with pytest.raises(holonom.UsageError, match="finite"):
        held.solve(np.full(11, np.nan))
    with pytest.raises(holonom.UsageError):
        held.move_to(holonom.load("four-bar").initial_state)
    with pytest.raises(holonom.UsageError):
        held.inverse_dynamics(np.zeros(6), ["pin"], scales=[-1.0])
