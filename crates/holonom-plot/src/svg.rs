//! A drawing as SVG.
//!
//! Decisions. Light colours stand as attributes, dark ones in a style sheet for screens that ask for them: programs
//! that know no style sheets, and printers, get the light picture. Coordinates have at most two decimals, so the same
//! drawing gives the same bytes. Curves are written with relative coordinates between rounded points: shorter, and no
//! error adds up.

use crate::drawing::{Anchor, Cells, Drawing, DrawingItem, Ink, Lines, N_COLOURS, Text};
use std::fmt::Write;

/// The whole file.
pub(crate) fn write(drawing: &Drawing) -> String {
    let mut out = String::new();
    let (w, h) = (number(drawing.width), number(drawing.height));
    out.push_str("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    put(
        &mut out,
        format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"0 0 {w} {h}\" role=\"img\" \
             font-family=\"Helvetica Neue, Helvetica, Arial, DejaVu Sans, sans-serif\">\n"
        ),
    );
    put(&mut out, format_args!("<title>{}</title>\n", escaped(&drawing.title)));
    put(&mut out, format_args!("<desc>{}</desc>\n", escaped(&drawing.description)));
    style(&mut out);
    let paper = Ink::Paper;
    put(&mut out, format_args!("<rect width=\"{w}\" height=\"{h}\" {}/>\n", fill(paper)));
    for item in &drawing.items {
        match item {
            DrawingItem::Rectangle { x, y, width, height, ink } => put(
                &mut out,
                format_args!(
                    "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n",
                    number(*x),
                    number(*y),
                    number(*width),
                    number(*height),
                    fill(*ink)
                ),
            ),
            DrawingItem::Lines(lines) => write_lines(&mut out, lines),
            DrawingItem::Text(text) => write_text(&mut out, text),
            DrawingItem::Cells(cells) => write_cells(&mut out, cells),
        }
    }
    out.push_str("</svg>\n");
    out
}

/// Writing to a string cannot fail.
fn put(out: &mut String, what: std::fmt::Arguments) {
    let _ = out.write_fmt(what);
}

/// Colours on dark screens.
fn style(out: &mut String) {
    out.push_str("<style>\n@media screen and (prefers-color-scheme: dark) {\n");
    for ink in Ink::FIXED.into_iter().chain((0..N_COLOURS as u8).map(Ink::Series)) {
        let dark = ink.colours().1;
        let class = ink.class();
        put(out, format_args!(".{class} {{ fill: #{dark:06x} }} .{class}-line {{ stroke: #{dark:06x} }}\n"));
    }
    out.push_str("}\n</style>\n");
}

fn fill(ink: Ink) -> String {
    format!("class=\"{}\" fill=\"#{:06x}\"", ink.class(), ink.colours().0)
}

fn stroke(ink: Ink) -> String {
    format!("class=\"{}-line\" fill=\"none\" stroke=\"#{:06x}\"", ink.class(), ink.colours().0)
}

/// Close an element, with a title inside if there is one.
fn close(out: &mut String, name: &str, title: Option<&String>) {
    match title {
        Some(title) => put(out, format_args!("><title>{}</title></{name}>\n", escaped(title))),
        None => out.push_str("/>\n"),
    }
}

fn write_lines(out: &mut String, lines: &Lines) {
    put(out, format_args!("<path {} stroke-width=\"{}\"", stroke(lines.ink), number(lines.width)));
    if lines.round {
        out.push_str(" stroke-linejoin=\"round\" stroke-linecap=\"round\"");
    }
    if !lines.round && lines.dashes.is_empty() {
        out.push_str(" shape-rendering=\"crispEdges\"");
    }
    if !lines.dashes.is_empty() {
        let dashes: Vec<String> = lines.dashes.iter().map(|d| number(d * lines.width)).collect();
        put(out, format_args!(" stroke-dasharray=\"{}\"", dashes.join(" ")));
    }
    if lines.opacity < 1.0 {
        put(out, format_args!(" stroke-opacity=\"{}\"", number(lines.opacity)));
    }
    out.push_str(" d=\"");
    for piece in &lines.pieces {
        let mut last = (0, 0);
        for (k, &(x, y)) in piece.iter().enumerate() {
            let here = (hundredths(x), hundredths(y));
            if k == 0 {
                put(out, format_args!("M{} {}", decimal(here.0), decimal(here.1)));
            } else {
                let y_step = decimal(here.1 - last.1);
                let apart = if y_step.starts_with('-') { "" } else { " " };
                let command = if k == 1 { "l" } else { "" };
                let x_step = decimal(here.0 - last.0);
                let before = if k == 1 || x_step.starts_with('-') { "" } else { " " };
                put(out, format_args!("{command}{before}{x_step}{apart}{y_step}"));
            }
            last = here;
        }
        if piece.len() == 1 {
            out.push_str("h0"); // a dot, by its round ends
        }
    }
    out.push('"');
    close(out, "path", lines.title.as_ref());
}

fn write_text(out: &mut String, text: &Text) {
    let (x, y) = (number(text.x), number(text.y));
    put(out, format_args!("<text x=\"{x}\" y=\"{y}\" font-size=\"{}\" {}", number(text.size), fill(text.ink)));
    match text.anchor {
        Anchor::Start => {}
        Anchor::Middle => out.push_str(" text-anchor=\"middle\""),
        Anchor::End => out.push_str(" text-anchor=\"end\""),
    }
    if text.strong {
        out.push_str(" font-weight=\"600\"");
    }
    if text.upwards {
        put(out, format_args!(" transform=\"rotate(-90 {x} {y})\""));
    }
    put(out, format_args!(">{}", escaped(&text.text)));
    if let Some(title) = &text.title {
        put(out, format_args!("<title>{}</title>", escaped(title)));
    }
    out.push_str("</text>\n");
}

/// Cells as short thick lines, in units of a cell: the shortest way to write many.
fn write_cells(out: &mut String, cells: &Cells) {
    let part = number(cells.part);
    // cells that touch must not show hairlines between them
    let crisp = if cells.part < 1.0 { "" } else { "shape-rendering=\"crispEdges\" " };
    put(
        out,
        format_args!(
            "<path {} {crisp}stroke-width=\"{part}\" transform=\"translate({} {}) scale({})\" d=\"",
            stroke(cells.ink),
            number(cells.x),
            number(cells.y),
            fine(cells.cell)
        ),
    );
    let gap = 1.0 - cells.part;
    let mut at: Option<(u32, u32)> = None; // row, and the column after the last run
    for &(row, column, n) in &cells.runs {
        let length = number(n as f64 - gap);
        match at {
            Some((r, end)) if r == row => put(out, format_args!("m{} 0h{length}", number((column - end) as f64 + gap))),
            _ => {
                let (x, y) = (number(column as f64 + 0.5 * gap), number(row as f64 + 0.5));
                put(out, format_args!("M{x} {y}h{length}"));
            }
        }
        at = Some((row, column + n));
    }
    out.push('"');
    close(out, "path", cells.title.as_ref());
}

fn hundredths(x: f64) -> i64 {
    if x.is_finite() { (x * 100.0).round() as i64 } else { 0 }
}

/// A number of hundredths, as short as can be: `.5`, `-3.25`, `7`.
fn decimal(hundredths: i64) -> String {
    let (sign, h) = (if hundredths < 0 { "-" } else { "" }, hundredths.unsigned_abs());
    let (whole, part) = (h / 100, h % 100);
    match (whole, part) {
        (w, 0) => format!("{sign}{w}"),
        (0, p) if p % 10 == 0 => format!("{sign}.{}", p / 10),
        (0, p) => format!("{sign}.{p:02}"),
        (w, p) if p % 10 == 0 => format!("{sign}{w}.{}", p / 10),
        (w, p) => format!("{sign}{w}.{p:02}"),
    }
}

/// With at most two decimals.
fn number(x: f64) -> String {
    decimal(hundredths(x))
}

/// With six: for factors of scale.
fn fine(x: f64) -> String {
    let text = format!("{x:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Text that cannot be taken for markup. What XML cannot carry at all becomes a replacement sign.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' | '\r' => out.push(' '),
            c if c.is_control() || ('\u{fffe}'..='\u{ffff}').contains(&c) => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let written = [0.0, -0.0, 0.5, -0.25, 3.0, 12.345, -7.05, 1e9].map(number);
        assert_eq!(written, ["0", "0", ".5", "-.25", "3", "12.35", "-7.05", "1000000000"].map(String::from));
        assert_eq!(fine(0.1234567), "0.123457");
    }
}
