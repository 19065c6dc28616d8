//! Aligned tables of plain text.

/// Which side a column is aligned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// A table under construction.
pub(crate) struct Table {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// With a heading.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        let heading = columns.iter().map(|(name, _)| name.to_string()).collect();
        Table { align: columns.iter().map(|(_, align)| *align).collect(), rows: vec![heading] }
    }

    /// Add a row; cells beyond the heading are dropped, missing ones are empty.
    pub fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows.push(cells.into_iter().take(self.align.len()).collect());
    }

    /// The text, with a rule under the heading.
    pub fn text(&self) -> String {
        let mut widths = vec![0; self.align.len()];
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(cell.chars().count());
            }
        }
        let mut text = String::new();
        for (i, row) in self.rows.iter().enumerate() {
            let mut line = String::new();
            for (k, (&width, align)) in widths.iter().zip(&self.align).enumerate() {
                let cell = row.get(k).map_or("", String::as_str);
                line += match align {
                    Align::Left => format!("{cell:<width$}  "),
                    Align::Right => format!("{cell:>width$}  "),
                }
                .as_str();
            }
            text += line.trim_end();
            text.push('\n');
            if i == 0 {
                let rules: Vec<String> = widths.iter().map(|w| "-".repeat(*w)).collect();
                text += &rules.join("  ");
                text.push('\n');
            }
        }
        text
    }
}

/// A number with `digits` significant digits and no exponent, for values near 1.
pub(crate) fn significant(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return format!("{x}");
    }
    let magnitude = x.abs().log10().floor() as i64;
    format!("{x:.*}", (digits as i64 - 1 - magnitude).clamp(0, 12) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut t = Table::new(&[("name", Align::Left), ("n", Align::Right)]);
        t.row(["a".to_string(), "10".to_string()]);
        t.row(["long name".to_string(), "7".to_string()]);
        assert_eq!(t.text(), "name        n\n---------  --\na          10\nlong name   7\n");
    }

    #[test]
    fn significant_digits() {
        assert_eq!(significant(1234.56, 3), "1235");
        assert_eq!(significant(12.3456, 3), "12.3");
        assert_eq!(significant(0.123456, 3), "0.123");
        assert_eq!(significant(0.0, 3), "0");
    }
}
