//! One evaluation of mechanisms with closed loops: against known accelerations, against a dense least-squares answer
//! that does not mind dependent rows, and what it costs.

mod common;
#[path = "common/singular.rs"]
mod singular;

use common::dense::Dense;
use common::{dot, gap, size};
use holonom::prelude::*;
use holonom_cases::{LoopCase, SEED, forward_dynamics, loop_case};
use singular::Lower;

fn known(name: &str) -> LoopCase {
    loop_case(name).expect("a known case")
}

#[test]
fn rings_match_the_reference() {
    for name in ["e20", "e40"] {
        let reference = forward_dynamics(name).expect("a case with a reference");
        let model = known(name).builder().build().expect("a valid case");
        assert_eq!(model.n_rows(), reference.multipliers, "{name}");
        let sim = Simulation::new(model);
        let error = reference.error(&sim.accelerations().expect("regular"));
        let residual = sim.residual().expect("regular").largest();
        println!("{name}: error {error:.2e}, residual {residual:.2e}");
        assert!(error < 1e-9, "{name}: error {error:e}");
        assert!(residual < 1e-10, "{name}: residual {residual:e}");
    }
}

/// Accelerations by the pseudo-inverse, and the rank of J.
///
/// With M = L L^T, z = L^T vdot and W = J L^-T the accelerations are those nearest to the free ones, min |z - L^-1 F|
/// with W z = -c: z = L^-1 F + W^+ (-c - W L^-1 F). W^+ comes from the singular values of W, found by rotating pairs of
/// columns of W^T until all are orthogonal (Hestenes 1958); J M^-1 J^T, whose condition number is the square, is never
/// formed.
struct PseudoInverse {
    accelerations: Vec<f64>,
    rank: usize,
    /// Smallest singular value kept and largest dropped, relative to the largest of all.
    kept: f64,
    dropped: f64,
    /// What no acceleration can satisfy of `J vdot + c = 0`, relative to what there is.
    conflict: f64,
}

impl PseudoInverse {
    fn of(model: &Model, state: &State) -> PseudoInverse {
        let d = Dense::at(model, state);
        let l = Lower::factor(&d.e.mass, d.n);
        let z_free = l.solve(&d.e.force);
        // columns of W^T = L^-1 J^T, and the V they are rotated with
        let mut b: Vec<Vec<f64>> = (0..d.m).map(|i| l.solve(d.row(i))).collect();
        let wanted: Vec<f64> = b.iter().zip(&d.e.c).map(|(w, c)| -c - dot(w, &z_free)).collect();
        let rows = b.clone();
        // rotating V^T r along with the columns saves V itself
        let mut r = wanted.clone();
        rotate_until_orthogonal(&mut b, &mut r);
        let sigma: Vec<f64> = b.iter().map(|b| dot(b, b).sqrt()).collect();
        let largest = size(&sigma);
        let mut z = z_free;
        let (mut rank, mut kept, mut dropped) = (0, 1.0f64, 0.0f64);
        for ((b, r), sigma) in b.iter().zip(&r).zip(&sigma) {
            if *sigma > 1e-9 * largest {
                rank += 1;
                kept = kept.min(sigma / largest);
                z.iter_mut().zip(b).for_each(|(z, b)| *z += b * (r / (sigma * sigma)));
            } else {
                dropped = dropped.max(sigma / largest);
            }
        }
        let left: Vec<f64> = rows.iter().zip(&d.e.c).map(|(w, c)| dot(w, &z) + c).collect();
        let conflict = size(&left) / size(&wanted).max(1e-300);
        PseudoInverse { accelerations: l.solve_transposed(&z), rank, kept, dropped, conflict }
    }
}

/// One-sided Jacobi: sweeps over all pairs of columns, until no pair was rotated. `r` is turned as a row of the same matrix.
fn rotate_until_orthogonal(b: &mut [Vec<f64>], r: &mut [f64]) {
    let m = b.len();
    let norm = b.iter().map(|b| dot(b, b)).fold(0.0, f64::max);
    for _ in 0..60 {
        let mut rotated = 0;
        for i in 0..m {
            for j in i + 1..m {
                let (p, q, s) = (dot(&b[i], &b[i]), dot(&b[j], &b[j]), dot(&b[i], &b[j]));
                // columns of rounding errors are as good as zero and never settle
                if s.abs() <= 1e-15 * (p * q).sqrt() || p.min(q) <= 1e-30 * norm {
                    continue;
                }
                rotated += 1;
                let zeta = (q - p) / (2.0 * s);
                let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                let (first, second) = b.split_at_mut(j);
                let turn = |x: &mut f64, y: &mut f64| (*x, *y) = (c * *x - c * t * *y, c * t * *x + c * *y);
                first[i].iter_mut().zip(&mut second[0]).for_each(|(x, y)| turn(x, y));
                let (first, second) = r.split_at_mut(j);
                turn(&mut first[i], &mut second[0]);
            }
        }
        if rotated == 0 {
            return;
        }
    }
    panic!("the columns do not become orthogonal");
}

#[test]
fn dependent_rows_do_not_disturb_the_accelerations() {
    let mut wrong = Vec::new();
    for name in ["e20", "r3", "r4", "r20", "r40", "ladder-5", "fourbars-1", "fourbars-5", "grid-2", "grid-3", "grid-5"]
    {
        let case = known(name);
        let model = std::sync::Arc::new(case.builder().build().expect("a valid case"));
        for seed in [SEED, SEED + 1] {
            let state = case.state(&model, seed);
            let expected = PseudoInverse::of(&model, &state);
            let PseudoInverse { rank, kept, dropped, conflict, .. } = expected;
            let sim = common::at(&model, &state);
            let found = sim.accelerations().expect("regular");
            let error = gap(&found, &expected.accelerations) / size(&expected.accelerations);
            let residual = sim.residual().expect("regular").largest();
            println!(
                "{name}, seed {seed}: rank {rank} of {}, singular values kept {kept:.1e}, dropped {dropped:.1e}, conflict {conflict:.1e}, \
                 error {error:.1e}, residual {residual:.1e}",
                case.n_rows()
            );
            assert_eq!(rank, case.n_rows() - case.n_redundant(), "{name}: rank");
            assert!(kept > 1e-6 && dropped < 1e-12, "{name}: the rank is not clear, {kept:e} and {dropped:e}");
            assert!(conflict < 1e-11, "{name}: the rows contradict each other, {conflict:e}");
            if !(error < 1e-8 && residual < 1e-9) {
                wrong.push(format!("{name}, seed {seed}: error {error:.1e}, residual {residual:.1e}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// The ring of hinges with bodies that cannot leave the plane: no redundant rows, the same motion.
fn planar_ring(case: &LoopCase, state: &State) -> Simulation {
    let mut m = ModelBuilder::new();
    for (i, (q, v)) in state.q.chunks_exact(7).zip(state.v.chunks_exact(6)).enumerate() {
        let angle = 2.0 * q[6].atan2(q[3]);
        let d = vec3(angle.cos(), angle.sin(), 0.0);
        let (at, rate) = (vec3(q[0], q[1], 0.0) - d * 0.5, vec3(v[0], v[1], 0.0) - Vec3::Z.cross(d) * (0.5 * v[5]));
        let body = Planar::new(1.0, 1.04 / 12.0).centre(0.5, 0.0);
        m.body(format!("{i}"), body.pose(at.x, at.y, angle).velocity(rate.x, rate.y, v[5]));
    }
    for (i, (a, b)) in case.joints().into_iter().enumerate() {
        m.joint(format!("{i}"), Revolute::new(a.along(Vec3::Z), b.along(Vec3::Z)));
    }
    Simulation::build(m).expect("a ring in a plane")
}

#[test]
fn rings_of_hinges_move_like_planar_ones() {
    let mut wrong = Vec::new();
    for n in [3, 20, 40, 80, 160, 320] {
        let case = known(&format!("r{n}"));
        let sim = Simulation::build(case.builder()).expect("a valid case");
        let planar = planar_ring(&case, sim.state());
        assert_eq!(planar.model().n_rows(), 2 * (n + 1));
        let expected: Vec<f64> = planar
            .accelerations()
            .expect("regular")
            .chunks_exact(3)
            .flat_map(|a| [a[0], a[1], 0.0, 0.0, 0.0, a[2]])
            .collect();
        let error = gap(&sim.accelerations().expect("regular"), &expected) / size(&expected);
        let residual = sim.residual().expect("regular").largest();
        println!("r{n}: error {error:.1e} of {:.1}, residual {residual:.1e}", size(&expected));
        if !(error < 1e-8) {
            wrong.push(format!("r{n}: error {error:.1e}, residual {residual:.1e}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// All cranks of parallelograms in a row turn as one: [(N+1)/3 + N] phi'' = g [(N+1)/2 + N] sin phi, phi from the
/// upward vertical, clockwise.
#[test]
fn four_bars_follow_the_equation_of_their_one_freedom() {
    for n in [1, 2, 40, 320] {
        let case = known(&format!("fourbars-{n}"));
        let model = std::sync::Arc::new(case.builder().build().expect("a valid case"));
        for seed in [SEED, 1, 2] {
            let state = case.state(&model, seed);
            let sim = common::at(&model, &state);
            let crank = model.body("body 0").expect("the first crank");
            let (q, v) = (&state.q[model.q_range(crank)], &state.v[model.v_range(crank)]);
            let (sin, cos, rate) = (2.0 * q[0], 2.0 * q[1], -v[5]); // the centre is half-way up
            let k = n as f64;
            let turn = 9.81 * ((k + 1.0) / 2.0 + k) / ((k + 1.0) / 3.0 + k) * sin;
            // the end of a crank: along its motion, and towards its foot
            let end = vec3(turn * cos - rate * rate * sin, -turn * sin - rate * rate * cos, 0.0);
            let found = sim.accelerations().expect("regular");
            let mut error: f64 = 0.0;
            for (i, a) in found.chunks_exact(6).enumerate() {
                let is_crank = i % 2 == 0;
                let linear = if is_crank { end * 0.5 } else { end };
                let angular = if is_crank { vec3(0.0, 0.0, -turn) } else { Vec3::ZERO };
                error = error.max(gap(&a[..3], &linear.to_array())).max(gap(&a[3..], &angular.to_array()));
            }
            println!("fourbars-{n}, seed {seed}: crank accelerates by {turn:.4} rad/s^2, error {error:.1e}");
            assert!(error < 1e-9, "fourbars-{n}, seed {seed}: error {error:e}");
        }
    }
}

/// Counted operations of factor and solve over the number of bodies, from a thousand to a hundred thousand bodies.
#[test]
fn ladders_and_four_bars_cost_linear_time() {
    for (family, sizes) in [("ladder", [334, 33_334]), ("fourbars", [500, 50_000])] {
        let counts = sizes.map(|n| {
            let case = known(&format!("{family}-{n}"));
            let cost = case.builder().build().expect("a valid case").cost();
            let (bodies, flops) = (case.n_bodies() as f64, cost.factor_flops + cost.solve_flops);
            println!("{family}-{n}: {:.1} operations per body, largest front {}", flops / bodies, cost.largest);
            (bodies, flops)
        });
        let exponent = (counts[1].1 / counts[0].1).ln() / (counts[1].0 / counts[0].0).ln();
        println!("{family}: exponent {exponent:.4}");
        assert!(exponent <= 1.01, "{family}: {exponent}");
    }
}

#[test]
fn a_net_is_solved_with_little_fill() {
    let case = known("grid-32");
    let model = case.builder().build().expect("a valid case");
    let cost = model.cost();
    println!(
        "grid-32: largest front {}, {:.0} operations per body",
        cost.largest,
        (cost.factor_flops + cost.solve_flops) / case.n_bodies() as f64
    );
    assert!(cost.largest < 400, "largest front {}", cost.largest);
    let sim = Simulation::new(model);
    let residual = sim.residual().expect("regular").largest();
    println!("grid-32: residual {residual:.1e}");
    assert!(residual < 1e-9, "residual {residual:e}");
}

/// The longer a ladder, the worse its equations are conditioned; the answer must not show it.
#[test]
fn long_loops_keep_their_digits() {
    let mut wrong = Vec::new();
    for name in ["e30000", "ladder-100", "ladder-1000", "ladder-10000", "fourbars-10000"] {
        let sim = Simulation::build(known(name).builder()).expect("a valid case");
        let residual = sim.residual().expect("regular").largest();
        println!("{name}: residual {residual:.1e}");
        if !(residual < 1e-10) {
            wrong.push(format!("{name}: residual {residual:.1e}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
