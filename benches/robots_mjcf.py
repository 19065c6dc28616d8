"""Compare MJCF models in holonom with MuJoCo: total mass and all body accelerations at random states.

    python benches/robots_mjcf.py [--example PATH] [MODEL.xml ...]

Needs the Python packages `mujoco` and `numpy`; without arguments it takes the models inside the packages `gymnasium` and
`dm_control`. Build the program it calls first:  cargo build --release -p holonom-scene --example mjcf_state

For every model a random state is set in MuJoCo; position, orientation and velocity of every moving body are handed over, and the
accelerations of their origins and their angular accelerations are compared. In MuJoCo contacts, joint limits, dry friction and fluids are
switched off. Equality constraints give way in MuJoCo and hold exactly in holonom: models that have some are compared with the
accelerations that satisfy  J a + Jdot v = 0  with MuJoCo's own mass matrix, forces and Jacobian.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys

import mujoco
import numpy as np

OFF = mujoco.mjtDisableBit
# lines of the ledger that say that forces or freedoms are missing or approximate once contacts and limits are off
MATTERS = re.compile(
    r"is not used|does not pull|are split|is not limited|counts as linear|not made|stiffness|armature"
)
HARMLESS = re.compile(
    r"only for looks|another solver|steps are chosen|how constraints give way|means nothing|sizes of memory|"
    r"recorded by their names|reference configuration|dry friction|another simulator|no fluid forces|is not enforced|stands still|"
    r"only for contact|is called|limits of forces|starts at its limit|touches nothing|condim|of a pair|a <pair>|round and exact|of <site>|of <flag>|are not limited"
)


def ask(example, question):
    done = subprocess.run([example], input=json.dumps(question), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().replace("\\n", "\n"))
    return json.loads(done.stdout)


def clean(name):
    return "".join("_" if c in '."\\,*' else c for c in name.strip())


def body_name(m, i):
    return clean(m.body(i).name) or f"body{i}"


def joint_name(m, j):
    name = clean(m.joint(j).name)
    if name:
        return name
    body = m.jnt_bodyid[j]
    number = j - m.body_jntadr[body]
    return f"{body_name(m, body)}_joint" + ("" if number == 0 else str(number + 1))


def random_state(m, d, rng):
    for j in range(m.njnt):
        at, kind = m.jnt_qposadr[j], m.jnt_type[j]
        if kind == mujoco.mjtJoint.mjJNT_FREE:
            d.qpos[at : at + 3] += rng.uniform(-1, 1, 3)
            q = rng.normal(size=4)
            d.qpos[at + 3 : at + 7] = q / np.linalg.norm(q)
        elif kind == mujoco.mjtJoint.mjJNT_BALL:
            q = np.array([1.0, 0, 0, 0]) + 0.5 * rng.normal(size=4)
            d.qpos[at : at + 4] = q / np.linalg.norm(q)
        else:
            d.qpos[at] += rng.uniform(-0.7, 0.7)
    d.qvel[:] = rng.uniform(-1, 1, m.nv)


def equality_rows(m, d):
    """Jacobian of the active equality constraints, all rows."""
    mujoco.mj_fwdPosition(m, d)
    rows = [i for i in range(d.nefc) if d.efc_type[i] == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    j = np.zeros((d.nefc, m.nv))
    if mujoco.mj_isSparse(m):
        mujoco.mju_sparse2dense(j, d.efc_J, d.efc_J_rownnz, d.efc_J_rowadr, d.efc_J_colind)
    else:
        j = d.efc_J.reshape(d.nefc, m.nv).copy()
    return j[rows]


def held(m, d):
    """Accelerations with equalities kept exactly, at a state that satisfies them to first order in velocity."""
    mass = np.zeros((m.nv, m.nv))
    mujoco.mj_fullM(m, d, mass)
    smooth = d.qfrc_smooth.copy()
    j = equality_rows(m, d)
    h = 1e-6
    moved = mujoco.MjData(m)

    def at(s):
        moved.qpos[:] = d.qpos
        mujoco.mj_integratePos(m, moved.qpos, d.qvel, s)
        return equality_rows(m, moved)

    jdot_v = (at(h) - at(-h)) / (2 * h) @ d.qvel
    kkt = np.block([[mass, -j.T], [j, np.zeros((len(j), len(j)))]])
    x = np.linalg.lstsq(kkt, np.concatenate([smooth, -jdot_v]), rcond=1e-12)[0]
    return x[: m.nv]


def project(m, d):
    """To a state that satisfies the equalities."""
    for _ in range(50):
        mujoco.mj_fwdPosition(m, d)
        j = equality_rows(m, d)
        gap = np.array([d.efc_pos[i] for i in range(d.nefc) if d.efc_type[i] == mujoco.mjtConstraint.mjCNSTR_EQUALITY])
        if not len(gap) or np.abs(gap).max() < 1e-13:
            break
        step = -np.linalg.pinv(j, rcond=1e-9) @ gap
        mujoco.mj_integratePos(m, d.qpos, step, 1.0)
    j = equality_rows(m, d)
    d.qvel -= np.linalg.pinv(j, rcond=1e-9) @ (j @ d.qvel)


def states(m, d):
    bodies, rotors = {}, {}
    for i in range(1, m.nbody):
        if m.body_jntnum[i]:
            v = np.zeros(6)
            mujoco.mj_objectVelocity(m, d, mujoco.mjtObj.mjOBJ_XBODY, i, v, 0)
            bodies[body_name(m, i)] = [*d.xpos[i], *d.xquat[i], *v[3:], *v[:3]]
    for j in range(m.njnt):
        at, kind, name = m.jnt_dofadr[j], m.jnt_type[j], joint_name(m, j)
        if kind == mujoco.mjtJoint.mjJNT_BALL:
            for k, axis in enumerate("xyz"):
                rotors[f"{name} {axis} rotor"] = d.qvel[at + k]
        elif kind != mujoco.mjtJoint.mjJNT_FREE:
            rotors[f"{name} rotor"] = d.qvel[at]
    return bodies, rotors


def compare(example, path, controls, seed):
    m = mujoco.MjModel.from_xml_path(str(path))
    m.opt.disableflags |= OFF.mjDSBL_CONTACT | OFF.mjDSBL_LIMIT | OFF.mjDSBL_FRICTIONLOSS
    m.opt.density = m.opt.viscosity = 0
    d = mujoco.MjData(m)
    rng = np.random.default_rng(seed)
    random_state(m, d, rng)
    equal = any(m.eq_active0)
    if equal:
        project(m, d)
    settings = []
    for i in range(m.nu):
        if controls:
            lo, hi = m.actuator_ctrlrange[i] if m.actuator_ctrllimited[i] else (-1, 1)
            d.ctrl[i] = rng.uniform(lo, hi)
        target = int(m.actuator_trnid[i][0])
        kind = mujoco.mjtTrn(int(m.actuator_trntype[i]))
        fallback = {
            mujoco.mjtTrn.mjTRN_JOINT: lambda: m.joint(target).name,
            mujoco.mjtTrn.mjTRN_TENDON: lambda: m.tendon(target).name,
            mujoco.mjtTrn.mjTRN_SITE: lambda: m.site(target).name,
        }.get(kind, lambda: f"actuator{i}")
        name = clean(m.actuator(i).name) or fallback()
        settings.append(("ctrl_" + re.sub("[^A-Za-z0-9]", "_", name), float(d.ctrl[i])))
    mujoco.mj_forward(m, d)
    if equal:
        d.qacc[:] = held(m, d)
    mujoco.mj_rnePostConstraint(m, d)
    bodies, rotors = states(m, d)
    # models often keep their meshes in a folder beside their own
    allow = [str(path.resolve().parents[1])]
    known = set(ask(example, {"file": str(path), "allow": allow})["params"])
    settings = [f"{k}={v!r}" for k, v in settings if k in known]
    ours = ask(example, {"file": str(path), "allow": allow, "bodies": bodies, "rotors": rotors, "set": settings})
    worst, size = 0.0, 1.0
    for i in range(1, m.nbody):
        if not m.body_jntnum[i]:
            continue
        a = np.zeros(6)
        mujoco.mj_objectAcceleration(m, d, mujoco.mjtObj.mjOBJ_XBODY, i, a, 0)
        gravity = np.zeros(3) if m.opt.disableflags & OFF.mjDSBL_GRAVITY else m.opt.gravity
        theirs = np.concatenate([a[3:] + gravity, a[:3]])
        mine = ours["bodies"][body_name(m, i)]
        mine = np.array(mine["acceleration"] + mine["angular"])
        worst = max(worst, np.abs(mine - theirs).max())
        size = max(size, np.abs(theirs).max())
    moving = [i for i in range(1, m.nbody) if m.body_weldid[i] != 0 and m.body_mocapid[m.body_weldid[i]] < 0]
    mass = m.body_mass[moving].sum()
    return {
        "mass": abs(ours["mass"] - mass) / mass if mass else 0.0,
        "acceleration": worst / size,
        "nv": m.nv,
        "rows": ours["rows"],
        "gap": ours["gap"],
        "microseconds": 1e6 * ours["time"],
        "noted": [line for line in ours["ledger"] if MATTERS.search(line) and not HARMLESS.search(line)],
        "ledger": len(ours["ledger"]),
    }


def models():
    out = []
    for package, folders in [
        ("gymnasium", ["envs/mujoco/assets"]),
        ("dm_control", ["suite", "locomotion/walkers/assets", "mujoco/testing/assets", "third_party/ant", "third_party/kinova"]),
        ("mujoco", ["testdata"]),
    ]:
        module = __import__(package)
        for folder in folders:
            out += sorted((pathlib.Path(module.__file__).parent / folder).glob("*.xml"))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    target = "target/release/examples/mjcf_state"
    parser.add_argument("--example", default=target, help="the program to compare with")
    parser.add_argument("--json", help="also write the results there")
    parser.add_argument("model", nargs="*", type=pathlib.Path)
    args = parser.parse_args()
    print(f"{'model':44} {'dof':>4} {'rows':>5} {'mass':>8} {'passive':>8} {'driven':>8} {'us':>7}  noted")
    results = {}
    for path in args.model or models():
        name = "/".join(path.parts[-2:])
        try:
            mujoco.MjModel.from_xml_path(str(path))
        except ValueError as e:
            print(f"{name:44} not a model of its own: {str(e).splitlines()[0][:60]}")
            continue
        try:
            passive, driven = compare(args.example, path, False, 1), compare(args.example, path, True, 2)
        except (RuntimeError, KeyError, mujoco.FatalError) as e:
            lines = str(e).splitlines()
            print(f"{name:44} FAILED: {lines[0][:2000] if lines else e!r}")
            results[name] = {"failed": str(e)}
            continue
        results[name] = {"passive": passive, "driven": driven}
        noted = "; ".join(passive["noted"])
        print(
            f"{name:44} {passive['nv']:4} {passive['rows']:5} {passive['mass']:8.1e} {passive['acceleration']:8.1e} "
            f"{driven['acceleration']:8.1e} {passive['microseconds']:7.1f}  {noted[:200]}"
        )
    if args.json:
        pathlib.Path(args.json).write_text(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
