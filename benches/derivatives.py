"""Robots with their base held: mass matrix, bias, Jacobians and derivatives of forward dynamics against Pinocchio.

    pip install . pin example-robot-data
    python benches/derivatives.py [NAME ...]

Every URDF is read by both, without what one of them does not know (mimics, damping, limits, dry friction), its base held by the ground. Robots with sliding joints
or with masses that holonom must change are left out. The state is that of a fall from the zero pose. Compared are, in joint coordinates:

- mass matrix, bias and the Jacobian of the last link's point: 1e-10 of the largest entry
- d(accelerations)/d(positions, rates), by `computeABADerivatives`: 1e-8 of the largest entry

How derivatives in the coordinates of bodies become those in joint coordinates: with N_j the velocities of all bodies for a unit rate of joint j (a_j: its axis),

    v = sum_j w_j N_j       D_i = sum_j w_j dN_j/dq_i,   dN_j/dq_i on body k = (a_i x v, a_i x a_j) where i carries j,
                                                                              (a_j x v of N_i, 0) where j carries i, or is i
    wdot_j = a_j . (alpha_child - alpha_parent)
    dwdot_j/dq_i = g_q . N_i + g_v . D_i + (theta_i of the parent x a_j) . (alpha_child - alpha_parent),   dwdot_j/dw_i = g_v . N_i

where g_q, g_v are the derivatives of wdot_j that `HeldFactor.pull_back` gives. Times, the last two columns: of `pull_back`, from Python, against `computeABADerivatives`, and against making a factor and one solution anew. Exit code 0 if all agree.
"""

import pathlib
import sys
import tempfile
import time
import warnings
import xml.etree.ElementTree as xml

import numpy as np
import pinocchio as pin
from robots import ROBOTS, folders

import holonom


def least(call):
    """Seconds of the fastest of a hundred calls."""
    seconds = []
    for _ in range(100):
        clock = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - clock)
    return min(seconds)


def held(path):
    """The robot without what is not compared, its base welded to a link called `world`."""
    root = xml.parse(path).getroot()
    for link in root.findall("link"):
        for part in link.findall("visual") + link.findall("collision"):
            link.remove(part)
    for joint in root.findall("joint"):
        for name in ("mimic", "dynamics", "safety_controller"):
            for part in joint.findall(name):
                joint.remove(part)
        limit = joint.find("limit")
        if joint.get("type") == "continuous":
            joint.set("type", "revolute")
        if limit is not None:
            joint.remove(limit)
        if joint.get("type") in ("revolute", "prismatic"):
            xml.SubElement(joint, "limit", lower="-1e9", upper="1e9", effort="1e9", velocity="1e9")
    children = {j.find("child").get("link") for j in root.findall("joint")}
    base = next(link.get("name") for link in root.findall("link") if link.get("name") not in children)
    if base != "world":
        xml.SubElement(root, "link", name="world")
        weld = xml.SubElement(root, "joint", name="to_world", type="fixed")
        xml.SubElement(weld, "parent", link="world")
        xml.SubElement(weld, "child", link=base)
    return root


def twists(rows):
    """Velocity and angular velocity of every body, (rates, bodies, 3) each."""
    shaped = rows.reshape(len(rows), -1, 6)
    return shaped[:, :, :3], shaped[:, :, 3:]


def carriers(n):
    """What carries what, (rates, rates), itself included; and which bodies are child and parent of each joint, -1 for the ground."""
    v, w = twists(n)
    moves = (np.abs(v).max(2) > 0) | (np.abs(w).max(2) > 0)
    sets = [frozenset(np.flatnonzero(moves[:, k])) for k in range(moves.shape[1])]
    carried = [min((s for s in sets if j in s), key=len) for j in range(len(n))]
    over = np.array([[i in carried[j] for j in range(len(n))] for i in range(len(n))])
    child = [sets.index(carried[j]) for j in range(len(n))]
    parent = [sets.index(s) if (s := carried[j] - {j}) in sets else -1 for j in range(len(n))]
    return over, child, parent


def in_joint_coordinates(factor, equations):
    """d(accelerations)/d(positions) and d(accelerations)/d(rates)."""
    n, rates = equations.directions, equations.rates
    count = len(n)
    (v, w), (over, child, parent) = twists(n), carriers(n)
    axes = np.array([w[j, child[j]] for j in range(count)])
    weights = np.zeros((count, *v.shape[1:], 2)).reshape(count, v.shape[1], 6)
    for j in range(count):
        weights[j, child[j], 3:] += axes[j]
        if parent[j] >= 0:
            weights[j, parent[j], 3:] -= axes[j]
    weights = weights.reshape(count, -1)
    by_q, by_v, _ = factor.pull_back(weights)
    spent = least(lambda: factor.pull_back(weights))
    alpha = np.concatenate([factor.accelerations().acceleration.reshape(-1, 6)[:, 3:], np.zeros((1, 3))])
    turned = np.concatenate([w, np.zeros((count, 1, 3))], axis=1)
    apart = alpha[child] - alpha[parent]
    out = np.zeros((count, count))
    for i in range(count):
        change = np.zeros((v.shape[1], 6))
        for j in range(count):
            if over[i, j] and i != j:
                change[:, :3] += rates[j] * np.cross(axes[i], v[j])
                change[:, 3:] += rates[j] * np.cross(axes[i], w[j])
            elif over[j, i]:
                change[:, :3] += rates[j] * np.cross(w[j], v[i])
        moved = np.cross(turned[i, parent], axes)
        out[:, i] = by_q @ n[i] + by_v @ change.ravel() + (moved * apart).sum(1)
    return out, by_v @ n.T, spent


def compare(path):
    root = held(path)
    with tempfile.NamedTemporaryFile("wb", suffix=".urdf") as file:
        xml.ElementTree(root).write(file)
        file.flush()
        model = holonom.load(file.name)
        theirs = pin.buildModelFromUrdf(file.name)
    if any(j.shortname() not in ("JointModelRX", "JointModelRY", "JointModelRZ", "JointModelRevoluteUnaligned") for j in list(theirs.joints)[1:]):
        return "slides"
    sim = holonom.Simulation(model)
    sim.run(0.15)
    factor = sim.held_factor()
    equations = factor.joint_equations()
    names = [n.rsplit(".", 1)[0] if n not in theirs.names else n for n in equations.names]
    order = [theirs.joints[theirs.getJointId(n)].idx_v for n in names]
    position = dict(zip(model.coordinates, sim.joint_positions()))
    q, w = np.zeros(theirs.nq), np.zeros(theirs.nv)
    for name, at, rate in zip(names, order, equations.rates):
        q[at], w[at] = position[name], rate
    data, theirs_gravity = theirs.createData(), theirs.gravity.linear
    theirs_gravity[:] = [0, 0, -9.81]
    theirs.gravity.linear = theirs_gravity
    mass = pin.crba(theirs, data, q)
    mass = np.triu(mass) + np.triu(mass, 1).T
    bias = pin.rnea(theirs, data, q, w, np.zeros(theirs.nv))
    off = lambda a, b: float(np.abs(a - b).max() / (np.abs(b).max() or 1.0))
    pick = np.ix_(order, order)
    changed = [x for x in model.warnings if "inertia" in x or "mass" in x]
    if off(equations.mass_matrix, mass[pick]) > 1e-10 and changed:
        return "masses changed"
    peer = least(lambda: pin.computeABADerivatives(theirs, data, q, w, np.zeros(theirs.nv)))
    pin.computeJointJacobians(theirs, data, q)
    pin.framesForwardKinematics(theirs, data, q)
    link = model.bodies[-1]
    frame = theirs.getFrameId(link)
    jacobian = pin.getFrameJacobian(theirs, data, frame, pin.LOCAL_WORLD_ALIGNED)[:3]
    along = holonom.PushAlong.axes(link, [0, 0, 0])
    ours_q, ours_w, spent = in_joint_coordinates(factor, equations)
    return {
        "joints": len(order),
        "M": off(equations.mass_matrix, mass[pick]),
        "bias": off(equations.bias, bias[order]),
        "J": off(equations.jacobian(along), jacobian[:, order]),
        "by q": off(ours_q, data.ddq_dq[pick]),
        "by w": off(ours_w, data.ddq_dv[pick]),
        "time": spent / peer,
        "evaluations": spent / least(lambda: (factor.move_to(sim.state), factor.accelerations())),
    }


def main():
    warnings.simplefilter("ignore", holonom.SceneWarning)  # limits and the like, which are not compared
    wanted, worst, left_out, seen = sys.argv[1:] or ROBOTS, {}, {}, 0
    files = {p.stem: p for folder in folders() for p in sorted(folder.rglob("*.urdf"), reverse=True)}
    print(f"{'robot':24}{'joints':>7}{'M':>9}{'bias':>9}{'J':>9}{'by q':>9}{'by w':>9}  time: computeABADerivatives, evaluations")
    for name in wanted:
        if name not in files:
            continue
        try:
            found = compare(files[name])
        except (holonom.Error, ValueError, LookupError, StopIteration) as e:
            found = (str(e).splitlines() or ["not understood"])[0][:80]
        if isinstance(found, str):
            left_out[name] = found
            continue
        seen += 1
        numbers = "".join(f"{found[k]:9.1e}" for k in ("M", "bias", "J", "by q", "by w"))
        print(f"{name:24}{found['joints']:7}{numbers}  {found['time']:5.1f}  {found['evaluations']:5.1f}")
        for key, x in found.items():
            worst[key] = max(worst.get(key, 0.0), x)
    print(f"{seen} robots; worst: " + ", ".join(f"{k} {worst[k]:.1e}" for k in ("M", "bias", "J", "by q", "by w")))
    print("left out:", ", ".join(f"{k} ({v})" for k, v in left_out.items()))
    return int(max(worst["M"], worst["bias"], worst["J"]) > 1e-10 or max(worst["by q"], worst["by w"]) > 1e-8)


if __name__ == "__main__":
    sys.exit(main())
