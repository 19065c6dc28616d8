//! The equations of motion solved with 60 digits, by a road that shares nothing with the solvers: one dense matrix,
//! scaled partial pivoting, numbers of 200 bits.

use crate::common::dense::Dense;
use crate::common::gap;
use dashu_float::{FBig, round::mode::Zero};
use holonom::math::SplitMix;

type Big = FBig<Zero, 2>;

fn big(x: f64) -> Big {
    Big::try_from(x).expect("finite").with_precision(200).value()
}

/// What the exact solution is, and how well it is determined.
pub struct Exact {
    pub accelerations: Vec<f64>,
    /// By how much each acceleration moves when every entry of J is moved by one part in 1e15: `1e-15 M^-1 |J|^T
    /// |lambda|`. A light body that turns freely about an axis is pushed by what rounding leaves there of large forces.
    pub undecided: Vec<f64>,
    /// By how much accelerations depend on which of the rows that say the same are kept.
    pub by_choice: f64,
}

/// Rows of which this part is left at right angles to the others are independent (the engine lets go of rows below
/// 3e-5: that is near a singular pose),
const INDEPENDENT: f64 = 1e-4;
/// and of this part dependent; in between it is not clear.
const DEPENDENT: f64 = 1e-9;

/// `None` where it is not clear which rows depend on others.
pub fn solve(d: &Dense) -> Option<Exact> {
    let rows = independent(d, 0)?;
    let mut exact = solve_rows(d, &rows)?;
    for choice in 1..=if rows.len() < d.m { 3 } else { 0 } {
        let other = solve_rows(d, &independent(d, choice)?)?;
        exact.by_choice = exact.by_choice.max(gap(&exact.accelerations, &other.accelerations));
    }
    Some(exact)
}

fn solve_rows(d: &Dense, rows: &[usize]) -> Option<Exact> {
    let (n, k) = (d.n, rows.len());
    let size = n + k;
    let mut a = vec![big(0.0); size * (size + 1)];
    let width = size + 1;
    for i in 0..n {
        for j in 0..n {
            a[i * width + j] = big(d.e.mass[i * n + j]);
        }
        a[i * width + size] = big(d.e.force[i]);
    }
    for (r, &row) in rows.iter().enumerate() {
        for c in 0..n {
            let j = d.row(row)[c];
            a[(n + r) * width + c] = big(j);
            a[c * width + n + r] = big(-j);
        }
        a[(n + r) * width + size] = big(-d.e.c[row]);
    }
    let x = eliminate(a, size)?;
    let mut pushes = vec![0.0; n];
    for (r, &row) in rows.iter().enumerate() {
        pushes.iter_mut().zip(d.row(row)).for_each(|(p, j)| *p += 1e-15 * (j * x[n + r]).abs());
    }
    let undecided = (0..n).map(|i| pushes[i] / d.e.mass[i * n + i]).collect();
    Some(Exact { accelerations: x[..n].to_vec(), undecided, by_choice: 0.0 })
}

/// Rows that are independent when all rows and columns of J are scaled to the same length; `None` where that is not
/// clear. Of rows that say the same, others are kept with every choice.
fn independent(d: &Dense, choice: u64) -> Option<Vec<usize>> {
    let (n, m) = (d.n, d.m);
    let mut j: Vec<Vec<f64>> = (0..m).map(|i| d.row(i).to_vec()).collect();
    for row in &mut j {
        // a row that has nothing but rounding in a column says nothing of it
        let largest = row.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        row.iter_mut().filter(|x| x.abs() < 1e-13 * largest).for_each(|x| *x = 0.0);
    }
    for _ in 0..8 {
        for row in &mut j {
            let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
            row.iter_mut().filter(|_| length > 0.0).for_each(|x| *x /= length.sqrt());
        }
        for c in 0..n {
            let length = j.iter().map(|row| row[c] * row[c]).sum::<f64>().sqrt();
            j.iter_mut().filter(|_| length > 0.0).for_each(|row| row[c] /= length.sqrt());
        }
    }
    for row in &mut j {
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        row.iter_mut().filter(|_| length > 0.0).for_each(|x| *x /= length);
    }
    let (mut kept, mut basis) = (Vec::new(), Vec::<Vec<f64>>::new());
    let mut left: Vec<usize> = (0..m).collect();
    while !left.is_empty() {
        let length = |i: usize| j[i].iter().map(|x| x * x).sum::<f64>().sqrt();
        let preferred =
            |i: usize| length(i) * if choice == 0 { 1.0 } else { 0.2 + SplitMix(choice << 32 | i as u64).unit() };
        let best = *left.iter().max_by(|a, b| preferred(**a).total_cmp(&preferred(**b)))?;
        match length(best) {
            l if l < DEPENDENT => break,
            l if l < INDEPENDENT => return None,
            l => basis.push(j[best].iter().map(|x| x / l).collect()),
        }
        kept.push(best);
        left.retain(|&i| i != best);
        for &i in &left {
            for _ in 0..2 {
                let b = basis.last()?;
                let along: f64 = b.iter().zip(&j[i]).map(|(a, c)| a * c).sum();
                j[i].iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
            }
        }
    }
    kept.sort_unstable();
    Some(kept)
}

/// Gauss with scaled partial pivoting on `[A | b]`.
fn eliminate(mut a: Vec<Big>, n: usize) -> Option<Vec<f64>> {
    let width = n + 1;
    let magnitude = |x: &Big| x.to_f64().value().abs();
    for i in 0..n {
        let largest = (0..n).map(|j| magnitude(&a[i * width + j])).fold(0.0, f64::max);
        let scale = big(1.0 / largest);
        (0..width).for_each(|j| a[i * width + j] = &a[i * width + j] * &scale);
    }
    for k in 0..n {
        let p = (k..n).max_by(|&i, &j| magnitude(&a[i * width + k]).total_cmp(&magnitude(&a[j * width + k])))?;
        if magnitude(&a[p * width + k]) == 0.0 {
            return None;
        }
        (0..width).for_each(|j| a.swap(k * width + j, p * width + j));
        for i in k + 1..n {
            if magnitude(&a[i * width + k]) == 0.0 {
                continue;
            }
            let l = &a[i * width + k] / &a[k * width + k];
            for j in k + 1..width {
                if a[k * width + j] != Big::ZERO {
                    a[i * width + j] = &a[i * width + j] - &l * &a[k * width + j];
                }
            }
        }
    }
    let mut x = vec![big(0.0); n];
    for i in (0..n).rev() {
        let mut sum = a[i * width + n].clone();
        for j in i + 1..n {
            sum -= &a[i * width + j] * &x[j];
        }
        x[i] = sum / &a[i * width + i];
    }
    Some(x.iter().map(|x| x.to_f64().value()).collect())
}
