"""The mechanisms of `holonom bench`, built anew from their definition in crates/holonom-cases, without any of its code.

Every link is a box of 1.0 x 0.2 x 0.2 m and 1 kg with its long axis along x, its frame at the proximal end. A joint sits at
the origin of the child and at the point `at` of the parent. A `Case` is a forest (`parent` -1 is the ground), and `closing`
says whether the far end of the last link is held to the origin of the first one (rings).

Joint coordinates, for all peers: ball, unit quaternion (w first) and relative angular velocity in child axes; revolute, angle
and rate; free, quaternion, then velocity of the origin in world axes and angular velocity in body axes.
"""

import dataclasses
import json
import math
import pathlib

import numpy as np

REFERENCE = pathlib.Path(__file__).parents[2] / "crates/holonom-cases/data/forward-dynamics.json"
CENTRE = np.array([0.5, 0.0, 0.0])
INERTIA = np.array([0.08, 1.04, 1.04]) / 12
GRAVITY = np.array([0.0, 0.0, -9.81])
SEED = 1996


@dataclasses.dataclass
class Case:
    name: str
    parent: list
    at: list
    joint: list  # "ball", "free", or the axis of a revolute: "y" or "z"
    closing: bool = False

    @property
    def n(self):
        return len(self.parent)


@dataclasses.dataclass
class State:
    """Joint coordinates and rates by link, and what follows from them: pose and twist of every link in the world."""

    turn: list  # quaternion of a ball or a free joint, angle of a revolute
    rate: list  # 3 numbers, 1 number, or 6
    rotation: np.ndarray  # n x 3 x 3
    origin: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray


class SplitMix:
    def __init__(self, seed):
        self.state = seed

    def unit(self):
        mask = (1 << 64) - 1
        self.state = (self.state + 0x9E3779B97F4A7C15) & mask
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        return ((z ^ (z >> 31)) >> 11) * 2.0**-53

    def symmetric(self, a):
        return -a + 2 * a * self.unit()

    def vector(self, a):
        return np.array([self.symmetric(a) for _ in range(3)])


def case(name):
    kind, n = name[0], int(name[1:])
    if kind in "ab":
        joint = ["ball" if kind == "a" else "yz"[i % 2] for i in range(n)]
        return Case(name, list(range(-1, n - 1)), [np.array([float(i > 0), 0, 0]) for i in range(n)], joint)
    if kind == "c":
        at = [np.zeros(3)] + [np.array([1, 0.1 if i % 2 else -0.1, 0]) for i in range(1, n)]
        return Case(name, [-1] + [(i - 1) // 2 for i in range(1, n)], at, ["free"] + ["ball"] * (n - 1))
    if kind == "d":
        t = [2 * math.pi * k / n for k in range(n)]
        at = [np.zeros(3)] + [np.array([0.5 + 0.5 * math.cos(x), 0.5 * math.sin(x), 0]) for x in t]
        return Case(name, [-1] + [0] * n, at, ["free"] + ["ball"] * n)
    if kind == "e":
        at = [np.array([float(i > 0), 0, 0]) for i in range(n)]
        return Case(name, list(range(-1, n - 1)), at, ["ball"] * n, closing=True)
    raise ValueError(name)


def exp_quaternion(r):
    angle = math.sqrt(r @ r)
    k = 0.5 if angle < 1e-12 else math.sin(angle / 2) / angle
    return np.array([math.cos(angle / 2), *(k * r)])


def matrix(q):
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def axis_of(joint):
    return np.array([float(joint == "x"), float(joint == "y"), float(joint == "z")])


def random_state(case, seed=SEED):
    """The state of `holonom bench` for this seed; rings have their own."""
    g = SplitMix(seed)
    if case.closing:
        return ring_state(case, g)
    turn = [g.symmetric(0.5) if j in "yz" else exp_quaternion(g.vector(0.5)) for j in case.joint]
    rate = []
    for j in case.joint:
        if j == "free":
            rate.append(np.concatenate([g.vector(1), g.vector(1)]))
        else:
            rate.append(g.vector(1) if j == "ball" else g.symmetric(1))
    return placed(case, turn, rate)


def ring_state(case, g):
    """A regular polygon that turns about its pin, each link also about itself."""
    n, whole = case.n, np.array([0.3, 0.2, 0.5])
    heading = [0.1 + 2 * math.pi * i / n for i in range(n)]
    rotation = [matrix(exp_quaternion(np.array([0, 0, h]))) for h in heading]
    spin = [whole + rotation[i][:, 0] * g.symmetric(1) for i in range(n)]
    turn = [exp_quaternion(np.array([0, 0, h - (heading[i - 1] if i else 0)])) for i, h in enumerate(heading)]
    rate = [rotation[i].T @ (spin[i] - (spin[i - 1] if i else 0)) for i in range(n)]
    return placed(case, turn, rate)


def rest(case):
    turn = [0.0 if j in "yz" else np.array([1.0, 0, 0, 0]) for j in case.joint]
    rate = [np.zeros(6) if j == "free" else np.zeros(3) if j == "ball" else 0.0 for j in case.joint]
    return placed(case, turn, rate)


def placed(case, turn, rate):
    n = case.n
    s = State(turn, rate, np.zeros((n, 3, 3)), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros((n, 3)))
    for i, (p, joint) in enumerate(zip(case.parent, case.joint)):
        rotation, origin, velocity, spin = np.eye(3), np.zeros(3), np.zeros(3), np.zeros(3)
        if p >= 0:
            rotation, origin, velocity, spin = s.rotation[p], s.origin[p], s.velocity[p], s.spin[p]
        arm = rotation @ case.at[i]
        q = turn[i] if joint in ("ball", "free") else exp_quaternion(axis_of(joint) * turn[i])
        s.rotation[i] = rotation @ matrix(q)
        s.origin[i] = origin + arm
        s.velocity[i] = velocity + np.cross(spin, arm)
        s.spin[i] = spin + s.rotation[i] @ relative_spin(joint, rate[i])
        if joint == "free":
            s.velocity[i] = rate[i][:3]
    return s


def relative_spin(joint, rate):
    if joint == "free":
        return rate[3:]
    return rate if joint == "ball" else axis_of(joint) * rate


def body_accelerations(case, s, joint_acc):
    """Accelerations of all links (centre of mass, then angular; world axes) from the derivatives of the joint rates.

    alpha_i = alpha_p + R_i d(rate)/dt + omega_p x (omega_i - omega_p)
    a_i     = a_p + alpha_p x arm + omega_p x (omega_p x arm)
    """
    a, alpha, out = np.zeros((case.n, 3)), np.zeros((case.n, 3)), np.zeros((case.n, 6))
    for i, (p, joint) in enumerate(zip(case.parent, case.joint)):
        own = s.rotation[i] @ relative_spin(joint, joint_acc[i])
        if p >= 0:
            arm, w = s.rotation[p] @ case.at[i], s.spin[p]
            alpha[i] = alpha[p] + own + np.cross(w, s.spin[i] - w)
            a[i] = a[p] + np.cross(alpha[p], arm) + np.cross(w, np.cross(w, arm))
        else:
            alpha[i] = own
            a[i] = joint_acc[i][:3] if joint == "free" else 0
        r, w = s.rotation[i] @ CENTRE, s.spin[i]
        out[i, :3] = a[i] + np.cross(alpha[i], r) + np.cross(w, np.cross(w, r))
        out[i, 3:] = alpha[i]
    return out


def skew(r):
    return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])


def dense_reference(case, s):
    """The same by a dense solve of  M a - J^T lambda = f,  J a = -Jdot v  in the coordinates of all bodies."""
    n = case.n
    mass, force = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    for i in range(n):
        r, w = s.rotation[i], s.spin[i]
        inertia = r @ np.diag(INERTIA) @ r.T
        mass[6 * i : 6 * i + 3, 6 * i : 6 * i + 3] = np.eye(3)
        mass[6 * i + 3 : 6 * i + 6, 6 * i + 3 : 6 * i + 6] = inertia
        force[6 * i : 6 * i + 6] = np.concatenate([GRAVITY, -np.cross(w, inertia @ w)])
    rows, right = [], []
    pairs = [(p, case.at[i], i) for i, p in enumerate(case.parent) if case.joint[i] != "free"]
    for p, at, i in pairs + ([(n - 1, np.array([1.0, 0, 0]), 0)] if case.closing else []):
        point_rows(s, p, at, i, n, rows, right)
        if case.joint[i] in "yz":
            hinge_rows(s, p, i, case.joint[i], n, rows, right)
    jacobian = np.array(rows)
    m = len(jacobian)
    kkt = np.block([[mass, -jacobian.T], [jacobian, np.zeros((m, m))]])
    right = np.concatenate([force, right])
    x = np.linalg.solve(kkt, right)
    x += np.linalg.solve(kkt, right - kkt @ x)
    return x[: 6 * n].reshape(n, 6)


def point_rows(s, p, at, i, n, rows, right):
    """The point `at` of p and the origin of i coincide: a + alpha x r + omega x (omega x r) is equal for both."""
    block, known = np.zeros((3, 6 * n)), np.zeros(3)
    for body, point, sign in ((p, at, -1), (i, np.zeros(3), 1)):
        if body >= 0:
            r, w = s.rotation[body] @ (point - CENTRE), s.spin[body]
            block[:, 6 * body : 6 * body + 3] += sign * np.eye(3)
            block[:, 6 * body + 3 : 6 * body + 6] += -sign * skew(r)
            known -= sign * np.cross(w, np.cross(w, r))
    rows.extend(block)
    right.extend(known)


def hinge_rows(s, p, i, joint, n, rows, right):
    """The links turn against each other about the axis only: two components of alpha_i - alpha_p - omega_p x omega_i."""
    across = s.rotation[i] @ np.array([axis_of(k) for k in "xyz" if k != joint]).T
    block = np.zeros((2, 6 * n))
    block[:, 6 * i + 3 : 6 * i + 6] = across.T
    w = np.zeros(3)
    if p >= 0:
        block[:, 6 * p + 3 : 6 * p + 6] = -across.T
        w = s.spin[p]
    rows.extend(block)
    right.extend(across.T @ np.cross(w, s.spin[i]))


def reference(case, s):
    """The committed accelerations where there are some, otherwise our own dense solve."""
    stored = json.loads(REFERENCE.read_text()).get(case.name)
    return np.array(stored["body_acc"]) if stored else dense_reference(case, s)


def error(expected, found):
    """Largest deviation over the largest acceleration."""
    found = np.asarray(found)
    if not np.isfinite(found).all():
        return math.inf
    return float(np.abs(found - expected).max() / np.abs(expected).max())
