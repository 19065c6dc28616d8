//! How long the methods take: `cargo run --release -p holonom-lcp --example solver_timing`.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Owned, Random, heap, tower};
use holonom_lcp::{DenseConeSolver, MatrixFreeConeSolver, MatrixOperator, certificate};
use std::time::Instant;

fn time(name: &str, owned: &Owned) {
    let mut cone = DenseConeSolver::new();
    let mut x = vec![0.0; owned.len()];
    let mut times = Vec::new();
    let mut last = None;
    for _ in 0..15 {
        x.fill(0.0);
        let start = Instant::now();
        last = Some(cone.solve(&owned.problem(), &mut x));
        times.push(start.elapsed().as_secs_f64() * 1e6);
    }
    times.sort_by(f64::total_cmp);
    let start = Instant::now();
    let again = cone.solve(&owned.problem(), &mut x);
    let warm = start.elapsed().as_secs_f64() * 1e6;
    let worst = certificate(&owned.problem(), &x).worst;
    println!(
        "{name:28} n {:4}  cold {:9.1} us  warm {warm:9.1} us  worst {worst:.1e}  {last:?} {again:?}",
        owned.len(),
        times[7]
    );
}

fn main() {
    piles();
    for n in [12, 30, 60, 120, 240] {
        let boxes = (n / 12).max(1);
        time("tower at rest", &tower(boxes, 1.0, 0.5, 1.0, 0.0));
        time("tower 1000:1 at rest", &tower(boxes, 1000.0, 0.5, 1.0, 0.0));
        time("tower sliding", &tower(boxes, 1.0, 0.3, 1.0, 0.2));
        time("tower 1000:1 sliding", &tower(boxes, 1000.0, 0.3, 1.0, 0.2));
        time("heap", &heap(&mut Random(n as u64), boxes, 1.0, 0.5));
        time("heap 1000:1", &heap(&mut Random(n as u64), boxes, 1000.0, 0.8));
    }
    for (mu, ratio) in [(0.3, 1.0), (0.6, 30.0), (1.2, 1.0), (1.0, 1000.0)] {
        let mut failed = 0;
        let mut most = 0;
        let mut sum = 0;
        let count = 300;
        for seed in 0..count {
            let owned = heap(&mut Random(1000 + seed), 1 + seed as usize % 10, ratio, mu);
            let mut x = vec![0.0; owned.len()];
            match DenseConeSolver::new().solve(&owned.problem(), &mut x) {
                Ok(report) => {
                    most = most.max(report.iterations);
                    sum += report.iterations;
                }
                Err(e) => {
                    failed += 1;
                    if failed < 4 {
                        println!("   seed {seed}: {e:?}");
                    }
                }
            }
        }
        println!(
            "heaps mu {mu} ratio {ratio}: failed {failed} of {count}, steps mean {} most {most}",
            sum / count as usize
        );
    }
}

fn piles() {
    for (seed, ratio, mu) in [(1, 1.0, 0.3), (2, 1.0, 0.5), (3, 10.0, 0.5), (4, 100.0, 0.8)] {
        let owned = heap(&mut Random(seed), 25, ratio, mu);
        let n = owned.len();
        let diagonal: Vec<f64> = (0..n).map(|i| owned.a[i * n + i]).collect();
        let mut x = vec![0.0; n];
        let mut pile = MatrixFreeConeSolver::new();
        pile.products = 20000;
        let start = Instant::now();
        let report = pile.solve(&mut MatrixOperator { a: &owned.a, n }, &diagonal, &owned.b, &owned.laws, &mut x);
        println!("pile n {n} ratio {ratio} mu {mu}: {report:?} in {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    }
    let owned = tower(25, 1.0, 0.5, 1.0, 0.0);
    let n = owned.len();
    let diagonal: Vec<f64> = (0..n).map(|i| owned.a[i * n + i]).collect();
    let mut x = vec![0.0; n];
    let mut pile = MatrixFreeConeSolver::new();
    pile.products = 20000;
    println!(
        "pile tower {n} {:?}",
        pile.solve(&mut MatrixOperator { a: &owned.a, n }, &diagonal, &owned.b, &owned.laws, &mut x)
    );
}
