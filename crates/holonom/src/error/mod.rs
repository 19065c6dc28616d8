//! What can go wrong, as values that name the body or joint.

mod invalid;

pub(crate) use invalid::refuse;
pub use invalid::{Fault, Invalid};

/// The other joints of a contradiction, at most ten of them.
fn in_conflict(joint: &str, conflict: &[String]) -> String {
    let others: Vec<String> = conflict.iter().filter(|c| *c != joint).map(|c| format!("`{c}`")).collect();
    match others.len() {
        0 => String::new(),
        n if n > 10 => format!("; it contradicts {} and {} more", others[..10].join(", "), n - 10),
        _ => format!("; it contradicts {}", others.join(", ")),
    }
}

/// The drives that go on against something, at most ten of them.
fn driven_by(drives: &[String]) -> String {
    let named: Vec<String> = drives.iter().take(10).map(|d| format!("`{d}`")).collect();
    match drives.len() {
        0 => ", and its joints give no way".into(),
        1 => format!(", and {} drives on: no force can hold both", named[0]),
        n if n > 10 => format!(", and {} and {} more drive on: no force can hold all", named.join(", "), n - 10),
        _ => format!(", and {} drive on: no force can hold all", named.join(", ")),
    }
}

/// A model that cannot be built. Each message stands alone and says what is allowed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ModelError {
    /// A body's parameters are unusable.
    #[error("body `{body}` ({kind}): {reason}")]
    Body {
        /// The body.
        body: String,
        /// Its kind.
        kind: &'static str,
        /// Which parameter, its value, what is allowed.
        reason: Invalid,
    },
    /// A joint's parameters are unusable.
    #[error("joint `{joint}` ({kind}): {reason}")]
    Joint {
        /// The joint.
        joint: String,
        /// Its kind.
        kind: &'static str,
        /// Which parameter, its value, what is allowed.
        reason: Invalid,
    },
    /// A force's parameters are unusable.
    #[error("force `{force}` ({kind}): {reason}")]
    Force {
        /// The force.
        force: String,
        /// Its kind.
        kind: &'static str,
        /// Which parameter, its value, what is allowed.
        reason: Invalid,
    },
    /// The model itself has an unusable parameter.
    #[error("{0}")]
    Parameter(String),
    /// Two things have one name.
    #[error("two {what} are called `{name}`; names must differ")]
    DuplicateName {
        /// "bodies", "joints" or "forces".
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A body id of another model.
    #[error("{what} `{name}` refers to body number {index}, but the model has {bodies} bodies")]
    UnknownBody {
        /// "joint" or "force".
        what: &'static str,
        /// Its name.
        name: String,
        /// The number asked for.
        index: usize,
        /// How many there are.
        bodies: usize,
    },
    /// A joint or force wants a body to carry what it cannot.
    #[error("{what} `{name}` needs body `{body}` ({kind}) to carry {carried}: {reason}")]
    NotCarried {
        /// "joint" or "force".
        what: &'static str,
        /// Its name.
        name: String,
        /// The body.
        body: String,
        /// The kind of body.
        kind: &'static str,
        /// "a point", "a direction", "a spin".
        carried: &'static str,
        /// Why it cannot.
        reason: &'static str,
    },
    /// The start pose does not satisfy the joint, and no pose nearby does.
    #[error(
        "joint `{joint}` cannot be closed from the start pose: smallest gap reached {gap:.3e} (allowed {allowed:.0e}, m or rad){}",
        in_conflict(.joint, .conflict)
    )]
    NotAssembled {
        /// The joint with the largest gap.
        joint: String,
        /// That gap.
        gap: f64,
        /// The limit.
        allowed: f64,
        /// The joints that contradict each other, this one included.
        conflict: Vec<String>,
    },
    /// Assembled, but no velocities satisfy all joints and drives.
    #[error(
        "`{joint}` cannot keep its rate at the start: with all others kept it is off by {rate:.3e} (m/s or rad/s){}",
        in_conflict(.joint, .conflict)
    )]
    RatesContradict {
        /// The last drive of those that contradict each other.
        joint: String,
        /// How far its rate is off where all others are kept, m/s or rad/s.
        rate: f64,
        /// The drives and joints that contradict each other, this one included; drives first.
        conflict: Vec<String>,
    },
    /// Assembled, but turned the wrong way.
    #[error(
        "joint `{joint}` is assembled the wrong way round: its axes on the two bodies point in opposite directions at the start"
    )]
    WrongBranch {
        /// The joint.
        joint: String,
    },
    /// A shape that cannot be used.
    #[error("shape {shape} on `{body}`: {reason}")]
    Shape {
        /// Its number, from 0.
        shape: usize,
        /// The body that carries it.
        body: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Something the traits can say but this version cannot solve.
    #[error("joint `{joint}`: {what}")]
    Unsupported {
        /// The joint.
        joint: String,
        /// What is not supported.
        what: &'static str,
    },
}

/// A step that could not be taken. The state is as it was before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// The equations are singular in this pose.
    #[error("at t = {time:.6} s the equations are singular at `{name}`")]
    Singular {
        /// The joint or body at fault.
        name: String,
        /// Time, s.
        time: f64,
    },
    /// A number left the finite range.
    #[error("at t = {time:.6} s the motion of body `{body}` left the finite range")]
    NotFinite {
        /// The body.
        body: String,
        /// Time, s.
        time: f64,
    },
    /// The adaptive integrator cannot meet its tolerance.
    #[error("at t = {time:.6} s the step size fell to {step:.3e} s: the motion is too stiff or not smooth there")]
    StepTooSmall {
        /// Time, s.
        time: f64,
        /// The step size that was still too large, s.
        step: f64,
    },
    /// Time does not advance any more, whatever is computed.
    #[error(
        "at t = {time:.9} s time stands still: steps of {step:.1e} s; `{name}` moves at {speed:.1e} (m/s or rad/s)"
    )]
    Stuck {
        /// The drive that runs away, or the fastest body.
        name: String,
        /// What the drive wants, or how fast the body is, m/s or rad/s.
        speed: f64,
        /// The last step, s.
        step: f64,
        /// Time, s.
        time: f64,
    },
    /// Steps have collapsed at joints whose rows repeat others but for a part of the size of rounding.
    #[error(
        "at t = {time:.6} s steps have fallen to {step:.1e} s: rows of joint `{joint}` repeat those of others but for a part that is next to rounding, and \
         no accelerations keep all of them to the tolerance"
    )]
    Unresolved {
        /// The joint.
        joint: String,
        /// The last step, s.
        step: f64,
        /// Time, s.
        time: f64,
    },
    /// Somebody asked for it ([`crate::Simulation::set_interrupt`]); the state is as before the step.
    #[error("at t = {time:.6} s the computation was given up, as was asked for")]
    Interrupted {
        /// Time, s.
        time: f64,
    },
    /// Projection could not close a joint after the step.
    #[error(
        "at t = {time:.6} s joint `{joint}` could not be closed after a step of {step:.3e} s: gap {gap:.3e}; use a smaller step"
    )]
    DriftNotCorrected {
        /// The joint with the largest gap.
        joint: String,
        /// Gap left.
        gap: f64,
        /// Time, s.
        time: f64,
        /// Step size, s.
        step: f64,
    },
    /// A stop, rope or contact is driven beyond its limit by joints and drives that no force can hold back.
    #[error("at t = {time:.6} s {what} blocks the motion{}", driven_by(.drives))]
    Blocked {
        /// The stop or rope, or the bodies in contact.
        what: String,
        /// Drives of the mechanism that go on all the same.
        drives: Vec<String>,
        /// Time, s.
        time: f64,
    },
    /// No velocities satisfy all joints and drives.
    #[error(
        "at t = {time:.6} s `{joint}` cannot keep its rate: with all others kept it is off by {rate:.3e} (m/s or rad/s){}",
        in_conflict(.joint, .conflict)
    )]
    Contradiction {
        /// The last drive of those that contradict each other.
        joint: String,
        /// How far its rate is off where all others are kept, m/s or rad/s.
        rate: f64,
        /// The drives and joints that contradict each other, this one included; drives first.
        conflict: Vec<String>,
        /// Time, s.
        time: f64,
    },
    /// An iterative solver or integrator did not converge.
    #[error("at t = {time:.6} s {what} did not converge: residual {residual:.3e} after {iterations} iterations")]
    NotConverged {
        /// What did not.
        what: &'static str,
        /// Residual reached.
        residual: f64,
        /// Iterations spent.
        iterations: usize,
        /// Time, s.
        time: f64,
    },
    /// What the solver found is not the solution: masses differ too much for it.
    #[error(
        "at t = {time:.6} s this solver is off by {part:.1e} of the largest acceleration at `{name}`: masses differ too much for it; use `sparse`"
    )]
    Inaccurate {
        /// The body.
        name: String,
        /// By how much, as a part of the largest acceleration.
        part: f64,
        /// Time, s.
        time: f64,
    },
    /// A light link under a heavy load swings faster than steps of this length can follow, and the integrator does not
    /// damp it.
    #[error(
        "at t = {time:.6} s body `{body}` swings at {rate:.1e} rad/s under the pull of its joints: faster than steps of {step:.1e} s can follow; \
         use sdirk4, stepping or euler, which damp it, or steps below {:.0e} s", 1.0 / .rate
    )]
    TautLink {
        /// The body.
        body: String,
        /// Its circular frequency under the pull of its joints, rad/s.
        rate: f64,
        /// The step size that was too long, s.
        step: f64,
        /// Time, s.
        time: f64,
    },
    /// A promise was not kept, and somebody wants to be strict ([`crate::WorstOfRun::strict`]).
    #[error("not as promised: {what}")]
    NotCertified {
        /// What was found, and what is promised.
        what: String,
        /// Time, s.
        time: f64,
    },
    /// The request itself makes no sense.
    #[error("{0}")]
    Invalid(String),
}

/// A snapshot that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotError {
    /// Not a snapshot, or of another version.
    #[error("not a snapshot of this version")]
    Format,
    /// Shorter or longer than it says, or its checksum is wrong.
    #[error("the snapshot is damaged")]
    Damaged,
    /// A snapshot of a model with other sizes.
    #[error("the snapshot has {found} {what}, the model {expected}")]
    Mismatch {
        /// What was counted.
        what: &'static str,
        /// In the snapshot.
        found: usize,
        /// In the model.
        expected: usize,
    },
}
