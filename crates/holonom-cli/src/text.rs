//! Plain text: aligned tables, counts, sizes and numbers.

/// Which side a column is aligned to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Align {
    Left,
    Right,
}

/// Name, alignment and cell of a column.
pub(crate) type TableColumn<'a, T> = (&'a str, Align, &'a dyn Fn(&T) -> String);

/// A table under construction.
pub(crate) struct TextTable {
    align: Vec<Align>,
    rows: Vec<Vec<String>>,
}

impl TextTable {
    /// With a heading.
    pub fn new(columns: &[(&str, Align)]) -> Self {
        let heading = columns.iter().map(|(name, _)| name.to_string()).collect();
        TextTable { align: columns.iter().map(|(_, align)| *align).collect(), rows: vec![heading] }
    }

    /// One row for each item: the columns are a name, an alignment, and what stands in the cell.
    pub fn of<T>(items: &[T], columns: &[TableColumn<T>]) -> Self {
        let heading: Vec<(&str, Align)> = columns.iter().map(|(name, align, _)| (*name, *align)).collect();
        let mut table = TextTable::new(&heading);
        items.iter().for_each(|item| table.row(columns.iter().map(|(_, _, cell)| cell(item))));
        table
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

/// A count with its noun.
pub(crate) fn plural(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// Bytes as people say them.
pub(crate) fn size(bytes: u64) -> String {
    match bytes as f64 {
        b if b >= 1e9 => format!("{:.2} GB", b / 1e9),
        b if b >= 1e6 => format!("{:.1} MB", b / 1e6),
        b if b >= 1e3 => format!("{:.1} kB", b / 1e3),
        b => format!("{b} bytes"),
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
        let mut t = TextTable::new(&[("name", Align::Left), ("n", Align::Right)]);
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
