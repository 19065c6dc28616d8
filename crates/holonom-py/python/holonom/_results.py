"""What questions return. Vectors are numpy arrays in world axes unless said otherwise; SI units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Flags = NDArray[np.bool_]
Row = tuple[str, int, str]
"""A row of a joint: name of the joint, number of the row, what it holds."""


@dataclass(frozen=True, eq=False)
class Reaction:
    """Action of body a on body b through a joint."""

    joint: str
    """Name of the joint."""
    force: Vector
    """N."""
    torque: Vector
    """About `point`, N m."""
    point: Vector
    """The joint's point on body b, world, m."""
    force_unique: Flags
    """Can this component have no other value? Otherwise redundant joints share it, and it is the smallest split."""
    torque_unique: Flags
    """The same of the torque."""

    @property
    def unique(self) -> bool:
        """Are all components unique?"""
        return bool(self.force_unique.all() and self.torque_unique.all())


@dataclass(frozen=True, eq=False)
class RedundantSet:
    """Rows that hold the same thing more than once."""

    rows: list[Row]
    """All that take part: no one of them can be said to be the wrong one."""
    could_be_left_out: list[Row]
    """One choice of several that frees nothing."""


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """How a mechanism can move at its present state, what is redundant, which loads can be trusted."""

    bodies: int
    joints: int
    rows: int
    """Rows of all joints."""
    rank: int
    """How many of them are independent at this pose."""
    mobility: int
    """In how many directions it can start to move."""
    mobility_nearby: int
    """The same at poses nearby; less says that this pose is singular."""
    singular: bool
    loops: int
    """Independent loops."""
    redundant: list[RedundantSet]
    not_unique: list[Row]
    """Multipliers that are not unique."""
    contradictions: list[list[str]]
    """Joints and drives that no motion suits."""
    reactions: dict[str, Reaction]
    """What every joint carries."""
    gap: float
    """Largest gap of a joint, m or rad."""

    def __str__(self) -> str:
        text = f"bodies {self.bodies}, joints {self.joints}, rows {self.rows} (rank {self.rank}), mobility {self.mobility}"
        text += f", loops {self.loops}" + (", singular" if self.singular else "")
        for s in self.redundant:
            names = ", ".join(dict.fromkeys(r[0] for r in s.rows))
            text += f"\n{names} hold the same thing more than once: surplus {len(s.could_be_left_out)}"
        return text


@dataclass(frozen=True, eq=False)
class Energy:
    """Energies, J."""

    kinetic: float
    potential: float
    """Of gravity."""
    elastic: float
    """Of springs."""

    @property
    def total(self) -> float:
        """All together."""
        return self.kinetic + self.potential + self.elastic


@dataclass(frozen=True, eq=False)
class Ledger:
    """Where energy came from and went, J, since the start or since `reset_ledger`."""

    change: float
    """Of kinetic and potential energy of the bodies."""
    forces: dict[str, float]
    """Work of every force."""
    joints: dict[str, float]
    """Work of every joint and drive; 0 for those that do none."""
    bodies: float
    """Friction inside bodies."""
    friction: float
    """Friction of contacts and joints."""
    contacts: float
    """Of contacts, all together."""
    impacts: float
    """Normal impulses."""
    blows: float
    """Joints and drives while something collides."""
    projection: float
    """What closing the joints changed."""
    stepping: float
    """What time stepping changes beside the work of impulses."""
    imposed: float
    """What was changed by hand."""
    unaccounted: float
    """What no column explains: the error of the integrator."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """How well the solution at the present state solves the equations."""

    motion: float
    """Residual of M vdot = J^T lambda + F, relative."""
    constraint: float
    """Residual of J vdot + c = 0, relative."""
    gap: float
    """Largest gap of a joint, m or rad."""
    gap_rate: float
    """Largest rate of a gap, m/s or rad/s."""
    dependent_rows: int | None
    """Rows that depend on others, where the solver can tell."""
    contradiction: bool
    complementarity: float
    """How well forces of contacts, limits and friction obey their laws, scaled."""
    overlap: float
    """Largest overlap of shapes, or excess over a limit, m or rad."""


@dataclass(frozen=True, eq=False)
class Contact:
    """A touch with its force."""

    a: str
    """The first body."""
    b: str
    """The second body."""
    point: Vector
    """m."""
    normal: Vector
    """Unit normal from b to a."""
    gap: float
    """m; negative where the shapes overlap."""
    force: Vector
    """On a, N; over the last step where time is stepped."""
    torque: Vector
    """On a, of resistance against rolling and turning, N m."""
    slip: Vector
    """Velocity of a over b along the plane of contact, m/s."""
    friction: str
    """none, stick or slip."""


@dataclass(frozen=True, eq=False)
class Event:
    """Something that happened."""

    time: float
    """s."""
    kind: str
    """impact, closes, opens, slips, sticks, enters, leaves."""
    a: str | None
    """The first body, of touches and sensors."""
    b: str | None
    """The second body."""
    joint: str | None
    """The joint, of stops, ropes and frictions."""
    point: Vector | None
    """Where, m."""
    impulse: Vector
    """On a, friction included, N s."""
    speed: float
    """Of approach before an impact, m/s or rad/s."""


@dataclass(frozen=True, eq=False)
class Mode:
    """One small motion: exp(eigenvalue t) times its shape."""

    eigenvalue: complex
    """1/s."""
    frequency: float
    """Undamped natural frequency, Hz; 0 for a real eigenvalue."""
    damping: float
    """Damping ratio; negative for a motion that grows."""
    free: bool
    """Nothing pulls back or drives on."""
    body: str
    """The body with the largest share of the motion."""
    share: float
    """That share, from 0 to 1."""
    position: NDArray[np.complex128]
    """Displacements, per velocity coordinate."""
    velocity: NDArray[np.complex128]
    """Changes of the velocity coordinates."""


@dataclass(frozen=True, eq=False)
class Linearisation:
    """Small motions about a state: d/dt [z; w] = A [z; w] on the directions that the joints leave free."""

    A: Vector
    """(n, n) with n = n_positions + n_velocities."""
    B: Vector
    """(n, inputs): d/dt [z; w] for a push of 1 N or 1 N m along each input."""
    C: Vector
    """(outputs, n): outputs, less what they are at the base, for a unit of each of [z; w]."""
    D: Vector
    """(outputs, inputs): what a push of 1 makes of outputs at once; not zero for reactions and accelerations alone."""
    inputs: list[str]
    outputs: list[str]
    n_positions: int
    n_velocities: int
    """Fewer than positions where something rolls without slipping."""
    position_directions: Vector
    """(n_positions, n_v): what each z means in velocity coordinates."""
    velocity_directions: Vector
    """(n_velocities, n_v)."""
    eigenvalues: NDArray[np.complex128]
    """All of them, 1/s, by size."""
    modes: list[Mode]
    frequencies: Vector
    """Of the modes that oscillate, Hz, ascending."""
    stable: bool
    """No mode grows, as far as can be told."""
    error: float
    """Estimated error of the worst column of A, relative to its largest entry."""
    acceleration: float
    """Of the base; 0 in equilibrium and in steady motion, elsewhere A belongs to this moment only."""

    @property
    def state_space(self) -> tuple[Vector, Vector, Vector, Vector]:
        """A, B, C and D, as `control.ss(*small.state_space)` and `scipy.signal.StateSpace` take them."""
        return self.A, self.B, self.C, self.D


@dataclass(frozen=True, eq=False)
class Response:
    """What a push does while joints hold. Of k pushes asked at once both have k rows."""

    acceleration: Vector
    """m/s^2 and rad/s^2 (of an impulse: jumps of velocity), per velocity coordinate."""
    multipliers: Vector
    """N and N m (of an impulse: N s and N m s), per row."""


@dataclass(frozen=True, eq=False)
class InverseDynamics:
    """The efforts that make a motion."""

    efforts: Vector
    """One for each direction, N or N m."""
    multipliers: Vector
    """Of all rows while they act."""
    acceleration: Vector
    """That comes of them, per velocity coordinate."""
    rank: int
    """How many of the efforts are independent."""
    missed: float
    """How far the accelerations are from those wanted, in the metric of the masses, relative; rounding where none are missed."""
    unique: bool
    """Are these the only efforts that do it? Where not, they are the smallest."""


@dataclass(frozen=True, eq=False)
class Derivative:
    """How a motion changes along one direction."""

    acceleration: Vector
    """Per velocity coordinate."""
    multipliers: Vector
    """Per row."""
    error: float
    """Estimated error of the differences behind it, relative; 0 where there were none."""


@dataclass(frozen=True, eq=False)
class Derivatives:
    """How a motion changes by every velocity coordinate: entry (i, j) is that of number i by coordinate j."""

    acceleration_by_position: Vector
    """(n_v, n_v), by displacements along velocity coordinates, 1/s^2."""
    acceleration_by_velocity: Vector
    """(n_v, n_v), 1/s."""
    multipliers_by_position: Vector
    """(n_rows, n_v)."""
    multipliers_by_velocity: Vector
    """(n_rows, n_v)."""
    error: float
    """Largest of the estimated errors, relative."""


@dataclass(frozen=True, eq=False)
class JointMotion:
    """Motions of joint coordinates."""

    names: list[str]
    """Of the coordinates."""
    time: Vector
    """s."""
    positions: Vector
    """(times, coordinates), m or rad."""
    velocities: Vector
    """(times, coordinates), m/s or rad/s."""
    spare_freedom: int
    """Freedom that was not prescribed and was decided by least motion."""


@dataclass(frozen=True, eq=False)
class Equilibrium:
    """A static equilibrium; the simulation stands there, at rest."""

    stability: str
    """stable, neutral, unstable, unknown."""
    residual: float
    """Acceleration from rest, relative to what the sizes of all forces would make of the bodies alone."""
    iterations: int
    evaluations: int
    stiffness: Vector
    """Eigenvalues of the stiffness measured by mass, 1/s^2, ascending."""

    @property
    def stable(self) -> bool:
        """Does it come back after any small push?"""
        return self.stability == "stable"


__all__: list[Any] = [
    "Certificate",
    "Contact",
    "Derivative",
    "Derivatives",
    "Diagnosis",
    "Energy",
    "Equilibrium",
    "Event",
    "InverseDynamics",
    "JointMotion",
    "Ledger",
    "Linearisation",
    "Mode",
    "Reaction",
    "RedundantSet",
    "Response",
]


@dataclass(frozen=True, eq=False)
class RolloutGradient:
    """Derivatives of an objective of a run."""

    parameters: dict[str, float]
    """By parameters of the scene, by name."""
    position: Vector
    """By a displacement of the state it began in, per velocity coordinate."""
    velocity: Vector
    """By the velocities it began with."""
    controls: Vector
    """By the pushes during each step, (steps, controls)."""
