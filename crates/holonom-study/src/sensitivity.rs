//! How much each factor does to an outcome, from the rows of a table alone.
//!
//! Rows are put into groups by the factor: one for each of its values, or, where it has more than ten, into ten groups
//! of as many rows, in order. The mean outcome of a group is what the factor does when the others are averaged over, as
//! far as they are spread alike in every group: so in a grid, in a Latin hypercube, and nearly so in random samples.
//!
//! ```text
//! share = sum_g n_g (mean_g - mean)^2 / sum_i (y_i - mean)^2      the part of the variance that the factor explains alone
//!         minus what groups of random numbers would explain,  (G - 1)/(n - 1),  and rescaled so that all is 1
//! ```
//!
//! That is the correlation ratio, an estimate of the first index of Sobol. Shares that do not add up to 1 leave
//! something to factors that act together.

use holonom_record::{Cells, DataTable};

/// What one factor does to one outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// The factor.
    pub factor: String,
    /// Unit of its values.
    pub unit: String,
    /// Its least value or group of values, and the mean outcome there.
    pub low: (String, f64),
    /// Its largest one, and the mean outcome there.
    pub high: (String, f64),
    /// The least and the largest mean of any group.
    pub range: (f64, f64),
    /// The part of the variance of the outcome that it explains alone, 0 to 1.
    pub share: f64,
}

/// Groups of a factor with many values.
const GROUPS: usize = 10;

/// What each of these factors does to an outcome, the largest range first. Rows without a number are left out.
pub fn sensitivities(table: &DataTable, factors: &[String], outcome: &str) -> Vec<Sensitivity> {
    let Some(y) = table.column(outcome).and_then(|c| c.as_numbers()) else { return Vec::new() };
    let known: Vec<usize> = (0..y.len()).filter(|i| y[*i].is_finite()).collect();
    let mut all: Vec<Sensitivity> = factors.iter().filter_map(|f| one(table, f, y, &known)).collect();
    all.sort_by(|a, b| (b.range.1 - b.range.0).total_cmp(&(a.range.1 - a.range.0)).then(a.factor.cmp(&b.factor)));
    all
}

fn one(table: &DataTable, factor: &str, y: &[f64], known: &[usize]) -> Option<Sensitivity> {
    let column = table.column(factor)?;
    let groups = groups(&column.cells, known);
    if groups.len() < 2 {
        return None;
    }
    let mean_of = |rows: &[usize]| rows.iter().map(|i| y[*i]).sum::<f64>() / rows.len() as f64;
    let means: Vec<f64> = groups.iter().map(|g| mean_of(&g.1)).collect();
    let (n, mean) = (known.len() as f64, mean_of(known));
    let whole: f64 = known.iter().map(|i| (y[*i] - mean) * (y[*i] - mean)).sum();
    let between: f64 = groups.iter().zip(&means).map(|(g, m)| g.1.len() as f64 * (m - mean) * (m - mean)).sum();
    let chance = (groups.len() - 1) as f64 / (n - 1.0).max(1.0);
    let share =
        if whole > 0.0 && chance < 1.0 { ((between / whole - chance) / (1.0 - chance)).clamp(0.0, 1.0) } else { 0.0 };
    let (first, last) = (&groups[0].0, &groups[groups.len() - 1].0);
    Some(Sensitivity {
        factor: factor.to_string(),
        unit: column.unit.clone(),
        low: (first.clone(), means[0]),
        high: (last.clone(), means[means.len() - 1]),
        range: means.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |r, m| (r.0.min(*m), r.1.max(*m))),
        share,
    })
}

/// Rows by the values of a factor, upwards, each with what it is called.
fn groups(cells: &Cells, known: &[usize]) -> Vec<(String, Vec<usize>)> {
    let mut order = known.to_vec();
    let mut found: Vec<(String, Vec<usize>)> = Vec::new();
    match cells {
        Cells::Numbers(x) => {
            order.sort_by(|a, b| x[*a].total_cmp(&x[*b]).then(a.cmp(b)));
            for group in order.chunk_by(|a, b| x[*a] == x[*b]) {
                found.push((plain(x[group[0]]), group.to_vec()));
            }
            if found.len() > GROUPS {
                let size = order.len().div_ceil(GROUPS);
                let mean = |rows: &[usize]| rows.iter().map(|i| x[*i]).sum::<f64>() / rows.len() as f64;
                found = order.chunks(size).map(|rows| (plain(mean(rows)), rows.to_vec())).collect();
            }
        }
        Cells::Texts(x) => {
            order.sort_by(|a, b| x[*a].cmp(&x[*b]).then(a.cmp(b)));
            for group in order.chunk_by(|a, b| x[*a] == x[*b]) {
                found.push((x[group[0]].clone(), group.to_vec()));
            }
        }
    }
    found
}

/// Four digits.
fn plain(x: f64) -> String {
    let rounded: f64 = format!("{x:.3e}").parse().unwrap_or(x);
    format!("{rounded}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::{SampleMethod, coordinate};
    use holonom_record::{Cell, TableColumn};

    /// y = 3 a + b with a, b equally spread over 0 .. 1: variances 9/12 and 1/12, so shares of 0.9 and 0.1; a third
    /// factor does nothing. Means of the outer tenths: 0.05 and 0.95 of a, so 2.7 apart.
    #[test]
    fn a_sum_is_taken_apart() {
        let columns = ["run", "a", "b", "c", "y"].map(|n| TableColumn::numbers(n, "")).to_vec();
        let mut table = DataTable { columns, metadata: String::new() };
        for i in 0..2000 {
            let [a, b, c] = [0, 1, 2].map(|k| coordinate(SampleMethod::LatinHypercube, 5, 2000, k, i));
            let y = if i == 7 { f64::NAN } else { 3.0 * a + b };
            table.push(&[i as f64, a, b, c, y].map(Cell::Number));
        }
        let found = sensitivities(&table, &["c".into(), "b".into(), "a".into()], "y");
        assert_eq!(found.iter().map(|s| s.factor.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
        for (s, (share, range)) in found.iter().zip([(0.9, 2.7), (0.1, 0.9), (0.0, 0.0)]) {
            assert!((s.share - share).abs() < 0.02, "{s:?}");
            assert!((s.range.1 - s.range.0 - range).abs() < 0.25, "{s:?}");
        }
        assert!(found[0].high.1 > found[0].low.1);
        assert!(sensitivities(&table, &["a".into()], "nothing").is_empty());
    }
}
