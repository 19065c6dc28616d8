//! The report as it grows: Markdown, and the pictures it shows.

use crate::Failed;
use holonom_plot::{Axis, LineChart, Scale, Series};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Folder of the pictures, from the root and from the report.
const PICTURES: &str = "docs/images/reproduction";
const FROM_THE_REPORT: &str = "images/reproduction";

/// The report.
pub struct Page {
    root: PathBuf,
    text: String,
}

/// A curve with values of its own.
pub struct Curve {
    /// Beside the curve.
    pub name: String,
    /// Decides the panel.
    pub unit: &'static str,
    /// Along.
    pub x: Vec<f64>,
    /// Up.
    pub y: Vec<f64>,
}

impl Curve {
    /// From slices.
    pub fn new(name: impl Into<String>, unit: &'static str, x: &[f64], y: &[f64]) -> Curve {
        Curve { name: name.into(), unit, x: x.to_vec(), y: y.to_vec() }
    }
}

/// How a picture is drawn.
pub struct Picture<'a> {
    /// Its file, without a suffix.
    pub file: &'a str,
    /// Large.
    pub title: &'a str,
    /// Small, below it.
    pub subtitle: &'a str,
    /// What is along, and its unit.
    pub along: (&'a str, &'a str),
    /// Both axes by their logarithms, or x linear and y by logarithm, or neither.
    pub scales: (Scale, Scale),
}

impl Page {
    /// An empty one.
    pub fn new(root: &Path) -> Page {
        Page { root: root.into(), text: String::new() }
    }

    /// The folder of the workspace.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// A heading.
    pub fn heading(&mut self, level: usize, text: &str) {
        let gap = if self.text.is_empty() { "" } else { "\n" };
        let _ = writeln!(self.text, "{gap}{} {text}", "#".repeat(level));
    }

    /// A paragraph.
    pub fn text(&mut self, text: &str) {
        let _ = writeln!(self.text, "\n{}", text.trim_end());
    }

    /// A table.
    pub fn table(&mut self, heading: &[&str], rows: &[Vec<String>]) {
        self.text += &table(heading, rows);
    }

    /// Pictures of scenes, side by side.
    pub fn scenes(&mut self, names: &[&str]) {
        let one = |name: &&str| format!("[![{name}](images/gallery/{name}.jpg)](../scenes/{name}.toml)");
        let row: Vec<String> = names.iter().map(one).collect();
        let _ = writeln!(self.text, "\n| {} |\n|{}", row.join(" | "), "---|".repeat(row.len()));
        let _ = writeln!(self.text, "| {} |", names.join(" | "));
    }

    /// A picture of curves.
    pub fn picture(&mut self, picture: &Picture, curves: &[Curve]) -> Result<(), Failed> {
        let (x_scale, y_scale) = picture.scales;
        let series = curves.iter().map(|c| Series::new(&c.name, c.unit, &c.x, &c.y)).collect();
        let x = Axis { scale: x_scale, ..Axis::new(picture.along.0, picture.along.1) };
        let (title, subtitle) = (picture.title.to_string(), picture.subtitle.to_string());
        let chart = LineChart { title, subtitle, x, y_scale, series, marks: Vec::new() };
        let svg = chart.to_svg().map_err(|e| format!("{}: {e}", picture.file))?;
        let file = format!("{}.svg", picture.file);
        let folder = self.root.join(PICTURES);
        fs::create_dir_all(&folder).and_then(|()| fs::write(folder.join(&file), svg)).map_err(|e| e.to_string())?;
        let _ = writeln!(self.text, "\n![{}]({FROM_THE_REPORT}/{file})", picture.title);
        Ok(())
    }

    /// Where a picture of this name is to be written; its folder is there.
    pub fn picture_file(&self, file: &str) -> Result<PathBuf, Failed> {
        let folder = self.root.join(PICTURES);
        fs::create_dir_all(&folder).map_err(|e| e.to_string())?;
        Ok(folder.join(file))
    }

    /// Pictures that were written, side by side: file and title.
    pub fn pictures(&mut self, all: &[(String, String)]) {
        let row: Vec<String> =
            all.iter().map(|(file, title)| format!("![{title}]({FROM_THE_REPORT}/{file})")).collect();
        let _ = writeln!(self.text, "\n| {} |\n|{}", row.join(" | "), "---|".repeat(row.len()));
    }

    /// All of it.
    pub fn markdown(&self) -> &str {
        &self.text
    }

    /// Write it.
    pub fn save(&self, file: &str) -> Result<(), Failed> {
        fs::write(self.root.join(file), &self.text).map_err(|e| format!("{file}: {e}"))
    }
}

fn table(heading: &[&str], rows: &[Vec<String>]) -> String {
    let mut text = format!("\n| {} |\n|{}\n", heading.join(" | "), "---|".repeat(heading.len()));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

const BEGIN: &str = "<!-- reproduction: begin -->";
const END: &str = "<!-- reproduction: end -->";

/// Put the short table between its marks in the README.
pub fn replace_in_readme(root: &Path, rows: &[Vec<String>]) -> Result<(), Failed> {
    let path = root.join("README.md");
    let text = fs::read_to_string(&path).map_err(|e| e.to_string())?;
    let (Some(a), Some(b)) = (text.find(BEGIN), text.find(END)) else {
        return Err(format!("README.md has no `{BEGIN}` and `{END}`"));
    };
    let table = table(&["problem", "paper", "here", "ratio"], rows);
    let text = format!("{}{BEGIN}\n{table}\n{}", &text[..a], &text[b..]);
    fs::write(&path, text).map_err(|e| e.to_string())
}

/// Three significant digits at most, without an exponent where one can do without.
pub fn short(x: f64) -> String {
    if !x.is_finite() {
        return "–".into();
    }
    if x == 0.0 {
        return "0".into();
    }
    let digits = x.abs().log10().floor();
    if !(-4.0..7.0).contains(&digits) {
        return format!("{x:.1e}");
    }
    let decimals = (2.0 - digits).max(0.0) as usize;
    let text = format!("{x:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// Microseconds, in the unit that suits.
pub fn time(us: f64) -> String {
    match us {
        x if x < 1e3 => format!("{} µs", short(x)),
        x if x < 1e6 => format!("{} ms", short(x / 1e3)),
        x => format!("{} s", short(x / 1e6)),
    }
}

/// How many times as fast: thousands set off, three digits.
pub fn times(ratio: f64) -> String {
    if ratio < 100.0 {
        return format!("{}×", short(ratio));
    }
    let unit = 10f64.powf((ratio.log10().floor() - 2.0).max(0.0));
    let text = format!("{:.0}", (ratio / unit).round() * unit);
    let mut grouped = String::new();
    for (k, c) in text.chars().enumerate() {
        if k > 0 && (text.len() - k).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(c);
    }
    format!("{grouped}×")
}

/// Exponent of a power law through points, by least squares of logarithms.
pub fn exponent(points: &[(f64, f64)]) -> f64 {
    let n = points.len() as f64;
    let logs: Vec<(f64, f64)> = points.iter().map(|p| (p.0.ln(), p.1.ln())).collect();
    let (x, y) = logs.iter().fold((0.0, 0.0), |(x, y), p| (x + p.0 / n, y + p.1 / n));
    let (xx, xy) = logs.iter().fold((0.0, 0.0), |(a, b), p| (a + (p.0 - x) * (p.0 - x), b + (p.0 - x) * (p.1 - y)));
    xy / xx
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            (short(7.75), short(11.4), short(1234.5), short(0.5)),
            ("7.75".into(), "11.4".into(), "1234".into(), "0.5".into())
        );
        assert_eq!((short(2.5e-16), short(-0.0123)), ("2.5e-16".into(), "-0.0123".into()));
        assert_eq!((time(11.42), time(44_600.0)), ("11.4 µs".into(), "44.6 ms".into()));
        assert_eq!((times(3912.3), times(2.04), times(812.0)), ("3,910×".into(), "2.04×".into(), "812×".into()));
    }

    #[test]
    fn a_power_law_has_its_exponent() {
        let points: Vec<(f64, f64)> = [16.0f64, 64.0, 256.0].iter().map(|n| (*n, 3.0 * n.powf(1.5))).collect();
        assert!((exponent(&points) - 1.5).abs() < 1e-12);
    }
}
