//! Rest in place of slip: a pyramid of balls has several solutions of Coulomb's law, and rest is one of them wherever
//! forces within the cones can carry it.

use holonom_lcp::{ComplementarityLaw as Law, ConeProblem, DenseConeSolver, SparseConeSolver, SparseRows, certificate};

type Vector = [f64; 3];

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Vector) -> Vector {
    let length = a.iter().map(|x| x * x).sum::<f64>().sqrt();
    a.map(|x| x / length)
}

/// One velocity step of a pyramid of balls of radius 1 and mass 1 under gravity 1: rows, b and laws. Gaps are off by
/// `noise` times numbers of no special order.
struct Pyramid {
    balls: usize,
    rows: Vec<Vec<(u32, [f64; 6])>>,
    b: Vec<f64>,
    laws: Vec<Law>,
}

fn pyramid(side: usize, mu: f64, noise: f64) -> Pyramid {
    let mut centres: Vec<Vector> = Vec::new();
    for layer in 0..side {
        let n = side - layer;
        for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let at = |i: usize| 2.0 * i as f64 - (n - 1) as f64;
            centres.push([at(i), at(j), 1.0 + layer as f64 * 2f64.sqrt()]);
        }
    }
    let mut touches: Vec<(usize, Option<usize>, Vector)> = Vec::new();
    for i in 0..centres.len() {
        if i < side * side {
            touches.push((i, None, [0.0, 0.0, 1.0]));
        }
        for j in 0..i {
            let d: Vector = std::array::from_fn(|k| centres[i][k] - centres[j][k]);
            if d.iter().map(|x| x * x).sum::<f64>() < 4.0 + 1e-9 {
                touches.push((i, Some(j), unit(d)));
            }
        }
    }
    let mut p = Pyramid { balls: centres.len(), rows: Vec::new(), b: Vec::new(), laws: Vec::new() };
    for (k, (a, b, n)) in touches.into_iter().enumerate() {
        let helper = if n[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let x = unit(cross(n, helper));
        let first = p.b.len();
        for d in [n, x, cross(n, x)] {
            // the point is at -n from the centre of a, and at n from that of b
            let turn_a = cross(n.map(|x| -x), d);
            let turn_b = cross(n, d.map(|x| -x));
            let mut parts = vec![(a as u32, [d[0], d[1], d[2], turn_a[0], turn_a[1], turn_a[2]])];
            let mut free = -d[2];
            if let Some(b) = b {
                parts.push((b as u32, [-d[0], -d[1], -d[2], turn_b[0], turn_b[1], turn_b[2]]));
                free += d[2];
            }
            if p.b.len() == first {
                free += noise * (0.5 + (k as f64 * 0.618_033_988_749_894_9).fract());
            }
            p.rows.push(parts);
            p.b.push(free);
        }
        p.laws.push(Law::Push);
        p.laws.push(Law::Cone { normal: first, mu, rows: 2 });
    }
    p
}

impl Pyramid {
    const INERTIA: f64 = 0.4;

    fn sparse(&self) -> (Vec<[f64; 36]>, SparseRows) {
        let mut mass = [0.0; 36];
        (0..6).for_each(|i| mass[7 * i] = if i < 3 { 1.0 } else { Self::INERTIA });
        let mut rows = SparseRows::default();
        rows.clear();
        for row in &self.rows {
            row.iter().for_each(|(node, g)| rows.part(*node, *g));
            rows.end();
        }
        (vec![mass; self.balls], rows)
    }

    fn dense(&self) -> Vec<f64> {
        let n = self.b.len();
        let mut a = vec![0.0; n * n];
        for (i, row) in self.rows.iter().enumerate() {
            for (j, other) in self.rows.iter().enumerate() {
                for (node, g) in row {
                    for (_, h) in other.iter().filter(|(o, _)| o == node) {
                        a[i * n + j] += (0..3).map(|k| g[k] * h[k]).sum::<f64>();
                        a[i * n + j] += (3..6).map(|k| g[k] * h[k]).sum::<f64>() / Self::INERTIA;
                    }
                }
            }
        }
        a
    }

    /// The largest slip of an answer, by the dense matrix.
    fn slip(&self, x: &[f64]) -> f64 {
        let (a, n) = (self.dense(), self.b.len());
        let of = |i: usize| (0..n).map(|j| a[i * n + j] * x[j]).sum::<f64>() + self.b[i];
        (0..n).filter(|i| i % 3 > 0).map(|i| of(i).abs()).fold(0.0, f64::max)
    }
}

#[test]
fn rest_is_found_where_it_exists() {
    for side in [2, 3, 4, 5] {
        for mu in [0.65, 0.7, 0.8, 0.9, 1.0, 1.3] {
            for noise in [0.0, 1e-12] {
                let p = pyramid(side, mu, noise);
                let (masses, rows) = p.sparse();
                let mut x = vec![0.0; p.b.len()];
                let mut solver = SparseConeSolver::new();
                solver.rest = true;
                let report = solver.solve(&masses, &rows, &p.b, &p.laws, &mut x);
                println!("side {side} mu {mu} noise {noise}: {report:?} slip {:.1e}", p.slip(&x));
                report.unwrap();
                assert!(p.slip(&x) <= 1e-8);
                if side < 4 {
                    let a = p.dense();
                    let problem = ConeProblem { a: &a, b: &p.b, laws: &p.laws };
                    assert!(certificate(&problem, &x).worst < 1e-8);
                    let mut x = vec![0.0; p.b.len()];
                    let mut solver = DenseConeSolver::new();
                    solver.rest = true;
                    // what it says itself may be a little short of its tolerance where gaps are open by rounding
                    let _ = solver.solve(&problem, &mut x);
                    assert!(certificate(&problem, &x).worst < 1e-10);
                    assert!(p.slip(&x) <= 1e-8);
                }
            }
        }
    }
}
