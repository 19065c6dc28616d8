//! The kinds of surfaces. They lie in the axes of the marker that carries them.

use super::{Inside, Plane, Quadric, Surface, Torus};
use crate::catalogue::curves::kinds::{enough, knots, weights};
use crate::catalogue::curves::{NurbsSurface, Sheet};
use crate::catalogue::declaration::{
    Family, Fault, Field, FieldType, Invalid, Kind, LENGTH, Make, POSITION, Parameters, SurfaceForm, optional, required,
};
use std::sync::Arc;

/// Kinds of surfaces.
pub static SURFACES: Family = Family { name: "surface", common: &[], members: || KINDS, default: None };

const INSIDE: Field = optional("inside", FieldType::Flag, "false", "what touches it is inside, as a ball in a bowl");

static KINDS: &[&Kind] = &[
    &Kind {
        name: "plane",
        summary: "the x-y plane; z points outwards",
        fields: &[],
        make: Make::Surface(|p| Ok(sided(p, Plane))),
    },
    &Kind {
        name: "sphere",
        summary: "a sphere about the origin",
        fields: &[&[required("radius", LENGTH, "its radius"), INSIDE]],
        make: Make::Surface(|p| Ok(sided(p, Quadric::sphere(p.number("radius").unwrap_or(0.0))))),
    },
    &Kind {
        name: "ellipsoid",
        summary: "an ellipsoid about the origin",
        fields: &[&[required("half_axes", POSITION, "half its extent along x, y and z, greater than 0"), INSIDE]],
        make: Make::Surface(|p| {
            let a = p.vector("half_axes").unwrap_or_default();
            if !(a.min_element() > 0.0) {
                return Err(Invalid::range("half_axes", format!("{} m, must be greater than 0", a.min_element())));
            }
            Ok(sided(p, Quadric::ellipsoid(a)))
        }),
    },
    &Kind {
        name: "cylinder",
        summary: "an endless cylinder along z",
        fields: &[&[required("radius", LENGTH, "its radius"), INSIDE]],
        make: Make::Surface(|p| Ok(sided(p, Quadric::cylinder(p.number("radius").unwrap_or(0.0))))),
    },
    &Kind {
        name: "torus",
        summary: "a torus about the z axis",
        fields: &[&[
            required("ring_radius", LENGTH, "radius of the circle along its core"),
            required("tube_radius", LENGTH, "radius of the tube, less than that of the ring"),
            INSIDE,
        ]],
        make: Make::Surface(|p| {
            let of = |name: &str| p.of(name);
            let (ring, tube) = (of("ring_radius"), of("tube_radius"));
            if tube >= ring {
                return Err(Invalid::range(
                    "tube_radius",
                    format!("{tube} m, must be less than that of the ring, {ring} m"),
                ));
            }
            Ok(sided(p, Torus { ring, tube }))
        }),
    },
    &Kind {
        name: "nurbs",
        summary: "a rational B-spline patch; it goes on straight beyond its edges. Only for point-on-surface",
        fields: &[&[
            optional("degree_u", FieldType::Integer(1, 7), "3", "degree along u"),
            optional("degree_v", FieldType::Integer(1, 7), "3", "degree along v"),
            required("rows", FieldType::Integer(2, 100_000), "number of rows of control points, along u"),
            required("points", FieldType::Vectors("m"), "control points, row by row: v runs fastest"),
            optional("weights", FieldType::Numbers(""), "all 1", "weights, as many, greater than 0"),
            optional(
                "knots_u",
                FieldType::Numbers(""),
                "uniform",
                "knots along u: as many as rows, and degree_u + 1 more",
            ),
            optional("knots_v", FieldType::Numbers(""), "uniform", "knots along v"),
            optional("closed_u", FieldType::Flag, "false", "the last row meets the first with the same tangents"),
            optional("closed_v", FieldType::Flag, "false", "the ends of the rows meet with the same tangents"),
        ]],
        make: Make::Surface(patch),
    },
];

fn sided(p: &dyn Parameters, surface: impl Surface + 'static) -> SurfaceForm {
    SurfaceForm::Implicit(if p.flag("inside") { Arc::new(Inside(surface)) } else { Arc::new(surface) })
}

fn patch(p: &dyn Parameters) -> Result<SurfaceForm, Invalid> {
    let points = p.vectors("points").unwrap_or_default();
    let degree = |name: &str| p.integer(name).unwrap_or(3) as usize;
    let degrees = [degree("degree_u"), degree("degree_v")];
    let rows = p.integer("rows").unwrap_or(2) as usize;
    if points.is_empty() || !points.len().is_multiple_of(rows) {
        let label = format!("{} elements, {rows} rows", points.len());
        return Err(Invalid::count("points", points.len(), format!("a multiple of {rows}")).label(label));
    }
    let columns = points.len() / rows;
    enough("rows", &points[..rows.min(points.len())], degrees[0])?;
    enough("points", &points[..columns], degrees[1])?;
    let along = [knots(p, "knots_u", degrees[0], rows)?, knots(p, "knots_v", degrees[1], columns)?];
    let made = match along {
        [Some(u), Some(v)] => NurbsSurface::new(degrees, [u, v], points, &weights(p, points.len())?),
        [None, None] if !p.has("weights") => NurbsSurface::clamped(degrees, [rows, columns], points),
        [None, None] => {
            return Err(Invalid::missing("weights", "`weights` without `knots_u`, `knots_v`"));
        }
        [Some(_), None] => return Err(Invalid::without("knots_u", "knots_v")),
        [None, Some(_)] => return Err(Invalid::without("knots_v", "knots_u")),
    };
    Ok(SurfaceForm::Patch(Arc::new(made.closed(p.flag("closed_u"), p.flag("closed_v")))))
}

/// A surface ready to be followed.
#[derive(Clone)]
pub enum SurfaceGuide {
    /// f(x) = 0.
    Implicit(Arc<dyn Surface>),
    /// r(u, v).
    Sheet(Sheet),
}

/// The surface that these parameters describe.
pub fn make(p: &dyn Parameters) -> Result<SurfaceGuide, Invalid> {
    let Some(Make::Surface(make)) = p.kind().map(|k| k.make) else {
        return Err(Invalid::new("", "not a surface").fault(Fault::Function));
    };
    let made = match make(p)? {
        SurfaceForm::Implicit(s) => SurfaceGuide::Implicit(s),
        SurfaceForm::Patch(patch) => SurfaceGuide::Sheet(Sheet::shared(patch)),
    };
    let fine = match &made {
        SurfaceGuide::Implicit(s) => s.validate(),
        SurfaceGuide::Sheet(s) => s.validate(),
    };
    fine.map_err(|e| e.prefixed("the surface is not usable: ").fault(Fault::Function))?;
    Ok(made)
}

/// The surface in a table inside these parameters.
pub fn given(p: &dyn Parameters, field: &str) -> Result<SurfaceGuide, Invalid> {
    make(&*p.given_table(field)?).map_err(|e| e.within(field))
}
