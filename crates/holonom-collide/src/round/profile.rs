//! Signed distances of round shapes, in their own axes.

use super::{Local, Nearest, from_axis};
use crate::Vec3;
use crate::candidate::unit_or;

/// Distances in the half-plane (r, z) as points in space.
fn turned(out: Vec3, (distance, r, z): (f64, f64, f64), (nr, nz): (f64, f64), local: Local) -> Nearest {
    Nearest { distance, x: out * r + Vec3::Z * z, n: out * nr + Vec3::Z * nz, local, bend: 0.0 }
}

pub(super) fn torus(ring: f64, tube: f64, x: Vec3) -> Nearest {
    let (r, out) = from_axis(x);
    let (dr, dz) = (r - ring, x.z);
    let away = libm::hypot(dr, dz);
    let (nr, nz) = if away > 0.0 { (dr / away, dz / away) } else { (0.0, 1.0) };
    turned(out, (away - tube, ring + tube * nr, tube * nz), (nr, nz), Local::Ball(tube))
}

pub(super) fn tube(inner: f64, outer: f64, half: f64, x: Vec3) -> Nearest {
    let (r, out) = from_axis(x);
    let (middle, wide) = (0.5 * (inner + outer), 0.5 * (outer - inner));
    let (sr, sz) = (if r >= middle { 1.0 } else { -1.0 }, if x.z >= 0.0 { 1.0 } else { -1.0 });
    let (over_r, over_z) = ((r - middle).abs() - wide, x.z.abs() - half);
    if over_r > 0.0 && over_z > 0.0 {
        let distance = libm::hypot(over_r, over_z);
        let n = (sr * over_r / distance, sz * over_z / distance);
        return turned(out, (distance, middle + sr * wide, sz * half), n, Local::Ball(0.0));
    }
    if over_z >= over_r {
        return turned(out, (over_z, r, sz * half), (0.0, sz), Local::Plane);
    }
    turned(out, (over_r, middle + sr * wide, x.z), (sr, 0.0), Local::Plane)
}

pub(super) fn cone(radius: f64, height: f64, x: Vec3) -> Nearest {
    let (r, out) = from_axis(x);
    let slant = libm::hypot(radius, height);
    // along the side from the rim (radius, 0) to the tip (0, height), and outward across it
    let (ar, az) = (-radius / slant, height / slant);
    let (nr, nz) = (az, -ar);
    let (dr, dz) = (r - radius, x.z);
    let (along, across) = (dr * ar + dz * az, dr * nr + dz * nz);
    if across <= 0.0 && x.z >= 0.0 {
        // inside: the nearer of base and side
        if x.z <= -across {
            return turned(out, (-x.z, r, 0.0), (0.0, -1.0), Local::Plane);
        }
        return turned(out, (across, r - across * nr, x.z - across * nz), (nr, nz), Local::Plane);
    }
    if x.z < 0.0 && r <= radius {
        return turned(out, (-x.z, r, 0.0), (0.0, -1.0), Local::Plane);
    }
    if across > 0.0 && along > 0.0 && along < slant {
        return turned(out, (across, r - across * nr, x.z - across * nz), (nr, nz), Local::Plane);
    }
    let corner = if along >= slant { (0.0, height) } else { (radius, 0.0) };
    let (dr, dz) = (r - corner.0, x.z - corner.1);
    let distance = libm::hypot(dr, dz);
    let n = if distance > 0.0 { (dr / distance, dz / distance) } else { (nr, nz) };
    turned(out, (distance, corner.0, corner.1), n, Local::Ball(0.0))
}

/// The root t of sum (a_i x_i / (a_i^2 + t))^2 = 1, in units of the least half axis: the sum falls with t.
pub(super) fn ellipsoid(half: Vec3, x: Vec3) -> Nearest {
    let unit = half.min_element();
    let (a, p) = (half / unit, x / unit);
    let square = a * a;
    let sum = |t: f64| {
        let q = a * p / (square + Vec3::splat(t));
        q.length_squared()
    };
    // at the upper end the sum is at most 1; near the lower one it has no bound, unless x lies across the short axes
    let (mut low, mut high) = (-1.0 + 1e-12, a.max_element() * p.length() + 1e-12);
    if sum(low) <= 1.0 {
        high = low;
    }
    for _ in 0..120 {
        let middle = 0.5 * (low + high);
        if !(middle > low && middle < high) {
            break;
        }
        if sum(middle) > 1.0 { low = middle } else { high = middle }
    }
    let t = 0.5 * (low + high);
    let mut y = square * p / (square + Vec3::splat(t));
    if low == high {
        // deep inside: as high along a short axis as the surface is there
        let k = (0..3).min_by(|i, j| a[*i].total_cmp(&a[*j])).unwrap_or(0);
        y[k] = 0.0;
        let rest = 1.0 - (y / a).length_squared();
        y[k] = a[k] * rest.max(0.0).sqrt() * if p[k] < 0.0 { -1.0 } else { 1.0 };
    }
    let n = unit_or(y / square, Vec3::Z);
    let distance = unit * n.dot(p - y);
    // radii of curvature by the support function s = |A n|: its second derivative (A^2 - A^2 n n^T A^2 / s^2) / s
    let s = (a * n).length();
    let trace = (square.element_sum() - (square * n).length_squared() / (s * s)) / s;
    // their product is (a b c)^2 / s^4
    let product = (square.x * square.y * square.z) / (s * s * s * s);
    let bend = 0.5 * (trace - (trace * trace - 4.0 * product).max(0.0).sqrt());
    Nearest { distance, x: y * unit, n, local: Local::Ball(unit * 0.5 * trace), bend: unit * bend }
}
