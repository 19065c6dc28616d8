//! An articulated figure with 96 multipliers of joints and three contacts, as in Baraff's paper: forces of contact against a dense reference in which every
//! set of active contacts is tried, by all solvers; then it falls over.

#[path = "common/articulated.rs"]
mod articulated;

use articulated::Watch;
use holonom::check::equations;
use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;

const BODIES: usize = 33;
const RADIUS: f64 = 0.1;
/// Leaves of the tree that carry a ball, off their centres.
const FEET: [usize; 3] = [17, 23, 29];
const SOLE: Vec3 = Vec3::new(0.05, -0.1, 0.08);

/// A tree of bodies held together by 32 ball joints. Under each foot lies a floor of its own, which only that foot can touch.
fn figure(seed: u64) -> Simulation {
    let mut g = SplitMix(seed);
    let mut m = ModelBuilder::new();
    let mut poses = Vec::<(BodyId, Vec3, Quat)>::new();
    for i in 0..BODIES {
        let turn = exp_quat(g.vec3(1.0));
        let (mass, moments) = (0.5 + g.unit(), vec3(0.02, 0.03, 0.04) * (0.5 + g.unit()));
        let (near, far) = (g.vec3(0.3), g.vec3(0.3));
        let (parent, x, r) = if i == 0 { (BodyId::GROUND, Vec3::ZERO, Quat::IDENTITY) } else { poses[(i - 1) / 2] };
        let at = if i == 0 { Vec3::ZERO } else { x + r * far - turn * near };
        let body = m.body(format!("limb {i}"), Rigid::principal(mass, moments).position(at).orientation(turn));
        if i > 0 {
            m.joint(format!("ball {i}"), Spherical::new(parent.at(far), body.at(near)));
        }
        poses.push((body, at, turn));
    }
    let feet = FEET.map(|k| {
        let (body, at, turn) = poses[k];
        let foot = m.shape(body.at(SOLE), Shape::Sphere { radius: RADIUS }, Material::smooth());
        (body, foot, at + turn * SOLE)
    });
    // a floor through the lowest points of the feet
    let [p, q, r] = feet.map(|f| f.2);
    let normal = (q - p).cross(r - p).normalize();
    let normal = if normal.z < 0.0 { -normal } else { normal };
    m.gravity(normal * -9.81);
    m.shape(BodyId::GROUND.at(p - normal * RADIUS).along(normal), Shape::HalfSpace, Material::smooth());
    for (i, a) in feet.iter().enumerate() {
        feet[i + 1..].iter().for_each(|b| {
            m.ignore_pair(a.0, b.0);
        });
    }
    let mut sim = Simulation::build(m).unwrap();
    sim.set_integrator(IntegratorKind::default());
    sim
}

/// Gauss with column pivots; `None` where the matrix is singular.
fn solve(mut a: Vec<f64>, mut b: Vec<f64>) -> Option<Vec<f64>> {
    let n = b.len();
    for k in 0..n {
        let p = (k..n).max_by(|i, j| a[i * n + k].abs().total_cmp(&a[j * n + k].abs()))?;
        if a[p * n + k] == 0.0 {
            return None;
        }
        for j in 0..n {
            a.swap(k * n + j, p * n + j);
        }
        b.swap(k, p);
        for i in k + 1..n {
            let f = a[i * n + k] / a[k * n + k];
            if f != 0.0 {
                for j in k..n {
                    a[i * n + j] -= f * a[k * n + j];
                }
                b[i] -= f * b[k];
            }
        }
    }
    for k in (0..n).rev() {
        let sum: f64 = (k + 1..n).map(|j| a[k * n + j] * b[j]).sum();
        b[k] = (b[k] - sum) / a[k * n + k];
    }
    Some(b)
}

/// Rows that hold exactly, with their right-hand sides: joints first, then contacts.
struct Reference {
    n: usize,
    joints: usize,
    mass: Vec<f64>,
    force: Vec<f64>,
    rows: Vec<Vec<f64>>,
    c: Vec<f64>,
}

impl Reference {
    fn at(sim: &Simulation) -> Reference {
        let (model, state) = (sim.model().clone(), sim.state().clone());
        let e = equations(&model, &state);
        let (n, joints) = (model.n_v(), model.n_rows());
        let mut rows: Vec<Vec<f64>> = e.jacobian.chunks_exact(n).map(<[f64]>::to_vec).collect();
        let mut c = e.c.clone();
        let normal = model_normal(sim);
        for k in FEET {
            let body = BodyId::from_index(k);
            let arm = sim.axes(body).unwrap() * SOLE;
            let w = sim.spin(body).unwrap();
            let mut row = vec![0.0; n];
            row[6 * k..6 * k + 3].copy_from_slice(&normal.to_array());
            row[6 * k + 3..6 * k + 6].copy_from_slice(&arm.cross(normal).to_array());
            rows.push(row);
            c.push(normal.dot(w.cross(w.cross(arm))));
        }
        Reference { n, joints, mass: e.mass, force: e.force, rows, c }
    }

    /// `[M -Jᵀ; J 0] [x; y] = [f; -g]` with the joints and the contacts that are `active`.
    fn solve(&self, active: &[usize], f: &[f64], g: impl Fn(usize) -> f64) -> (Vec<f64>, Vec<f64>) {
        let held: Vec<usize> = (0..self.joints).chain(active.iter().map(|k| self.joints + k)).collect();
        let (n, size) = (self.n, self.n + held.len());
        let (mut a, mut b) = (vec![0.0; size * size], vec![0.0; size]);
        for i in 0..n {
            a[i * size..i * size + n].copy_from_slice(&self.mass[i * n..(i + 1) * n]);
            b[i] = f[i];
        }
        for (k, &row) in held.iter().enumerate() {
            for j in 0..n {
                a[(n + k) * size + j] = self.rows[row][j];
                a[j * size + n + k] = -self.rows[row][j];
            }
            b[n + k] = -g(row);
        }
        let mut x = solve(a, b).expect("independent rows");
        let y = x.split_off(n);
        (x, y)
    }

    /// Accelerations and forces of contact: the one set of active contacts whose forces push and whose other contacts do not approach.
    fn contact_forces(&self) -> (Vec<f64>, [f64; 3]) {
        let mut found = Vec::new();
        for set in 0..8usize {
            let active: Vec<usize> = (0..3).filter(|k| set >> k & 1 == 1).collect();
            let (x, y) = self.solve(&active, &self.force, |row| self.c[row]);
            let forces = &y[self.joints..];
            let approach = |k: &usize| {
                let row = self.joints + k;
                self.rows[row].iter().zip(&x).map(|(j, x)| j * x).sum::<f64>() + self.c[row] < 0.0
            };
            if forces.iter().all(|f| *f >= 0.0) && !(0..3).filter(|k| !active.contains(k)).any(|k| approach(&k)) {
                let mut all = [0.0; 3];
                active.iter().zip(forces).for_each(|(k, f)| all[*k] = *f);
                found.push((x, all));
            }
        }
        assert_eq!(found.len(), 1, "one solution");
        found.pop().unwrap()
    }
}

fn model_normal(sim: &Simulation) -> Vec3 {
    let p = FEET.map(|k| sim.point(BodyId::from_index(k).at(SOLE)).0);
    let normal = (p[1] - p[0]).cross(p[2] - p[0]).normalize();
    if normal.z < 0.0 { -normal } else { normal }
}

/// A random motion that leaves joints closed and feet on the floor, faster with the seed.
fn set_moving(sim: &mut Simulation, seed: u64) {
    let mut g = SplitMix(seed);
    let reference = Reference::at(sim);
    let push: Vec<f64> = (0..reference.n).map(|_| g.symmetric(0.3)).collect();
    let (v, _) = reference.solve(&[0, 1, 2], &push, |_| 0.0);
    let size = v.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    let fastest = 4.0 * (1 + seed % 8) as f64;
    let v: Vec<f64> = v.iter().map(|x| fastest * x / size).collect();
    sim.state_mut().v.copy_from_slice(&v);
}

fn forces(sim: &mut Simulation) -> [f64; 3] {
    let contacts = sim.contacts().unwrap();
    FEET.map(|k| contacts.iter().filter(|c| c.bodies.0.index() == Some(k)).map(|c| c.force.dot(c.normal)).sum())
}

#[test]
fn forces_of_three_contacts_agree_with_all_active_sets_tried() {
    let (mut worst, mut worst_motion, mut sets) = (0.0f64, 0.0f64, std::collections::BTreeSet::new());
    for seed in 0..12 {
        let mut sim = figure(seed);
        assert_eq!(sim.model().n_rows(), 96);
        set_moving(&mut sim, 100 + seed);
        let (accelerations, expected) = Reference::at(&sim).contact_forces();
        sets.insert(expected.map(|f| f > 0.0));
        let size = expected.iter().fold(1.0f64, |m, f| m.max(*f));
        let fast = accelerations.iter().fold(1.0f64, |m, f| m.max(f.abs()));
        for name in SolverKind::NAMES {
            let kind = SolverKind::from_name(name).unwrap();
            sim.set_solver(kind).unwrap();
            let found = forces(&mut sim);
            let off = (0..3).map(|k| (found[k] - expected[k]).abs()).fold(0.0, f64::max) / size;
            let moving = sim.accelerations().unwrap();
            let moved = moving.iter().zip(&accelerations).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / fast;
            assert!(off <= 1e-9, "seed {seed}, {name}: {found:?} instead of {expected:?}");
            assert!(moved <= 1e-9, "seed {seed}, {name}: accelerations off by {moved}");
            (worst, worst_motion) = (worst.max(off), worst_motion.max(moved));
        }
    }
    println!(
        "96 + 3 multipliers, {} solvers: forces off by {worst:.1e}, accelerations by {worst_motion:.1e}; {} active sets",
        SolverKind::NAMES.len(),
        sets.len()
    );
    assert!(sets.len() >= 3, "{sets:?}");
}

#[test]
fn the_figure_falls_over() {
    for kind in [IntegratorKind::default(), IntegratorKind::Stepping] {
        let mut sim = figure(1);
        sim.set_integrator(kind);
        let mut watch = Watch::new(&mut sim);
        watch.run(&mut sim, 0.5, 1e-3);
        watch.demand(&format!("figure on three feet, {kind:?}"));
    }
}
