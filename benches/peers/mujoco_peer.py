"""MuJoCo: nested bodies in MJCF text. Joints of trees are coordinates; loops are soft equality constraints, here as hard as
its documentation allows."""

import mujoco
import numpy as np

import models

NAME = "MuJoCo"
VERSION = mujoco.__version__


def mjcf(case, dt=1e-3):
    """The model as MJCF."""
    children = [[] for _ in range(case.n)]
    for i, p in enumerate(case.parent):
        if p >= 0:
            children[p].append(i)
    lines = [
        f'<mujoco><compiler angle="radian" autolimits="false"/><size memory="2G"/><option timestep="{dt}" gravity="0 0 -9.81">',
        '<flag contact="disable" warmstart="disable"/></option><worldbody>',
    ]
    todo = [(i, False) for i, p in enumerate(case.parent) if p < 0]
    while todo:  # no recursion: chains are long
        i, done = todo.pop()
        if done:
            lines.append("</body>")
            continue
        lines.append(opening(case, i))
        todo.append((i, True))
        todo.extend((c, False) for c in reversed(children[i]))
    lines.append("</worldbody>")
    if case.closing:
        # by sites: an anchor would mean the bodies as they are drawn, and they are drawn in a straight line
        lines.append('<equality><connect site1="end" site2="start" solref="0.002 1" solimp="0.9999 0.9999 0.001"/></equality>')
    return "\n".join(lines + ["</mujoco>"])


def opening(case, i):
    kinds = {"free": "<freejoint/>", "ball": '<joint type="ball"/>'}
    kinds |= {k: f'<joint type="hinge" axis="{models.axis_of(k)[0]} {models.axis_of(k)[1]} {models.axis_of(k)[2]}"/>' for k in "yz"}
    at = " ".join(repr(float(x)) for x in case.at[i])
    inertia = " ".join(repr(float(x)) for x in models.INERTIA)
    sites = ""
    if case.closing:
        sites = {0: '<site name="start"/>', case.n - 1: '<site name="end" pos="1 0 0"/>'}.get(i, "")
    return (
        f'<body name="link{i}" pos="{at}"><inertial pos="0.5 0 0" mass="1" diaginertia="{inertia}"/>'
        f"{kinds[case.joint[i]]}{sites}"
    )


def order(m, case):
    """MuJoCo numbers bodies depth first: where the coordinates of each link begin."""
    joints = [m.body(f"link{i}").jntadr[0] for i in range(case.n)]
    return [(m.jnt_qposadr[j], m.jnt_dofadr[j]) for j in joints]


def loaded(case, state, m):
    d = mujoco.MjData(m)
    for (qa, va), joint, turn, rate in zip(order(m, case), case.joint, state.turn, state.rate):
        shift = 3 if joint == "free" else 0
        turn, rate = np.atleast_1d(turn), np.atleast_1d(rate)
        d.qpos[qa : qa + shift] = 0
        d.qpos[qa + shift : qa + shift + len(turn)] = turn
        d.qvel[va : va + len(rate)] = rate
    return d


def by_link(case, m, values):
    sizes = [{"free": 6, "ball": 3}.get(j, 1) for j in case.joint]
    return [values[a : a + k].copy() if k > 1 else float(values[a]) for (_, a), k in zip(order(m, case), sizes)]


def evaluations(case, states):
    """[(name, accelerations of the first state, lap)]: lap(k) evaluates both states k times each."""
    m = mujoco.MjModel.from_xml_string(mjcf(case))
    first, second = (loaded(case, s, m) for s in states)

    def lap(k):
        forward = mujoco.mj_forward
        for _ in range(k):
            forward(m, first)
            forward(m, second)

    lap(1)
    return [(NAME, models.body_accelerations(case, states[0], by_link(case, m, first.qacc)), lap)]


def stepper(m, start, steps, chunk):
    """A function that runs `steps` steps from `start` in chunks and calls `clock` around each."""
    d = mujoco.MjData(m)

    def run(clock):
        times = []
        mujoco.mj_resetData(m, d)
        d.qpos[:], d.qvel[:] = start
        for _ in range(steps // chunk):
            t = clock()
            mujoco.mj_step(m, d, chunk)
            times.append((clock() - t) / chunk)
        bad = [w.number for w in d.warning]
        if any(bad):
            raise RuntimeError(f"MuJoCo warns: {bad}")
        return times

    return run


def case_steps(case, state, steps, chunk):
    m = mujoco.MjModel.from_xml_string(mjcf(case))
    d = loaded(case, state, m)
    return stepper(m, (d.qpos.copy(), d.qvel.copy()), steps, chunk)


def robot_steps(urdf, free_base, steps, chunk):
    text = urdf.read_text().replace("</robot>", '<mujoco><compiler fusestatic="false" balanceinertia="true"/></mujoco></robot>')
    spec = mujoco.MjSpec.from_string(text)
    if free_base:
        spec.worldbody.first_body().add_freejoint()
    spec.option.timestep = 1e-3
    m = spec.compile()
    d = mujoco.MjData(m)
    counts = f"{m.nv} dof, {int(m.jnt_limited.sum())} limits, {int((m.dof_frictionloss > 0).sum())} frictions, {m.neq} equalities"
    return stepper(m, (d.qpos.copy(), d.qvel.copy()), steps, chunk), counts
