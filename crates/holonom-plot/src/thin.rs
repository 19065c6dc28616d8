//! Curves with more points than a picture can show, thinned without losing what can be seen.
//!
//! Points that follow each other within one narrow column of the picture become four: the first, the lowest, the
//! highest and the last, in their own order. A spike of a single sample stays where it is. Columns are runs of
//! neighbours, so curves that turn back are thinned as well.

/// Points in picture coordinates, in pieces between gaps; `None` is a gap. Pieces with a single point stay: they are
/// dots.
pub(crate) fn pieces(points: impl Iterator<Item = Option<(f64, f64)>>, column: f64) -> Vec<Vec<(f64, f64)>> {
    let mut pieces = Vec::new();
    let mut piece = Vec::new();
    let mut run = Run::default();
    for point in points {
        match point {
            Some((x, y)) => run.add(x, y, (x / column).floor(), &mut piece),
            None => {
                run.close(&mut piece);
                if !piece.is_empty() {
                    pieces.push(std::mem::take(&mut piece));
                }
            }
        }
    }
    run.close(&mut piece);
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// Points within one column, so far.
#[derive(Default)]
struct Run {
    column: f64,
    count: usize,
    first: (f64, f64),
    /// Lowest and highest, with their numbers in the run.
    low: (usize, (f64, f64)),
    high: (usize, (f64, f64)),
    last: (f64, f64),
}

impl Run {
    fn add(&mut self, x: f64, y: f64, column: f64, out: &mut Vec<(f64, f64)>) {
        if self.count > 0 && column != self.column {
            self.close(out);
        }
        if self.count == 0 {
            *self = Run { column, count: 1, first: (x, y), low: (0, (x, y)), high: (0, (x, y)), last: (x, y) };
            return;
        }
        if y < self.low.1.1 {
            self.low = (self.count, (x, y));
        }
        if y > self.high.1.1 {
            self.high = (self.count, (x, y));
        }
        self.last = (x, y);
        self.count += 1;
    }

    fn close(&mut self, out: &mut Vec<(f64, f64)>) {
        if self.count == 0 {
            return;
        }
        let mut kept = vec![(0, self.first), self.low, self.high, (self.count - 1, self.last)];
        kept.sort_by_key(|k| k.0);
        kept.dedup_by_key(|k| k.0);
        out.extend(kept.into_iter().map(|k| k.1));
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_survive() {
        let n = 200_000;
        let y = |i: usize| match i {
            77_777 => 50.0,
            133_333 => -80.0,
            _ => libm::sin(i as f64 * 0.01),
        };
        let points = (0..n).map(|i| Some((600.0 * i as f64 / n as f64, y(i))));
        let thin = pieces(points, 0.5);
        assert_eq!(thin.len(), 1);
        let thin = &thin[0];
        assert!(thin.len() <= 4 * 1201, "{}", thin.len());
        let place = |i: usize| (600.0 * i as f64 / n as f64, y(i));
        assert!(thin.contains(&place(77_777)) && thin.contains(&place(133_333)));
        assert!(thin.contains(&place(0)) && thin.contains(&place(n - 1)));
        assert!(thin.windows(2).all(|w| w[0].0 <= w[1].0), "the order stays");
    }

    #[test]
    fn few_points_stay_as_they_are() {
        let points = [(0.0, 1.0), (3.0, 2.0), (7.0, 0.0)];
        assert_eq!(pieces(points.iter().map(|p| Some(*p)), 0.5), vec![points.to_vec()]);
    }

    #[test]
    fn gaps_part_and_dots_stay() {
        let points = [Some((0.0, 0.0)), Some((1.0, 1.0)), None, Some((2.0, 5.0)), None, None, Some((3.0, 0.0))];
        let sizes: Vec<usize> = pieces(points.into_iter(), 0.5).iter().map(Vec::len).collect();
        assert_eq!(sizes, [2, 1, 1]);
        assert!(pieces(std::iter::empty(), 0.5).is_empty());
    }
}
