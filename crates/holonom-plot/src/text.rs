//! How wide a text is, and the outlines of its letters.
//!
//! The font is DejaVu Sans, which the `dejavu` crate carries: pixels need no fonts of the system, and it has Greek
//! letters, signs of mathematics and raised digits. An SVG leaves the choice of font to the viewer, whose usual choices
//! are narrower, so what was measured here fits there too.

use std::sync::OnceLock;
use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// The font; `None` if it cannot be read, which the tests rule out.
fn face() -> Option<&'static Face<'static>> {
    static FACE: OnceLock<Option<Face<'static>>> = OnceLock::new();
    FACE.get_or_init(|| Face::parse(dejavu::sans::regular(), 0).ok()).as_ref()
}

/// The glyph of a character, or the box that says there is none.
fn glyph(face: &Face, c: char) -> GlyphId {
    face.glyph_index(c).unwrap_or(GlyphId(0))
}

/// Width of a text of this size.
pub(crate) fn width(text: &str, size: f64) -> f64 {
    let Some(face) = face() else { return 0.6 * size * text.chars().count() as f64 };
    let units: u32 = text.chars().map(|c| face.glyph_hor_advance(glyph(face, c)).unwrap_or(0) as u32).sum();
    size * units as f64 / face.units_per_em() as f64
}

/// The text shortened in its middle until it fits: the ends of names tell more than their middles.
pub(crate) fn shortened(text: &str, size: f64, most: f64) -> String {
    if width(text, size) <= most {
        return text.to_string();
    }
    // no picture shows more than this of either end
    let (head, tail) = (text.chars().take(150), text.chars().rev().take(150));
    let mut chars: Vec<char> = text.chars().take(301).collect();
    if chars.len() > 300 {
        let tail: Vec<char> = tail.collect();
        chars = head.chain(tail.into_iter().rev()).collect();
    }
    for kept in (2..=chars.len()).rev() {
        let front = kept / 2;
        let short: String = chars[..front].iter().chain(&['…']).chain(&chars[chars.len() - (kept - front)..]).collect();
        if width(&short, size) <= most {
            return short;
        }
    }
    "…".to_string()
}

/// Draw the outlines of a text whose baseline starts at the origin, y down, and return its width.
pub(crate) fn outline(text: &str, size: f64, pen: &mut dyn Pen) -> f64 {
    let Some(face) = face() else { return 0.0 };
    let scale = size / face.units_per_em() as f64;
    let mut x = 0.0;
    for c in text.chars() {
        let id = glyph(face, c);
        face.outline_glyph(id, &mut Placed { pen, x, scale });
        x += scale * face.glyph_hor_advance(id).unwrap_or(0) as f64;
    }
    x
}

/// What draws outlines.
pub(crate) trait Pen {
    fn move_to(&mut self, x: f64, y: f64);
    fn line_to(&mut self, x: f64, y: f64);
    fn quad_to(&mut self, x1: f64, y1: f64, x: f64, y: f64);
    fn cubic_to(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, x: f64, y: f64);
    fn close(&mut self);
}

/// A glyph in its place.
struct Placed<'a> {
    pen: &'a mut dyn Pen,
    x: f64,
    scale: f64,
}

impl Placed<'_> {
    fn at(&self, x: f32, y: f32) -> (f64, f64) {
        (self.x + self.scale * x as f64, -self.scale * y as f64)
    }
}

impl OutlineBuilder for Placed<'_> {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.pen.move_to(x, y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.pen.line_to(x, y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.pen.quad_to(x1, y1, x, y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.pen.cubic_to(x1, y1, x2, y2, x, y);
    }
    fn close(&mut self) {
        self.pen.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_is_there_with_all_we_write() {
        let face = face().expect("the font can be read");
        let signs = "−×…·⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺%µΩαβγδεθλμπρστφωΔΣ°²³√∞≤≥±∂■□";
        for c in (' '..='~').chain(signs.chars()) {
            assert!(face.glyph_index(c).is_some(), "{c:?}");
        }
    }

    #[test]
    fn a_name_keeps_its_ends() {
        let name = "bodies/upper_arm_left_front/position.x";
        let short = shortened(name, 11.0, 120.0);
        assert!(width(&short, 11.0) <= 120.0 && width(&short, 11.0) > 100.0, "{short}");
        assert!(short.starts_with("bodies") && short.ends_with("n.x") && short.contains('…'), "{short}");
        assert_eq!(shortened(name, 11.0, 1e4), name);
        assert_eq!(shortened("long", 11.0, 1.0), "…");
    }
}
