//! Problems to solve: random matrices, and rigid bodies touching each other and the ground.
#![allow(dead_code)]

use holonom_lcp::{ComplementarityLaw as Law, ConeProblem};

/// A small generator (splitmix64): the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    /// Between 0 and 1.
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Between -1 and 1.
    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
}

/// A problem that owns its numbers.
#[derive(Clone, Debug, Default)]
pub struct Owned {
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    pub laws: Vec<Law>,
}

impl Owned {
    pub fn problem(&self) -> ConeProblem<'_> {
        ConeProblem { a: &self.a, b: &self.b, laws: &self.laws }
    }

    pub fn len(&self) -> usize {
        self.b.len()
    }

    /// `a = A x + b`.
    pub fn apply(&self, x: &[f64]) -> Vec<f64> {
        let n = self.b.len();
        (0..n).map(|i| self.b[i] + (0..n).map(|j| self.a[i * n + j] * x[j]).sum::<f64>()).collect()
    }
}

/// `A = G G^T`, `G` of `n` rows and `rank` columns.
pub fn gram(random: &mut Random, n: usize, rank: usize) -> (Vec<f64>, Vec<f64>) {
    let g: Vec<f64> = (0..n * rank).map(|_| random.signed()).collect();
    let mut a = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let v: f64 = (0..rank).map(|k| g[i * rank + k] * g[j * rank + k]).sum();
            a[i * n + j] = v;
            a[j * n + i] = v;
        }
    }
    (a, g)
}

type V = [f64; 3];
fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// A rigid body: place, mass, the three moments of inertia (axes along the world's), velocity of 6 numbers.
#[derive(Clone, Debug)]
pub struct Body {
    pub place: V,
    pub mass: f64,
    pub inertia: V,
    pub velocity: [f64; 6],
}

impl Body {
    /// A solid box of half sizes `half`.
    pub fn block(place: V, half: V, mass: f64) -> Self {
        let s = |i: usize, j: usize| mass / 3.0 * (half[i] * half[i] + half[j] * half[j]);
        Body { place, mass, inertia: [s(1, 2), s(0, 2), s(0, 1)], velocity: [0.0; 6] }
    }
}

/// A touch between two bodies, or of a body and the ground (`below = None`): point, normal towards `above`.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    pub above: usize,
    pub below: Option<usize>,
    pub point: V,
    pub normal: V,
    pub mu: f64,
}

/// Three rows per touch (normal, two tangents): `a` is the relative velocity after `x` in impulses.
pub fn contacts(bodies: &[Body], touches: &[Touch]) -> Owned {
    let (n, dofs) = (3 * touches.len(), 6 * bodies.len());
    let mut j = vec![0.0; n * dofs];
    let mut owned = Owned { a: vec![0.0; n * n], b: vec![0.0; n], laws: Vec::new() };
    for (at, touch) in touches.iter().enumerate() {
        let nrm = touch.normal;
        let side = if nrm[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let mut t1 = cross(nrm, side);
        let l = (t1[0] * t1[0] + t1[1] * t1[1] + t1[2] * t1[2]).sqrt();
        t1.iter_mut().for_each(|v| *v /= l);
        let t2 = cross(nrm, t1);
        for (k, axis) in [nrm, t1, t2].into_iter().enumerate() {
            let row = (3 * at + k) * dofs;
            for (body, sign) in [(Some(touch.above), 1.0), (touch.below, -1.0)] {
                let Some(body) = body else { continue };
                let c = bodies[body].place;
                let arm = [touch.point[0] - c[0], touch.point[1] - c[1], touch.point[2] - c[2]];
                let turn = cross(arm, axis);
                for i in 0..3 {
                    j[row + 6 * body + i] = sign * axis[i];
                    j[row + 6 * body + 3 + i] = sign * turn[i];
                }
            }
        }
        owned.laws.push(Law::Push);
        owned.laws.push(Law::Cone { normal: 3 * at, mu: touch.mu, rows: 2 });
    }
    for p in 0..n {
        for q in 0..=p {
            let mut sum = 0.0;
            for (at, body) in bodies.iter().enumerate() {
                for i in 0..6 {
                    let weight = if i < 3 { body.mass } else { body.inertia[i - 3] };
                    sum += j[p * dofs + 6 * at + i] * j[q * dofs + 6 * at + i] / weight;
                }
            }
            owned.a[p * n + q] = sum;
            owned.a[q * n + p] = sum;
        }
        for (at, body) in bodies.iter().enumerate() {
            for i in 0..6 {
                owned.b[p] += j[p * dofs + 6 * at + i] * body.velocity[i];
            }
        }
    }
    owned
}

/// A tower of unit boxes; `ratio` is the mass of the top one over that of the others; everything falls with `fall` and slides
/// with `drift` (both velocities).
pub fn tower(height: usize, ratio: f64, mu: f64, fall: f64, drift: f64) -> Owned {
    let mut bodies = Vec::new();
    let mut touches = Vec::new();
    for k in 0..height {
        let mass = if k + 1 == height { ratio } else { 1.0 };
        let z = k as f64 + 0.5;
        let mut body = Body::block([0.0, 0.0, z], [0.5, 0.5, 0.5], mass);
        body.velocity = [drift * (1.0 + k as f64), 0.3 * drift, -fall, 0.0, 0.0, 0.0];
        bodies.push(body);
        for (x, y) in [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)] {
            touches.push(Touch {
                above: k,
                below: k.checked_sub(1),
                point: [x, y, k as f64],
                normal: [0.0, 0.0, 1.0],
                mu,
            });
        }
    }
    contacts(&bodies, &touches)
}

/// Balls and boxes thrown together: `count` bodies, about four touches each, at random places with random normals and velocities.
pub fn heap(random: &mut Random, count: usize, ratio: f64, mu: f64) -> Owned {
    let mut bodies = Vec::new();
    for _ in 0..count {
        let place = [random.signed() * 3.0, random.signed() * 3.0, random.unit() * 3.0];
        let mass = libm::pow(ratio, random.unit());
        let mut body = Body::block(place, [0.3 + random.unit(), 0.3 + random.unit(), 0.3 + random.unit()], mass);
        for v in &mut body.velocity {
            *v = random.signed();
        }
        body.velocity[2] -= 2.0;
        bodies.push(body);
    }
    let mut touches = Vec::new();
    for at in 0..count {
        for k in 0..4 {
            let other = (random.unit() * count as f64) as usize;
            let below = if k == 0 || other == at { None } else { Some(other) };
            let mut normal = [random.signed(), random.signed(), 1.0 + random.unit()];
            let l = (normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]).sqrt();
            normal.iter_mut().for_each(|v| *v /= l);
            let c = bodies[at].place;
            let point = [c[0] + random.signed() * 0.7, c[1] + random.signed() * 0.7, c[2] - random.unit() * 0.7];
            touches.push(Touch { above: at, below, point, normal, mu });
        }
    }
    contacts(&bodies, &touches)
}
