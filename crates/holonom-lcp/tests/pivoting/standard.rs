//! Any problem as a standard one: `w = q + M z`, `w >= 0`, `z >= 0`, `w z = 0`.
//!
//! ```text
//!     x = x0 + C z,   a = A x + b
//!
//!     Free      two columns +e_i, -e_i:        w = a and w = -a, so a = 0
//!     Push      one column +e_i:               w = a
//!     Within    x0 = the finite end, one column away from it: w = (+-) a + lambda;   one z = lambda with  w = most - least - z
//!     Cone      a column per facet direction d_f:             w = d_f . a + lambda;  one z = lambda with  w = mu x_n - sum of facets
//!     Ball      the same with radius in place of mu x_n
//! ```
//!
//! This is Stewart and Trinkle's friction: the disc becomes the polygon spanned by its facet directions (*inside* the disc), and `lambda`
//! grows into the slip. Facet directions come in opposite pairs: 2 for one row, `facets` for two, 26 for three (the faces, edges
//! and corners of a cube).

use holonom_lcp::dense::{dot, zeros};
use holonom_lcp::{ComplementarityLaw as Law, ScaledProblem};

/// One variable `z`.
#[derive(Clone, Copy, Debug)]
enum Column {
    /// Pushes along up to three rows of the problem; `cap` is the index of the `lambda` it is bounded by.
    Push { first: usize, rows: usize, along: [f64; 3], cap: Option<usize> },
    /// A `lambda`: `w = room + mu x_normal - (all pushes capped by it)`.
    Cap { room: f64, mu: f64, normal: usize },
}

/// The standard form, with what is needed to come back from it.
#[derive(Clone, Debug, Default)]
pub struct Standard {
    pub m: Vec<f64>,
    pub q: Vec<f64>,
    columns: Vec<Column>,
    x0: Vec<f64>,
    ax: Vec<f64>,
}

impl Standard {
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// From a problem without units. `facets` is even and at least 4.
    pub fn set(&mut self, scaled: &ScaledProblem, a: &[f64], facets: usize) {
        let n = scaled.b.len();
        zeros(&mut self.x0, n);
        self.columns.clear();
        for (i, law) in Law::with_first_rows(&scaled.laws) {
            match *law {
                Law::Free => self.free(i),
                Law::Push => self.push(i, 1, [1.0, 0.0, 0.0], None),
                Law::Within { least, most } => self.within(i, least, most),
                Law::Cone { normal, mu, rows } => {
                    let cap = self.columns.len();
                    self.columns.push(Column::Cap { room: 0.0, mu, normal });
                    self.facets(i, rows, facets, cap);
                }
                Law::Ball { radius, rows } => {
                    if radius.is_infinite() {
                        (i..i + rows).for_each(|k| self.free(k));
                    } else {
                        let cap = self.columns.len();
                        self.columns.push(Column::Cap { room: radius, mu: 0.0, normal: 0 });
                        self.facets(i, rows, facets, cap);
                    }
                }
            }
        }
        self.fill(scaled, a);
    }

    /// `y = x0 + C z`.
    pub fn restore(&self, z: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.extend_from_slice(&self.x0);
        for (column, z) in self.columns.iter().zip(z) {
            if let Column::Push { first, rows, along, .. } = *column {
                for k in 0..rows {
                    y[first + k] += along[k] * z;
                }
            }
        }
    }

    fn push(&mut self, first: usize, rows: usize, along: [f64; 3], cap: Option<usize>) {
        self.columns.push(Column::Push { first, rows, along, cap });
    }

    fn free(&mut self, i: usize) {
        self.push(i, 1, [1.0, 0.0, 0.0], None);
        self.push(i, 1, [-1.0, 0.0, 0.0], None);
    }

    fn within(&mut self, i: usize, least: f64, most: f64) {
        if least == most {
            self.x0[i] = least;
        } else if least.is_finite() {
            self.x0[i] = least;
            let mut cap = None;
            if most.is_finite() {
                cap = Some(self.columns.len());
                self.columns.push(Column::Cap { room: most - least, mu: 0.0, normal: 0 });
            }
            self.push(i, 1, [1.0, 0.0, 0.0], cap);
        } else if most.is_finite() {
            self.x0[i] = most;
            self.push(i, 1, [-1.0, 0.0, 0.0], None);
        } else {
            self.free(i);
        }
    }

    fn facets(&mut self, i: usize, rows: usize, facets: usize, cap: usize) {
        match rows {
            1 => {
                self.push(i, 1, [1.0, 0.0, 0.0], Some(cap));
                self.push(i, 1, [-1.0, 0.0, 0.0], Some(cap));
            }
            2 => {
                for f in 0..facets {
                    let angle = f as f64 * core::f64::consts::TAU / facets as f64;
                    self.push(i, 2, [libm::cos(angle), libm::sin(angle), 0.0], Some(cap));
                }
            }
            _ => {
                for corner in (0..27).filter(|c| *c != 13) {
                    let d = [corner % 3, corner / 3 % 3, corner / 9].map(|v| f64::from(v) - 1.0);
                    let length = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt();
                    self.push(i, 3, d.map(|v| v / length), Some(cap));
                }
            }
        }
    }

    fn fill(&mut self, scaled: &ScaledProblem, a: &[f64]) {
        let n = scaled.b.len();
        let size = self.columns.len();
        zeros(&mut self.m, size * size);
        zeros(&mut self.q, size);
        self.ax.clear();
        self.ax.extend((0..n).map(|i| dot(&a[i * n..i * n + n], &self.x0) + scaled.b[i]));
        for (p, column) in self.columns.iter().enumerate() {
            match *column {
                Column::Push { first, rows, along, cap } => {
                    self.q[p] = dot(&along[..rows], &self.ax[first..first + rows]);
                    for (q, other) in self.columns.iter().enumerate() {
                        let Column::Push { first: f, rows: s, along: other, .. } = *other else { continue };
                        let mut sum = 0.0;
                        for k in 0..rows {
                            for l in 0..s {
                                sum += along[k] * a[(first + k) * n + f + l] * other[l];
                            }
                        }
                        self.m[p * size + q] = sum;
                    }
                    if let Some(cap) = cap {
                        self.m[p * size + cap] = 1.0;
                        self.m[cap * size + p] = -1.0;
                    }
                }
                Column::Cap { room, mu, normal } => {
                    self.q[p] = room;
                    if mu > 0.0 {
                        for (q, other) in self.columns.iter().enumerate() {
                            if let Column::Push { first, rows: 1, along, cap: None } = *other
                                && first == normal
                            {
                                self.m[p * size + q] = mu * along[0];
                            }
                        }
                    }
                }
            }
        }
    }
}
