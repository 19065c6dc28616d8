//! Prescribed point: a point of b moves along a path given in the axes of a.
//!
//! ```text
//! C_i = e_i . (p_b - p_a) - r_i(t),      e = axes (x, y, z) of a,   C_t = - r_i',   c gets - r_i''
//! ```
//!
//! for all three components, or some of them. The multipliers are the force that leads the point: a *hand* at the point, not the torques of motors
//! elsewhere; for those see [`super::Servo`]. There is no singular pose.

use super::{Constraint, Rows, check_markers, numbered};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::functions::Function;
use crate::math::{Vec3, vec3};
use std::sync::Arc;

type Path = dyn Fn(f64) -> [Vec3; 3] + Send + Sync;

/// A point led along a path.
#[derive(Clone)]
pub struct PrescribedPoint {
    attachments: [Attachment; 5],
    markers: (Marker, Marker),
    path: Arc<Path>,
    held: [bool; 3],
    functions: Option<Arc<[Box<dyn Function>; 3]>>,
}

impl PrescribedPoint {
    /// The point of `b` is at `path(t)` in the axes and from the point of `a`. The path gives position, velocity and acceleration.
    pub fn new(a: Marker, b: Marker, path: impl Fn(f64) -> [Vec3; 3] + Send + Sync + 'static) -> Self {
        let attachments = [a.p(), b.p(), a.x(), a.y(), a.z()];
        PrescribedPoint { attachments, markers: (a, b), path: Arc::new(path), held: [true; 3], functions: None }
    }

    /// The same from a function of time for each component.
    pub fn components(a: Marker, b: Marker, components: [Box<dyn Function>; 3]) -> Self {
        let functions = Arc::new(components);
        let path = functions.clone();
        let point = Self::new(a, b, move |t| {
            let [x, y, z] = [path[0].at(t), path[1].at(t), path[2].at(t)];
            std::array::from_fn(|k| vec3(x[k], y[k], z[k]))
        });
        PrescribedPoint { functions: Some(functions), ..point }
    }

    /// Lead only these components; the others are free.
    pub fn only(self, x: bool, y: bool, z: bool) -> Self {
        PrescribedPoint { held: [x, y, z], ..self }
    }

    fn held(&self) -> impl Iterator<Item = usize> + '_ {
        (0..3).filter(|&i| self.held[i])
    }
}

impl Constraint for PrescribedPoint {
    fn kind(&self) -> &'static str {
        "prescribed-point"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        self.held().count()
    }
    fn validate(&self) -> Result<(), String> {
        check_markers(&self.markers.0, &self.markers.1)?;
        if self.n_rows() == 0 {
            return Err("leads no component, must lead at least one".into());
        }
        self.functions.iter().flat_map(|f| f.iter()).try_for_each(|f| f.validate())
    }
    fn rheonomic(&self) -> bool {
        true
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let [r, r1, r2] = (self.path)(t);
        for (row, i) in self.held().enumerate() {
            out.along(row, numbered(a, 2 + i), numbered(a, 0), numbered(a, 1));
            let row = out.row(row);
            row.gap -= r[i];
            row.rate_t = -r1[i];
            row.curvature -= r2[i];
        }
    }
}
