//! Mechanisms with closed loops, in states that are reproducible to the last bit.

use crate::{SEED, link};
use holonom::ModelBuilder;
use holonom::bodies::Body;
use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;
use std::f64::consts::PI;

/// Largest mechanism, bodies.
const MAX_BODIES: usize = 4_000_000;
/// The far end of a link.
const END: Vec3 = vec3(1.0, 0.0, 0.0);

/// Families of mechanisms with closed loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopFamily {
    /// Ring on ball joints.
    Ring,
    /// Ring on parallel hinges.
    HingeRing,
    /// Two chains joined by rungs.
    Ladder,
    /// Parallelogram linkages in a row.
    FourBars,
    /// Square net.
    Grid,
}

impl LoopFamily {
    /// All of them.
    pub const ALL: [LoopFamily; 5] =
        [LoopFamily::Ring, LoopFamily::HingeRing, LoopFamily::Ladder, LoopFamily::FourBars, LoopFamily::Grid];

    /// What stands before the number in the name of a case.
    pub fn prefix(self) -> &'static str {
        match self {
            LoopFamily::Ring => "e",
            LoopFamily::HingeRing => "r",
            LoopFamily::Ladder => "ladder-",
            LoopFamily::FourBars => "fourbars-",
            LoopFamily::Grid => "grid-",
        }
    }

    /// The smallest size that has a loop of this kind.
    pub fn least_size(self) -> usize {
        match self {
            LoopFamily::Ring | LoopFamily::HingeRing => 3,
            LoopFamily::Ladder | LoopFamily::FourBars => 1,
            LoopFamily::Grid => 2,
        }
    }

    /// Revolute joints about z everywhere; otherwise ball joints.
    fn hinged(self) -> bool {
        matches!(self, LoopFamily::HingeRing | LoopFamily::FourBars)
    }
}

/// A mechanism with closed loops.
///
/// Random numbers are those of [`TreeCase`](crate::TreeCase): splitmix64 with a seed, U(a) uniform in [-a, a). All
/// joints hold and all velocities are legal, to rounding.
///
/// - `eN`, N >= 3: ring. The ball chain `aN` on a regular N-gon of the xy plane, link i heading 0.1 + 2 pi i/N, link 0
///   pinned to the ground at the origin, closed by one more ball joint from (1, 0, 0) of the last link to the origin of
///   link 0. Velocity: rigid rotation (0.3, 0.2, 0.5) rad/s about the pin, and a spin U(1) of each link about its own
///   axis.
/// - `rN`, N >= 3: the same ring on revolute joints about z, the pin too. Velocity: rotation by 0.5 rad/s about z, and
///   that part of the rates U(1) of all links that keeps the ring closed. Three of the rows follow from the others.
/// - `ladder-N`: two ball chains `aN`, straight along x at y = 0 and y = 1, both pinned, and N rungs: the same link
///   along y, on ball joints at the far ends of the i-th links of both. Velocity: both ends of a rung move by the same
///   U(1) along y and each by its own U(1) along z; a spin U(1) of every link and rung about its own axis.
/// - `fourbars-N`: ground pins at (i, 0, 0), i = 0..N, a crank on each, couplers between neighbouring cranks' ends;
///   slender rods of 1 m and 1 kg (moment 1/12 kg m² across; 0.08/12 about the rod, which the motion does not feel),
///   revolute joints about z, gravity along -y. Cranks are upright and couplers move by 1 m/s along x; with a seed
///   other than [`SEED`], cranks lean by U(0.5) rad and turn at U(1) rad/s. Of the rows, 3 N follow from the others.
/// - `grid-N`, N >= 2: N x N cubes (0.5 m, 1 kg) at unit spacing in the xy plane, a ball joint half-way between
///   neighbours, the cubes at the corners (0, 0) and (N-1, 0) pinned to the ground at their centres. Velocity: rigid
///   rotation about the line through the pins by 0.5 rad/s, or U(1) with another seed. A flat net carries stresses of
///   its own: (N-2)² + 1 rows follow from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopCase {
    family: LoopFamily,
    size: usize,
}

/// The cases by name: `eN`, `rN`, `ladder-N`, `fourbars-N`, `grid-N`. `None` for other names.
pub fn loop_case(name: &str) -> Option<LoopCase> {
    let of = |family: LoopFamily| {
        let digits = name.strip_prefix(family.prefix())?;
        let size = digits.bytes().all(|b| b.is_ascii_digit()).then(|| digits.parse().ok())??;
        LoopCase::new(family, size)
    };
    LoopFamily::ALL.into_iter().find_map(of)
}

/// Where a body's origin is and how it moves.
#[derive(Clone, Copy)]
struct Placed {
    orientation: Quat,
    position: Vec3,
    velocity: Vec3,
    spin: Vec3,
}

impl Placed {
    fn of(self, body: Rigid) -> Rigid {
        body.position(self.position).orientation(self.orientation).velocity(self.velocity).spin(self.spin)
    }
}

/// A turn about z.
fn about_z(angle: f64) -> Quat {
    exp_quat(Vec3::Z * angle)
}

/// The angular velocity of a rod along the unit vector `d`, whose ends' velocities differ by `dv`, spinning about itself.
fn rod_spin(d: Vec3, dv: Vec3, spin: f64) -> Vec3 {
    d.cross(dv) + d * spin
}

impl LoopCase {
    /// `None` when there is no such size.
    pub fn new(family: LoopFamily, size: usize) -> Option<LoopCase> {
        let case = LoopCase { family, size };
        (size >= family.least_size() && size <= MAX_BODIES && case.n_bodies() <= MAX_BODIES).then_some(case)
    }

    /// The name in its shortest form.
    pub fn name(&self) -> String {
        format!("{}{}", self.family.prefix(), self.size)
    }

    /// Number of bodies.
    pub fn n_bodies(&self) -> usize {
        let n = self.size;
        match self.family {
            LoopFamily::Ring | LoopFamily::HingeRing => n,
            LoopFamily::Ladder => 3 * n,
            LoopFamily::FourBars => 2 * n + 1,
            LoopFamily::Grid => n * n,
        }
    }

    fn n_joints(&self) -> usize {
        let n = self.size;
        match self.family {
            LoopFamily::Ring | LoopFamily::HingeRing => n + 1,
            LoopFamily::Ladder => 4 * n,
            LoopFamily::FourBars => 3 * n + 1,
            LoopFamily::Grid => 2 * n * (n - 1) + 2,
        }
    }

    fn rows_per_joint(&self) -> usize {
        if self.family.hinged() { 5 } else { 3 }
    }

    /// Number of constraint rows, those that follow from others included.
    pub fn n_rows(&self) -> usize {
        self.n_joints() * self.rows_per_joint()
    }

    /// Rows of the joints that close the loops of a spanning tree; the ground is part of the tree.
    pub fn n_closing_rows(&self) -> usize {
        (self.n_joints() - self.n_bodies()) * self.rows_per_joint()
    }

    /// Rows that follow from the others in the states given here.
    pub fn n_redundant(&self) -> usize {
        match self.family {
            LoopFamily::Ring | LoopFamily::Ladder => 0,
            LoopFamily::HingeRing => 3,
            LoopFamily::FourBars => 3 * self.size,
            LoopFamily::Grid => (self.size - 2).pow(2) + 1,
        }
    }

    /// The bodies in the state of this seed.
    pub fn bodies(&self, seed: u64) -> Vec<Rigid> {
        let mut g = SplitMix(seed);
        match self.family {
            LoopFamily::Ring => self.ring(&mut g).into_iter().map(|p| p.of(link())).collect(),
            LoopFamily::HingeRing => self.hinge_ring(&mut g).into_iter().map(|p| p.of(link())).collect(),
            LoopFamily::Ladder => self.ladder(&mut g).into_iter().map(|p| p.of(link())).collect(),
            LoopFamily::FourBars => {
                let (lean, rate) = if seed == SEED { (0.0, 1.0) } else { (g.symmetric(0.5), g.symmetric(1.0)) };
                let rod = Rigid::principal(1.0, vec3(0.08, 1.0, 1.0) / 12.0).centre([0.5, 0.0, 0.0]);
                self.four_bars(lean, rate).into_iter().map(|p| p.of(rod.clone())).collect()
            }
            LoopFamily::Grid => {
                let rate = if seed == SEED { 0.5 } else { g.symmetric(1.0) };
                self.grid(rate).into_iter().map(|p| p.of(Rigid::cuboid(1.0, [0.5; 3]))).collect()
            }
        }
    }

    /// Direction of link i of a ring, and its first vertex.
    fn side(&self, i: usize) -> (f64, Vec3) {
        let (n, k) = (self.size as f64, i as f64);
        // the sum of i unit vectors, each turned by 2 pi/n against the one before
        let chord = libm::sin(PI * k / n) / libm::sin(PI / n);
        let towards = 0.1 + PI * (k - 1.0) / n;
        (0.1 + 2.0 * PI * k / n, vec3(chord * libm::cos(towards), chord * libm::sin(towards), 0.0))
    }

    fn ring(&self, g: &mut SplitMix) -> Vec<Placed> {
        let omega = vec3(0.3, 0.2, 0.5);
        let place = |i| {
            let (heading, position) = self.side(i);
            let orientation = about_z(heading);
            let spin = omega + orientation * Vec3::X * g.symmetric(1.0);
            Placed { orientation, position, velocity: omega.cross(position), spin }
        };
        (0..self.size).map(place).collect()
    }

    fn hinge_ring(&self, g: &mut SplitMix) -> Vec<Placed> {
        let n = self.size;
        let drawn: Vec<f64> = (0..n).map(|_| g.symmetric(1.0)).collect();
        // closed: sum of rate_i d_i = 0; on a regular polygon the sum of d_i d_i^T over the plane is n/2
        let sides: Vec<(Quat, Vec3)> = (0..n).map(|i| (about_z(self.side(i).0), self.side(i).1)).collect();
        let open: Vec3 = sides.iter().zip(&drawn).map(|((turn, _), rate)| *turn * Vec3::X * *rate).sum();
        let mut velocity = Vec3::ZERO;
        let place = |((orientation, position), drawn): ((Quat, Vec3), f64)| {
            let d = orientation * Vec3::X;
            let spin = Vec3::Z * (0.5 + drawn - 2.0 / n as f64 * d.dot(open));
            let placed = Placed { orientation, position, velocity, spin };
            velocity += spin.cross(d);
            placed
        };
        sides.into_iter().zip(drawn).map(place).collect()
    }

    /// Link of the first chain, link of the second, rung; and so on.
    fn ladder(&self, g: &mut SplitMix) -> Vec<Placed> {
        let mut placed = Vec::with_capacity(self.n_bodies());
        let mut ends = [Vec3::ZERO; 2]; // velocities where the next links begin
        for i in 0..self.size {
            let along_y = g.symmetric(1.0);
            let next = ends.map(|_| vec3(0.0, along_y, g.symmetric(1.0)));
            for (side, (velocity, next)) in ends.into_iter().zip(next).enumerate() {
                let spin = rod_spin(Vec3::X, next - velocity, g.symmetric(1.0));
                let position = vec3(i as f64, side as f64, 0.0);
                placed.push(Placed { orientation: Quat::IDENTITY, position, velocity, spin });
            }
            let spin = rod_spin(Vec3::Y, next[1] - next[0], g.symmetric(1.0));
            let position = vec3((i + 1) as f64, 0.0, 0.0);
            placed.push(Placed { orientation: about_z(0.5 * PI), position, velocity: next[0], spin });
            ends = next;
        }
        placed
    }

    /// Crank, coupler, crank, coupler, ..., crank.
    fn four_bars(&self, lean: f64, rate: f64) -> Vec<Placed> {
        let upright = vec3(libm::sin(lean), libm::cos(lean), 0.0);
        let spin = Vec3::Z * -rate;
        let place = |k: usize| {
            let foot = Vec3::X * (k / 2) as f64;
            if k.is_multiple_of(2) {
                let orientation = about_z(0.5 * PI - lean);
                Placed { orientation, position: foot, velocity: Vec3::ZERO, spin }
            } else {
                let (position, velocity) = (foot + upright, spin.cross(upright));
                Placed { orientation: Quat::IDENTITY, position, velocity, spin: Vec3::ZERO }
            }
        };
        (0..self.n_bodies()).map(place).collect()
    }

    /// Row by row along x.
    fn grid(&self, rate: f64) -> Vec<Placed> {
        let spin = Vec3::X * rate;
        let place = |k: usize| {
            let position = vec3((k % self.size) as f64, (k / self.size) as f64, 0.0);
            Placed { orientation: Quat::IDENTITY, position, velocity: spin.cross(position), spin }
        };
        (0..self.n_bodies()).map(place).collect()
    }

    /// The joints, first marker and second.
    pub fn joints(&self) -> Vec<(Marker, Marker)> {
        let (n, ground) = (self.size, BodyId::GROUND);
        let body = BodyId::from_index;
        let mut joints = Vec::with_capacity(self.n_joints());
        let mut join = |a: Marker, b: Marker| joints.push((a, b));
        match self.family {
            LoopFamily::Ring | LoopFamily::HingeRing => {
                join(ground.origin(), body(0).origin());
                for i in 0..n {
                    join(body(i).at(END), body((i + 1) % n).origin());
                }
            }
            LoopFamily::Ladder => {
                let mut ends = [ground.origin(), ground.at([0.0, 1.0, 0.0])];
                for i in 0..n {
                    for (side, end) in ends.iter_mut().enumerate() {
                        join(*end, body(3 * i + side).origin());
                        *end = body(3 * i + side).at(END);
                    }
                    let rung = body(3 * i + 2);
                    join(ends[0], rung.origin());
                    join(ends[1], rung.at(END));
                }
            }
            LoopFamily::FourBars => {
                for i in 0..=n {
                    let crank = body(2 * i);
                    join(ground.at([i as f64, 0.0, 0.0]), crank.origin());
                    if i > 0 {
                        join(crank.at(END), body(2 * i - 1).at(END));
                    }
                    if i < n {
                        join(crank.at(END), body(2 * i + 1).origin());
                    }
                }
            }
            LoopFamily::Grid => {
                join(ground.origin(), body(0).origin());
                join(ground.at([(n - 1) as f64, 0.0, 0.0]), body(n - 1).origin());
                for k in 0..n * n {
                    for (step, there, way) in [(1, k % n + 1 < n, Vec3::X), (n, k + n < n * n, Vec3::Y)] {
                        if there {
                            join(body(k).at(way * 0.5), body(k + step).at(way * -0.5));
                        }
                    }
                }
            }
        }
        joints
    }

    /// The model, starting in the state of [`SEED`].
    pub fn builder(&self) -> ModelBuilder {
        let mut m = ModelBuilder::new();
        if self.family == LoopFamily::FourBars {
            m.gravity([0.0, -9.81, 0.0]);
        }
        for (i, body) in self.bodies(SEED).into_iter().enumerate() {
            m.body(format!("body {i}"), body);
        }
        for (a, b) in self.joints() {
            let name = format!("{} - {}", number(a), number(b));
            if self.family.hinged() {
                m.joint(name, Revolute::new(a.along(Vec3::Z), b.along(Vec3::Z)));
            } else {
                m.joint(name, Spherical::new(a, b));
            }
        }
        m
    }

    /// A state of the built model with the velocities (and poses, where they differ) of another seed. Joints hold to rounding.
    pub fn state(&self, model: &Model, seed: u64) -> State {
        let mut state = model.initial_state().clone();
        for (id, body) in model.bodies().zip(self.bodies(seed)) {
            body.initial(&mut state.q[model.q_range(id)], &mut state.v[model.v_range(id)]);
        }
        state
    }
}

fn number(marker: Marker) -> String {
    marker.body.index().map_or_else(|| "ground".to_string(), |i| i.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use holonom::AttachmentKind;

    /// Where a marker is, and how fast it moves.
    fn seen(bodies: &[Rigid], marker: Marker, what: AttachmentKind) -> (Vec3, Vec3) {
        let Some(i) = marker.body.index() else {
            return match what {
                AttachmentKind::Point(p) | AttachmentKind::Direction(p) => (p, Vec3::ZERO),
                AttachmentKind::Spin => (Vec3::ZERO, Vec3::ZERO),
            };
        };
        let (mut q, mut v) = ([0.0; 7], [0.0; 6]);
        bodies[i].initial(&mut q, &mut v);
        let at = bodies[i].carry(&q, &v, &what);
        (at.at, at.rate)
    }

    #[test]
    fn joints_hold_and_velocities_are_legal() {
        for name in [
            "e3",
            "e20",
            "e1001",
            "r3",
            "r40",
            "ladder-1",
            "ladder-30",
            "fourbars-1",
            "fourbars-40",
            "grid-2",
            "grid-9",
        ] {
            let case = loop_case(name).expect("known");
            for seed in [SEED, 7] {
                let bodies = case.bodies(seed);
                let mut worst: (f64, f64) = (0.0, 0.0);
                for (a, b) in case.joints() {
                    let hinged = case.family.hinged();
                    for k in 0..=usize::from(hinged) {
                        let what = |m: Marker| {
                            if k == 0 { AttachmentKind::Point(m.point) } else { AttachmentKind::Direction(Vec3::Z) }
                        };
                        let ((at_a, rate_a), (at_b, rate_b)) = (seen(&bodies, a, what(a)), seen(&bodies, b, what(b)));
                        worst.0 = worst.0.max((at_b - at_a).length());
                        worst.1 = worst.1.max((rate_b - rate_a).length());
                    }
                }
                println!("{name}, seed {seed}: gap {:.1e}, gap rate {:.1e}", worst.0, worst.1);
                assert!(worst.0 < 1e-13 * (1.0 + case.n_bodies() as f64 / 10.0), "{name}: gap {:e}", worst.0);
                assert!(worst.1 < 1e-13 * (1.0 + case.n_bodies() as f64 / 10.0), "{name}: gap rate {:e}", worst.1);
            }
        }
    }

    #[test]
    fn sizes_are_as_defined() {
        let sizes = |name| loop_case(name).map(|c| (c.n_bodies(), c.n_rows(), c.n_closing_rows(), c.n_redundant()));
        assert_eq!(sizes("e20"), Some((20, 63, 3, 0)));
        assert_eq!(sizes("e40"), Some((40, 123, 3, 0)));
        assert_eq!(sizes("r40"), Some((40, 205, 5, 3)));
        assert_eq!(sizes("ladder-640"), Some((1920, 7680, 1920, 0)));
        assert_eq!(sizes("fourbars-2"), Some((5, 35, 10, 6)));
        assert_eq!(sizes("grid-32"), Some((1024, 5958, 2886, 901)));
        for name in ["e20", "r7", "ladder-5", "fourbars-3", "grid-4"] {
            let case = loop_case(name).expect("known");
            assert_eq!(case.name(), name);
            assert_eq!((case.bodies(1).len(), case.joints().len()), (case.n_bodies(), case.n_joints()), "{name}");
        }
        for name in [
            "e2",
            "e",
            "r",
            "ladder-0",
            "ladder",
            "ladder5",
            "grid-1",
            "grid--3",
            "e+5",
            "a16",
            "e99999999999999999999",
            "grid-100000",
        ] {
            assert_eq!(loop_case(name), None, "{name}");
        }
    }
}
