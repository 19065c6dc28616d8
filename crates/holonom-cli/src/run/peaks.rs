//! The largest loads among the rows of a recording: of vectors their lengths, of efforts and tensions their sizes.

use crate::text::significant;
use holonom_scene::Quantities;
use serde::Serialize;

/// What is watched, by the end of a name: of the first kind x, y and z together.
const VECTORS: [&str; 4] = [".force", ".torque", ".vel", ".acc"];
const NUMBERS: [&str; 2] = [".tension", ".effort"];

/// Smaller ones, N or N m or m/s, are rounding.
const LEAST: f64 = 1e-9;

/// The largest of a quantity, and when.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Peak {
    pub quantity: String,
    pub unit: &'static str,
    pub largest: f64,
    pub time: f64,
    #[serde(skip)]
    kind: &'static str,
    #[serde(skip)]
    columns: Vec<usize>,
}

/// All that are watched.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(transparent)]
pub(crate) struct Peaks(Vec<Peak>);

impl Peaks {
    /// Of the columns of a recording.
    pub fn new(quantities: &Quantities) -> Peaks {
        let all = quantities.all();
        let mut peaks = Vec::new();
        for (i, q) in all.iter().enumerate() {
            let peak = |quantity: &str, kind, columns| {
                let (quantity, unit, largest, time) = (quantity.to_string(), q.unit, f64::NAN, 0.0);
                Peak { quantity, unit, largest, time, kind, columns }
            };
            if let Some(kind) = NUMBERS.iter().find(|k| q.name.ends_with(**k)) {
                peaks.push(peak(&q.name, &kind[1..], vec![i]));
            }
            if let Some(vector) = q.name.strip_suffix(".norm")
                && let Some(kind) = VECTORS.iter().find(|k| vector.ends_with(**k))
                && !all.iter().any(|q| q.name.strip_suffix(".x") == Some(vector))
            {
                peaks.push(peak(vector, &kind[1..], vec![i]));
            }
            let Some(vector) = q.name.strip_suffix(".x") else { continue };
            let Some(kind) = VECTORS.iter().find(|k| vector.ends_with(**k)) else { continue };
            let follows =
                |k: usize, axis: &str| all.get(i + k).is_some_and(|q| q.name.strip_suffix(axis) == Some(vector));
            if follows(1, ".y") && follows(2, ".z") {
                peaks.push(peak(vector, &kind[1..], vec![i, i + 1, i + 2]));
            }
        }
        Peaks(peaks)
    }

    /// Look at a row; the first number of it is the time.
    pub fn note(&mut self, row: &[f64]) {
        for p in &mut self.0 {
            let size = p.columns.iter().map(|i| row[*i] * row[*i]).sum::<f64>().sqrt();
            if size > p.largest || (p.largest.is_nan() && !size.is_nan()) {
                (p.largest, p.time) = (size, row[0]);
            }
        }
    }

    /// The largest of every kind, in a line.
    pub fn text(&self) -> Option<String> {
        let kinds = VECTORS.iter().chain(&NUMBERS).map(|k| &k[1..]);
        let largest = |kind: &str| {
            let of_kind = self.0.iter().filter(|p| p.kind == kind && p.largest > LEAST);
            of_kind.max_by(|a, b| a.largest.total_cmp(&b.largest))
        };
        let said = kinds.filter_map(largest).map(|p| {
            let (size, time) = (significant(p.largest, 4), significant(p.time, 4));
            format!("`{}` {size} {} at {time} s", p.quantity, p.unit)
        });
        let said: Vec<String> = said.collect();
        (!said.is_empty()).then(|| said.join(", "))
    }
}
