//! Separating axes: how far apart two convex cores are along their best face and along their best pair of edges.
//!
//! Ties go to the first side, the lower face, and faces before edges, by more than rounding: the choice must not
//! flicker.

use crate::candidate::RelativePose;
use crate::pair::PairSide;
use crate::polyhedron::{BoxFrame, NONE, Polyhedron, PolyhedronView};
use crate::{Mat3, Vec3};

/// Edges whose sine of angle is below this span no plane worth its name.
pub(crate) const PARALLEL: f64 = 1e-4;

/// A face of one side, and how far in front of it the other side begins.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceAxis {
    pub side: PairSide,
    pub face: u32,
    pub apart: f64,
}

/// Two edges that cross.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EdgeAxis {
    pub edges: [u32; 2],
    pub apart: f64,
    /// Unit, from the second to the first, in the axes of the first.
    pub normal: Vec3,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SeparatingAxes {
    pub face: Option<FaceAxis>,
    pub edge: Option<EdgeAxis>,
}

impl SeparatingAxes {
    /// No pair of points is nearer than this, m.
    pub fn apart(&self) -> f64 {
        let face = self.face.map_or(f64::NEG_INFINITY, |f| f.apart);
        let edge = self.edge.map_or(f64::NEG_INFINITY, |e| e.apart);
        face.max(edge)
    }
}

/// All axes of two cores. `None` when they are farther apart than `limit` for sure.
pub(crate) fn axes(
    a: PolyhedronView,
    b: PolyhedronView,
    relative: &RelativePose,
    limit: f64,
    tie: f64,
) -> Option<SeparatingAxes> {
    if let (Some(fa), Some(fb)) = (&a.poly.boxed, &b.poly.boxed) {
        return boxes(fa, fb, relative, limit, tie);
    }
    let mut found = SeparatingAxes::default();
    for (side, of, other) in [(PairSide::First, a, b), (PairSide::Second, b, a)] {
        for face in 0..of.n.len() as u32 {
            let (n, o) = (of.n[face as usize], of.on(face));
            let lowest = other.v.iter().fold(f64::INFINITY, |m: f64, x| m.min(n.dot(*x - o)));
            better_face(&mut found, FaceAxis { side, face, apart: lowest }, tie);
        }
    }
    if found.apart() > limit {
        return None;
    }
    let slab = ContactSlab::of(a, b, &found, limit);
    for ea in 0..a.poly.edges.len() as u32 {
        if !slab.first(a.ends(ea)) {
            continue;
        }
        for eb in 0..b.poly.edges.len() as u32 {
            if !slab.second(b.ends(eb)) {
                continue;
            }
            if let Some(axis) = crossing(a, b, ea, eb) {
                better_edge(&mut found, axis, tie);
            }
        }
    }
    if found.apart() > limit { None } else { Some(found) }
}

fn better_face(found: &mut SeparatingAxes, axis: FaceAxis, tie: f64) {
    if found.face.is_none_or(|best| axis.apart > best.apart + tie) {
        found.face = Some(axis);
    }
}

fn better_edge(found: &mut SeparatingAxes, axis: EdgeAxis, tie: f64) {
    if found.edge.is_none_or(|best| axis.apart > best.apart + tie) {
        found.edge = Some(axis);
    }
}

/// Two edges whose normal fits between the faces on both sides.
fn crossing(a: PolyhedronView, b: PolyhedronView, ea: u32, eb: u32) -> Option<EdgeAxis> {
    let ([p0, p1], [q0, q1]) = (a.ends(ea), b.ends(eb));
    let (d, e) = (p1 - p0, q1 - q0);
    let (fa, fb) = (a.poly.edges[ea as usize].faces, b.poly.edges[eb as usize].faces);
    let open = (fa[0] == NONE, fb[0] == NONE);
    let normals = |view: PolyhedronView, f: [u32; 2]| [view.n[f[0] as usize], view.n[f[1] as usize]];
    let parts = |x: f64, y: f64| x * y < 0.0;
    // Directions outward of a's edge at a side that has faces, and of b's.
    let (out_a, out_b) = match open {
        (true, true) => return None,
        (true, false) => {
            let [m0, m1] = normals(b, fb);
            if !parts(m0.dot(d), m1.dot(d)) {
                return None;
            }
            (None, Some(m0 + m1))
        }
        (false, true) => {
            let [n0, n1] = normals(a, fa);
            if !parts(n0.dot(e), n1.dot(e)) {
                return None;
            }
            (Some(n0 + n1), None)
        }
        (false, false) => {
            // Arcs on the sphere of normals: that of a, and that of b mirrored, must cross.
            let ([n0, n1], [m0, m1]) = (normals(a, fa), normals(b, fb));
            let (x0, x1) = (m0.dot(d), m1.dot(d));
            let (y0, y1) = (n0.dot(e), n1.dot(e));
            // Both on the same hemisphere: with n0 x n1 along d and m0 x m1 along e.
            if !(parts(x0, x1) && parts(y0, y1) && parts(x0, y1)) {
                return None;
            }
            (Some(n0 + n1), None)
        }
    };
    let cross = d.cross(e);
    let length = cross.length();
    if !(length > PARALLEL * d.length() * e.length()) {
        return None;
    }
    let mut normal = cross / length;
    // From the second to the first: against what is outward of the first, along what is outward of the second.
    let wrong = out_a.is_some_and(|out| normal.dot(out) > 0.0) || out_b.is_some_and(|out| normal.dot(out) < 0.0);
    if wrong {
        normal = -normal;
    }
    Some(EdgeAxis { edges: [ea, eb], apart: normal.dot(p0 - q0), normal })
}

/// The same for two boxes, by the fifteen axes.
fn boxes(a: &BoxFrame, b: &BoxFrame, relative: &RelativePose, limit: f64, tie: f64) -> Option<SeparatingAxes> {
    let turned: Mat3 = relative.turn * b.axes;
    let between = relative.point(b.centre) - a.centre;
    let (ha, hb) = (a.half.to_array(), b.half.to_array());
    let mut cos = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            cos[i][j] = a.axes.col(i).dot(turned.col(j));
        }
    }
    let mut found = SeparatingAxes::default();
    for i in 0..3 {
        let along = between.dot(a.axes.col(i));
        let reach = hb[0] * cos[i][0].abs() + hb[1] * cos[i][1].abs() + hb[2] * cos[i][2].abs();
        let apart = along.abs() - (ha[i] + reach);
        let face = 2 * i as u32 + u32::from(along < 0.0);
        better_face(&mut found, FaceAxis { side: PairSide::First, face, apart }, tie);
    }
    for j in 0..3 {
        let along = between.dot(turned.col(j));
        let reach = ha[0] * cos[0][j].abs() + ha[1] * cos[1][j].abs() + ha[2] * cos[2][j].abs();
        let apart = along.abs() - (hb[j] + reach);
        let face = 2 * j as u32 + u32::from(along > 0.0);
        better_face(&mut found, FaceAxis { side: PairSide::Second, face, apart }, tie);
    }
    if found.apart() > limit {
        return None;
    }
    for i in 0..3 {
        let (i1, i2) = others(i);
        for j in 0..3 {
            let sine2 = 1.0 - cos[i][j] * cos[i][j];
            if !(sine2 > PARALLEL * PARALLEL) {
                continue;
            }
            let (j1, j2) = others(j);
            let cross = a.axes.col(i).cross(turned.col(j));
            let sine = cross.length();
            let along = between.dot(cross);
            let ra = ha[i1] * cos[i2][j].abs() + ha[i2] * cos[i1][j].abs();
            let rb = hb[j1] * cos[i][j2].abs() + hb[j2] * cos[i][j1].abs();
            let apart = (along.abs() - ra - rb) / sine;
            if found.edge.is_some_and(|best| apart <= best.apart + tie) {
                continue;
            }
            let normal = cross * if along > 0.0 { -1.0 / sine } else { 1.0 / sine };
            let bits = |axes: &Mat3, (k1, k2): (usize, usize), out: Vec3| {
                usize::from(axes.col(k1).dot(out) > 0.0) | usize::from(axes.col(k2).dot(out) > 0.0) << 1
            };
            let ea = a.edges[i][bits(&a.axes, (i1, i2), -normal)];
            let eb = b.edges[j][bits(&turned, (j1, j2), normal)];
            found.edge = Some(EdgeAxis { edges: [ea, eb], apart, normal });
        }
    }
    if found.apart() > limit { None } else { Some(found) }
}

fn others(i: usize) -> (usize, usize) {
    match i {
        0 => (1, 2),
        1 => (0, 2),
        _ => (0, 1),
    }
}

/// How much of a core counts as the same height, m.
pub(crate) fn tie(a: &Polyhedron, b: &Polyhedron) -> f64 {
    1e-11 * (a.size + b.size)
}

/// Where features must lie that are nearest, or overlap least: near the plane of the best face. Everything else need
/// not be tested.
pub(crate) struct ContactSlab {
    /// From the first to the second.
    n: Vec3,
    /// Least height of features of the first, and greatest of the second.
    floor: f64,
    ceiling: f64,
}

impl ContactSlab {
    /// Features no farther from each other than `limit` (apart) or the overlap along the best face.
    pub fn of(a: PolyhedronView, b: PolyhedronView, found: &SeparatingAxes, limit: f64) -> ContactSlab {
        let Some(face) = found.face else {
            return ContactSlab { n: Vec3::Z, floor: f64::NEG_INFINITY, ceiling: f64::INFINITY };
        };
        let (view, sign) = if face.side == PairSide::First { (a, 1.0) } else { (b, -1.0) };
        let n = view.n[face.face as usize] * sign;
        let at = n.dot(view.on(face.face));
        // The first ends at `top`, the second begins `apart` above.
        let top = if face.side == PairSide::First { at } else { at - face.apart };
        let reach = if face.apart > 0.0 { limit } else { limit.max(-face.apart) };
        let reach = reach + 1e-9 * (a.poly.size + b.poly.size);
        ContactSlab { n, floor: top + face.apart - reach, ceiling: top + reach }
    }

    /// Whether a feature of the first with these ends counts.
    pub fn first(&self, [p, q]: [Vec3; 2]) -> bool {
        self.n.dot(p) >= self.floor || self.n.dot(q) >= self.floor
    }

    /// The same of the second.
    pub fn second(&self, [p, q]: [Vec3; 2]) -> bool {
        self.n.dot(p) <= self.ceiling || self.n.dot(q) <= self.ceiling
    }
}
