//! The family of joints: the engine's table, and what all of them may say besides.

use crate::fields::*;
use crate::scene::InteractionRecord;
use holonom::joints;
use std::collections::HashMap;
use std::sync::LazyLock;

/// Kinds of joints.
pub static JOINTS: Family = Family {
    name: "joint",
    common: &[
        optional(
            "break_force",
            Type::Number(Allowed::Positive, "N"),
            "never",
            "breaks when the reaction force exceeds this",
        ),
        optional(
            "break_torque",
            Type::Number(Allowed::Positive, "N m"),
            "never",
            "breaks when the reaction torque exceeds this",
        ),
        optional(
            "compliance",
            Type::Numbers(""),
            "not said",
            "m/N and rad/(N m): how loads are shared where joints are redundant",
        ),
        optional(
            "limits",
            Type::Intervals("m or rad"),
            "none",
            "stops: `[lower, upper]` of its coordinate, or a pair for each coordinate; `-inf` and `inf` are no stops",
        ),
        optional(
            "restitution",
            Type::Number(Allowed::Fraction, ""),
            "0",
            "part of the speed that comes back from a stop, or from a rope that jerks taut",
        ),
        optional(
            "friction",
            Type::Numbers("N or N m"),
            "0",
            "dry friction that does not depend on the load, for each coordinate: of a seal, of a preload",
        ),
        optional(
            "friction_coefficient",
            Type::Number(Allowed::NotNegative, ""),
            "0",
            "dry friction in proportion to the force that the joint transmits",
        ),
        optional("friction_radius", LENGTH, "not said", "radius of the pin that rubs, for coordinates that are angles"),
        optional(
            "effort",
            Type::Numbers("N or N m"),
            "no cap",
            "largest force or torque of drives on its coordinates, unless they say their own",
        ),
        optional("collide", Type::Flag, "false", "whether the bodies it joins collide with each other"),
    ],
    members: kinds,
    default: None,
};

fn kinds() -> &'static [&'static Kind] {
    static KINDS: LazyLock<Vec<&'static Kind>> =
        LazyLock::new(|| joints::JOINTS.iter().filter(|d| d.in_files()).map(|d| &d.kind).collect());
    &KINDS
}

/// The gears of rotors whose joint says how fast it starts, each with its rotor and the rate that fits.
pub fn geared_rates(links: &[InteractionRecord]) -> Vec<(&InteractionRecord, &BodyRef, f64)> {
    let started = links.iter().filter_map(|l| Some((&*l.name, l.record.numbers("start_rate")?)));
    let started: HashMap<&str, &[f64]> = started.collect();
    let rate = |gear: &'_ InteractionRecord| {
        let c = gear.record.coordinate("joint")?;
        Some(started.get(&*c.joint)?.get(c.index)? * gear.record.number("ratio").unwrap_or(1.0))
    };
    // its body turns `ratio` times as fast as the coordinate `joint`
    let gears = links.iter().filter(|l| l.kind().has("joint") && l.kind().has("ratio"));
    gears.filter_map(|gear| Some((gear, &gear.b.as_ref()?.body, rate(gear)?))).collect()
}
