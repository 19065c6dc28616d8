//! Points on lines, planes, curves and surfaces, and surfaces that touch.

use super::{AXES_A, AXES_B, PARALLEL, POINTS};
use crate::codes;
use crate::fields::*;
use crate::kinds::{CURVES, Make, Mistake, SURFACES, Sheeted, curve, mistake, surface};
use holonom::prelude::*;

/// The kinds.
pub(super) static KINDS: &[Kind] = &[
    Kind {
        name: "point-on-line",
        summary: "keeps a point of b on a line through a along z. Coordinate: the way along it",
        fields: &[PARALLEL],
        make: Make::Joint(|_, s| Ok(Box::new(PointOnLine::new(s.a, s.b)))),
    },
    Kind {
        name: "point-on-plane",
        summary: "keeps a point of b in the plane through a across z. Coordinates: the ways along x and y",
        fields: &[PARALLEL],
        make: Make::Joint(|_, s| Ok(Box::new(PointOnPlane::new(s.a, s.b)))),
    },
    Kind {
        name: "point-on-curve",
        summary: "keeps a point of b on a curve fixed to a, a bead on a wire. Coordinate: the length of arc from its start",
        fields: &[POINTS, AXES_A, &[required("curve", Type::Kind(&CURVES), "the curve, in the axes of a")]],
        make: Make::Joint(|r, s| Ok(Box::new(PointOnCurve::on(s.a, s.b, curve(table(r, "curve")?)?)))),
    },
    Kind {
        name: "point-on-surface",
        summary: "keeps a point of b on a surface fixed to a",
        fields: &[POINTS, AXES_A, &[required("surface", Type::Kind(&SURFACES), "the surface, in the axes of a")]],
        make: Make::Joint(|r, s| {
            Ok(match surface(table(r, "surface")?)? {
                Sheeted::Implicit(surface) => Box::new(PointOnSurface::new(s.a, s.b, surface)),
                Sheeted::Patch(sheet) => Box::new(PointOnSurface::patch(s.a, s.b, sheet)),
            })
        }),
    },
    Kind {
        name: "tangency",
        summary: "keeps two smooth surfaces in touch; they slide and roll freely",
        fields: &[
            POINTS,
            AXES_A,
            AXES_B,
            &[
                required("surface_a", Type::Kind(&SURFACES), "the surface of a, in its axes"),
                required("surface_b", Type::Kind(&SURFACES), "the surface of b, in its axes"),
            ],
        ],
        make: Make::Joint(|r, s| {
            let implicit = |field: &str| match surface(table(r, field)?)? {
                Sheeted::Implicit(surface) => Ok(surface),
                Sheeted::Patch(_) => {
                    let m = mistake(r, field, codes::NOT_BUILT, format!("`{field}` cannot be a NURBS patch"));
                    Err(Box::new(m.help("a plane, sphere, ellipsoid, cylinder or torus; a patch can guide a point")))
                }
            };
            let (on_a, on_b) = (implicit("surface_a")?, implicit("surface_b")?);
            if on_a.straight() + on_b.straight() > 2 {
                let message = "a plane on a plane or on a cylinder touches at no single point";
                let m = mistake(r, "surface_b", codes::NOT_BUILT, message);
                return Err(Box::new(m.label("must be curved more")));
            }
            Ok(Box::new(SurfaceTangency::new(s.a, on_a, s.b, on_b)))
        }),
    },
];

fn table<'a>(r: &'a Record, field: &str) -> Result<&'a Record, Mistake> {
    r.record(field).ok_or_else(|| mistake(r, field, codes::MISSING_FIELD, format!("`{field}` is missing")))
}
