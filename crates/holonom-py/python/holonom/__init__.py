"""holonom: multibody dynamics with exact joint forces in linear time.

Bodies keep all their coordinates, joints are equations, and the forces that enforce them are computed exactly and
directly. SI units throughout (m, kg, s, rad, N), z up, angles in radians, vectors in world axes unless said otherwise.

    import holonom

    model = holonom.load("excavator")            # a file (.toml, .urdf, .xml) or a scene of the gallery
    sim = holonom.Simulation(model)
    recording = sim.run(2.0, record=["boom-pin.force.*", "energy.*"])
    recording["boom-pin.force.z"]                # a numpy array, N
    sim.diagnose().mobility                      # and which loads are unique

`load`, `loads` and `ModelBuilder` make a `Model`, which never changes and may be shared by any number of simulations
on any number of threads. `Simulation` moves it. Whatever goes wrong is a `holonom.Error`, with the text, code and place
that the command shows.
"""

from ._batch import Batch
from ._builder import ModelBuilder, kinds, sections
from ._errors import (
    Error,
    FileError,
    LimitError,
    MotionWarning,
    SceneError,
    SceneWarning,
    StepError,
    UnknownNameError,
    UsageError,
)
from ._holonom import (
    HeldFactor,
    Input,
    JointEquations,
    Model,
    PushAlong,
    Rollout,
    Selection,
    Simulation,
    State,
    StepReport,
    StudyPlan,
    __version__,
)
from ._loading import gallery, load, loads
from ._recording import Recording, read_recording
from ._results import (
    Certificate,
    Contact,
    Derivative,
    Derivatives,
    Diagnosis,
    Energy,
    Equilibrium,
    Event,
    InverseDynamics,
    JointMotion,
    Ledger,
    Linearisation,
    Mode,
    Reaction,
    RedundantSet,
    Response,
    RolloutGradient,
)
from ._study import StudyTable, read_study, sweep

__all__ = [
    "Batch",
    "Certificate",
    "Contact",
    "Derivative",
    "Derivatives",
    "Diagnosis",
    "Energy",
    "Equilibrium",
    "Error",
    "Event",
    "FileError",
    "HeldFactor",
    "Input",
    "InverseDynamics",
    "JointEquations",
    "JointMotion",
    "Ledger",
    "LimitError",
    "Linearisation",
    "Mode",
    "Model",
    "ModelBuilder",
    "MotionWarning",
    "PushAlong",
    "Reaction",
    "Recording",
    "RedundantSet",
    "Response",
    "Rollout",
    "RolloutGradient",
    "SceneError",
    "SceneWarning",
    "Selection",
    "Simulation",
    "State",
    "StepError",
    "StepReport",
    "StudyPlan",
    "StudyTable",
    "UnknownNameError",
    "UsageError",
    "__version__",
    "gallery",
    "kinds",
    "load",
    "loads",
    "read_recording",
    "read_study",
    "sections",
    "sweep",
]
