"""Real robots: total mass and forward dynamics against Pinocchio.

    pip install pin example-robot-data pybullet        (pybullet is optional: more robots, more odd ones)
    cargo build --release -p holonom-scene --example robot_state
    python benches/robots.py [--program target/release/examples/robot_state] [--all] [NAME ...]

Every URDF is read by both. The state is random: joint coordinates within +-1 (rad, m), rates within +-1, a free root anywhere. Compared are the
total mass of what moves (1e-9), and the accelerations of all joint coordinates and of a free root (1e-8 of the largest).

How the two are made to mean the same:

- The root is free unless it is called `world` or has no mass, as holonom decides it; Pinocchio is told.
- Joints that mimic others are joints and one equation each in holonom. Pinocchio's mass matrix M and bias b of the tree without them are
  projected: q = G y + c, so that  (G^T M G) y'' = G^T (tau - b).  Without such joints its `aba` is asked.
- Viscous damping of a joint acts as tau = - damping * rate, which Pinocchio's `aba` leaves to its caller. Dry friction, limits and rotor inertia
  (armature, which URDF does not have) are in neither.
- Gravity is 9.81 m/s^2 along -z.

Bodies without mass that move (frames between two hinges), and inertias that no body can have, are changed by holonom, with a warning.
Pinocchio is given the changed ones, and only these; their number is in the column `changed`. All others are what each program read itself.

Exit code 0 if all agree.
"""

import argparse
import json
import math
import pathlib
import random
import subprocess
import sys
import xml.etree.ElementTree as xml

import numpy
import pinocchio as pin

ROBOTS = [
    # example-robot-data
    "a1", "allegro_right_hand", "anymal", "b1-z1", "baxter", "bolt", "centauro", "double_pendulum", "g1_29dof_rev_1_0", "go1", "human",
    "hyq_no_sensors", "icub", "iris", "kinova", "laikago", "panda", "pr2", "romeo", "simple_humanoid", "solo12", "talos_full_v2",
    "talos_reduced", "tiago", "tiago_dual", "tiago_pro", "ur5_robot", "ur10_robot", "xarm7", "z1",
    # pybullet_data
    "cartpole", "mini_cheetah", "minitaur", "r2d2", "racecar", "sawyer", "xarm6_robot", "aliengo", "quadruped",
]


def folders():
    """Where the packages keep their robots."""
    for entry in map(pathlib.Path, sys.path):
        yield from [f for f in (entry / "cmeel.prefix/share/example-robot-data/robots", entry / "pybullet_data") if f.is_dir()]
    prefix = pathlib.Path(sys.prefix) / "share/example-robot-data/robots"
    if prefix.is_dir():
        yield prefix


def ask(program, question):
    done = subprocess.run([program], input=json.dumps(question), capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(" ".join(done.stderr.split()))
    return json.loads(done.stdout)


def mimics(path):
    """Of every joint that follows another: (leader, multiplier, offset)."""
    out = {}
    for joint in xml.parse(path).getroot().findall("joint"):
        m = joint.find("mimic")
        if m is not None and joint.get("type") in ("revolute", "continuous", "prismatic"):
            out[joint.get("name")] = (m.get("joint"), float(m.get("multiplier", 1)), float(m.get("offset", 0)))
    return out


def dampings(path):
    out = {}
    for joint in xml.parse(path).getroot().findall("joint"):
        d = joint.find("dynamics")
        if d is not None and joint.get("type") in ("revolute", "continuous", "prismatic"):
            out[joint.get("name")] = float(d.get("damping", 0))
    return out


def impossible(inertia):
    """No body has such a mass and inertia, or it is too near to none."""
    moments = sorted(numpy.linalg.eigvalsh(inertia.inertia))
    return not (inertia.mass > 0 and moments[0] > 1e-12 * moments[2] and moments[2] <= (moments[0] + moments[1]) * (1 + 1e-9))


def repair(model, masses, path):
    """Give the model the masses that had to be changed; their number. A joint's body has the name of the joint's child link."""
    child = {j.get("name"): j.find("child").get("link") for j in xml.parse(path).getroot().findall("joint")}
    changed = 0
    for i in range(1, model.njoints):
        if impossible(model.inertias[i]):
            root = model.names[i] == "root_joint"
            link = model.frames[2].name if root else child[model.names[i]]
            m = masses.get(link.replace(".", "_"))
            if m is None:
                continue
            inertia = numpy.array([[m[4], m[7], m[8]], [m[7], m[5], m[9]], [m[8], m[9], m[6]]])
            model.inertias[i] = pin.Inertia(m[0], numpy.array(m[1:4]), inertia)
            changed += 1
    return changed


def compare(program, path, allow, seed):
    names = ask(program, {"file": str(path), "allow": allow, "joints": {}})
    free = names["base"] is not None
    if free:
        model = pin.buildModelFromUrdf(str(path), pin.JointModelFreeFlyer())
    else:
        model = pin.buildModelFromUrdf(str(path))
    changed = repair(model, names["masses"], path)
    data = model.createData()
    rng = random.Random(seed)
    follow, damping = mimics(path), dampings(path)
    joints = [n for n in list(model.names)[1 + free:]]
    single = [n for n in joints if model.joints[model.getJointId(n)].nv == 1]
    state = {n: [rng.uniform(-1, 1), rng.uniform(-1, 1)] for n in single}

    def here(name):
        """A joint's name in holonom, where dots are not allowed."""
        return name.replace(".", "_")

    def settle(name, seen=()):
        if name in follow and name not in seen:
            leader, k, c = follow[name]
            q, v = settle(leader, seen + (name,))
            state[name] = [k * q + c, k * v]
        return state[name]

    for name in single:
        settle(name)
    q, v, tau = pin.neutral(model), numpy.zeros(model.nv), numpy.zeros(model.nv)
    for name in single:
        joint = model.joints[model.getJointId(name)]
        if joint.nq == 2:
            q[joint.idx_q:joint.idx_q + 2] = math.cos(state[name][0]), math.sin(state[name][0])
        else:
            q[joint.idx_q] = state[name][0]
        v[joint.idx_v] = state[name][1]
        tau[joint.idx_v] = -damping.get(name, 0.0) * state[name][1]
    question = {"file": str(path), "allow": allow, "joints": {here(n): s for n, s in state.items()}}
    if free:
        at = [rng.uniform(-1, 1) for _ in range(3)]
        turn = numpy.array([rng.gauss(0, 1) for _ in range(4)])
        turn /= numpy.linalg.norm(turn)
        velocity, spin = numpy.array([[rng.uniform(-1, 1) for _ in range(3)] for _ in range(2)])
        rotation = pin.Quaternion(turn[0], turn[1], turn[2], turn[3]).matrix()
        q[0:3] = at
        q[3:7] = turn[1], turn[2], turn[3], turn[0]
        v[0:3] = rotation.T @ velocity
        v[3:6] = rotation.T @ spin
        question["base"] = {"at": at, "rotation": list(turn), "velocity": list(velocity), "spin": list(spin)}
    answer = ask(program, question)
    used = [n for n in follow if n in single]
    if used:
        pin.crba(model, data, q)
        mass = numpy.triu(data.M) + numpy.triu(data.M, 1).T
        bias = pin.nonLinearEffects(model, data, q, v)
        index = {n: model.joints[model.getJointId(n)].idx_v for n in single}
        keep = [i for i in range(model.nv) if i not in {index[n] for n in used}]
        columns = {i: k for k, i in enumerate(keep)}
        G = numpy.zeros((model.nv, len(keep)))
        for i in keep:
            G[i, columns[i]] = 1.0
        for name in used:
            leader, factor = name, 1.0
            while leader in follow:
                leader, k, _ = follow[leader]
                factor *= k
            G[index[name], columns[index[leader]]] = factor
        a = G @ numpy.linalg.solve(G.T @ mass @ G, G.T @ (tau - bias))
    else:
        a = pin.aba(model, data, q, v, tau)
    theirs, ours, labels = [], [], []
    for name in single:
        theirs.append(a[model.joints[model.getJointId(name)].idx_v])
        ours.append(answer["joints"][here(name)])
        labels.append(name)
    if free:
        # from the acceleration of a spatial velocity in body axes to that of the point in world axes
        theirs += list(rotation @ (a[0:3] + numpy.cross(v[3:6], v[0:3]))) + list(rotation @ a[3:6])
        ours += answer["acceleration"] + answer["angular"]
        labels += ["base"] * 6
    theirs, ours = numpy.array(theirs), numpy.array(ours)
    scale = max(1.0, float(numpy.abs(theirs).max(initial=0.0)))
    error = float(numpy.abs(theirs - ours).max(initial=0.0)) / scale if len(ours) else 0.0
    worst = labels[int(numpy.abs(theirs - ours).argmax())] if len(ours) else "-"
    mass = pin.computeTotalMass(model)
    return {
        "free": free, "bodies": answer["bodies"], "joints": len(single), "mimics": len(used), "changed": changed, "warnings": answer["warnings"],
        "mass": mass, "mass_error": abs(mass - answer["mass"]) / max(mass, 1e-12), "error": error, "worst": worst,
        "residual": answer["residual"], "gap": answer["gap"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--program", default="target/release/examples/robot_state")
    parser.add_argument("--all", action="store_true", help="every URDF of the packages")
    parser.add_argument("--folder", action="append", default=[], help="folders with robots, instead of those of the packages")
    parser.add_argument("names", nargs="*")
    args = parser.parse_args()
    roots = [pathlib.Path(f).resolve() for f in args.folder] or list(dict.fromkeys(folders()))
    wanted = args.names or ROBOTS
    good_ones = bad = 0
    print(f"{'robot':34} {'base':6} {'bodies':>6} {'joints':>6} {'mimic':>5} {'changed':>7} {'ignored':>7} {'mass kg':>10} {'mass err':>9} {'acc err':>9}")
    for root in roots:
        for path in sorted(root.rglob("*.urdf")):
            if not args.all and path.stem not in wanted:
                continue
            try:
                r = compare(args.program, path, [str(root)], 7)
            except Exception as e:  # whatever either of them refuses is worth a line
                print(f"{path.stem:34} refused: {str(e)[:300]}")
                bad += 1
                continue
            good = r["mass_error"] < 1e-9 and r["error"] < 1e-8
            bad += not good
            good_ones += good
            print(f"{path.stem:34} {'free' if r['free'] else 'fixed':6} {r['bodies']:6} {r['joints']:6} {r['mimics']:5} {r['changed']:7} {r['warnings']:7}"
                  f" {r['mass']:10.4f} {r['mass_error']:9.1e} {r['error']:9.1e}{'' if good else '   <-- ' + r['worst']}")
    print(f"{good_ones} agree, {bad} do not or were refused")
    return 0 if good_ones and not bad else 1


if __name__ == "__main__":
    sys.exit(main())
