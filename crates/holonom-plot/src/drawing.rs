//! A picture as a list of lines, rectangles and texts: what charts and spy plots become, and what is written as SVG or
//! painted into pixels.
//!
//! Decisions. One list serves both outputs, so they cannot differ. Coordinates are in points of 1/96 inch, x to the
//! right, y down. Colours are named by their role ([`Ink`]); what a role looks like on light and on dark paper is
//! settled in one table here. Series colours are those of Okabe and Ito where they are dark enough for a line on white
//! (contrast of 3 to 1), and stay apart for all common kinds of colour blindness; from the seventh series on, dashes
//! tell them apart.

/// What a line or text is there for; its colour follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ink {
    /// The background.
    Paper,
    /// Titles and labels.
    Text,
    /// Captions, numbers on axes.
    Quiet,
    /// Axes and ticks.
    Axis,
    /// Lines across a panel.
    Grid,
    /// Vertical marks.
    Mark,
    /// Lines between the blocks of a matrix.
    Block,
    /// Non-zeros of a matrix.
    Entry,
    /// Those made by elimination.
    Fill,
    /// A curve: its place among the colours.
    Series(u8),
    /// A value between the least (0) and the largest (255), as a colour that is lighter the larger it is.
    Shade(u8),
    /// Text on a dark colour, whatever the paper.
    OnDark,
    /// Text on a light colour.
    OnLight,
}

/// Colours of curves before they repeat (with other dashes).
pub(crate) const N_COLOURS: usize = 6;

/// On light and on dark paper.
const SERIES: [(u32, u32); N_COLOURS] = [
    (0x0072b2, 0x56b4e9), // blue
    (0xd55e00, 0xff9a4d), // vermilion
    (0x009e73, 0x3fd0a4), // bluish green
    (0xb0478c, 0xe59ac8), // reddish purple
    (0x9a7500, 0xe6c229), // ochre
    (0x4d4d4d, 0xc0c0c0), // grey
];

impl Ink {
    pub const FIXED: [Ink; 9] =
        [Ink::Paper, Ink::Text, Ink::Quiet, Ink::Axis, Ink::Grid, Ink::Mark, Ink::Block, Ink::Entry, Ink::Fill];

    /// Red, green and blue as one number, on light and on dark paper.
    pub fn colours(self) -> (u32, u32) {
        match self {
            Ink::Paper => (0xffffff, 0x15181c),
            Ink::Text => (0x1c2126, 0xe6e9ec),
            Ink::Quiet => (0x4a525a, 0xb3bac1),
            Ink::Axis => (0x6b737b, 0x8b949c),
            Ink::Grid => (0xe3e6e9, 0x2c3238),
            Ink::Mark => (0x8a6d9c, 0xb79cc8),
            Ink::Block => (0xb4bcc4, 0x4a525a),
            Ink::Entry => (0x26456e, 0x8db8ea),
            Ink::Fill => (0xd55e00, 0xff9a4d),
            Ink::Series(k) => SERIES[k as usize % N_COLOURS],
            Ink::Shade(k) => (shade(k), shade(k)),
            Ink::OnDark => (0xffffff, 0xffffff),
            Ink::OnLight => (0x15181c, 0x15181c),
        }
    }

    /// Name of the class in the style sheet.
    pub fn class(self) -> String {
        match self {
            Ink::Paper => "paper".into(),
            Ink::Text => "text".into(),
            Ink::Quiet => "quiet".into(),
            Ink::Axis => "axis".into(),
            Ink::Grid => "grid".into(),
            Ink::Mark => "mark".into(),
            Ink::Block => "block".into(),
            Ink::Entry => "entry".into(),
            Ink::Fill => "fill".into(),
            Ink::Series(k) => format!("s{}", k as usize % N_COLOURS),
            // the same on any paper: no rule of the style sheet
            Ink::Shade(_) => "shade".into(),
            Ink::OnDark | Ink::OnLight => "on".into(),
        }
    }
}

/// Colours from dark blue over green to yellow, evenly spaced for the eye and for those who do not see all colours:
/// nine of the palette viridis (van der Walt and Smith), straight lines between them.
const SHADES: [u32; 9] = [0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c, 0x28ae80, 0x5ec962, 0xaddc30, 0xfde725];

fn shade(k: u8) -> u32 {
    let at = f64::from(k) / 255.0 * (SHADES.len() - 1) as f64;
    let i = (at as usize).min(SHADES.len() - 2);
    let part = |shift: u32| {
        let [a, b] = [SHADES[i], SHADES[i + 1]].map(|c| f64::from(c >> shift & 0xff));
        ((a + (b - a) * (at - i as f64)).round() as u32) << shift
    };
    part(16) | part(8) | part(0)
}

/// Dashes of a line, in multiples of its width; empty for a whole line.
pub(crate) fn dashes(style: usize) -> &'static [f64] {
    const STYLES: [&[f64]; 5] = [&[], &[5.0, 2.5], &[1.2, 2.2], &[7.0, 2.2, 1.2, 2.2], &[10.0, 3.0]];
    STYLES[style % STYLES.len()]
}

/// Which end of a text stands at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// Lines through points, each a piece of its own.
#[derive(Clone, Debug)]
pub(crate) struct Lines {
    pub pieces: Vec<Vec<(f64, f64)>>,
    pub ink: Ink,
    pub width: f64,
    pub dashes: &'static [f64],
    /// 0 to 1.
    pub opacity: f64,
    /// Round ends and corners (curves), or sharp ones (axes).
    pub round: bool,
    /// What it is, for whoever points at it.
    pub title: Option<String>,
}

/// A line of text; `y` is its baseline.
#[derive(Clone, Debug)]
pub(crate) struct Text {
    pub x: f64,
    pub y: f64,
    pub size: f64,
    pub anchor: Anchor,
    pub ink: Ink,
    pub strong: bool,
    /// Turned a quarter to the left.
    pub upwards: bool,
    pub text: String,
    /// The whole of it, where it was shortened.
    pub title: Option<String>,
}

/// Squares on a grid, in runs: row, first column, number of columns.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub x: f64,
    pub y: f64,
    /// Size of a cell, and the part of it that is painted.
    pub cell: f64,
    pub part: f64,
    pub runs: Vec<(u32, u32, u32)>,
    pub ink: Ink,
    pub title: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum DrawingItem {
    Rectangle { x: f64, y: f64, width: f64, height: f64, ink: Ink },
    Lines(Lines),
    Text(Text),
    Cells(Cells),
}

/// A picture.
#[derive(Clone, Debug)]
pub(crate) struct Drawing {
    pub width: f64,
    pub height: f64,
    /// For those who cannot see it.
    pub title: String,
    pub description: String,
    pub items: Vec<DrawingItem>,
}

impl Drawing {
    /// Straight lines of one kind, with sharp ends.
    pub fn lines(&mut self, pieces: Vec<Vec<(f64, f64)>>, ink: Ink, width: f64) {
        if !pieces.is_empty() {
            let lines = Lines { pieces, ink, width, dashes: &[], opacity: 1.0, round: false, title: None };
            self.items.push(DrawingItem::Lines(lines));
        }
    }

    /// A line of text.
    pub fn text(&mut self, at: (f64, f64), size: f64, anchor: Anchor, ink: Ink, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            let (strong, upwards) = (false, false);
            self.items.push(DrawingItem::Text(Text {
                x: at.0,
                y: at.1,
                size,
                anchor,
                ink,
                strong,
                upwards,
                text,
                title: None,
            }));
        }
    }

    /// A title, in the left upper corner.
    pub fn heading(&mut self, at: (f64, f64), size: f64, text: &str) {
        self.text(at, size, Anchor::Start, Ink::Text, text);
        if let (Some(DrawingItem::Text(t)), false) = (self.items.last_mut(), text.is_empty()) {
            t.strong = true;
        }
    }

    /// A text that runs upwards, centred at its place.
    pub fn upwards(&mut self, at: (f64, f64), size: f64, anchor: Anchor, ink: Ink, text: impl Into<String>) {
        let text = text.into();
        let empty = text.is_empty();
        self.text(at, size, anchor, ink, text);
        if let (Some(DrawingItem::Text(t)), false) = (self.items.last_mut(), empty) {
            t.upwards = true;
        }
    }
}
