//! A hanging chain: its shape at rest, its small motions, and those of a string with beads.
//!
//! (a) Twenty links between two pins, from a start like the letter V, to rest with `Simulation::equilibrium`: of plane
//! bodies, and of bodies in space on ball joints, where each link may also turn about itself. Horizontal tension: the
//! horizontal part of every joint's reaction.
//!
//! (b) Ten particles on massless rods, hanging straight down. In space every frequency is there twice.
//!
//! (c) Twenty beads on massless rods along x. The first rod ends on the ground, the last one in a slider that is pulled
//! with the tension along the line; to first order it does not move when the beads do. Again every frequency is there
//! twice.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::scenes::{ProblemScene, load};
use holonom::EquilibriumOptions;
use holonom::prelude::*;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    compare.variant("plane links from a V");
    catenary(p, compare, load("p26-chain-plane", &[])?)?;
    compare.variant("links on ball joints from a V");
    catenary(p, compare, load("p26-chain-balls", &[])?)?;
    compare.variant("hanging particles");
    twice(p, compare, "hanging_modes_w", &mut load("p26-hanging", &[])?.sim)?;
    compare.variant("beads on a string");
    twice(p, compare, "string_modes_w", &mut load("p26-string", &[])?.sim)
}

fn catenary(p: &Reference, compare: &mut Comparison, scene: ProblemScene) -> Result<(), VerifyError> {
    let names: Vec<String> =
        ["down", "up"].iter().flat_map(|half| (1..=10).map(move |i| format!("{half}/{i}"))).collect();
    let first = scene.point("down/1.from")?;
    let ends = names.iter().map(|link| scene.point(&format!("{link}.to"))).collect::<Result<Vec<_>, _>>()?;
    let joints = names.iter().map(String::as_str).chain(["up/last"]);
    let joints = joints.map(|name| scene.joint(name)).collect::<Result<Vec<_>, _>>()?;
    let mut sim = scene.sim;
    let found = sim.equilibrium(&EquilibriumOptions::default())?;
    let points: Vec<Vec3> = std::iter::once(&first).chain(&ends).map(|end| sim.point(*end).0).collect();
    compare.columns(&points.iter().map(|x| vec![x.x, x.y]).collect::<Vec<_>>());
    compare.at_most("out of the plane", &points.iter().map(|x| x.z).collect::<Vec<_>>(), 1e-9);
    let angles: Vec<f64> = points.windows(2).map(|w| (w[1].y - w[0].y).atan2(w[1].x - w[0].x)).collect();
    compare.series("link_angles", &angles, &p.scalars("link_angles"));
    let mut tensions = Vec::new();
    for joint in joints {
        tensions.push(sim.reaction(joint)?.force.x.abs());
    }
    compare.constant("H", &tensions, p.scalar("H"));
    compare.at_most("residual", &[found.residual], 1e-12);
    // of chains in space each link may turn about itself; nothing else may give way
    let least = found.stiffness.iter().fold(f64::INFINITY, |m: f64, s| m.min(*s));
    compare.at_most("stiffness below zero", &[least.min(0.0)], 1e-6);
    Ok(())
}

/// The expected frequencies, each one twice, against the circular frequencies found.
fn twice(p: &Reference, compare: &mut Comparison, name: &str, sim: &mut Simulation) -> Result<(), VerifyError> {
    let modes = sim.linearise()?;
    let found: Vec<f64> = modes.frequencies().iter().map(|f| std::f64::consts::TAU * f).collect();
    let expected: Vec<f64> = p.scalars(name).into_iter().flat_map(|w| [w, w]).collect();
    compare.series(name, &found, &expected);
    compare.at_most("number of modes", &[found.len() as f64 - expected.len() as f64], 0.0);
    compare.at_most("estimated error", &[modes.error()], 1e-9);
    Ok(())
}
