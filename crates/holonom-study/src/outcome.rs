//! What is measured of a run: arithmetic on what quantities came to.
//!
//! ```text
//! outcome   = arithmetic (expression.rs) on measures, parameters of the scene, and outcomes before it
//! measure   = max(x)  min(x)  mean(x)  rms(x)  integral(x)  initial(x)  final(x)      with a condition: max(x, cond)
//!           | time_of(cond)  time_of_max(x)  time_of_min(x)                            s; NaN if it never happens
//!           | count(cond)    duration(cond)  longest(cond)                             how often; s; s at a stretch
//!           | events()  events(impact)  events(begin | end | slip | stick | enter | leave)
//! x         = arithmetic on quantities (`pin.force.norm`, 'boom foot.force.x', time) and parameters
//! cond      = x > x   with > < >= <= ==, joined by `and` or by `or`
//! ```
//!
//! Quantities are seen at the rows of a recording: of the same rate, with the same bits. Between rows they are taken as
//! straight lines: means, integrals and times of crossings. A row in which a number could not be computed is passed
//! over. `min` and `max` of two arguments without a condition are those of arithmetic.
//!
//! Names of things may have `-` and `/` in them: of what is written the longest name that is there is meant
//! (`a-b.pos.x-1` is `a-b.pos.x` minus 1). Names with spaces stand in single quotes.

use holonom::{EventKind, Model};
use holonom_scene::expression::{Expression, ExpressionError, error, function_names};
use holonom_scene::node::DocNode;
use holonom_scene::reader::place;
use holonom_scene::{Diagnostic, Loaded, Quantities, codes};
use std::ops::Range;

/// What is taken of a quantity over the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taking {
    Max,
    Min,
    Mean,
    Rms,
    Integral,
    Initial,
    Final,
    TimeOf,
    TimeOfMax,
    TimeOfMin,
    Count,
    Duration,
    Longest,
}

/// Name, what it is, and whether its argument is a condition alone.
const TAKINGS: [(&str, Taking, bool); 13] = [
    ("max", Taking::Max, false),
    ("min", Taking::Min, false),
    ("mean", Taking::Mean, false),
    ("rms", Taking::Rms, false),
    ("integral", Taking::Integral, false),
    ("initial", Taking::Initial, false),
    ("final", Taking::Final, false),
    ("time_of", Taking::TimeOf, true),
    ("time_of_max", Taking::TimeOfMax, false),
    ("time_of_min", Taking::TimeOfMin, false),
    ("count", Taking::Count, true),
    ("duration", Taking::Duration, true),
    ("longest", Taking::Longest, true),
];

/// Kinds of events by what they are called.
const EVENTS: [(&str, EventKind); 7] = [
    ("impact", EventKind::Impact),
    ("begin", EventKind::Closes),
    ("end", EventKind::Opens),
    ("slip", EventKind::Slips),
    ("stick", EventKind::Sticks),
    ("enter", EventKind::Enters),
    ("leave", EventKind::Leaves),
];

/// A comparison: what is above zero where it holds.
#[derive(Clone, Debug)]
pub(crate) struct Comparison {
    margin: Expression,
    /// Does it hold at zero as well?
    closed: bool,
}

/// Comparisons joined.
#[derive(Clone, Debug)]
pub(crate) struct Condition {
    parts: Vec<Comparison>,
    /// All of them, or any.
    all: bool,
}

impl Condition {
    /// Does it hold, and by how much? Above zero where it does.
    pub fn at(&self, slots: &[f64]) -> (bool, f64) {
        let each = self.parts.iter().map(|p| {
            let m = p.margin.with(slots);
            (m > 0.0 || p.closed && m == 0.0, m)
        });
        match self.all {
            true => each.fold((true, f64::INFINITY), |a, b| (a.0 && b.0, a.1.min(b.1))),
            false => each.fold((false, f64::NEG_INFINITY), |a, b| (a.0 || b.0, a.1.max(b.1))),
        }
    }
}

/// One thing that is watched.
#[derive(Clone, Debug)]
pub(crate) enum Measure {
    /// Of the rows: the number that is looked at, and when.
    Rows { taking: Taking, value: Option<Expression>, condition: Option<Condition> },
    /// Of the steps: how many events, of one kind or of all.
    Events(Option<EventKind>),
}

/// Where a number of an outcome comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
enum OuterSlot {
    Param(usize),
    Measure(usize),
    Outcome(usize),
}

/// One outcome.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its name.
    pub name: String,
    /// Unit, where it is said or plain.
    pub unit: String,
    /// As it is written.
    pub text: String,
    expression: Expression,
}

/// All outcomes of a study.
#[derive(Clone, Debug, Default)]
pub struct Outcomes {
    all: Vec<Outcome>,
    pub(crate) measures: Vec<Measure>,
    /// Names of the quantities that are read.
    pub(crate) quantities: Vec<String>,
    /// How many parameters the scene has; they come first in the slots of measures.
    pub(crate) params: usize,
    slots: Vec<OuterSlot>,
}

impl Outcomes {
    /// The outcomes in order.
    pub fn all(&self) -> &[Outcome] {
        &self.all
    }

    /// Do they look at anything between the first and the last row?
    pub(crate) fn need_rows(&self) -> bool {
        let plain = |m: &Measure| match m {
            Measure::Rows { taking: Taking::Initial | Taking::Final, condition: None, .. } | Measure::Events(_) => true,
            Measure::Rows { .. } => false,
        };
        !self.measures.iter().all(plain)
    }

    /// Are there kinds of events to be told apart?
    pub(crate) fn need_kinds(&self) -> bool {
        self.measures.iter().any(|m| matches!(m, Measure::Events(Some(_))))
    }

    /// The values, from what was measured.
    pub(crate) fn values(&self, params: &[f64], measured: &[f64]) -> Vec<f64> {
        let mut values: Vec<f64> = Vec::with_capacity(self.all.len());
        let mut slots = vec![f64::NAN; self.slots.len()];
        for outcome in &self.all {
            for (slot, from) in slots.iter_mut().zip(&self.slots) {
                *slot = match *from {
                    OuterSlot::Param(k) => params[k],
                    OuterSlot::Measure(k) => measured[k],
                    OuterSlot::Outcome(k) => values.get(k).copied().unwrap_or(f64::NAN),
                };
            }
            values.push(outcome.expression.with(&slots));
        }
        values
    }

    /// All of them as they are written.
    pub(crate) fn written(&self) -> String {
        self.all.iter().map(|o| format!("{} = {} {:?}\n", o.name, o.text, o.unit)).collect()
    }
}

/// Reads outcomes.
pub(crate) struct OutcomeReader<'a> {
    base: &'a Loaded,
    model: &'a Model,
    outcomes: Outcomes,
    units: Vec<&'static str>,
    /// What is wrong, where more is to be said than a sentence.
    failed: Option<Box<Diagnostic>>,
}

type Parsed<T> = Result<T, ExpressionError>;

impl<'a> OutcomeReader<'a> {
    pub fn new(base: &'a Loaded, model: &'a Model) -> Self {
        let outcomes =
            Outcomes { quantities: vec!["time".into()], params: base.scene.params.len(), ..Outcomes::default() };
        OutcomeReader { base, model, outcomes, units: vec!["s"], failed: None }
    }

    pub fn finish(self) -> Outcomes {
        self.outcomes
    }

    /// One outcome.
    pub fn read(
        &mut self,
        name: &str,
        text: &str,
        unit: Option<String>,
        node: &DocNode,
    ) -> Result<(), Box<Diagnostic>> {
        let measures = self.outcomes.measures.len();
        let read = Expression::read_with(text, "", &|_| None, &mut |rest, at| self.outer(rest, at));
        let expression = read.map_err(|e| {
            let span = place(&e, node, 0);
            match self.failed.take() {
                Some(d) => Box::new(d.at(span)),
                None => Box::new(self.unknown_name(&e).at(span)),
            }
        })?;
        let plain = self.plain_unit(text, measures);
        let unit = unit.unwrap_or_else(|| plain.to_string());
        self.outcomes.all.push(Outcome { name: name.into(), unit, text: text.trim().into(), expression });
        Ok(())
    }

    /// A sentence about an expression as a message.
    fn unknown_name(&self, e: &ExpressionError) -> Diagnostic {
        let Some(name) = &e.unknown else {
            return Diagnostic::error(codes::EXPRESSION_SYNTAX, e.message.clone());
        };
        let message = format!("`{}` is no measure, parameter or outcome", holonom_scene::confine::shown(name));
        let measures = TAKINGS.iter().map(|t| t.0).chain(["events"]);
        let names = self.base.scene.params.iter().map(|p| p.0.as_str()).chain(measures);
        let names = names.chain(self.outcomes.all.iter().map(|o| o.name.as_str()));
        let d = Diagnostic::error(codes::UNKNOWN_PARAMETER, message).suggest(name, names, "");
        d.help("of a quantity one number is taken: max(pin.force.norm), final(rod.pos.z), time_of(rod.pos.z < 0)")
    }

    /// The unit of an outcome that is one measure and nothing else.
    fn plain_unit(&self, text: &str, first: usize) -> &'static str {
        let [measure] = &self.outcomes.measures[first..] else { return "" };
        let text = text.trim();
        let whole = text.find('(').and_then(|at| closing(text, at)).is_some_and(|end| end + 1 == text.len());
        match measure {
            _ if !whole || text.starts_with('(') => "",
            Measure::Events(_) => "1",
            Measure::Rows { taking: Taking::Count, .. } => "1",
            Measure::Rows {
                taking: Taking::TimeOf | Taking::TimeOfMax | Taking::TimeOfMin | Taking::Duration | Taking::Longest,
                ..
            } => "s",
            Measure::Rows { taking: Taking::Integral, .. } => "",
            Measure::Rows { .. } => {
                let inside = &text[text.find('(').map_or(0, |at| at + 1)..text.len() - 1];
                let inside = split_top(inside, ",").first().map_or("", |r| inside[r.clone()].trim());
                let inside = inside.strip_prefix("abs(").and_then(|t| t.strip_suffix(')')).unwrap_or(inside);
                let name = inside.trim_matches('\'');
                self.outcomes.quantities.iter().position(|q| q == name).map_or("", |k| self.units[k])
            }
        }
    }

    fn slot(&mut self, slot: OuterSlot) -> usize {
        let slots = &mut self.outcomes.slots;
        slots.iter().position(|s| *s == slot).unwrap_or_else(|| {
            slots.push(slot);
            slots.len() - 1
        })
    }

    /// What begins here outside of a measure: a measure, a parameter, an outcome.
    fn outer(&mut self, rest: &str, at: usize) -> Parsed<Option<(usize, usize)>> {
        let word = identifier(rest);
        if rest[word.len()..].starts_with('(') {
            let names = || TAKINGS.iter().map(|t| t.0).chain(["events"]).chain(function_names());
            if !names().any(|name| name == word) {
                let d = Diagnostic::unknown(codes::EXPRESSION_SYNTAX, "measure or function", word, names());
                self.failed = Some(Box::new(d));
                return Err(error(at..at + word.len(), ""));
            }
            let Some(end) = closing(rest, word.len()) else {
                return Err(error(at..at + word.len() + 1, "a bracket is not closed"));
            };
            let inside = word.len() + 1..end;
            return match self.measure(word, &rest[inside.clone()], at + inside.start)? {
                Some(measure) => {
                    self.outcomes.measures.push(measure);
                    let k = self.outcomes.measures.len() - 1;
                    Ok(Some((end + 1, self.slot(OuterSlot::Measure(k)))))
                }
                None => Ok(None),
            };
        }
        if let Some(k) = self.outcomes.all.iter().position(|o| o.name == word) {
            return Ok(Some((word.len(), self.slot(OuterSlot::Outcome(k)))));
        }
        if let Some(k) = self.base.scene.params.iter().position(|p| p.0 == word) {
            return Ok(Some((word.len(), self.slot(OuterSlot::Param(k)))));
        }
        // a quantity without a measure is a frequent mistake
        let (run, found) = self.quantity_at(rest);
        if let Some(found) = found.filter(|f| *f > 0) {
            let message = format!("`{}` changes with time: one number of it must be taken", &run[..found]);
            let d = Diagnostic::error(codes::EXPRESSION_SYNTAX, message);
            self.failed = Some(Box::new(d.help(format!("for instance  max({0})  or  final({0})", &run[..found]))));
            return Err(error(at..at + found, ""));
        }
        Ok(None)
    }

    /// The measure of that name, if it is one and not a function of arithmetic.
    fn measure(&mut self, word: &str, inside: &str, at: usize) -> Parsed<Option<Measure>> {
        if word == "events" {
            let kind = inside.trim();
            if kind.is_empty() {
                return Ok(Some(Measure::Events(None)));
            }
            return match EVENTS.iter().find(|e| e.0 == kind) {
                Some((_, kind)) => Ok(Some(Measure::Events(Some(*kind)))),
                None => {
                    let d = Diagnostic::unknown(codes::UNKNOWN_CHOICE, "kind of event", kind, EVENTS.map(|e| e.0));
                    self.failed = Some(Box::new(d.help(format!("one of: {}", EVENTS.map(|e| e.0).join(", ")))));
                    Err(error(at..at + inside.len(), ""))
                }
            };
        }
        let Some(&(name, taking, only)) = TAKINGS.iter().find(|t| t.0 == word) else { return Ok(None) };
        let arguments = split_top(inside, ",");
        let is_condition = |r: &Range<usize>| !comparisons(&inside[r.clone()]).is_empty();
        // of arithmetic
        if matches!(taking, Taking::Max | Taking::Min) && arguments.len() == 2 && !is_condition(&arguments[1]) {
            return Ok(None);
        }
        let wrong = |what: &str| Err(error(at..at + inside.len().max(1), format!("`{name}` takes {what}")));
        match (&arguments[..], only) {
            ([one], true) => {
                let condition = Some(self.condition(&inside[one.clone()], at + one.start)?);
                Ok(Some(Measure::Rows { taking, value: None, condition }))
            }
            (_, true) => wrong("one condition: time_of(rod.pos.z < 0)"),
            ([one], false) if is_condition(one) => wrong("a quantity, not a condition"),
            ([one], false) => {
                let value = Some(self.inner(&inside[one.clone()], at + one.start)?);
                Ok(Some(Measure::Rows { taking, value, condition: None }))
            }
            ([one, two], false) if is_condition(two) => {
                let value = Some(self.inner(&inside[one.clone()], at + one.start)?);
                let condition = Some(self.condition(&inside[two.clone()], at + two.start)?);
                Ok(Some(Measure::Rows { taking, value, condition }))
            }
            _ => wrong("a quantity, and perhaps a condition: max(pin.force.norm, time > 1)"),
        }
    }

    /// Arithmetic on quantities.
    fn inner(&mut self, text: &str, at: usize) -> Parsed<Expression> {
        let read = Expression::read_with(text, "", &|_| None, &mut |rest, from| self.inner_name(rest, from));
        read.map_err(|e| {
            if let (Some(name), None) = (&e.unknown, &self.failed) {
                self.failed = Some(Box::new(self.unknown_quantity(name)));
            }
            ExpressionError { at: e.at.start + at..e.at.end + at, ..e }
        })
    }

    fn inner_name(&mut self, rest: &str, from: usize) -> Parsed<Option<(usize, usize)>> {
        if let Some(quoted) = rest.strip_prefix('\'') {
            let Some(end) = quoted.find('\'') else { return Err(error(from..from + 1, "a quote does not end")) };
            let name = &quoted[..end];
            return match self.quantity(name) {
                Some(k) => Ok(Some((end + 2, k))),
                None => {
                    self.failed = Some(Box::new(self.unknown_quantity(name)));
                    Err(error(from..from + end + 2, ""))
                }
            };
        }
        let word = identifier(rest);
        if rest[word.len()..].starts_with('(') {
            if TAKINGS.iter().any(|t| t.0 == word && !matches!(t.1, Taking::Max | Taking::Min)) {
                return Err(error(from..from + word.len(), format!("`{word}` stands inside of another measure")));
            }
            return Ok(None);
        }
        let (run, found) = self.quantity_at(rest);
        if let Some(length) = found {
            return Ok(self.quantity(&run[..length]).map(|k| (length, k)));
        }
        if let Some(k) = self.base.scene.params.iter().position(|p| p.0 == word) {
            return Ok(Some((word.len(), k)));
        }
        if run.contains('.') {
            self.failed = Some(Box::new(self.unknown_quantity(run)));
            return Err(error(from..from + run.len(), ""));
        }
        Ok(None)
    }

    /// What could be a name here, and how much of it is one of a quantity.
    fn quantity_at<'t>(&self, rest: &'t str) -> (&'t str, Option<usize>) {
        let end = rest
            .find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | '#')))
            .unwrap_or(rest.len());
        let run = rest[..end].trim_end_matches(['-', '.', '/']);
        let cuts = run.char_indices().filter(|(_, c)| matches!(c, '-' | '/')).map(|(k, _)| k);
        let mut cuts: Vec<usize> = cuts.chain([run.len()]).collect();
        cuts.reverse();
        (run, cuts.into_iter().find(|k| self.is_quantity(&run[..*k])))
    }

    fn is_quantity(&self, name: &str) -> bool {
        self.outcomes.quantities.iter().any(|q| q == name)
            || !name.is_empty() && Quantities::of_scene(self.model, &self.base.scene, &[name]).is_ok()
    }

    /// The slot of a quantity; none if there is none of that name.
    fn quantity(&mut self, name: &str) -> Option<usize> {
        if let Some(k) = self.outcomes.quantities.iter().position(|q| q == name) {
            return Some(self.outcomes.params + k);
        }
        let found = Quantities::of_scene(self.model, &self.base.scene, &[name]).ok()?;
        self.outcomes.quantities.push(name.to_string());
        self.units.push(found.all().last()?.unit);
        Some(self.outcomes.params + self.outcomes.quantities.len() - 1)
    }

    fn unknown_quantity(&self, name: &str) -> Diagnostic {
        let params = self.base.scene.params.iter().map(|p| p.0.as_str());
        if !name.contains('.')
            && let Some(near) = holonom_scene::diagnostic::nearest(name, params)
        {
            let message = format!("there is no quantity or parameter `{name}`");
            return Diagnostic::error(codes::UNKNOWN_COLUMN, message).label(format!("did you mean `{near}`?"));
        }
        match Quantities::of_scene(self.model, &self.base.scene, &[name]) {
            Err(unknown) => unknown.diagnostic(None),
            Ok(_) => Diagnostic::error(codes::UNKNOWN_COLUMN, format!("`{name}` is not one quantity")),
        }
    }

    /// Comparisons joined by `and` or by `or`.
    fn condition(&mut self, text: &str, at: usize) -> Parsed<Condition> {
        let (and, or) = (split_top(text, " and "), split_top(text, " or "));
        if and.len() > 1 && or.len() > 1 {
            return Err(error(at..at + text.len(), "either `and` or `or` joins comparisons, not both"));
        }
        let all = or.len() == 1;
        let pieces = if all { and } else { or };
        let mut parts = Vec::new();
        for piece in pieces {
            let (one, from) = (&text[piece.clone()], at + piece.start);
            let [op] = &comparisons(one)[..] else {
                let message = "a comparison is due here: x > 0, with one of > < >= <= ==";
                return Err(error(from..from + one.len().max(1), message));
            };
            let sign = &one[op.clone()];
            // a > b and b < a are b - a and so on: the margin is above zero where it holds
            let (left, right) = (&one[..op.start], &one[op.end..]);
            let (left_at, right_at) = (from, from + op.end);
            let left = self.inner(left, left_at)?;
            let right = self.inner(right, right_at)?;
            let margin = match sign {
                ">" | ">=" => Expression::difference(&left, &right),
                "<" | "<=" => Expression::difference(&right, &left),
                _ => Expression::difference(&left, &right).not_zero(),
            };
            parts.push(Comparison { margin, closed: sign.ends_with('=') });
        }
        Ok(Condition { parts, all })
    }
}

/// Letters, digits and `_` from the start.
fn identifier(text: &str) -> &str {
    &text[..text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len())]
}

/// The bracket that closes the one at `open`.
fn closing(text: &str, open: usize) -> Option<usize> {
    let (mut depth, mut quoted) = (0, false);
    for (k, c) in text.char_indices().skip_while(|(k, _)| *k < open) {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => {
                depth -= 1;
                if depth == 0 {
                    return Some(k);
                }
            }
            _ => {}
        }
    }
    None
}

/// Pieces between separators that stand in no bracket and no quotes.
fn split_top(text: &str, separator: &str) -> Vec<Range<usize>> {
    let (mut depth, mut quoted, mut start) = (0, false, 0);
    let mut pieces = Vec::new();
    for (k, c) in text.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ if depth == 0 && !quoted && k >= start && text[k..].starts_with(separator) => {
                pieces.push(start..k);
                start = k + separator.len();
            }
            _ => {}
        }
    }
    pieces.push(start..text.len());
    pieces
}

/// Signs of comparison that stand in no bracket and no quotes.
fn comparisons(text: &str) -> Vec<Range<usize>> {
    let (mut depth, mut quoted, mut next) = (0, false, 0);
    let mut found = Vec::new();
    for (k, c) in text.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            '<' | '>' | '=' if depth == 0 && !quoted && k >= next => {
                next = k + if text[k + 1..].starts_with('=') { 2 } else { 1 };
                found.push(k..next);
            }
            _ => {}
        }
    }
    found
}
