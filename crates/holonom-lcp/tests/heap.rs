//! Many bodies with few rows each: the sparse method finds what the dense one finds.

mod common;

use common::{Body, Random, Touch, contacts};
use holonom_lcp::{Cone, Heap, Law, Rows, certificate};

/// The rows of touches, in the form of [`Heap`]; the same as those of [`contacts`].
fn rows_of(bodies: &[Body], touches: &[Touch]) -> (Vec<[f64; 36]>, Rows) {
    let masses = bodies.iter().map(|body| {
        let mut m = [0.0; 36];
        (0..6).for_each(|i| m[7 * i] = if i < 3 { body.mass } else { body.inertia[i - 3] });
        m
    });
    let mut rows = Rows::default();
    rows.clear();
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    for touch in touches {
        let side = if touch.normal[0].abs() < 0.6 { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
        let mut t1 = cross(touch.normal, side);
        let l = t1.iter().map(|x| x * x).sum::<f64>().sqrt();
        t1.iter_mut().for_each(|x| *x /= l);
        for axis in [touch.normal, t1, cross(touch.normal, t1)] {
            for (body, sign) in [(Some(touch.above), 1.0), (touch.below, -1.0)] {
                let Some(body) = body else { continue };
                let c = bodies[body].place;
                let turn = cross(std::array::from_fn(|i| touch.point[i] - c[i]), axis);
                rows.part(body as u32, std::array::from_fn(|i| sign * if i < 3 { axis[i] } else { turn[i - 3] }));
            }
            rows.end();
        }
    }
    (masses.collect(), rows)
}

/// Blocks in a random heap, thrown at each other.
fn thrown(seed: u64, count: usize, mu: f64) -> (Vec<Body>, Vec<Touch>) {
    let mut random = Random(seed);
    let mut bodies = Vec::new();
    let mut touches = Vec::new();
    for at in 0..count {
        let place = [random.signed() * 3.0, random.signed() * 3.0, at as f64];
        let mut body = Body::block(place, [0.5, 0.5, 0.5], 0.5 + random.unit());
        body.velocity = std::array::from_fn(|i| if i == 2 { -2.0 } else { 0.3 * random.signed() });
        bodies.push(body);
        for _ in 0..4 {
            let below = (at > 0 && random.unit() < 0.7).then(|| (random.unit() * at as f64) as usize);
            let mut normal = [0.3 * random.signed(), 0.3 * random.signed(), 1.0];
            let l = normal.iter().map(|x| x * x).sum::<f64>().sqrt();
            normal.iter_mut().for_each(|x| *x /= l);
            let point = [place[0] + 0.5 * random.signed(), place[1] + 0.5 * random.signed(), place[2] - 0.5];
            touches.push(Touch { above: at, below, point, normal, mu });
        }
    }
    (bodies, touches)
}

#[test]
fn sparse_and_dense_agree() {
    for seed in 0..30 {
        let (bodies, touches) = thrown(seed, 2 + seed as usize % 9, 0.1 + 0.02 * seed as f64);
        let dense = contacts(&bodies, &touches);
        let (masses, rows) = rows_of(&bodies, &touches);
        let mut x = vec![0.0; dense.len()];
        let report = Heap::default().solve(&masses, &rows, &dense.b, &dense.laws, &mut x).unwrap();
        let judged = certificate(&dense.problem(), &x);
        assert!(judged.worst <= 1e-9, "seed {seed}: {judged:?} after {report:?}");
        let mut y = vec![0.0; dense.len()];
        if Cone::new().solve(&dense.problem(), &mut y).is_ok() {
            // pushes may differ where they are redundant; without sliding, motions may not
            let (a, b) = (dense.apply(&x), dense.apply(&y));
            let still = |a: &[f64]| a.iter().all(|a| a.abs() < 1e-9);
            if still(&a) || still(&b) {
                let off = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off < 1e-8, "seed {seed}: {off}");
            }
        }
    }
}

#[test]
fn a_good_guess_costs_nothing_and_equal_input_gives_equal_bits() {
    let (bodies, touches) = thrown(77, 30, 0.5);
    let dense = contacts(&bodies, &touches);
    let (masses, rows) = rows_of(&bodies, &touches);
    let mut heap = Heap::default();
    let mut x = vec![0.0; dense.len()];
    heap.solve(&masses, &rows, &dense.b, &dense.laws, &mut x).unwrap();
    let mut again = vec![0.0; dense.len()];
    heap.solve(&masses, &rows, &dense.b, &dense.laws, &mut again).unwrap();
    assert_eq!(x, again, "memory of an earlier problem must not show");
    let report = heap.solve(&masses, &rows, &dense.b, &dense.laws, &mut again).unwrap();
    assert_eq!((report.factorisations, &x), (0, &again));
}

#[test]
fn rows_without_bounds_hold_and_rows_with_bounds_give_way() {
    // two unit masses tied together along x; the first is pulled by 5 and held by at most 3
    let mut m = [0.0; 36];
    (0..6).for_each(|i| m[7 * i] = 1.0);
    let mut rows = Rows::default();
    rows.clear();
    let x = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    rows.part(0, x);
    rows.part(1, x.map(|x: f64| -x));
    rows.end();
    rows.part(0, x);
    rows.end();
    let laws = [Law::Free, Law::Within { least: -3.0, most: 3.0 }];
    let mut push = [0.0; 2];
    Heap::default().solve(&[m, m], &rows, &[5.0, 5.0], &laws, &mut push).unwrap();
    // v1 = 5 + t + h, v2 = -t, v1 = v2 ... with h = -3 at its bound: t = -1, both move on with 1
    assert!((push[0] + 1.0).abs() < 1e-9 && (push[1] + 3.0).abs() < 1e-9, "{push:?}");
}

#[test]
fn nonsense_is_refused() {
    let mut rows = Rows::default();
    rows.clear();
    rows.part(0, [1.0; 6]);
    rows.end();
    let mut x = [0.0];
    let bad = Heap::default().solve(&[[0.0; 36]], &rows, &[1.0], &[Law::Push], &mut x);
    assert!(bad.is_err());
    let mut m = [0.0; 36];
    (0..6).for_each(|i| m[7 * i] = 1.0);
    assert!(Heap::default().solve(&[m], &rows, &[f64::NAN], &[Law::Push], &mut x).is_err());
    assert!(Heap::default().solve(&[m], &rows, &[1.0, 2.0], &[Law::Push, Law::Push], &mut x).is_err());
}
