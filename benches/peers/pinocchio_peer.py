"""Pinocchio: models made joint by joint, the articulated-body algorithm; rings with its constraintDynamics."""

import numpy as np
import pinocchio as pin

import models

NAME = "Pinocchio"
VERSION = pin.__version__


def build(case):
    model = pin.Model()
    model.gravity.linear = models.GRAVITY
    inertia = pin.Inertia(1.0, models.CENTRE, np.diag(models.INERTIA))
    kinds = {"free": pin.JointModelFreeFlyer, "ball": pin.JointModelSpherical, "y": pin.JointModelRY, "z": pin.JointModelRZ}
    ids = []
    for i, (p, joint) in enumerate(zip(case.parent, case.joint)):
        above = ids[p] if p >= 0 else 0
        ids.append(model.addJoint(above, kinds[joint](), pin.SE3(np.eye(3), case.at[i]), f"joint{i}"))
        model.appendBodyToJoint(ids[i], inertia, pin.SE3.Identity())
    return model, ids


def coordinates(case, model, ids, s):
    """Quaternions have w last; a free joint moves by its velocity in its own axes."""
    q, v = pin.neutral(model), np.zeros(model.nv)
    for i, joint in enumerate(case.joint):
        qa, va = model.joints[ids[i]].idx_q, model.joints[ids[i]].idx_v
        if joint in "yz":
            q[qa], v[va] = s.turn[i], s.rate[i]
            continue
        shift = 3 if joint == "free" else 0
        q[qa + shift : qa + shift + 4] = np.roll(s.turn[i], -1)
        if joint == "free":
            v[va : va + 6] = np.concatenate([s.rotation[i].T @ s.rate[i][:3], s.rate[i][3:]])
        else:
            v[va : va + 3] = s.rate[i]
    return q, v


def by_link(case, model, ids, s, a):
    """Derivatives of the rates of models.py; the acceleration of a free joint is  R (a + omega x v)."""
    out = []
    for i, joint in enumerate(case.joint):
        va = model.joints[ids[i]].idx_v
        if joint == "free":
            v, w = s.rotation[i].T @ s.rate[i][:3], s.rate[i][3:]
            out.append(np.concatenate([s.rotation[i] @ (a[va : va + 3] + np.cross(w, v)), a[va + 3 : va + 6]]))
        else:
            out.append(a[va : va + 3] if joint == "ball" else float(a[va]))
    return out


def evaluations(case, states):
    model, ids = build(case)
    (q1, v1), (q2, v2) = (coordinates(case, model, ids, s) for s in states)
    tau = np.zeros(model.nv)
    found = []
    for label, forward in solvers(case, model, ids):

        def lap(k, forward=forward):
            for _ in range(k):
                forward(q1, v1, tau)
                forward(q2, v2, tau)

        a = np.array(forward(q1, v1, tau))
        found.append((label, models.body_accelerations(case, states[0], by_link(case, model, ids, states[0], a)), lap))
    return found


def solvers(case, model, ids):
    data = model.createData()
    if not case.closing:
        world, local = pin.Convention.WORLD, pin.Convention.LOCAL
        return [
            (NAME, lambda q, v, tau: pin.aba(model, data, q, v, tau, world)),
            (f"{NAME} local", lambda q, v, tau: pin.aba(model, data, q, v, tau, local)),
        ]
    end = pin.SE3(np.eye(3), np.array([1.0, 0, 0]))
    ring = pin.RigidConstraintModel(pin.ContactType.CONTACT_3D, model, ids[-1], end, ids[0], pin.SE3.Identity())
    constraints, datas = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    constraints.append(ring)
    datas.append(ring.createData())
    pin.initConstraintDynamics(model, data, constraints, datas)
    settings = pin.ProximalSettings(1e-13, 1e-13, 0.0, 1)
    return [(NAME, lambda q, v, tau: pin.constraintDynamics(model, data, q, v, tau, constraints, datas, settings))]
