//! Linkages with closed loops, placed as they should be or roughly.

use holonom::ModelBuilder;
use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;

/// The axis of hinges in linkages that lie in the x-z plane.
pub const Y: Vec3 = Vec3::Y;
const GROUND: BodyId = BodyId::GROUND;

/// Moves parts away from where they belong, and notes where to.
pub struct Rough {
    /// Farthest that a part is moved, in its own lengths and in radians.
    by: f64,
    g: SplitMix,
    /// Positions and quaternions of the parts as placed, in the order of q.
    pub q: Vec<f64>,
    /// Mass and side lengths of the boxes they move like.
    pub boxes: Vec<(f64, Vec3)>,
    /// Largest velocity given to a part, m/s and rad/s, and those given.
    pub stir: f64,
    pub v: Vec<f64>,
    /// The mass of part i is multiplied by the i-th of these; 1 beyond their end.
    pub factors: Vec<f64>,
}

impl Rough {
    pub fn new(by: f64, seed: u64) -> Rough {
        Rough { by, g: SplitMix(seed), q: Vec::new(), boxes: Vec::new(), stir: 0.0, v: Vec::new(), factors: Vec::new() }
    }

    /// Nothing is moved.
    pub fn not() -> Rough {
        Rough::new(0.0, 0)
    }

    fn place(&mut self, mass: f64, sides: Vec3, position: Vec3, orientation: Quat) -> Rigid {
        let mass = mass * self.factors.get(self.boxes.len()).copied().unwrap_or(1.0);
        let length = sides.max_element();
        let shift = super::direction(&mut self.g) * (self.g.unit() * self.by * length);
        let off = exp_quat(super::direction(&mut self.g) * (self.g.unit() * self.by));
        let (at, e) = (position + shift, (off * orientation).normalize());
        self.boxes.push((mass, sides));
        self.q.extend([at.x, at.y, at.z, e.w, e.x, e.y, e.z]);
        // boxes have their origins at their centres: these are the velocity coordinates
        let (velocity, spin) = (self.g.vec3(self.stir), self.g.vec3(self.stir));
        self.v.extend(velocity.to_array().into_iter().chain(spin.to_array()));
        Rigid::cuboid(mass, sides).position(at).orientation(e).velocity(velocity).spin(spin)
    }

    /// How far apart two poses are, in the metric of the masses: root mean square over all mass. A box moves like a sixth of its mass in the middle
    /// of each of its sides.
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let points = |q: &[f64], sides: Vec3| {
            let (at, e) = (Vec3::from_slice(q), Quat::from_xyzw(q[4], q[5], q[6], q[3]));
            let ends = [Vec3::X, Vec3::Y, Vec3::Z].map(|d| [at + e * (0.5 * sides * d), at - e * (0.5 * sides * d)]);
            ends.into_iter().flatten()
        };
        let (mut sum, mut total) = (0.0, 0.0);
        for ((a, b), &(mass, sides)) in a.chunks_exact(7).zip(b.chunks_exact(7)).zip(&self.boxes) {
            for (a, b) in points(a, sides).zip(points(b, sides)) {
                (sum, total) = (sum + mass * (a - b).length_squared(), total + mass);
            }
        }
        (sum / total).sqrt()
    }
}

/// The turn from x to `d`; y stays y in the x-z plane.
fn heading(d: Vec3) -> Quat {
    if d.y == 0.0 { exp_quat(Y * (-d.z).atan2(d.x)) } else { Quat::from_rotation_arc(Vec3::X, d) }
}

/// A rod of 1 kg per metre from `p` to `q`, its x axis along it. Its two ends.
pub fn rod(m: &mut ModelBuilder, name: &str, p: Vec3, q: Vec3, rough: &mut Rough) -> (Marker, Marker) {
    let (d, length) = ((q - p).normalize(), (q - p).length());
    let body = m.body(name, rough.place(length, vec3(length, 0.1, 0.06), 0.5 * (p + q), heading(d)));
    (body.at([-0.5 * length, 0.0, 0.0]), body.at([0.5 * length, 0.0, 0.0]))
}

pub fn hinge(m: &mut ModelBuilder, name: &str, a: Marker, b: Marker) {
    m.joint(name, Revolute::new(a.along(Y), b.along(Y)));
}

fn flat(x: f64, z: f64) -> Vec3 {
    vec3(x, 0.0, z)
}

/// Crank, coupler and rocker over a ground link of 1.2 m; spatial hinges: 20 rows, three of them surplus.
pub fn four_bar(m: &mut ModelBuilder, rough: &mut Rough) {
    let [a, b, c, d] = [flat(0.0, 0.0), flat(0.1, 0.4), flat(1.0, 0.9), flat(1.2, 0.0)];
    let crank = rod(m, "crank", a, b, rough);
    let coupler = rod(m, "coupler", b, c, rough);
    let rocker = rod(m, "rocker", c, d, rough);
    hinge(m, "crank pin", GROUND.at(a), crank.0);
    hinge(m, "crank-coupler", crank.1, coupler.0);
    hinge(m, "coupler-rocker", coupler.1, rocker.0);
    hinge(m, "rocker pin", GROUND.at(d), rocker.1);
}

/// Two loops on spatial hinges (Watt): a four-bar whose coupler drives two more links.
pub fn six_bar(m: &mut ModelBuilder, rough: &mut Rough) {
    four_bar(m, rough);
    let coupler = BodyId::from_index(1);
    let [e, f, g] = [flat(0.55, 0.65), flat(1.6, 1.2), flat(2.0, 0.0)];
    let arm = rod(m, "arm", e, f, rough);
    let lever = rod(m, "lever", f, g, rough);
    hinge(m, "coupler-arm", coupler.origin(), arm.0);
    hinge(m, "arm-lever", arm.1, lever.0);
    hinge(m, "lever pin", GROUND.at(g), lever.1);
}

/// Twelve rods on ball joints, in a ring that floats.
pub fn ring(m: &mut ModelBuilder, rough: &mut Rough) {
    const N: usize = 12;
    let corner = |i: usize| {
        let angle = std::f64::consts::TAU * (i % N) as f64 / N as f64;
        vec3(angle.cos(), angle.sin(), 0.2 * (2.0 * angle).sin())
    };
    let rods: Vec<_> = (0..N).map(|i| rod(m, &format!("rod {i}"), corner(i), corner(i + 1), rough)).collect();
    for i in 0..N {
        m.joint(format!("ball {i}"), Spherical::new(rods[i].1, rods[(i + 1) % N].0));
    }
}

/// A platform on six legs, each of two halves that slide in each other: universal joint below, ball joint above. Mobility 6.
pub fn platform(m: &mut ModelBuilder, rough: &mut Rough) {
    let angle = |i: usize, spread: f64| {
        std::f64::consts::TAU * (i / 2) as f64 / 3.0 + if i.is_multiple_of(2) { -spread } else { spread }
    };
    let on = |r: f64, z: f64, a: f64| vec3(r * a.cos(), r * a.sin(), z);
    let plate = m.body("plate", rough.place(5.0, vec3(0.8, 0.8, 0.1), vec3(0.0, 0.0, 1.0), Quat::IDENTITY));
    for i in 0..6 {
        let (foot, head) = (on(1.0, 0.0, angle(i, 0.3)), on(0.5, 1.0, angle(i, 0.7)));
        let (d, third) = ((head - foot).normalize(), (head - foot) / 3.0);
        let lower = rod(m, &format!("lower {i}"), foot, foot + 2.0 * third, rough);
        let upper = rod(m, &format!("upper {i}"), foot + third, head, rough);
        // the cross: x on the ground across the leg, y on the leg across both
        let across = d.cross(Vec3::Z).normalize();
        let y = heading(d).inverse() * d.cross(across);
        let (below, above) = (GROUND.at(foot).axes(across, Vec3::Z), lower.0.axes(Vec3::X, Vec3::X.cross(y)));
        m.joint(format!("foot {i}"), Universal::new(below, above));
        m.joint(format!("slide {i}"), Prismatic::new(lower.1.along(Vec3::X), upper.0.along(Vec3::X)));
        m.joint(format!("head {i}"), Spherical::new(plate.at(head - vec3(0.0, 0.0, 1.0)), upper.1));
    }
}
