from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, final
import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base
from ._recording import Recording
from ._results import Certificate, Contact, Derivative, Derivatives, Diagnosis, Energy, Equilibrium, Event, InverseDynamics, JointMotion, Ledger, Linearisation, Reaction, Response, RolloutGradient
from ._show import Page
__all__ = ['HeldFactor', 'Input', 'JointEquations', 'Model', 'PushAlong', 'Rollout', 'Selection', 'Simulation', 'State', 'StepReport', 'StudyPlan', 'StudyRows', '__version__', 'gallery', 'load', 'loads', 'read_recording', 'read_study', 'sections', 'study_table', 'write_recording']
_Array = NDArray[np.float64]
_Direction = PushAlong | str
_Directions = _Direction | Sequence[_Direction]
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

def read_study(path: str | PathLike[str], allow_path: Sequence[str | PathLike[str]]) -> StudyPlan:
    ...

def study_table(plan: StudyPlan, rows: Sequence[bytes]) -> tuple[dict[str, Any], dict[str, str], str]:
    ...

@final
class StudyPlan:
    """A study that was read: what is run, and one row of it at a time."""

    @staticmethod
    def from_portable(text: str) -> StudyPlan:
        """A study as another process has read it."""

    def portable(self) -> str:
        """What `from_portable` of another process needs; the scene comes with it."""

    @property
    def title(self) -> str:
        """Its title."""

    @property
    def runs(self) -> int:
        """How many runs there are."""

    @property
    def identity(self) -> str:
        """What decides the rows of its table."""

    @property
    def factors(self) -> list[str]:
        """Names of the factors."""

    @property
    def outcomes(self) -> list[str]:
        """Names of the outcomes."""

    def settings(self, run: int) -> list[str]:
        """What is set in a run, as `--set` has it."""

    def row(self, run: int) -> bytes:
        """Make one run: its row, as bytes."""

@final
class StudyRows:
    """The rows of a study in files: a journal of those that are there, tables when all are."""

    def __new__(cls, plan: StudyPlan, base: str | PathLike[str], force: bool) -> StudyRows:
        ...

    def missing(self) -> list[int]:
        """Numbers of the runs that are still to be made."""

    @property
    def finished(self) -> int:
        """How many rows there are."""

    @property
    def failed(self) -> int:
        """How many of them are of runs that failed."""

    def take(self, row: bytes) -> None:
        """Keep a row that some process made."""

    def run(self, jobs: int, progress: Callable[[int, int], object] | None) -> None:
        """Make all missing runs with threads of this process; `progress` is called with how many are there, about ten
times a second."""

    def write(self) -> tuple[PathLike[str], PathLike[str]]:
        """Write the tables: their names."""

    def table(self) -> tuple[dict[str, Any], dict[str, str], str]:
        """The columns so far: name to values, name to unit, and the metadata."""

@final
class Model:
    """A scene that was read, and the engine's model of it."""

    def show(self, open_browser: bool | None=None) -> Page:
        """Look at it: the page, as `Simulation.show` has it."""

    def rollout(self, duration: float, dt: float, observe: str | PushAlong | Sequence[str | PushAlong], controls: str | PushAlong | Sequence[str | PushAlong] | None=None, sizes: ArrayLike | None=None, start: State | None=None) -> Rollout:
        """Run for `duration` seconds with equal steps of `dt` seconds of the integrator `rk4`, and observe coordinates
(names) or points (`PushAlong.point`). `controls` are pushes along coordinates or points, `sizes` how large each is
during each step, (steps, controls), N or N m. It begins where the scene begins, or at `start`. Contacts, limits,
ropes and dry friction are refused: gradients are not defined there."""

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

    def changed(self, set: Mapping[str, Any]) -> Model:
        """The same scene with other numbers of parameters and fields, those of `set` of `load`, on top of what it was loaded
with."""

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

    def replace(self, *, q: ArrayLike | None=None, v: ArrayLike | None=None, time: float | None=None) -> State:
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

    def show(self, open_browser: bool | None=None) -> Page:
        """Look at it: serve the page with its scene, as that starts, and open it in the browser; in a notebook show a link to
it. Needs the command `holonom`, on the PATH or named by the variable HOLONOM. The page is served until `close()`
of what is returned, or the end of the program."""

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

    def linearise(self, observer: Literal['world', 'bodies']='world', turning: ArrayLike | None=None, *, inputs: _Directions | None=None, outputs: Sequence[str] | None=None) -> Linearisation:
        """The small motions about the present state. `observer`: world (axes at rest), bodies (axes that turn with each
body); `turning`: axes of all bodies turn with this rate, rad/s. `inputs` are pushes along directions (text is a
coordinate), N or N m; `outputs` are names of quantities: with them there are B, C and D."""

    def held_factor(self) -> HeldFactor:
        """The equations at the present state, evaluated and factored once, to be asked any number of times."""

    def joint_equations(self) -> JointEquations:
        """The equations in joint coordinates at the present state: mass matrix, bias, Jacobians by the rates of joints."""

    def inverse_kinematics(self, until: float, steps: int=100, coordinates: Sequence[str] | None=None) -> JointMotion:
        """How joints must move for what the scene prescribes (paths, motors) to happen, from now to `until` (s) in `steps`
equal steps; kinematics alone counts. `coordinates`: names, all unless given. Freedom that is left takes the
least motion, measured by the masses. The state stays."""

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

@final
class PushAlong:
    """Where and which way something is pushed, and along which speeds are read: a coordinate of a joint, a point of a body
along a direction, or a body about an axis. Wherever one is wanted, text is the name of a coordinate.

A push of size 1 is 1 N, or 1 N m where it turns something; the speed along it is what such a push does work with,
m/s or rad/s."""

    @staticmethod
    def coordinate(name: str) -> PushAlong:
        """A coordinate of a joint, by its name: along a slider, about a hinge."""

    @staticmethod
    def point(body: str, at: ArrayLike, direction: ArrayLike) -> PushAlong:
        """A point of a body (m, in the body's axes) along a direction (world axes), taken as it is, whatever its length."""

    @staticmethod
    def turn(body: str, axis: ArrayLike) -> PushAlong:
        """A body about an axis (world axes), taken as it is, whatever its length."""

    @staticmethod
    def axes(body: str, at: ArrayLike) -> list[PushAlong]:
        """A point of a body (m, in the body's axes) along x, y and z of the world: the rows of its Jacobian."""

    @staticmethod
    def turns(body: str) -> list[PushAlong]:
        """A body about x, y and z of the world: the rows of the Jacobian of its angular velocity."""

    def __eq__(self, other: object, /) -> bool:
        ...

@final
class Rollout:
    """A run with fixed steps of the integrator `rk4`, from which gradients are had: of any objective of what was observed,
by parameters of the scene, by the state it began in, and by controls of every step. `Model.rollout` makes one."""

    @property
    def times(self) -> _Array:
        """Times of the states, s."""

    @property
    def values(self) -> _Array:
        """What was observed, (steps + 1, observed): coordinates, turns counted, and places of points, m or rad."""

    @property
    def rates(self) -> _Array:
        """Rates of what was observed, (steps + 1, observed), m/s or rad/s."""

    @property
    def last(self) -> State:
        """The state at the end, a copy."""

    def derivatives(self, parameters: str | Sequence[str] | Mapping[str, float]) -> dict[str, tuple[_Array, _Array]]:
        """How what was observed changes with parameters: by name the derivatives of `values` and of `rates`, in their shape.
Forwards, some runs for each parameter: for least squares with few parameters. `parameters` as for `gradient`."""

    def gradient(self, values: ArrayLike | None=None, rates: ArrayLike | None=None, parameters: str | Sequence[str] | Mapping[str, float] | None=None) -> RolloutGradient:
        """The gradient of an objective L(values, rates), from its derivatives by every entry of `values` and `rates`, arrays of
their shape; what is not given is zero. `parameters` are names of parameters of the scene, or a dict of any numbers
that `set` of `load` can change, with their present values; where the run began as the scene begins they move that
too. One run backwards, whatever the number of parameters."""

@final
class HeldFactor:
    """The equations of motion at one state, evaluated and factored: any number of questions at the cost of a solve each,

    M a - J^T lambda = F        J a + c = 0

in the velocity coordinates of all bodies (`Model.velocity_range`). Contacts, stops, ropes and dry friction are left
out of it. It belongs to the state that it was made at, whatever the simulation does afterwards; `move_to` takes it
to another."""

    @property
    def n_v(self) -> int:
        """Number of velocity coordinates of all bodies."""

    @property
    def n_rows(self) -> int:
        """Number of constraint equations, and of multipliers."""

    @property
    def state(self) -> State:
        """The state that it belongs to, a copy."""

    @property
    def counts(self) -> tuple[int, int] | None:
        """Factorisations and solves since it was made, where the solver counts them."""

    @property
    def force(self) -> _Array:
        """F: all forces at the state, gravity and inertial ones included, per velocity coordinate, N and N m."""

    @property
    def applied_force(self) -> _Array:
        """Of `force`, what force laws (springs, dampers, motors that push) contribute."""

    @property
    def row_acceleration(self) -> _Array:
        """c of J a + c = 0, per row."""

    def move_to(self, state: State) -> None:
        """Evaluate and factor anew at another state of the same model."""

    def add_force(self, force: ArrayLike) -> None:
        """Let a generalised force (per velocity coordinate, N and N m) act besides those of the model, in everything that
is asked from here on."""

    def mass_times(self, x: ArrayLike) -> _Array:
        """M x of the bodies, x per velocity coordinate."""

    def solve(self, sides: ArrayLike) -> _Array:
        """Solve M a - J^T lambda = f, - J a = r for right-hand sides [f, r], (n_v + n_rows,) or (k, n_v + n_rows): [a,
lambda] in the same shape. One solve each, and no factorisation."""

    def respond(self, force: ArrayLike) -> Response:
        """What generalised forces (N and N m; of impulses N s and N m s) do by themselves: accelerations (jumps of
velocity) and multipliers. `force` is (n_v,), or (k, n_v) for k of them; the answers have its shape."""

    def push(self, along: _Direction, size: float=1.0) -> Response:
        """What a push of this size (N or N m) along a direction does by itself."""

    def accelerations(self) -> Response:
        """The motion under all forces of the model, without contacts: accelerations (m/s^2, rad/s^2) and multipliers."""

    def jacobian(self, along: _Directions) -> _Array:
        """Jacobian of directions, (directions, n_v): times velocities it gives the speeds along them."""

    def jacobian_dot_v(self, along: _Directions) -> _Array:
        """What velocities alone make of the accelerations along directions, m/s^2 or rad/s^2: d(J v)/dt = J a + this."""

    def mobility(self, along: _Directions) -> _Array:
        """Accelerations along each direction for unit pushes along each other, joints held: the inverse inertia in
operational space, (directions, directions). One solve for each direction."""

    def effective_mass(self, along: _Direction) -> float:
        """Force over acceleration along a direction, kg or kg m^2: what one feels who pushes there. Infinite where joints
allow no motion."""

    def delassus(self, joints: Sequence[str]) -> _Array:
        """J M^-1 J^T of the rows of these joints, all others left out: the Delassus matrix of the bodies alone."""

    def joint_rows(self, joints: Sequence[str]) -> _Array:
        """Rows of J of these joints, (rows, n_v)."""

    def inverse_dynamics(self, acceleration: ArrayLike, along: _Directions, scales: Sequence[float] | None=None) -> InverseDynamics:
        """The efforts (N or N m) along directions with which all velocity coordinates accelerate as wanted. Unique where
there are as many as the mechanism has freedom; the smallest sum of (effort / scale)^2 where there are more;
nearest in the metric of the masses where fewer, and `missed` says what is left. Loops need no care."""

    def efforts_for(self, along: _Directions, wanted: Sequence[float], scales: Sequence[float] | None=None) -> InverseDynamics:
        """The efforts (N or N m) along directions with which the accelerations along them (m/s^2, rad/s^2) are as wanted;
what the mechanism is free to do besides, it does by itself."""

    def derivative(self, position: ArrayLike | None=None, velocity: ArrayLike | None=None, force: ArrayLike | None=None) -> Derivative:
        """The derivative of accelerations and multipliers along a change of positions (in velocity coordinates), velocities
and generalised forces; what is not given stays. Along a change that `legal` gives it is the derivative on the
constraint manifold."""

    def pull_back(self, weights: ArrayLike) -> tuple[_Array, _Array, _Array]:
        """Of numbers `weights . a` of the motion, weights per velocity coordinate, (n_v,) or (k, n_v): derivatives by
displacements, by velocities and by generalised forces, each in the shape of the weights. One solve and one look at
all parts of the mechanism for each number: rows of the matrices that `derivatives` finds column by column."""

    def derivatives(self) -> Derivatives:
        """The derivatives by every velocity coordinate, and by a displacement along each."""

    def derivative_by_parameter(self, name: str, value: float | None=None, unit: float | None=None) -> Derivative:
        """The derivative by a parameter of the scene (`Model.parameters`), or by any number that `set` of `load` can
change, such as `body.rod.mass`, whose present `value` is then to be given; positions and velocities of the
bodies stay. `unit` is a change that would matter, the value itself (or 1) unless given."""

    def legal(self, position: ArrayLike | None=None, velocity: ArrayLike | None=None) -> tuple[_Array, _Array]:
        """The nearest legal change, in the metric of the masses: (position, velocity) that keep joints closed and
velocities legal."""

    def force_left_over(self, acceleration: ArrayLike, multipliers: ArrayLike) -> _Array:
        """What must push besides, for these accelerations and multipliers to be a motion: M a - J^T lambda - F."""

    def joint_equations(self) -> JointEquations:
        """The equations in joint coordinates at this state."""

@final
class JointEquations:
    """The equations of motion in the rates w of the joints at one state,

    mass_matrix wdot + bias = applied + efforts,        v = directions^T w

exact to rounding for trees. In loops some rates depend on others; the equations are in those that are left, which
`names` lists, and the dependent joints are passive. A body that hangs on no joint has its velocity coordinates for
rates: of the reference point, then angular, world axes."""

    def __len__(self) -> int:
        ...

    @property
    def names(self) -> list[str]:
        """Names of the rates: of a joint or free body, and the number of the rate after a dot."""

    @property
    def rates(self) -> _Array:
        """The rates w at the state, m/s or rad/s."""

    @property
    def mass_matrix(self) -> _Array:
        """The mass matrix, kg, kg m or kg m^2."""

    @property
    def bias(self) -> _Array:
        """The efforts that no acceleration of the rates takes where no force law acts, N or N m: gravity, and all that is
quadratic in velocities."""

    @property
    def applied(self) -> _Array:
        """What force laws (springs, dampers) contribute, N or N m."""

    @property
    def directions(self) -> _Array:
        """Velocity coordinates of all bodies for a unit of each rate, (rates, n_v)."""

    def efforts(self, wdot: ArrayLike) -> _Array:
        """The efforts (N or N m) along the rates that make them accelerate like this (m/s^2, rad/s^2): inverse dynamics."""

    def body_accelerations(self, wdot: ArrayLike) -> _Array:
        """Accelerations of all velocity coordinates of the bodies when the rates accelerate like this."""

    def jacobian(self, along: _Directions) -> _Array:
        """Jacobian of directions by the rates, (directions, rates)."""

    def jacobian_dot_v(self, along: _Directions) -> _Array:
        """Accelerations along directions when the rates do not accelerate, m/s^2 or rad/s^2."""
