//! A drawing as pixels, written as PNG: on light paper, text as outlines of the font this crate carries.

use crate::chart::PlotError;
use crate::drawing::{Anchor, Cells, Drawing, DrawingItem, Ink, Lines, Text};
use crate::text;
use tiny_skia::{Color, FillRule, LineCap, LineJoin, Paint, PathBuilder, Pixmap, Rect, Stroke, StrokeDash, Transform};

/// Most pixels painted: 256 MB of them.
const MOST: u64 = 64_000_000;

pub(crate) fn png(drawing: &Drawing, scale: f64) -> Result<Vec<u8>, PlotError> {
    if !(0.1..=20.0).contains(&scale) {
        return Err(PlotError::Scale { scale });
    }
    let pixels = |x: f64| (x * scale).round().max(1.0) as u64;
    let (width, height) = (pixels(drawing.width), pixels(drawing.height));
    let too_large = PlotError::TooLarge { width, height, most: MOST };
    if width.saturating_mul(height) > MOST {
        return Err(too_large);
    }
    let mut pixmap = Pixmap::new(width as u32, height as u32).ok_or(too_large)?;
    let (r, g, b) = rgb(Ink::Paper);
    pixmap.fill(Color::from_rgba8(r, g, b, 255));
    let by_scale = Transform::from_scale(scale as f32, scale as f32);
    for item in &drawing.items {
        match item {
            DrawingItem::Rectangle { x, y, width, height, ink } => {
                if let Some(rect) = Rect::from_xywh(*x as f32, *y as f32, *width as f32, *height as f32) {
                    pixmap.fill_rect(rect, &paint(*ink, 1.0), by_scale, None);
                }
            }
            DrawingItem::Lines(lines) => draw_lines(&mut pixmap, lines, scale, by_scale),
            DrawingItem::Text(text) => draw_text(&mut pixmap, text, by_scale),
            DrawingItem::Cells(cells) => draw_cells(&mut pixmap, cells, scale),
        }
    }
    pixmap.encode_png().map_err(|e| PlotError::Encoding(e.to_string()))
}

fn rgb(ink: Ink) -> (u8, u8, u8) {
    let light = ink.colours().0;
    ((light >> 16) as u8, (light >> 8) as u8, light as u8)
}

fn paint(ink: Ink, opacity: f64) -> Paint<'static> {
    let (r, g, b) = rgb(ink);
    let mut paint = Paint { anti_alias: true, ..Paint::default() };
    paint.set_color_rgba8(r, g, b, (255.0 * opacity).round() as u8);
    paint
}

fn draw_lines(pixmap: &mut Pixmap, lines: &Lines, scale: f64, by_scale: Transform) {
    // straight lines of one point stand on whole pixels, so that they are sharp
    let sharp = !lines.round && lines.dashes.is_empty();
    let snap = |x: f64| {
        let odd = (lines.width * scale).round() as i64 % 2 != 0;
        let at = x * scale;
        if odd { (at.floor() + 0.5) / scale } else { at.round() / scale }
    };
    let place = |&(x, y): &(f64, f64)| if sharp { (snap(x) as f32, snap(y) as f32) } else { (x as f32, y as f32) };
    let mut path = PathBuilder::new();
    for piece in &lines.pieces {
        for (k, point) in piece.iter().enumerate() {
            let (x, y) = place(point);
            if k == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
        }
        if let [(x, y)] = piece[..] {
            path.line_to(x as f32 + 0.01, y as f32); // a dot, by its round ends
        }
    }
    let Some(path) = path.finish() else { return };
    let dashes: Vec<f32> = lines.dashes.iter().map(|d| (d * lines.width) as f32).collect();
    let stroke = Stroke {
        width: lines.width as f32,
        line_cap: if lines.round { LineCap::Round } else { LineCap::Butt },
        line_join: if lines.round { LineJoin::Round } else { LineJoin::Miter },
        dash: if dashes.is_empty() { None } else { StrokeDash::new(dashes, 0.0) },
        ..Stroke::default()
    };
    pixmap.stroke_path(&path, &paint(lines.ink, lines.opacity), &stroke, by_scale, None);
}

/// Outlines of letters, into a path.
struct Outline(PathBuilder);

impl text::Pen for Outline {
    fn move_to(&mut self, x: f64, y: f64) {
        self.0.move_to(x as f32, y as f32);
    }
    fn line_to(&mut self, x: f64, y: f64) {
        self.0.line_to(x as f32, y as f32);
    }
    fn quad_to(&mut self, x1: f64, y1: f64, x: f64, y: f64) {
        self.0.quad_to(x1 as f32, y1 as f32, x as f32, y as f32);
    }
    fn cubic_to(&mut self, x1: f64, y1: f64, x2: f64, y2: f64, x: f64, y: f64) {
        self.0.cubic_to(x1 as f32, y1 as f32, x2 as f32, y2 as f32, x as f32, y as f32);
    }
    fn close(&mut self) {
        self.0.close();
    }
}

fn draw_text(pixmap: &mut Pixmap, t: &Text, by_scale: Transform) {
    let mut outline = Outline(PathBuilder::new());
    let width = text::outline(&t.text, t.size, &mut outline);
    let Some(path) = outline.0.finish() else { return };
    let shift = match t.anchor {
        Anchor::Start => 0.0,
        Anchor::Middle => -0.5 * width,
        Anchor::End => -width,
    };
    let mut to = Transform::from_translate(shift as f32, 0.0);
    if t.upwards {
        to = to.post_concat(Transform::from_rotate(-90.0));
    }
    let to = to.post_translate(t.x as f32, t.y as f32).post_concat(by_scale);
    let paint = paint(t.ink, 1.0);
    pixmap.fill_path(&path, &paint, FillRule::Winding, to, None);
    if t.strong {
        let stroke = Stroke { width: 0.05 * t.size as f32, ..Stroke::default() };
        pixmap.stroke_path(&path, &paint, &stroke, to, None);
    }
}

/// Cells on whole pixels, so that neighbours neither overlap nor leave hairlines.
fn draw_cells(pixmap: &mut Pixmap, cells: &Cells, scale: f64) {
    let paint = Paint { anti_alias: false, ..paint(cells.ink, 1.0) };
    let gap = 0.5 * (1.0 - cells.part);
    for &(row, column, n) in &cells.runs {
        let edge = |from: f64, k: f64| ((from + k * cells.cell) * scale).round();
        let (x0, x1) = (edge(cells.x, column as f64 + gap), edge(cells.x, (column + n) as f64 - gap));
        let (y0, y1) = (edge(cells.y, row as f64 + gap), edge(cells.y, row as f64 + 1.0 - gap));
        let (w, h) = ((x1 - x0).max(1.0), (y1 - y0).max(1.0));
        if let Some(rect) = Rect::from_xywh(x0 as f32, y0 as f32, w as f32, h as f32) {
            pixmap.fill_rect(rect, &paint, Transform::identity(), None);
        }
    }
}
