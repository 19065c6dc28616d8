//! Round numbers for an axis, and what to write beside them.
//!
//! Decisions. Steps are 1, 2 or 5 times a power of ten. Ticks are whole multiples of the step, counted from an
//! *offset*: usually 0, but where the range is tiny beside its values (1 ± 1e-13) a round number near them, written
//! once above the axis, so that labels stay short and differ. Everything after that happens in distances from the
//! offset, which are exact where it matters (values that close to each other subtract without rounding). Labels above
//! 10^5 or below 10^-3 share a factor, a power of 1000, written beside the offset.

/// How values are spread along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Evenly.
    #[default]
    Linear,
    /// By their logarithms. Values that are not positive are left out.
    Log,
}

/// Values beyond this are left out as if they were infinite: differences of them would be.
pub(crate) const HUGE: f64 = 1e300;
/// Ranges of an axis are at least this wide.
const TINY: f64 = 1e-290;

/// An axis from one value to another, with its ticks.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ruler {
    scale: Scale,
    /// Taken from every value before all else; 0 for logarithms.
    offset: f64,
    /// The ends, as distances from the offset, or as logarithms.
    low: f64,
    high: f64,
    /// Places of the ticks, 0 to 1, and their labels.
    pub major: Vec<(f64, String)>,
    pub minor: Vec<f64>,
    /// What the labels leave out: a factor, an offset.
    pub note: String,
}

impl Ruler {
    /// Can this value be shown?
    pub fn shows(scale: Scale, value: f64) -> bool {
        value.abs() <= HUGE && (scale == Scale::Linear || value > 0.0)
    }

    /// An axis that shows `low` to `high` with about `wanted` steps. `margin` is the part of the range left free at
    /// both ends.
    pub fn new(scale: Scale, low: f64, high: f64, wanted: usize, margin: f64) -> Ruler {
        match scale {
            Scale::Linear => linear(low, high, wanted.max(1), margin),
            Scale::Log => logarithmic(low, high, wanted.max(1), margin),
        }
    }

    /// Where a value stands, 0 to 1; `None` if it cannot be shown.
    pub fn place(&self, value: f64) -> Option<f64> {
        if !Self::shows(self.scale, value) {
            return None;
        }
        let at = match self.scale {
            Scale::Linear => value - self.offset,
            Scale::Log => libm::log10(value),
        };
        Some((at - self.low) / (self.high - self.low))
    }

    /// The ends as text, for those who have no room for ticks.
    pub fn ends(&self) -> (String, String) {
        let digits = |a: f64, b: f64| {
            let range = (b - a).abs();
            (libm::log10(a.abs().max(b.abs()) / range).floor().max(0.0) as usize + 3).min(17)
        };
        let (a, b) = match self.scale {
            Scale::Linear => (self.offset + self.low, self.offset + self.high),
            Scale::Log => (libm::exp10(self.low), libm::exp10(self.high)),
        };
        let n = if self.scale == Scale::Log { 3 } else { digits(a, b) };
        (plain(a, n), plain(b, n))
    }
}

/// 10^e, exact where a double can be.
fn power(e: i32) -> f64 {
    format!("1e{e}").parse().unwrap_or(0.0)
}

/// The smallest e with `x < 10^(e+1)`: the place of the first digit.
fn first_digit(x: f64) -> i32 {
    let mut e = libm::log10(x).floor() as i32;
    while x >= power(e + 1) {
        e += 1;
    }
    while x < power(e) {
        e -= 1;
    }
    e
}

/// A step as (1, 2 or 5, power of ten).
fn round_step(least: f64) -> (i64, i32) {
    let e = first_digit(least);
    let m = least / power(e);
    // a step that is a rounding error too small is meant
    [1, 2, 5].into_iter().find(|&k| m <= k as f64 * (1.0 + 1e-9)).map_or((1, e + 1), |k| (k, e))
}

/// A multiple of 10^e, correctly rounded.
fn decimal(m: i64, e: i32) -> f64 {
    format!("{m}e{e}").parse().unwrap_or(0.0)
}

/// `m 10^e` as text with all its digits; short enough as offsets and factors have been taken out.
fn label(m: i64, e: i32) -> String {
    let digits = m.unsigned_abs().to_string();
    let text = if e >= 0 {
        if m == 0 { digits } else { digits + &"0".repeat(e as usize) }
    } else {
        let places = -e as usize;
        let padded = format!("{digits:0>width$}", width = places + 1);
        format!("{}.{}", &padded[..padded.len() - places], &padded[padded.len() - places..])
    };
    if m < 0 { format!("−{text}") } else { text }
}

/// An exponent in raised digits.
fn raised(e: i32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let digits = e.unsigned_abs().to_string();
    let raised = digits.bytes().map(|b| DIGITS[(b - b'0') as usize]);
    if e < 0 { std::iter::once('⁻').chain(raised).collect() } else { raised.collect() }
}

/// A number for people: with so many digits, and a power of ten when it is very large or small.
pub(crate) fn plain(x: f64, digits: usize) -> String {
    if x == 0.0 || !x.is_finite() {
        return if x == 0.0 { "0".into() } else { "?".into() };
    }
    let digits = digits.clamp(1, 17);
    let text = format!("{:.*e}", digits - 1, x.abs());
    let Some((mantissa, e)) = text.split_once('e').and_then(|(m, e)| Some((m, e.parse::<i32>().ok()?))) else {
        return text;
    };
    let sign = if x < 0.0 { "−" } else { "" };
    let mantissa: String = mantissa.chars().filter(|c| *c != '.').collect();
    let trimmed = mantissa.trim_end_matches('0');
    let m: i64 = if trimmed.is_empty() { 0 } else { trimmed.parse().unwrap_or(0) };
    let last = e - (trimmed.len().max(1) as i32 - 1);
    if (-4..6).contains(&e) || (e >= 6 && (e as usize) < digits) {
        return format!("{sign}{}", label(m, last));
    }
    let m = label(m, last - e);
    let factor = format!("10{}", raised(e));
    if m == "1" { format!("{sign}{factor}") } else { format!("{sign}{m}×{factor}") }
}

/// Digits that are enough to tell a number from all others.
fn shortest_digits(x: f64) -> usize {
    let text = format!("{:e}", x.abs());
    text.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count()
}

fn linear(low: f64, high: f64, wanted: usize, margin: f64) -> Ruler {
    let middle = 0.5 * low + 0.5 * high;
    let mut range = high - low;
    if !(range > 0.0) {
        // a constant: a tenth of its size around it
        range = if middle == 0.0 { 1.0 } else { 0.2 * middle.abs() };
    }
    range = range.max(TINY);
    let largest = low.abs().max(high.abs());
    // more than five digits before they begin to differ: count from a round number nearby
    let offset = if largest > 2e4 * range {
        let unit = first_digit(range) + 1;
        let near = (middle / power(unit)).round();
        if near.abs() < 9e15 { decimal(near as i64, unit) } else { middle }
    } else {
        0.0
    };
    let from = if high > low { low - offset } else { middle - offset - 0.5 * range };
    let to = if high > low { high - offset } else { middle - offset + 0.5 * range };
    let (low, high) = (from - margin * (to - from), to + margin * (to - from));
    let (mut k, mut e) = round_step((high - low) / wanted as f64);
    let places = |k: i64, e: i32| -> Vec<i64> {
        let step = decimal(k, e);
        let slack = 1e-9 * (high - low);
        let first = ((low - slack) / step).ceil() as i64;
        let last = ((high + slack) / step).floor() as i64;
        (first..=last).take(1000).collect()
    };
    let at = |n: i64, step: f64| ((n as f64 * step - low) / (high - low)).clamp(0.0, 1.0);
    let mut ticks = places(k, e);
    // one label tells nothing of the scale, and two little
    while ticks.len() < 3 {
        (k, e) = match k {
            1 => (5, e - 1),
            2 => (1, e),
            _ => (2, e),
        };
        ticks = places(k, e);
    }
    let step = decimal(k, e);
    // one factor for all labels, by the largest
    let top = ticks.iter().map(|n| n.unsigned_abs()).max().unwrap_or(1).max(1) as f64 * step;
    let size = first_digit(top);
    let factor = if (-3..5).contains(&size) && e >= -5 { 0 } else { size.div_euclid(3) * 3 };
    let major = ticks.iter().map(|&n| (at(n, step), label(n * k, e - factor))).collect();
    let (k_minor, e_minor) = match k {
        1 => (2, e - 1),
        2 => (5, e - 1),
        _ => (1, e),
    };
    let per_major = (decimal(k, e) / decimal(k_minor, e_minor)).round() as i64;
    let fine = decimal(k_minor, e_minor);
    let minor = places(k_minor, e_minor).into_iter().filter(|n| n.rem_euclid(per_major) != 0).map(|n| at(n, fine));
    let mut note = String::new();
    if factor != 0 {
        note = format!("×10{}", raised(factor));
    }
    if offset != 0.0 {
        let sign = if offset < 0.0 { "−" } else { "+" };
        let space = if note.is_empty() { "" } else { " " };
        note = format!("{note}{space}{sign} {}", plain(offset.abs(), shortest_digits(offset)));
    }
    Ruler { scale: Scale::Linear, offset, low, high, major, minor: minor.collect(), note }
}

fn logarithmic(low: f64, high: f64, wanted: usize, margin: f64) -> Ruler {
    let (mut low, mut high) = (libm::log10(low), libm::log10(high));
    if !(high > low) {
        (low, high) = (low - 0.5, high + 0.5);
    }
    let room = margin * (high - low);
    (low, high) = (low - room, high + room);
    let at = |x: f64| (x - low) / (high - low);
    let inside = |x: f64| (-1e-9..=1.0 + 1e-9).contains(&at(x));
    let decades = (low.floor() as i32)..=(high.ceil() as i32);
    let of_decade = |digits: &'static [i64]| {
        let values = decades.clone().flat_map(move |e| digits.iter().map(move |&m| (m, e)));
        values.map(|(m, e)| (libm::log10(m as f64) + e as f64, m, e)).filter(|(x, _, _)| inside(*x)).collect::<Vec<_>>()
    };
    let whole = of_decade(&[1]);
    let some = of_decade(&[1, 2, 5]);
    let text = |m: i64, e: i32| match (m, e) {
        (m, -3..=3) => label(m, e),
        (1, e) => format!("10{}", raised(e)),
        (m, e) => format!("{m}×10{}", raised(e)),
    };
    let (major, minor): (Vec<_>, Vec<_>) = if whole.len() >= 3 {
        let every = (whole.len() as i32).div_euclid(wanted as i32 + 1) + 1;
        let (labelled, rest): (Vec<_>, Vec<_>) = whole.iter().partition(|(_, _, e)| e.rem_euclid(every) == 0);
        let between = if every == 1 { of_decade(&[2, 3, 4, 5, 6, 7, 8, 9]) } else { Vec::new() };
        (labelled, rest.into_iter().chain(between).map(|(x, _, _)| at(x)).collect())
    } else if some.len() >= 2 {
        let between = of_decade(&[3, 4, 6, 7, 8, 9]);
        (some, between.into_iter().map(|(x, _, _)| at(x)).collect())
    } else {
        // less than a factor of two: round steps of the values themselves
        let (a, b) = (libm::exp10(low), libm::exp10(high));
        let even = linear(a, b, wanted, 0.0);
        let moved = |p: f64| at(libm::log10(even.offset + even.low + p * (even.high - even.low)));
        let major = even.major.iter().map(|(p, label)| (moved(*p), label.clone())).collect();
        let minor = even.minor.iter().map(|p| moved(*p)).collect();
        return Ruler { scale: Scale::Log, offset: 0.0, low, high, major, minor, note: even.note };
    };
    let major = major.into_iter().map(|(x, m, e)| (at(x), text(m, e))).collect();
    Ruler { scale: Scale::Log, offset: 0.0, low, high, major, minor, note: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(r: &Ruler) -> Vec<&str> {
        r.major.iter().map(|(_, l)| l.as_str()).collect()
    }

    /// Labels differ, ticks rise, are evenly spread and lie on the axis.
    fn sound(r: &Ruler, what: &str) {
        assert!((3..=14).contains(&r.major.len()) || r.scale == Scale::Log && r.major.len() == 2, "{what}: {r:?}");
        let mut sorted = labels(r);
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), r.major.len(), "{what}: {r:?}");
        assert!(labels(r).iter().all(|l| l.chars().count() <= 9), "{what}: {r:?}");
        assert!(r.major.windows(2).all(|w| w[0].0 < w[1].0), "{what}: {r:?}");
        let all = || r.major.iter().map(|m| m.0).chain(r.minor.iter().copied());
        assert!(all().all(|p| (0.0..=1.0).contains(&p)), "{what}: {r:?}");
        if r.scale == Scale::Linear {
            let step = r.major[1].0 - r.major[0].0;
            assert!(r.major.windows(2).all(|w| (w[1].0 - w[0].0 - step).abs() < 1e-6), "{what}: {r:?}");
        }
    }

    #[test]
    fn round_numbers() {
        let r = Ruler::new(Scale::Linear, 0.0, 10.0, 6, 0.0);
        assert_eq!(labels(&r), ["0", "2", "4", "6", "8", "10"]);
        assert_eq!(r.minor.len(), 15, "steps of 0.5");
        let r = Ruler::new(Scale::Linear, -0.31, 0.27, 5, 0.0);
        assert_eq!(labels(&r), ["−0.2", "0.0", "0.2"]);
        assert_eq!(labels(&Ruler::new(Scale::Linear, 0.0, 3.5e7, 4, 0.0)), ["0", "10", "20", "30"]);
        assert_eq!(Ruler::new(Scale::Linear, 0.0, 3.5e7, 4, 0.0).note, "×10⁶");
    }

    #[test]
    fn any_range_has_few_distinct_labels() {
        for e in (-280..=290).step_by(3) {
            for (a, b) in [(0.0, 1.0), (-1.0, 1.0), (3.3, 4.1), (-7.7, -7.6), (9.99, 10.01), (0.0, 0.0), (5.0, 5.0)] {
                let (a, b) = (a * power(e), b * power(e));
                for wanted in [3, 6, 10] {
                    sound(&Ruler::new(Scale::Linear, a, b, wanted, 0.04), &format!("{a:e} to {b:e}"));
                }
            }
        }
        for k in 0..=16 {
            let (a, b) = (1.0 - power(-k), 1.0 + power(-k));
            sound(&Ruler::new(Scale::Linear, a, b, 6, 0.04), &format!("1 +- 1e-{k}"));
            sound(&Ruler::new(Scale::Linear, a * 7.123e5, b * 7.123e5, 6, 0.04), &format!("7.123e5 +- 1e-{k}"));
        }
        sound(&Ruler::new(Scale::Linear, 1.0, 1.0 + f64::EPSILON, 6, 0.04), "neighbours");
        sound(&Ruler::new(Scale::Linear, -HUGE, HUGE, 6, 0.04), "the largest");
    }

    #[test]
    fn a_tiny_range_is_told_by_an_offset() {
        let r = Ruler::new(Scale::Linear, 1.0 - 1e-13, 1.0 + 1e-13, 6, 0.04);
        assert!(r.note.starts_with("×10⁻¹⁵ + 1") || r.note.starts_with("×10⁻¹² + 1"), "{r:?}");
        assert_eq!(Ruler::new(Scale::Linear, -712300.0, -712299.9, 4, 0.0).note, "− 712299.9");
        assert!((r.place(1.0).unwrap() - 0.5).abs() < 1e-3);
        assert!(r.place(1.0 + 1e-13).unwrap() > 0.9);
    }

    #[test]
    fn logarithms() {
        let r = Ruler::new(Scale::Log, 1e-12, 1e-3, 5, 0.0);
        sound(&r, "decades");
        assert!(labels(&r).contains(&"10⁻⁶"), "{r:?}");
        assert_eq!(labels(&Ruler::new(Scale::Log, 1.0, 30.0, 5, 0.0)), ["1", "2", "5", "10", "20"]);
        sound(&Ruler::new(Scale::Log, 2.1, 2.4, 5, 0.0), "less than a factor of two");
        sound(&Ruler::new(Scale::Log, 1e-300, 1e300, 5, 0.0), "everything");
        assert!(r.place(0.0).is_none() && r.place(-1.0).is_none() && r.place(f64::NAN).is_none());
        assert!((r.place(1e-12).unwrap()).abs() < 1e-12 && (r.place(1e-3).unwrap() - 1.0).abs() < 1e-12);
        sound(&Ruler::new(Scale::Log, 5.0, 5.0, 5, 0.0), "a constant");
    }

    #[test]
    fn numbers_for_people() {
        let written = [0.0, 1.0, -2.5, 0.00012345, 1e-9, -3.2e12, 123456.0].map(|x| plain(x, 4));
        assert_eq!(written, ["0", "1", "−2.5", "0.0001234", "10⁻⁹", "−3.2×10¹²", "123500"].map(String::from));
    }
}
