//! Two cylinders: rims above caps, sides across sides, and the nearest point of a rim where neither accounts for their
//! distance.

use super::search::nearest_rim_point;
use super::{Cylinder, TIE, point_on, rims_above, rounded};
use crate::Vec3;
use crate::candidate::{FeatureKind, FeaturePair, RelativePose, unit_or};
use crate::pair::{ColliderPair, PairSide};
use crate::plane::ContactPlane;
use crate::sat::PARALLEL;

/// Two cylinders.
pub(crate) fn on_cylinder(pair: &mut ColliderPair, first: &Cylinder, second: &Cylinder) {
    let test = CylinderPair::new(&pair.relative, first, second);
    if test.apart > pair.core_limit() {
        return;
    }
    let least = test.push_features(pair);
    if least <= test.apart + 4.0 * test.tie {
        return;
    }
    test.push_rim_point(pair, least);
}

/// Two cylinders and the separation between them along three axes: the cap of the second, the cap of the first, and
/// across both sides.
struct CylinderPair<'c> {
    first: &'c Cylinder,
    /// In the axes of its own carrier.
    second: &'c Cylinder,
    /// The second in the axes of the first's carrier, as all vectors below.
    seen: Cylinder,
    /// The ends that face the other.
    near_first: usize,
    near_second: usize,
    /// Out of the cap of the second; into that of the first.
    cap_second: Vec3,
    cap_first: Vec3,
    /// Across both axes, from the second to the first, and the sine of the angle between the axes.
    side: Vec3,
    sine: f64,
    separations: [f64; 3],
    /// The greatest of them, negative where the cylinders overlap, m.
    apart: f64,
    /// Differences smaller than this are rounding, m.
    tie: f64,
}

impl<'c> CylinderPair<'c> {
    fn new(relative: &RelativePose, first: &'c Cylinder, second: &'c Cylinder) -> CylinderPair<'c> {
        let seen = second.seen(relative.turn, relative.shift);
        let between = first.centre - seen.centre;
        let across = first.axis().cross(seen.axis());
        let sine = across.length();
        let side = if sine > PARALLEL {
            across / sine
        } else {
            unit_or(between - first.axis() * between.dot(first.axis()), first.axes.x_axis)
        };
        let side = if side.dot(between) < 0.0 { -side } else { side };
        let near_second = usize::from(seen.axis().dot(between) > 0.0);
        let near_first = usize::from(first.axis().dot(between) < 0.0);
        let cap_second = seen.axis() * seen.out(near_second);
        let cap_first = first.axis() * -first.out(near_first);
        let tie = 1e-11 * (first.radius + first.half_length + second.radius + second.half_length);
        let (separations, apart) = ([0.0; 3], 0.0);
        let mut test = CylinderPair {
            first,
            second,
            seen,
            near_first,
            near_second,
            cap_second,
            cap_first,
            side,
            sine,
            separations,
            apart,
            tie,
        };
        test.separations = [test.separation(cap_second), test.separation(cap_first), test.separation(side)];
        test.apart = test.separations[0].max(test.separations[1]).max(test.separations[2]);
        test
    }

    /// Separation of the two along a direction from the second to the first, m.
    fn separation(&self, n: Vec3) -> f64 {
        n.dot(self.first.centre - self.seen.centre) - self.first.extent(n) - self.seen.extent(n)
    }

    fn overlap(&self) -> bool {
        self.apart <= self.tie
    }

    /// Is the separation along this axis the greatest?
    fn decides(&self, axis: usize) -> bool {
        self.separations[axis] >= self.apart - self.tie
    }

    /// Rims of the first above the cap of the second; the least height.
    fn rims_of_first(&self, pair: &mut ColliderPair, inside: impl Fn(Vec3) -> bool) -> f64 {
        let (second, end) = (self.second, self.near_second);
        let native = ContactPlane { o: second.end(end), n: second.axis() * second.out(end) };
        let plane = (native, self.seen.end(end), self.cap_second);
        rims_above(pair, PairSide::First, self.first, self.first, end as u32, plane, inside)
    }

    /// Rims of the second above the cap of the first; the least height.
    fn rims_of_second(&self, pair: &mut ColliderPair, inside: impl Fn(Vec3) -> bool) -> f64 {
        let o = self.first.end(self.near_first);
        let plane = (ContactPlane { o, n: -self.cap_first }, o, -self.cap_first);
        rims_above(pair, PairSide::Second, self.second, &self.seen, self.near_first as u32, plane, inside)
    }

    /// Rims above caps, both ways, and sides; of overlapping cylinders only what the axis of least overlap gives. The
    /// least height.
    fn push_features(&self, pair: &mut ColliderPair) -> f64 {
        let overlap = self.overlap();
        let mut least = f64::INFINITY;
        let above = |c: &Cylinder, end: usize, out: Vec3, x: Vec3| {
            let lowest = if overlap { -2.0 * c.half_length } else { -self.tie };
            out.dot(x - c.end(end)) >= lowest && on_disc(c, end, x)
        };
        if !overlap || self.decides(0) {
            let inside = |x: Vec3| above(&self.seen, self.near_second, self.cap_second, x);
            least = least.min(self.rims_of_first(pair, inside));
        }
        if !overlap || self.decides(1) {
            let inside = |x: Vec3| above(self.first, self.near_first, -self.cap_first, x);
            least = least.min(self.rims_of_second(pair, inside));
        }
        if !overlap || self.decides(2) {
            least = least.min(sides(pair, self.first, self.second, &self.seen, self.side, self.sine));
        }
        least
    }

    /// A rim beside a side or another rim, apart or a little in: its nearest point, as a point. Deep in: the axis,
    /// which does part them.
    fn push_rim_point(&self, pair: &mut ColliderPair, least: f64) {
        let (first, seen) = (self.first, &self.seen);
        let of_first = nearest_rim_point(first, |x| seen.distance(x));
        let of_second = nearest_rim_point(seen, |y| first.distance(y));
        let first_nearer = of_first.distance <= of_second.distance + self.tie;
        let (distance, n) = if first_nearer {
            seen.distance_by(of_first.x, TIE * seen.radius)
        } else {
            let (distance, n) = first.distance_by(of_second.x, TIE * first.radius);
            (distance, -n)
        };
        let farther = of_first.distance.max(of_second.distance);
        if self.overlap() && !self.is_shallow(distance, n, farther) {
            self.push_along_axis(pair);
        } else if distance < least - self.tie && distance <= pair.core_limit() {
            if first_nearer {
                point_on(pair, PairSide::First, of_first.x, of_first.x, self.second, seen);
            } else {
                let y = of_second.x;
                point_on(pair, PairSide::Second, pair.relative.point_back(y), y, first, first);
            }
        }
    }

    /// Both rims a little in each other, or one point out or in with a plane that (nearly) parts them there. Closer
    /// than 1e-8, the direction is rounding.
    fn is_shallow(&self, distance: f64, n: Vec3, farther: f64) -> bool {
        let (first, second) = (self.first, self.second);
        let size = 1e11 * self.tie;
        let thin = first.radius.min(first.half_length).min(second.radius).min(second.half_length);
        distance.abs() < 1e-8 * size
            || self.separation(n) > distance.min(2.0 * distance) - 1e-7 * size
            || (farther < self.tie && distance > 0.2 * self.apart && self.apart > -0.5 * thin)
    }

    /// The deepest features along the axis of least overlap.
    fn push_along_axis(&self, pair: &mut ColliderPair) {
        if self.decides(0) {
            self.rims_of_first(pair, |_| true);
        } else if self.decides(1) {
            self.rims_of_second(pair, |_| true);
        } else {
            push_axes(pair, self.first, self.second, self.side);
        }
    }
}

/// Does a point lie above the disc of a cap?
fn on_disc(c: &Cylinder, end: usize, x: Vec3) -> bool {
    let arm = x - c.end(end);
    (arm - c.axis() * arm.dot(c.axis())).length() <= c.radius * (1.0 + 1e-9)
}

/// Two sides that cross: their axes as lines, each with its radius; `n` is from the second to the first.
fn push_axes(pair: &mut ColliderPair, first: &Cylinder, second: &Cylinder, n: Vec3) {
    let (d, e, outward) = (first.axis(), second.axis(), pair.world * n);
    let features = FeaturePair::LineLine { p: first.centre, d, o: second.centre, e, outward };
    rounded(pair, first.radius, second.radius, |pair| {
        pair.push(PairSide::First, FeatureKind::EdgeEdge, 0, 0, features)
    });
}

/// Two sides: crossing, or one along the other.
fn sides(pair: &mut ColliderPair, first: &Cylinder, second: &Cylinder, seen: &Cylinder, n: Vec3, sine: f64) -> f64 {
    let (d, e, w) = (first.axis(), seen.axis(), first.centre - seen.centre);
    let limit = pair.core_limit();
    let radii = first.radius + second.radius;
    if sine > PARALLEL {
        let (de, dw, ew) = (d.dot(e), d.dot(w), e.dot(w));
        let (s, t) = ((de * ew - dw) / (sine * sine), (ew - de * dw) / (sine * sine));
        let height = n.dot(w) - radii;
        if s.abs() > first.half_length || t.abs() > second.half_length || height > limit {
            return f64::INFINITY;
        }
        push_axes(pair, first, second, n);
        return height;
    }
    let mut least = f64::INFINITY;
    for (side, of, own, other, line) in
        [(PairSide::First, first, first, seen, second), (PairSide::Second, seen, second, first, first)]
    {
        for end in 0..2 {
            let arm = of.end(end) - other.centre;
            let along = arm.dot(other.axis());
            let height = (arm - other.axis() * along).length() - radii;
            if along.abs() <= other.half_length && height <= limit {
                let features = FeaturePair::PointLine { p: own.end(end), o: line.centre, d: line.axis() };
                let (r, s) = (first.radius, second.radius);
                rounded(pair, r, s, |pair| pair.push(side, FeatureKind::VertexEdge, end as u32, 0, features));
                least = least.min(height);
            }
        }
    }
    least
}
