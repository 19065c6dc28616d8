//! Friction: Coulomb's law itself, boxes and polygons that come close to it, towers, wedges, and problems without an answer.

mod common;
mod pivoting;

use common::{Body, Owned, Random, Touch, contacts, heap, tower};
use holonom_lcp::{
    ComplementarityLaw as Law, DenseConeSolver, LcpError, MatrixFreeConeSolver, MatrixOperator, certificate,
};
use pivoting::{Lemke, Method, PivotingError, Solver};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Checks Coulomb's law from its own definition, not through the certificate: `x` in the cone, against the slip, normals complementary.
fn obeys(owned: &Owned, x: &[f64], tolerance: f64) -> Result<(), TestCaseError> {
    let a = owned.apply(x);
    let size = 1.0 + x.iter().chain(&a).fold(0.0, |m: f64, v| m.max(v.abs()));
    let mut row = 0;
    for law in &owned.laws {
        match *law {
            Law::Push => {
                prop_assert!(x[row] >= 0.0 && a[row] >= -tolerance * size, "row {row}: {} {}", x[row], a[row]);
                prop_assert!(x[row] * a[row] <= tolerance * size * size, "row {row}: {} {}", x[row], a[row]);
            }
            Law::Cone { normal, mu, rows } => {
                let length = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
                let (push, slip) = (&x[row..row + rows], &a[row..row + rows]);
                let radius = mu * x[normal];
                prop_assert!(length(push) <= radius + tolerance * size);
                if length(slip) > 1e-6 * size {
                    for k in 0..rows {
                        let wanted = -radius * slip[k] / length(slip);
                        let error = (push[k] - wanted).abs();
                        prop_assert!(
                            error <= 1e7 * tolerance * size,
                            "row {row}: {} not {wanted}, slip {slip:?}",
                            push[k]
                        );
                    }
                }
            }
            _ => {}
        }
        row += law.rows();
    }
    Ok(())
}

fn solve(owned: &Owned) -> Vec<f64> {
    let mut x = vec![0.0; owned.len()];
    let report = DenseConeSolver::new().solve(&owned.problem(), &mut x).unwrap_or_else(|e| panic!("{e}"));
    let c = certificate(&owned.problem(), &x);
    assert!(c.worst <= 1e-12 && report.residual == c.worst, "{c:?}");
    x
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, rng_seed: RngSeed::Fixed(2), ..ProptestConfig::default() })]

    #[test]
    fn heaps_obey_coulomb(seed in any::<u64>(), count in 1usize..=10, mu in 0.0f64..0.7, ratio in 1.0f64..30.0) {
        let owned = heap(&mut Random(seed), count, ratio, mu);
        let mut x = vec![0.0; owned.len()];
        let report = DenseConeSolver::new().solve(&owned.problem(), &mut x);
        prop_assert!(report.is_ok(), "{report:?}");
        prop_assert!(certificate(&owned.problem(), &x).worst <= 1e-12);
        obeys(&owned, &x, 1e-11)?;
    }

    #[test]
    fn mixed_laws_are_solved(seed in any::<u64>(), count in 1usize..=6) {
        // contacts, with rolling and drilling friction on their normals, a motor, a brake and an equation besides
        let mut random = Random(seed);
        let base = heap(&mut random, count, 3.0, 0.4);
        let old = base.len();
        let extra = 9;
        let n = old + extra;
        let (more, g) = common::gram(&mut random, n, n + 2);
        let mut owned = Owned { a: more, b: Vec::new(), laws: base.laws.clone() };
        prop_assert_eq!(g.len(), n * (n + 2));
        for i in 0..old {
            for j in 0..old {
                owned.a[i * n + j] += base.a[i * old + j];
            }
        }
        owned.b.extend(base.b.iter().copied());
        owned.b.extend((0..extra).map(|_| 2.0 * random.signed()));
        owned.laws.push(Law::Cone { normal: 0, mu: 0.05, rows: 1 });
        owned.laws.push(Law::Cone { normal: 0, mu: 0.02, rows: 2 });
        owned.laws.push(Law::Within { least: -0.3, most: 0.2 });
        owned.laws.push(Law::Ball { radius: 0.3, rows: 3 });
        owned.laws.push(Law::Free);
        owned.laws.push(Law::Within { least: f64::NEG_INFINITY, most: 0.1 });
        let mut x = vec![0.0; n];
        let report = DenseConeSolver::new().solve(&owned.problem(), &mut x);
        prop_assert!(report.is_ok(), "{report:?}");
        prop_assert!(certificate(&owned.problem(), &x).worst <= 1e-12);
        obeys(&owned, &x, 1e-11)?;
    }

    #[test]
    fn units_do_not_matter_with_friction(seed in any::<u64>(), count in 1usize..=4) {
        let owned = heap(&mut Random(seed), count, 2.0, 0.4);
        let n = owned.len();
        let mut random = Random(!seed);
        let mut scaled = owned.clone();
        let mut scale = vec![1.0; n];
        for contact in 0..n / 3 {
            let (normal, tangent) = (libm::pow(10.0, 6.0 * random.signed()), libm::pow(10.0, 6.0 * random.signed()));
            scale[3 * contact] = normal;
            scale[3 * contact + 1] = tangent;
            scale[3 * contact + 2] = tangent;
            if let Law::Cone { mu, .. } = &mut scaled.laws[2 * contact + 1] {
                *mu *= normal / tangent;
            }
        }
        for i in 0..n {
            for j in 0..n {
                scaled.a[i * n + j] *= scale[i] * scale[j];
            }
            scaled.b[i] *= scale[i];
        }
        let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
        prop_assert!(DenseConeSolver::new().solve(&owned.problem(), &mut x).is_ok());
        let report = DenseConeSolver::new().solve(&scaled.problem(), &mut y);
        prop_assert!(report.is_ok(), "{report:?}");
        prop_assert!(certificate(&scaled.problem(), &y).worst <= 1e-12);
    }
}

/// A box on the floor: four corners, twelve rows, six degrees of freedom. The load is shared equally, and nothing moves.
#[test]
fn a_box_stands_on_its_four_corners() {
    let owned = tower(1, 1.0, 0.5, 1.0, 0.0);
    let x = solve(&owned);
    for contact in 0..4 {
        // how the load is shared is a choice and not a law: the choice is kept to nine digits
        assert!((x[3 * contact] - 0.25).abs() < 1e-9, "{x:?}");
        assert!(x[3 * contact + 1].abs() < 1e-9 && x[3 * contact + 2].abs() < 1e-9);
    }
    assert!(owned.apply(&x).iter().all(|a| a.abs() < 1e-12));
}

/// Pushed sideways below the limit it sticks, above it it slides on with what friction leaves: v - mu g t.
#[test]
fn a_box_sticks_and_slides() {
    for (drift, left) in [(0.2, 0.0), (0.9, 0.9 - 0.3)] {
        let flat = {
            let mut body = Body::block([0.0, 0.0, 0.1], [1.0, 1.0, 0.1], 2.0);
            body.velocity = [0.6 * drift, 0.8 * drift, -1.0, 0.0, 0.0, 0.0];
            let touches: Vec<_> = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .map(|(x, y)| Touch { above: 0, below: None, point: [x, y, 0.0], normal: [0.0, 0.0, 1.0], mu: 0.3 })
                .to_vec();
            contacts(&[body], &touches)
        };
        let x = solve(&flat);
        let a = flat.apply(&x);
        let total: f64 = (0..4).map(|c| x[3 * c]).sum();
        assert!((total - 2.0).abs() < 1e-11);
        for c in 0..4 {
            let slip = (a[3 * c + 1] * a[3 * c + 1] + a[3 * c + 2] * a[3 * c + 2]).sqrt();
            assert!((slip - left).abs() < 1e-11, "{slip} {left}");
        }
    }
}

/// Ten boxes, the top one a thousand times heavier than the others: every interface carries all of it.
#[test]
fn a_heavy_box_on_a_light_tower() {
    let owned = tower(10, 1000.0, 0.5, 1.0, 0.0);
    let x = solve(&owned);
    for level in 0..10 {
        let carried: f64 = (0..4).map(|c| x[12 * level + 3 * c]).sum();
        let wanted = 1000.0 + (9 - level) as f64;
        assert!((carried / wanted - 1.0).abs() < 1e-9, "{level}: {carried}");
    }
}

#[test]
fn towers_that_slide_and_topple_obey_coulomb() {
    for height in [1, 2, 5, 10] {
        for ratio in [1.0, 1000.0, 0.001] {
            for (mu, drift) in [(0.3, 0.2), (0.8, 0.5), (0.1, 1.0)] {
                let owned = tower(height, ratio, mu, 1.0, drift);
                let x = solve(&owned);
                obeys(&owned, &x, 1e-11).unwrap();
            }
        }
    }
}

/// A wedge between two walls that lean towards each other by 30 degrees: steep friction holds it without any load being unique.
#[test]
fn a_wedge_is_held() {
    let (s, c) = (0.5, 0.75f64.sqrt());
    for (mu, held) in [(0.1, false), (1.0, true)] {
        let mut body = Body::block([0.0, 0.0, 0.0], [0.5, 0.5, 0.5], 1.0);
        body.velocity = [0.0, 0.0, -1.0, 0.0, 0.0, 0.0];
        let mut touches = Vec::new();
        for y in [-0.4, 0.4] {
            for z in [-0.4, 0.4] {
                touches.push(Touch { above: 0, below: None, point: [-0.5, y, z], normal: [c, 0.0, s], mu });
                touches.push(Touch { above: 0, below: None, point: [0.5, y, z], normal: [-c, 0.0, s], mu });
            }
        }
        let owned = contacts(&[body], &touches);
        let x = solve(&owned);
        let most = owned.apply(&x).iter().fold(0.0, |m: f64, a| m.max(a.abs()));
        // both are held in the end: the walls close below; with little friction the walls must do it by their normals
        assert!(most < 1e-10, "{most}");
        let grip = x.chunks(3).fold(0.0, |m: f64, x| m.max((x[1] * x[1] + x[2] * x[2]).sqrt() / x[0].max(1e-300)));
        assert!(grip <= mu + 1e-9);
        assert!(held || grip > 0.0);
    }
}

/// Polygons come close to the disc as their facets grow in number; boxes agree with it where slip is along an axis.
#[test]
fn polygons_converge_to_the_cone() {
    let owned = heap(&mut Random(77), 2, 1.0, 0.3);
    let x = solve(&owned);
    let a = owned.apply(&x);
    let mut errors = Vec::new();
    for facets in [4, 8, 16, 64] {
        let mut lemke = Lemke::new();
        lemke.facets = facets;
        let mut y = vec![0.0; owned.len()];
        lemke.solve(&owned.problem(), &mut y).unwrap();
        let error = owned.apply(&y).iter().zip(&a).fold(0.0, |m: f64, (p, q)| m.max((p - q).abs()));
        errors.push(error);
    }
    assert!(errors[3] < 0.1 * errors[0] && errors[3] < 0.01, "{errors:?}");
}

#[test]
fn boxes_and_polygons_agree_with_the_cone_along_an_axis() {
    // one mass sliding along its first tangent: all models of friction say the same
    let mut body = Body::block([0.0, 0.0, 0.0], [0.5, 0.5, 0.5], 1.0);
    body.velocity = [0.0, 2.0, -1.0, 0.0, 0.0, 0.0];
    let touch = Touch { above: 0, below: None, point: [0.0; 3], normal: [0.0, 0.0, 1.0], mu: 0.5 };
    let owned = contacts(&[body], &[touch]);
    for method in [Method::Dantzig, Method::Lemke, Method::Cone] {
        let mut x = vec![0.0; 3];
        Solver::default().solve(method, &owned.problem(), &mut x).unwrap();
        assert!((x[0] - 1.0).abs() < 1e-12 && ((x[1] * x[1] + x[2] * x[2]).sqrt() - 0.5).abs() < 1e-12, "{x:?}");
    }
    assert!(matches!(
        Solver::default().solve(Method::Blocks, &owned.problem(), &mut [0.0; 3]),
        Err(PivotingError::Unsupported { row: 1 })
    ));
}

/// Dantzig's boxes on contacts, held to the boxes: it solves most heaps, and says so where it does not.
#[test]
fn dantzig_solves_boxes() {
    let mut solved = 0;
    for seed in 0..60 {
        let owned = heap(&mut Random(seed), 1 + seed as usize % 3, 1.0, 0.3);
        let mut x = vec![0.0; owned.len()];
        match Solver::default().solve(Method::Dantzig, &owned.problem(), &mut x) {
            Ok(report) => {
                solved += 1;
                assert!(report.residual <= 1e-11);
                for c in 0..owned.len() / 3 {
                    assert!(x[3 * c] >= -1e-10 && x[3 * c + 1].abs() <= 0.3 * x[3 * c] + 1e-9);
                }
            }
            Err(PivotingError::NotConverged { residual }) => assert!(residual > 1e-11),
            Err(PivotingError::NoSolution) => {}
            Err(other) => panic!("{other}"),
        }
    }
    assert!(solved >= 50, "{solved}");
}

/// Painleve: a rod that slides so that friction presses it harder into the ground than it pushes it away. Reduced to the normal:
/// A negative, b negative. No impulse-free answer exists, and none may be made up.
#[test]
fn painleve_is_not_answered_with_nonsense() {
    let reduced = Owned { a: vec![-0.4], b: vec![-1.0], laws: vec![Law::Push] };
    // the same with friction spelt out as a row that follows the normal: nonsymmetric
    let spelt = Owned {
        a: vec![1.0, 1.4, -1.4, 1.0],
        b: vec![-1.0, 5.0],
        laws: vec![Law::Push, Law::Within { least: 0.0, most: 0.0 }],
    };
    for method in Method::ALL {
        let mut x = vec![0.0];
        let answer = Solver::default().solve(method, &reduced.problem(), &mut x);
        assert!(
            matches!(answer, Err(PivotingError::NoSolution | PivotingError::NotConverged { .. })),
            "{} {answer:?} {x:?}",
            method.name()
        );
        let mut x = vec![0.0; 2];
        let answer = Solver::default().solve(method, &spelt.problem(), &mut x);
        assert!(answer.is_ok() && (x[0] - 1.0).abs() < 1e-10, "{} {answer:?} {x:?}", method.name());
    }
}

/// The same bits whatever was solved before, also where no answer is found.
#[test]
fn the_same_bits_twice() {
    for seed in 0..6 {
        let owned = heap(&mut Random(seed), 8, 10.0, 0.5);
        let n = owned.len();
        let mut solver = Solver::default();
        let mut pile = MatrixFreeConeSolver::new();
        let diagonal: Vec<f64> = (0..n).map(|i| owned.a[i * n + i]).collect();
        let mut bits = Vec::new();
        for _ in 0..3 {
            let mut all = Vec::new();
            for method in [Method::Dantzig, Method::Cone] {
                let mut x = vec![0.0; n];
                let _ = solver.solve(method, &owned.problem(), &mut x);
                all.extend(x.iter().map(|v| v.to_bits()));
            }
            let mut x = vec![0.0; n];
            let _ = pile.solve(&mut MatrixOperator { a: &owned.a, n }, &diagonal, &owned.b, &owned.laws, &mut x);
            all.extend(x.iter().map(|v| v.to_bits()));
            bits.push(all);
            // another problem in between must leave no trace
            let other = tower(2, 1.0, 0.5, 1.0, 0.1);
            solver.cone.solve(&other.problem(), &mut vec![0.0; other.len()]).unwrap();
        }
        assert!(bits[0] == bits[1] && bits[1] == bits[2], "seed {seed}");
    }
}

#[test]
fn a_warm_start_is_quick() {
    let mut owned = heap(&mut Random(6), 8, 1.0, 0.5);
    let mut cone = DenseConeSolver::new();
    let mut x = solve(&owned);
    let report = cone.solve(&owned.problem(), &mut x).unwrap();
    assert_eq!(report.iterations, 0);
    let mut random = Random(8);
    for b in &mut owned.b {
        *b += 1e-4 * random.signed();
    }
    let report = cone.solve(&owned.problem(), &mut x).unwrap();
    assert!(report.iterations <= 25, "{report:?}");
}

#[test]
fn a_failure_leaves_the_best_and_says_how_bad_it_is() {
    let owned = heap(&mut Random(9), 8, 1.0, 0.5);
    let mut cone = DenseConeSolver::new();
    cone.tolerance = 1e-30;
    cone.steps = 30;
    let mut x = vec![0.0; owned.len()];
    let none = certificate(&owned.problem(), &x).worst;
    match cone.solve(&owned.problem(), &mut x) {
        Err(LcpError::NotConverged { residual }) => {
            assert_eq!(residual, certificate(&owned.problem(), &x).worst);
            assert!(residual < 1e-3 * none, "{residual} {none}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn piles_agree_with_the_cone() {
    for seed in 0..6 {
        let owned = heap(&mut Random(40 + seed), 25, 1.0 + seed as f64, 0.3);
        let n = owned.len();
        let exact = solve(&owned);
        let diagonal: Vec<f64> = (0..n).map(|i| owned.a[i * n + i]).collect();
        let mut pile = MatrixFreeConeSolver::new();
        let mut x = vec![0.0; n];
        let mut matrix = MatrixOperator { a: &owned.a, n };
        let cold = pile.solve(&mut matrix, &diagonal, &owned.b, &owned.laws, &mut x).unwrap();
        assert!(certificate(&owned.problem(), &x).worst <= 1e-8);
        // where the answer is unique the motions agree; a heap of full rank has one
        let (p, q) = (owned.apply(&exact), owned.apply(&x));
        let error = p.iter().zip(&q).fold(0.0, |m: f64, (p, q)| m.max((p - q).abs()));
        assert!(error < 1e-5, "seed {seed}: {error}");
        let warm = pile.solve(&mut matrix, &diagonal, &owned.b, &owned.laws, &mut x).unwrap();
        assert!(warm.iterations <= 2 && cold.iterations > 20, "{warm:?} {cold:?}");
        // a loose tolerance costs less
        pile.tolerance = 1e-4;
        let mut x = vec![0.0; n];
        let loose = pile.solve(&mut matrix, &diagonal, &owned.b, &owned.laws, &mut x).unwrap();
        assert!(loose.iterations < cold.iterations);
        pile.products = 3;
        pile.tolerance = 1e-12;
        let answer = pile.solve(&mut matrix, &diagonal, &owned.b, &owned.laws, &mut x);
        assert!(matches!(answer, Err(LcpError::NotConverged { residual }) if residual < 1e-3), "{answer:?}");
    }
}
