//! Tyres as kinds of scene files, and the terrain they roll on.

use crate::{Grip, HeightField, PlaneTerrain, ProfileTerrain, SlipCurve, Terrain, Tyre, TyreLoad};
use holonom::declaration::{
    Allowed, Family, Fault, FieldType, Invalid, Kind, LENGTH, Make, POSITION, Parameters, optional, required,
};
use holonom::forces::{Force, ForceDeclaration, ForceGlyph};
use holonom::functions::Function;
use holonom::math::Vec3;
use std::sync::Arc;

/// The table of forces of this crate.
pub static FORCES: &[&ForceDeclaration] = &[&TYRE];

/// Kinds of terrain.
pub static TERRAINS: Family = Family { name: "terrain", common: &[], members: || GROUNDS, default: Some("plane") };

static GROUNDS: &[&Kind] = &[
    &Kind {
        name: "plane",
        summary: "a plane, level or inclined",
        fields: &[&[
            optional("at", POSITION, "[0, 0, 0]", "a point of it"),
            optional("normal", FieldType::Direction, "[0, 0, 1]", "upwards, across it"),
        ]],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "profile",
        summary: "a road whose height depends on one direction alone",
        fields: &[&[
            required(
                "height",
                FieldType::Function("x", "m"),
                "height as a function of the way x (m) from the origin along `heading`",
            ),
            optional(
                "heading",
                FieldType::Number(Allowed::Any, "rad"),
                "0: along x",
                "direction of that way, turned from x towards y",
            ),
        ]],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "heights",
        summary: "heights sampled on a regular grid, bicubic between the samples",
        fields: &[&[
            optional("at", FieldType::Numbers("m"), "[0, 0]", "x and y of the first sample"),
            required("spacing", LENGTH, "between neighbours"),
            required("columns", FieldType::Integer(2, 1_000_000), "samples along x"),
            required("heights", FieldType::Numbers("m"), "heights, those along x first; at least two rows"),
        ]],
        make: Make::Elsewhere,
    },
];

/// The tyre.
static TYRE: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "tyre",
        summary: "a deformable tyre on a terrain: radial springs, damping, friction by slip",
        fields: &[&[
            required("on", FieldType::Point, "the wheel, or its hub as a point or frame on it"),
            optional(
                "axle",
                FieldType::Direction,
                "z of the frame named, or of the body",
                "the axle in the body's frame",
            ),
            required("radius", LENGTH, "radius of the undeformed tread"),
            optional(
                "load",
                FieldType::Function("x", "N"),
                "by `tyre`",
                "vertical load on a flat road as a function of the deflection x (m)",
            ),
            optional(
                "tyre",
                FieldType::Choice(&["city-bike", "soft-bike"]),
                "city-bike",
                "a load curve by name, instead of `load` or `stiffness`",
            ),
            optional(
                "stiffness",
                FieldType::Number(Allowed::Positive, "N/m"),
                "by `tyre`",
                "k in the load k x (1 + h x)",
            ),
            optional("hardening", FieldType::Number(Allowed::NotNegative, "1/m"), "0", "h in the load k x (1 + h x)"),
            required("deflection", LENGTH, "largest deflection; at most half the radius"),
            optional("terrain", FieldType::Kind(&TERRAINS), "the plane z = 0", "what it rolls on"),
            optional("grip", FieldType::Choice(GRIPS), "no friction", "friction by the name of the surface"),
            optional(
                "sticking",
                FieldType::Number(Allowed::NotNegative, ""),
                "by `grip`",
                "largest coefficient of friction",
            ),
            optional(
                "sliding",
                FieldType::Number(Allowed::NotNegative, ""),
                "by `grip`",
                "coefficient of friction of a locked wheel",
            ),
            optional(
                "peak_slip",
                FieldType::Number(Allowed::Positive, ""),
                "0.1",
                "slip of the largest friction, below 1",
            ),
            optional(
                "damping",
                FieldType::Number(Allowed::NotNegative, "s/m"),
                "0",
                "part of the load per speed of deflection",
            ),
            optional("resolution", LENGTH, "0.003", "tread between two rays"),
            optional(
                "creep_speed",
                FieldType::Number(Allowed::Positive, "m/s"),
                "0.05",
                "below it friction is viscous",
            ),
            optional(
                "section",
                FieldType::Record(&[
                    required("width", LENGTH, "width of the tread"),
                    required("crown", LENGTH, "radius of its arc, at least half the width"),
                    required("rows", FieldType::Integer(1, 100), "circles over the width"),
                ]),
                "a single row",
                "a rounded cross-section",
            ),
        ]],
        make: Make::Force(tyre),
    },
    label: "Tyre",
    law: "tyre",
    glyph: ForceGlyph::Dashes,
};

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

fn terrain(p: &dyn Parameters) -> Result<Box<dyn Terrain>, Invalid> {
    match p.kind().map(|k| k.name) {
        Some("profile") => {
            let f: Arc<dyn Function> = p.function("height").unwrap_or_else(|| Arc::new(0.0));
            Ok(Box::new(ProfileTerrain::new(f).heading(p.number("heading").unwrap_or(0.0))))
        }
        Some("heights") => {
            let at = match p.numbers("at") {
                None => [0.0, 0.0],
                Some([x, y]) => [*x, *y],
                Some(other) => return Err(Invalid::count("at", other.len(), 2)),
            };
            let columns = p.integer("columns").unwrap_or(2) as usize;
            let heights = p.numbers("heights").unwrap_or_default();
            if heights.len() < 2 * columns || !heights.len().is_multiple_of(columns) {
                let invalid =
                    Invalid::new("heights", "`heights` must be whole rows, two at least").fault(Fault::Length);
                return Err(invalid.label(format!("{} heights in rows of {columns}", heights.len())));
            }
            Ok(Box::new(HeightField::new(at, p.number("spacing").unwrap_or(1.0), columns, heights)))
        }
        _ => {
            let normal = p.vector("normal").unwrap_or(Vec3::Z);
            if !(normal.z > 1e-6) {
                return Err(Invalid::range("normal", "must point upwards"));
            }
            Ok(Box::new(PlaneTerrain::new(p.vector("at").unwrap_or_default(), normal)))
        }
    }
}

fn load_curve(p: &dyn Parameters) -> Result<Arc<dyn Function>, Invalid> {
    let ways: Vec<&str> = ["load", "tyre", "stiffness"].into_iter().filter(|f| p.has(f)).collect();
    if let [first, second, ..] = ways[..] {
        return Err(Invalid::exclusive(second, first).help("keep one of them"));
    }
    if p.has("hardening") && !p.has("stiffness") {
        return Err(Invalid::without("hardening", "stiffness"));
    }
    Ok(match (p.function("load"), p.number("stiffness"), p.text("tyre")) {
        (Some(f), ..) => f,
        (None, Some(k), _) => Arc::new(TyreLoad::new(k, p.number("hardening").unwrap_or(0.0))),
        (None, None, Some("soft-bike")) => Arc::new(TyreLoad::SOFT_BIKE),
        (None, None, _) => Arc::new(TyreLoad::CITY_BIKE),
    })
}

fn friction(p: &dyn Parameters) -> Result<Option<SlipCurve>, Invalid> {
    let grip = match (p.text("grip"), p.number("sticking"), p.number("sliding")) {
        (Some(name), None, None) => grip_of(name),
        (None, Some(sticking), Some(sliding)) => Grip { sticking, sliding },
        (None, None, None) if !p.has("peak_slip") => return Ok(None),
        (None, None, None) => {
            return Err(Invalid::missing("peak_slip", "`peak_slip` without friction"));
        }
        (Some(_), ..) => {
            let field = if p.has("sticking") { "sticking" } else { "sliding" };
            return Err(Invalid::exclusive(field, "grip").help("keep one of them"));
        }
        (None, a, _) => {
            let (have, lack) = if a.is_some() { ("sticking", "sliding") } else { ("sliding", "sticking") };
            return Err(Invalid::without(have, lack));
        }
    };
    let curve = SlipCurve::new(grip);
    Ok(Some(p.number("peak_slip").map_or(curve, |peak| curve.peak(peak))))
}

fn tyre(p: &dyn Parameters) -> Result<Box<dyn Force>, Invalid> {
    let hub = p.given_point("on")?;
    let hub = p.vector("axle").map_or(hub, |axle| hub.along(axle));
    let of = |name: &str| p.number(name).unwrap_or(f64::NAN);
    let ground = match p.table("terrain") {
        Some(t) => terrain(&*t).map_err(|e| e.within("terrain"))?,
        None => Box::new(PlaneTerrain::level(0.0)),
    };
    let mut tyre = Tyre::new(hub, of("radius"), load_curve(p)?, of("deflection"), ground);
    if let Some(h) = p.number("resolution") {
        tyre = tyre.resolution(h);
    }
    if let Some(section) = p.table("section") {
        let of = |name: &str| section.number(name).unwrap_or(f64::NAN);
        tyre = tyre.section(of("width"), of("crown"), section.integer("rows").unwrap_or(1) as usize);
    }
    if let Some(damping) = p.number("damping") {
        tyre = tyre.damping(damping);
    }
    if let Some(curve) = friction(p)? {
        tyre = tyre.friction(curve, curve);
    }
    if let Some(speed) = p.number("creep_speed") {
        tyre = tyre.creep_speed(speed);
    }
    Ok(Box::new(tyre))
}
