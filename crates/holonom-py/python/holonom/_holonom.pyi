from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Literal, final
import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base
from ._recording import Recording
from ._results import Certificate, Contact, Diagnosis, Energy, Equilibrium, Event, Ledger, Linearisation, Reaction
__all__ = ['Input', 'Model', 'Selection', 'Simulation', 'State', 'StepReport', '__version__', 'gallery', 'load', 'loads', 'read_recording', 'sections', 'write_recording']
_Array = NDArray[np.float64]
__version__: str

def load(source: str, settings: Sequence[str], strict: bool, allow_path: Sequence[str], limits: Sequence[tuple[str, int]]) -> Model:
    ...

def loads(text: str, name: str, folder: str | None, settings: Sequence[str], strict: bool, allow_path: Sequence[str], limits: Sequence[tuple[str, int]]) -> Model:
    ...

def gallery() -> list[tuple[str, str]]:
    ...

def sections() -> dict[str, tuple[str, str, dict[str, tuple[str, dict[str, str]]]]]:
    ...

def write_recording(path: str | PathLike[str], columns: Sequence[tuple[str, str, str, ArrayLike]], metadata: str) -> int:
    ...

def read_recording(path: str | PathLike[str]) -> tuple[list[tuple[str, str, str, _Array]], str]:
    ...

@final
class Model:
    """A scene that was read, and the engine's model of it."""

    @property
    def name(self) -> str:
        """What it was loaded by."""

    @property
    def title(self) -> str:
        """The title of the scene."""

    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, in the order of all arrays; the ground is not one of them."""

    @property
    def joints(self) -> list[str]:
        """Names of the joints and relations, drives not counted."""

    @property
    def drives(self) -> list[str]:
        """Names of the drives: `Simulation.drive` makes inputs of them."""

    @property
    def forces(self) -> list[str]:
        """Names of the forces of the scene."""

    @property
    def coordinates(self) -> list[str]:
        """Names of the joint coordinates, in the order of `joint_positions()`: the first of a joint has its name, further
ones `joint.1`, `joint.2`."""

    @property
    def n_bodies(self) -> int:
        """Number of bodies."""

    @property
    def n_joints(self) -> int:
        """Number of joints, relations and drives that prescribe motion."""

    @property
    def n_rows(self) -> int:
        """Number of constraint equations."""

    @property
    def n_q(self) -> int:
        """Number of position coordinates of all bodies."""

    @property
    def n_v(self) -> int:
        """Number of velocity coordinates of all bodies."""

    @property
    def n_dof(self) -> int:
        """Degrees of freedom at the start: velocity coordinates less independent rows. Asked of the doctor once."""

    @property
    def has_loops(self) -> bool:
        """Do joints close loops?"""

    @property
    def gravity(self) -> _Array:
        """m/s^2."""

    @property
    def masses(self) -> _Array:
        """Masses of the bodies, kg."""

    @property
    def total_mass(self) -> float:
        """Mass of all bodies, kg."""

    @property
    def parameters(self) -> dict[str, float]:
        """Parameters of the scene, for `set` of `load`."""

    @property
    def warnings(self) -> list[str]:
        """Parts of the scene that do not count as they stand, each as the command prints it."""

    @property
    def initial_state(self) -> State:
        """The state that simulations start from."""

    def mass(self, name: str) -> float:
        """Mass of a body, kg."""

    def body_kind(self, name: str) -> str:
        """Kind of a body: rigid, particle, planar, ..."""

    def joint_kind(self, name: str) -> str:
        """Kind of a joint or drive."""

    def velocity_range(self, name: str) -> tuple[int, int]:
        """Where the velocity coordinates of a body lie among all of them: from and to."""

    def select(self, *patterns: str) -> Selection:
        """Quantities by name, to be read often: `*` stands for anything, the usual ones without patterns."""

    def to_toml(self) -> str:
        """The scene as it was understood, as the text of a scene file."""

@final
class State:
    """Positions, velocities, time, and what a bit-equal resume needs besides."""

    @property
    def time(self) -> float:
        """Time, s."""

    @property
    def q(self) -> _Array:
        """Position coordinates of all bodies, in order: a copy (m, quaternions w, x, y, z, ...)."""

    @property
    def v(self) -> _Array:
        """Velocity coordinates of all bodies, in order: a copy (m/s, rad/s)."""

    def replace(
        self, *, q: ArrayLike | None = None, v: ArrayLike | None = None, time: float | None = None
    ) -> State:
        """The same with other position coordinates, velocity coordinates or time (s). Give it to a simulation and call
`project()` unless the change suits the joints."""

    def copy(self) -> State:
        """A copy."""

    def __copy__(self) -> State:
        ...

    def __deepcopy__(self, _memo: Any) -> State:
        ...

    def to_bytes(self) -> bytes:
        """As bytes: small, complete, with a checksum, the same on every machine."""

    @staticmethod
    def from_bytes(model: Model, data: bytes) -> State:
        """Read back what `to_bytes` wrote, for a model of the same scene."""

    def hash(self) -> str:
        """64 bits over everything in the state as 16 digits, as the command prints them."""

    def __eq__(self, other: object, /) -> bool:
        ...

    def __hash__(self) -> int:
        ...

@final
class StepReport:
    """What a step did: `step` (s), `error` relative to the tolerance, `evaluations`, attempts `rejected`, `residual` of the
equations (relative), largest `gap` (m or rad) and `gap_rate`, `dependent_rows`, joints `broken`, largest `overlap` (m
or rad), `contacts` that act, `events`."""

    @property
    def step(self) -> float:
        ...

    @property
    def error(self) -> float | None:
        ...

    @property
    def evaluations(self) -> int:
        ...

    @property
    def rejected(self) -> int:
        ...

    @property
    def residual(self) -> float:
        ...

    @property
    def gap(self) -> float:
        ...

    @property
    def gap_rate(self) -> float:
        ...

    @property
    def dependent_rows(self) -> int:
        ...

    @property
    def broken(self) -> int:
        ...

    @property
    def overlap(self) -> float:
        ...

    @property
    def contacts(self) -> int:
        ...

    @property
    def events(self) -> int:
        ...

@final
class Selection:
    """A choice of quantities."""

    @property
    def names(self) -> list[str]:
        """Names of the quantities."""

    @property
    def units(self) -> list[str]:
        """Their units."""

    def __len__(self) -> int:
        ...

    def read(self, simulation: Simulation) -> _Array:
        """Their values at the present state of a simulation, in order. NaN for what does not exist any more."""

@final
class Input:
    """A number that is set while a simulation runs."""

    @property
    def name(self) -> str:
        """Name of the drive or coordinate."""

    @property
    def unit(self) -> str:
        """N or N m for efforts; that of the drive's value otherwise, and then empty."""

    @property
    def value(self) -> float:
        """Its value now."""

    @value.setter
    def value(self, value: float, /) -> None:
        ...

    def set(self, value: float, rate: float=0.0, over: float=0.0) -> None:
        """Another value from now on, with a constant rate (per s); within `over` seconds smoothly, with two continuous
derivatives, at once without."""

    def clear(self) -> None:
        """Back to what the scene says; of an effort, to nothing."""

    def __float__(self) -> float:
        ...

@disjoint_base
class Simulation:
    """A model in motion.

Options are those of the command: `integrator` (euler, rk4, dop853, sdirk4, rattle, stepping), `solver` (tree, sparse,
baraff, huge-pivot, auxiliary, dense, dense-kkt, banded, cg), `dt` (s; the integrator chooses unless given),
`tolerance`, `max_step` (s), `drift` (projection, once, feedback, none), `gap_tolerance` (of projection, m or rad),
`coordinates` (maximal, joint), `law` (dynamic, first-order). What is not said is decided by the scene, else by what suits most.

Questions never change the motion. One simulation is used by one thread at a time."""

    def __new__(cls, model: Model, *, integrator: Literal['euler', 'rk4', 'dop853', 'sdirk4', 'implicit', 'rattle', 'stepping'] | None=None, solver: str | None=None, dt: float | None=None, tolerance: float | None=None, max_step: float | None=None, drift: Literal['projection', 'once', 'feedback', 'none'] | None=None, gap_tolerance: float | None=None, coordinates: Literal['maximal', 'joint'] | None=None, law: Literal['dynamic', 'first-order'] | None=None) -> Simulation:
        ...

    @property
    def model(self) -> Model:
        """Its model."""

    @property
    def time(self) -> float:
        """Time, s. Set, it moves the clock alone: call `project()` where something depends on time."""

    @time.setter
    def time(self, value: float, /) -> None:
        ...

    @property
    def state(self) -> State:
        """The state, a copy; set, an exact rollback."""

    @state.setter
    def state(self, value: State, /) -> None:
        ...

    @property
    def settings(self) -> dict[str, Any]:
        """How it is run: law, integrator, solver, dt, tolerance, max_step, drift, gap_tolerance, coordinates."""

    def step(self, dt: float | None=None, count: int=1) -> StepReport:
        """Take `count` steps of exactly `dt` seconds each (that of the settings unless given); what the last one did. On
failure the state is as before the step that failed."""

    def run(self, until: float | None=None, record: bool | str | Sequence[str] | None=None, *, rate: float | None=None, progress: bool | Callable[[float, float], Any] | None=None) -> Recording:
        """Run to the time `until` (s; that of the scene, or 10, unless given), and record `rate` rows per second of the
quantities that `record` names (True for the usual ones). A run that is continued by another has the bits of a single
one. `progress`: True for a bar, or a function of the time and the end. Ctrl-C ends it after the step under way; an
exception carries what was recorded until then as `recording`."""

    def save(self) -> bytes:
        """The state as bytes: everything that is needed to go on with the same bits."""

    def restore(self, data: bytes) -> None:
        """Back to a state that was saved, bit for bit."""

    def reset(self) -> None:
        """Back to the start, joints mended; inputs and forces that were added stay."""

    def copy(self) -> Simulation:
        """Another simulation of the same model in the same state, with inputs of its own."""

    def project(self) -> None:
        """Bring a state that was changed by hand back onto the joints, by the nearest way in the metric of the masses."""

    def hash(self) -> str:
        """64 bits over everything in the state as 16 digits, as the command prints them."""

    def strike(self, body: str, impulse: ArrayLike, at: ArrayLike=(0.0, 0.0, 0.0)) -> None:
        """Strike a body with an impulse (N s, world axes) at a point of its own (m)."""

    def poses(self) -> _Array:
        """Poses of all bodies: (bodies, 7), origin x, y, z (m) and quaternion w, x, y, z; NaN for what has no orientation."""

    def velocities(self) -> _Array:
        """Velocities of all bodies: (bodies, 6), of the origin (m/s) and angular (rad/s), world axes."""

    def centres_of_mass(self) -> _Array:
        """Centres of mass of all bodies: (bodies, 3), m."""

    def pose(self, body: str) -> _Array:
        """Pose of a body: origin x, y, z (m) and quaternion w, x, y, z."""

    def velocity(self, body: str) -> _Array:
        """Velocity of a body: of its origin (m/s) and angular (rad/s), world axes."""

    def rotation(self, body: str) -> _Array:
        """Rotation matrix of a body: its columns are the axes of the body in the world."""

    def point(self, name: str, at: ArrayLike | None=None) -> tuple[_Array, _Array]:
        """Position (m) and velocity (m/s) of a point: of a body at coordinates of its own, `point("rod", (1, 0, 0))`, or one
that the scene names, `point("rod.tip")`."""

    def coordinate(self, name: str) -> float:
        """Value of a joint coordinate, m or rad; turns are counted."""

    def rate(self, name: str) -> float:
        """Rate of a joint coordinate, m/s or rad/s."""

    def joint_positions(self) -> _Array:
        """Values of all joint coordinates (m or rad), in the order of `Model.coordinates`."""

    def joint_velocities(self) -> _Array:
        """Rates of all joint coordinates (m/s or rad/s), in the order of `Model.coordinates`."""

    def accelerations(self) -> _Array:
        """Accelerations of all velocity coordinates, m/s^2 and rad/s^2."""

    def quantity(self, name: str) -> float:
        """One quantity by its name, such as `pin.force.z`."""

    def reaction(self, joint: str, axes: Literal['world', 'a', 'b']='world') -> Reaction:
        """What a joint carries: the action of body a on body b, and which components can have no other value. `axes`: world,
a, b (the axes of either body)."""

    def reactions(self) -> dict[str, Reaction]:
        """What every joint carries, by name, and what of it is unique: those of `diagnose()`."""

    def multipliers(self, joint: str) -> _Array:
        """Multipliers of a joint or drive, row by row, N or N m: the torque of a motor, the tension of a rod."""

    def diagnose(self) -> Diagnosis:
        """Ask the doctor: mobility, loops, redundant joints, which loads are unique."""

    def energy(self) -> Energy:
        """Energies, J."""

    def ledger(self) -> Ledger:
        """Where energy came from and went, J."""

    def reset_ledger(self) -> None:
        """Open the energy ledger anew."""

    def momentum(self) -> tuple[_Array, _Array]:
        """Linear (kg m/s) and angular momentum about the origin (kg m^2/s) of all bodies."""

    def certificate(self) -> Certificate:
        """How well the solution at the present state solves the equations."""

    def violation(self) -> tuple[float, float]:
        """Largest gap of a joint (m or rad) and its largest rate."""

    def contacts(self) -> list[Contact]:
        """All touches with the forces between them, in a stable order."""

    def keep_events(self, newest: int) -> None:
        """Keep the newest so many events until they are taken; 0, as at the start, keeps none."""

    def take_events(self) -> list[Event]:
        """The events kept so far, oldest first; they are not kept any longer."""

    def linearise(self, observer: Literal['world', 'bodies']='world', turning: ArrayLike | None=None) -> Linearisation:
        """The small motions about the present state. `observer`: world (axes at rest), bodies (axes that turn with each body);
`turning`: axes of all bodies turn with this rate, rad/s."""

    def equilibrium(self, *, tolerance: float=1e-12, max_iterations: int=1000, nearest: bool=False) -> Equilibrium:
        """Go to a static equilibrium, from the present pose downwards, or to the nearest of any kind; time stands still. On
failure the state is as before."""

    def drive(self, name: str) -> Input:
        """What a drive is told (position, speed, torque, ...) as an input in the place of its function of time."""

    def effort(self, coordinate: str, limit: float | None=None) -> Input:
        """A force (N) or torque (N m) along a joint coordinate as an input, 0 until it is set, never larger than `limit`."""

    def add_force(self, name: str, function: Callable[[float, _Array, _Array], ArrayLike], at: Sequence[tuple[str, ArrayLike]]) -> None:
        """A force of your own on points of bodies: `at` lists (body, point in the body's axes, m), and
`function(time, positions, velocities)` returns a force (N, world axes) for each; both arrays are (points, 3). It is
called at every evaluation and holds the interpreter while it runs."""

    def add_coordinate_force(self, name: str, coordinate: str, function: Callable[[float, float, float], float]) -> None:
        """A force (N) or torque (N m) of your own along a joint coordinate: `function(value, rate, time)`."""

    def break_joint(self, joint: str) -> None:
        """Let a joint hold nothing until it is mended."""

    def mend_joint(self, joint: str) -> None:
        """Let a broken joint hold again."""

    def lock_joint(self, joint: str) -> None:
        """Hold a joint as it stands."""

    def unlock_joint(self, joint: str) -> None:
        """Let a locked joint move again."""
