//! Surfaces, for points that stay on them and bodies that touch. They lie in the axes of the marker that carries them.

use super::curves::enough;
use super::functions::{knots, weights};
use super::{Make, Mistake, mistake, refused};
use crate::codes;
use crate::fields::*;
use holonom::curves::{NurbsSurface, Sheet};
use holonom::surfaces::{Inside, Plane, Quadric, Surface, Torus};
use std::sync::Arc;

/// What a surface is made as.
#[derive(Clone)]
pub enum Sheeted {
    /// f(x) = 0.
    Implicit(Arc<dyn Surface>),
    /// r(u, v).
    Patch(Sheet),
}

/// Kinds of surfaces.
pub static SURFACES: Family = Family { name: "surface", common: &[], kinds: &[KINDS], default: None };

const INSIDE: Field = optional("inside", Type::Flag, "false", "what touches it is inside, as a ball in a bowl");

static KINDS: &[Kind] = &[
    Kind {
        name: "plane",
        summary: "the x-y plane; z points outwards",
        fields: &[],
        make: Make::Surface(|r| Ok(sided(r, Plane))),
    },
    Kind {
        name: "sphere",
        summary: "a sphere about the origin",
        fields: &[&[required("radius", LENGTH, "its radius"), INSIDE]],
        make: Make::Surface(|r| Ok(sided(r, Quadric::sphere(r.number("radius").unwrap_or(0.0))))),
    },
    Kind {
        name: "ellipsoid",
        summary: "an ellipsoid about the origin",
        fields: &[&[required("half_axes", POSITION, "half its extent along x, y and z, greater than 0"), INSIDE]],
        make: Make::Surface(|r| {
            let a = r.vector("half_axes").unwrap_or_default();
            if !(a.min_element() > 0.0) {
                let m = mistake(r, "half_axes", codes::OUT_OF_RANGE, "`half_axes` is out of range");
                return Err(Box::new(m.label(format!("{} m, must be greater than 0", a.min_element()))));
            }
            Ok(sided(r, Quadric::ellipsoid(a)))
        }),
    },
    Kind {
        name: "cylinder",
        summary: "an endless cylinder along z",
        fields: &[&[required("radius", LENGTH, "its radius"), INSIDE]],
        make: Make::Surface(|r| Ok(sided(r, Quadric::cylinder(r.number("radius").unwrap_or(0.0))))),
    },
    Kind {
        name: "torus",
        summary: "a torus about the z axis",
        fields: &[&[
            required("ring_radius", LENGTH, "radius of the circle along its core"),
            required("tube_radius", LENGTH, "radius of the tube, less than that of the ring"),
            INSIDE,
        ]],
        make: Make::Surface(|r| {
            let of = |name: &str| r.number(name).unwrap_or(0.0);
            let (ring, tube) = (of("ring_radius"), of("tube_radius"));
            if tube >= ring {
                let m = mistake(r, "tube_radius", codes::OUT_OF_RANGE, "`tube_radius` is out of range");
                return Err(Box::new(m.label(format!("{tube} m, must be less than that of the ring, {ring} m"))));
            }
            Ok(sided(r, Torus { ring, tube }))
        }),
    },
    Kind {
        name: "nurbs",
        summary: "a rational B-spline patch; it goes on straight beyond its edges. Only for point-on-surface",
        fields: &[&[
            optional("degree_u", Type::Integer(1, 7), "3", "degree along u"),
            optional("degree_v", Type::Integer(1, 7), "3", "degree along v"),
            required("rows", Type::Integer(2, 100_000), "number of rows of control points, along u"),
            required("points", Type::Vectors("m"), "control points, row by row: v runs fastest"),
            optional("weights", Type::Numbers(""), "all 1", "weights, as many, greater than 0"),
            optional("knots_u", Type::Numbers(""), "uniform", "knots along u: as many as rows, and degree_u + 1 more"),
            optional("knots_v", Type::Numbers(""), "uniform", "knots along v"),
            optional("closed_u", Type::Flag, "false", "the last row meets the first with the same tangents"),
            optional("closed_v", Type::Flag, "false", "the ends of the rows meet with the same tangents"),
        ]],
        make: Make::Surface(patch),
    },
];

fn sided(r: &Record, surface: impl Surface + 'static) -> Sheeted {
    Sheeted::Implicit(if r.flag("inside") { Arc::new(Inside(surface)) } else { Arc::new(surface) })
}

fn patch(r: &Record) -> Result<Sheeted, Mistake> {
    let points = r.vectors("points").unwrap_or_default();
    let degree = |name: &str| r.integer(name).unwrap_or(3) as usize;
    let degrees = [degree("degree_u"), degree("degree_v")];
    let rows = r.integer("rows").unwrap_or(2) as usize;
    if points.is_empty() || !points.len().is_multiple_of(rows) {
        let m = mistake(r, "points", codes::WRONG_LENGTH, format!("`points` must have a multiple of {rows} elements"));
        return Err(Box::new(m.label(format!("{} elements, {rows} rows", points.len()))));
    }
    let columns = points.len() / rows;
    enough(r, "rows", &points[..rows.min(points.len())], degrees[0])?;
    enough(r, "points", &points[..columns], degrees[1])?;
    let along = [knots(r, "knots_u", degrees[0], rows)?, knots(r, "knots_v", degrees[1], columns)?];
    let made = match along {
        [Some(u), Some(v)] => NurbsSurface::new(degrees, [u, v], points, &weights(r, points.len())?),
        [None, None] if !r.has("weights") => NurbsSurface::clamped(degrees, [rows, columns], points),
        [None, None] => {
            return Err(mistake(r, "weights", codes::MISSING_FIELD, "`weights` without `knots_u`, `knots_v`"));
        }
        [Some(_), None] => return Err(mistake(r, "knots_u", codes::MISSING_FIELD, "`knots_u` without `knots_v`")),
        [None, Some(_)] => return Err(mistake(r, "knots_v", codes::MISSING_FIELD, "`knots_v` without `knots_u`")),
    };
    Ok(Sheeted::Patch(Sheet::new(made.closed(r.flag("closed_u"), r.flag("closed_v")))))
}

/// Make a surface from its record.
pub fn surface(record: &Record) -> Result<Sheeted, Mistake> {
    let Some(Make::Surface(make)) = record.kind.map(|k| k.make) else {
        return Err(Box::new(crate::Diagnostic::error(codes::BAD_FUNCTION, "not a surface").at(record.span)));
    };
    let made = make(record)?;
    let fine = match &made {
        Sheeted::Implicit(s) => s.validate(),
        Sheeted::Patch(s) => s.validate(),
    };
    fine.map_err(|e| refused(record, codes::BAD_FUNCTION, &format!("the surface is not usable: {e}")))?;
    Ok(made)
}
