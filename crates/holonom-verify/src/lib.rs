//! Verification problems: mechanisms with answers known to many digits, each modelled as a user would, run, and
//! compared with its reference. Nothing is printed here: [`verify`] returns [`Verdict`]s.
//!
//! [`Reference`] is the reference (`data/`), [`names`] lists what there is. The models are scene files,
//! `scenes/verification` of the gallery. An error is the largest deviation from the reference divided by the largest
//! magnitude of the reference, or by 1 where that is larger. Allowed are 10 units of the last trusted digit, and never
//! less than 1e-9; a few quantities have a limit of their own.

mod comparison;
mod events;
mod p01;
mod p02;
mod p03;
mod p04;
mod p05;
mod p06;
mod p07;
mod p08_p09;
mod p10;
mod p11;
mod p12;
mod p13;
mod p14_p15;
mod p16;
mod p17;
mod p18;
mod p19;
mod p20;
mod p21;
mod p22;
mod p23;
mod p24;
mod p25;
mod p26;
mod p27;
mod p28;
mod reference;
mod sampled_run;
mod scenes;

pub use comparison::{Verdict, VerifyError};
pub use reference::Reference;

use comparison::Comparison;

/// Model, run and compare one problem.
type Run = fn(&Reference, &mut Comparison) -> Result<(), VerifyError>;

/// A problem: its name, its reference as JSON, and the function that runs it.
struct Entry {
    name: &'static str,
    data: &'static str,
    run: Run,
}

macro_rules! entry {
    ($name:literal, $run:path) => {
        Entry { name: $name, data: include_str!(concat!("../data/", $name, ".json")), run: $run }
    };
}

static PROBLEMS: &[Entry] = &[
    entry!("p01-a01-pendulum", p01::run),
    entry!("p02-a02-fourbar-n2", p02::run),
    entry!("p03-andrews-squeezer", p03::run),
    entry!("p04-a05-flyball", p04::run),
    entry!("p05-spatial-slider-crank", p05::run),
    entry!("p06-double-pendulum", p06::run),
    entry!("p07-spherical-pendulum", p07::run),
    entry!("p08-free-asymmetric-top", p08_p09::free_top),
    entry!("p09-dzhanibekov", p08_p09::flip),
    entry!("p10-heavy-top-fast", p10::run),
    entry!("p11-planar-slider-crank", p11::run),
    entry!("p12-peaucellier", p12::run),
    entry!("p13-rolling-disk", p13::run),
    entry!("p14-chaplygin-sleigh", p14_p15::sleigh),
    entry!("p15-knife-edge-incline", p14_p15::skate),
    entry!("p16-whipple-linear", p16::run),
    entry!("p17-friction-block", p17::run),
    entry!("p18-friction-sphere", p18::run),
    entry!("p19-impacts", p19::run),
    entry!("p20-coulomb-oscillator", p20::run),
    entry!("p21-unilateral-separation", p21::run),
    entry!("p22-bead-on-circle", p22::run),
    entry!("p23-ball-on-turntable", p23::run),
    entry!("p24-cardan", p24::run),
    entry!("p25-gears-pulleys-screw", p25::run),
    entry!("p26-chain-statics-and-modes", p26::run),
    entry!("p27-affine-body", p27::run),
    entry!("p28-elastica", p28::run),
];

fn entry(name: &str) -> Option<&'static Entry> {
    PROBLEMS.iter().find(|entry| entry.name == name)
}

fn read(entry: &Entry) -> Reference {
    serde_json::from_str(entry.data).expect("the embedded data is valid")
}

/// The names of all problems, in order; the first three characters of a name are its number, `p01` to `p28`.
pub fn names() -> impl Iterator<Item = &'static str> {
    PROBLEMS.iter().map(|entry| entry.name)
}

/// The reference of a problem, by its full name.
pub fn problem(name: &str) -> Option<Reference> {
    entry(name).map(read)
}

/// Model, run and compare one problem; no verdicts for a name that is not one of [`names`].
pub fn verify(name: &str) -> Result<Vec<Verdict>, VerifyError> {
    let Some(entry) = entry(name) else { return Ok(Vec::new()) };
    let problem = read(entry);
    let mut compare = Comparison::new(&problem);
    (entry.run)(&problem, &mut compare)?;
    Ok(compare.verdicts)
}
