//! Tyres, and the terrain they roll on: the kinds of the crate `holonom-tyre`, which the engine does not know.

use super::{Make, Mistake, mistake};
use crate::build::Site;
use crate::codes;
use crate::fields::*;
use holonom::forces::Force;
use holonom::functions::Function;
use holonom::math::Vec3;
use holonom_tyre::{Grip, HeightField, PlaneTerrain, ProfileTerrain, SlipCurve, Terrain, Tyre, TyreLoad};
use std::sync::Arc;

/// Kinds of terrain.
pub static TERRAINS: Family = Family { name: "terrain", common: &[], kinds: &[GROUNDS], default: Some("plane") };

static GROUNDS: &[Kind] = &[
    Kind {
        name: "plane",
        summary: "a plane, level or inclined",
        fields: &[&[
            optional("at", POSITION, "[0, 0, 0]", "a point of it"),
            optional("normal", Type::Direction, "[0, 0, 1]", "upwards, across it"),
        ]],
        make: Make::Terrain(|r| {
            let normal = r.vector("normal").unwrap_or(Vec3::Z);
            if !(normal.z > 1e-6) {
                let m = mistake(r, "normal", codes::OUT_OF_RANGE, "`normal` is out of range");
                return Err(Box::new(m.label("must point upwards")));
            }
            Ok(Box::new(PlaneTerrain::new(r.vector("at").unwrap_or_default(), normal)))
        }),
    },
    Kind {
        name: "profile",
        summary: "a road whose height depends on one direction alone",
        fields: &[&[
            required(
                "height",
                Type::Function("x", "m"),
                "height as a function of the way x (m) from the origin along `heading`",
            ),
            optional(
                "heading",
                Type::Number(Allowed::Any, "rad"),
                "0: along x",
                "direction of that way, turned from x towards y",
            ),
        ]],
        make: Make::Terrain(|r| {
            let f: Arc<dyn Function> = r.function("height").unwrap_or_else(|| Arc::new(0.0));
            Ok(Box::new(ProfileTerrain::new(f).heading(r.number("heading").unwrap_or(0.0))))
        }),
    },
    Kind {
        name: "heights",
        summary: "heights sampled on a regular grid, bicubic between the samples",
        fields: &[&[
            optional("at", Type::Numbers("m"), "[0, 0]", "x and y of the first sample"),
            required("spacing", LENGTH, "between neighbours"),
            required("columns", Type::Integer(2, 1_000_000), "samples along x"),
            required("heights", Type::Numbers("m"), "heights, those along x first; at least two rows"),
        ]],
        make: Make::Terrain(|r| {
            let at = match r.numbers("at") {
                None => [0.0, 0.0],
                Some([x, y]) => [*x, *y],
                Some(_) => return Err(mistake(r, "at", codes::WRONG_LENGTH, "`at` must have 2 elements")),
            };
            let columns = r.integer("columns").unwrap_or(2) as usize;
            let heights = r.numbers("heights").unwrap_or_default();
            if heights.len() < 2 * columns || heights.len() % columns != 0 {
                let m = mistake(r, "heights", codes::WRONG_LENGTH, "`heights` must be whole rows, two at least");
                return Err(Box::new(m.label(format!("{} heights in rows of {columns}", heights.len()))));
            }
            Ok(Box::new(HeightField::new(at, r.number("spacing").unwrap_or(1.0), columns, heights)))
        }),
    },
];

/// The tyre.
pub static KINDS: &[Kind] = &[Kind {
    name: "tyre",
    summary: "a deformable tyre on a terrain: radial springs, damping, friction by slip",
    fields: &[&[
        required("on", Type::Point, "the wheel, or its hub as a point or frame on it"),
        optional("axle", Type::Direction, "z of the frame named, or of the body", "the axle in the body's frame"),
        required("radius", LENGTH, "radius of the undeformed tread"),
        optional(
            "load",
            Type::Function("x", "N"),
            "by `tyre`",
            "vertical load on a flat road as a function of the deflection x (m)",
        ),
        optional(
            "tyre",
            Type::Choice(&["city-bike", "soft-bike"]),
            "city-bike",
            "a load curve by name, instead of `load` or `stiffness`",
        ),
        optional("stiffness", Type::Number(Allowed::Positive, "N/m"), "by `tyre`", "k in the load k x (1 + h x)"),
        optional("hardening", Type::Number(Allowed::NotNegative, "1/m"), "0", "h in the load k x (1 + h x)"),
        required("deflection", LENGTH, "largest deflection; at most half the radius"),
        optional("terrain", Type::Kind(&TERRAINS), "the plane z = 0", "what it rolls on"),
        optional("grip", Type::Choice(GRIPS), "no friction", "friction by the name of the surface"),
        optional("sticking", Type::Number(Allowed::NotNegative, ""), "by `grip`", "largest coefficient of friction"),
        optional(
            "sliding",
            Type::Number(Allowed::NotNegative, ""),
            "by `grip`",
            "coefficient of friction of a locked wheel",
        ),
        optional("peak_slip", Type::Number(Allowed::Positive, ""), "0.1", "slip of the largest friction, below 1"),
        optional("damping", Type::Number(Allowed::NotNegative, "s/m"), "0", "part of the load per speed of deflection"),
        optional("resolution", LENGTH, "0.003", "tread between two rays"),
        optional("creep_speed", Type::Number(Allowed::Positive, "m/s"), "0.05", "below it friction is viscous"),
        optional(
            "section",
            Type::Record(&[
                required("width", LENGTH, "width of the tread"),
                required("crown", LENGTH, "radius of its arc, at least half the width"),
                required("rows", Type::Integer(1, 100), "circles over the width"),
            ]),
            "a single row",
            "a rounded cross-section",
        ),
    ]],
    make: Make::Force(tyre),
}];

static GRIPS: &[&str] =
    &["asphalt-clean", "asphalt-wet", "stone-clean", "stone-wet", "rail-clean", "rail-wet", "rail-dirty"];

fn grip_of(name: &str) -> Grip {
    match name {
        "asphalt-clean" => Grip::ASPHALT_CLEAN,
        "asphalt-wet" => Grip::ASPHALT_WET,
        "stone-clean" => Grip::STONE_CLEAN,
        "stone-wet" => Grip::STONE_WET,
        "rail-clean" => Grip::RAIL_CLEAN,
        "rail-wet" => Grip::RAIL_WET,
        _ => Grip::RAIL_DIRTY,
    }
}

fn terrain(record: &Record) -> Result<Box<dyn Terrain>, Mistake> {
    match record.record("terrain").map(|r| (r, r.kind.map(|k| k.make))) {
        Some((r, Some(Make::Terrain(make)))) => make(r),
        _ => Ok(Box::new(PlaneTerrain::level(0.0))),
    }
}

fn load_curve(r: &Record) -> Result<Arc<dyn Function>, Mistake> {
    let ways: Vec<&str> = ["load", "tyre", "stiffness"].into_iter().filter(|f| r.has(f)).collect();
    if let [first, second, ..] = ways[..] {
        let m = mistake(r, second, codes::EXCLUSIVE, format!("`{second}` and `{first}` exclude each other"));
        return Err(Box::new(m.help("keep one of them")));
    }
    if r.has("hardening") && !r.has("stiffness") {
        return Err(mistake(r, "hardening", codes::MISSING_FIELD, "`hardening` without `stiffness`"));
    }
    Ok(match (r.function("load"), r.number("stiffness"), r.text("tyre")) {
        (Some(f), ..) => f,
        (None, Some(k), _) => Arc::new(TyreLoad::new(k, r.number("hardening").unwrap_or(0.0))),
        (None, None, Some("soft-bike")) => Arc::new(TyreLoad::SOFT_BIKE),
        (None, None, _) => Arc::new(TyreLoad::CITY_BIKE),
    })
}

fn friction(r: &Record) -> Result<Option<SlipCurve>, Mistake> {
    let grip = match (r.text("grip"), r.number("sticking"), r.number("sliding")) {
        (Some(name), None, None) => grip_of(name),
        (None, Some(sticking), Some(sliding)) => Grip { sticking, sliding },
        (None, None, None) if !r.has("peak_slip") => return Ok(None),
        (None, None, None) => {
            return Err(mistake(r, "peak_slip", codes::MISSING_FIELD, "`peak_slip` without friction"));
        }
        (Some(_), ..) => {
            let field = if r.has("sticking") { "sticking" } else { "sliding" };
            let m = mistake(r, field, codes::EXCLUSIVE, format!("`{field}` and `grip` exclude each other"));
            return Err(Box::new(m.help("keep one of them")));
        }
        (None, a, _) => {
            let (have, lack) = if a.is_some() { ("sticking", "sliding") } else { ("sliding", "sticking") };
            return Err(mistake(r, have, codes::MISSING_FIELD, format!("`{have}` without `{lack}`")));
        }
    };
    let curve = SlipCurve::new(grip);
    Ok(Some(r.number("peak_slip").map_or(curve, |peak| curve.peak(peak))))
}

fn tyre(r: &Record, s: &Site) -> Result<Box<dyn Force>, Mistake> {
    let hub = s.point("on")?;
    let hub = r.vector("axle").map_or(hub, |axle| hub.along(axle));
    let of = |name: &str| r.number(name).unwrap_or(f64::NAN);
    let mut tyre = Tyre::new(hub, of("radius"), load_curve(r)?, of("deflection"), terrain(r)?);
    if let Some(h) = r.number("resolution") {
        tyre = tyre.resolution(h);
    }
    if let Some(section) = r.record("section") {
        let of = |name: &str| section.number(name).unwrap_or(f64::NAN);
        tyre = tyre.section(of("width"), of("crown"), section.integer("rows").unwrap_or(1) as usize);
    }
    if let Some(damping) = r.number("damping") {
        tyre = tyre.damping(damping);
    }
    if let Some(curve) = friction(r)? {
        tyre = tyre.friction(curve, curve);
    }
    if let Some(speed) = r.number("creep_speed") {
        tyre = tyre.creep_speed(speed);
    }
    Ok(Box::new(tyre))
}
