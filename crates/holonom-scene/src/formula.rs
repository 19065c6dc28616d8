//! Formulas in scene files: `distance(a, b) + distance(b, c) - L`. What an expression is ([`crate::expression`]), with
//! points, coordinates of joints and their rates besides, and vectors among the values.
//!
//! ```text
//! sum     = product { (+|-) product }           numbers, or vectors
//! product = signed { (*|/) signed }             numbers; a vector times or by a number
//! signed  = { + | - } power
//! power   = part [ ^ signed ]                   numbers
//! part    = atom { . (x|y|z) }                  of vectors
//! atom    = number | name | name ( sum { , sum } ) | ( sum )
//! ```
//!
//! It becomes a [`Formula`], which the engine runs on its own numbers: derivatives are the engine's.

use crate::diagnostic::nearest;
use crate::expression::{ExpressionError, LONGEST, Token, constant_of, error, tokens};
use holonom::formulas::{Formula, FormulaFunction, FormulaOp};
use std::ops::Range;

/// What a formula may name.
pub struct FormulaNames<'a> {
    /// Points, in the order in which the formula numbers them.
    pub points: &'a [&'a str],
    /// Coordinates of joints, in the same way.
    pub coordinates: &'a [&'a str],
    /// Numbers that are given when it is run.
    pub given: &'a [&'a str],
    /// Values of parameters.
    pub known: &'a dyn Fn(&str) -> Option<f64>,
}

/// Functions of vectors, with how many arguments they take.
const OF_VECTORS: &[(&str, usize)] =
    &[("distance", 2), ("length", 1), ("dot", 2), ("cross", 2), ("vec", 3), ("rate", 1)];

/// Deepest brackets.
const DEEPEST: usize = 60;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Sort {
    Number,
    Vector,
}

impl Sort {
    fn describe(self) -> &'static str {
        match self {
            Sort::Number => "a number",
            Sort::Vector => "a vector",
        }
    }
}

/// A piece of a formula, what it yields, and where it stands.
struct Piece {
    sort: Sort,
    ops: Vec<FormulaOp>,
    at: Range<usize>,
}

struct Parser<'a> {
    names: &'a FormulaNames<'a>,
    tokens: Vec<(Token<'a>, Range<usize>)>,
    next: usize,
    end: usize,
    depth: usize,
}

type Parsed<T> = Result<T, ExpressionError>;

/// Read a formula.
pub fn read_formula(text: &str, names: &FormulaNames) -> Result<Formula, ExpressionError> {
    if text.len() > LONGEST {
        return Err(error(0..text.len(), format!("a formula of {} characters, at most {LONGEST}", text.len())));
    }
    let mut parser = Parser { names, tokens: tokens(text)?, next: 0, end: text.len(), depth: 0 };
    if parser.tokens.is_empty() {
        return Err(error(0..text.len(), "the formula is empty"));
    }
    let piece = parser.sum()?;
    if let Some((token, at)) = parser.tokens.get(parser.next) {
        let what = match token {
            Token::Sign(b')') => "a closing bracket without its opening one",
            Token::Sign(b',') => "a comma outside a function",
            _ => "an operator is missing before this",
        };
        return Err(error(at.clone(), what));
    }
    if piece.sort == Sort::Vector {
        let help = "a vector, must be a number: take .x, .y or .z of it, or length(...)";
        return Err(error(piece.at, help));
    }
    Formula::new(piece.ops, names.points.len(), names.coordinates.len())
        .map_err(|e| error(0..text.len(), e.reason.to_string()))
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Option<&Token<'a>> {
        self.tokens.get(self.next).map(|t| &t.0)
    }

    /// Take the sign if it comes next.
    fn sign(&mut self, wanted: &[u8]) -> Option<(u8, Range<usize>)> {
        match self.tokens.get(self.next) {
            Some((Token::Sign(s), at)) if wanted.contains(s) => {
                self.next += 1;
                Some((*s, at.clone()))
            }
            _ => None,
        }
    }

    fn sum(&mut self) -> Parsed<Piece> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(error(0..self.end, "too many brackets"));
        }
        let mut left = self.product()?;
        while let Some((sign, at)) = self.sign(b"+-") {
            let right = self.product()?;
            if left.sort != right.sort {
                let message = format!("`{}` of {} and {}", sign as char, left.sort.describe(), right.sort.describe());
                return Err(error(at, message));
            }
            let op = match (left.sort, sign) {
                (Sort::Number, b'+') => FormulaOp::Add,
                (Sort::Number, _) => FormulaOp::Subtract,
                (Sort::Vector, b'+') => FormulaOp::AddVectors,
                (Sort::Vector, _) => FormulaOp::SubtractVectors,
            };
            left = joined(left, right, op);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn product(&mut self) -> Parsed<Piece> {
        let mut left = self.signed()?;
        while let Some((sign, at)) = self.sign(b"*/") {
            let right = self.signed()?;
            left = match (left.sort, right.sort, sign) {
                (Sort::Number, Sort::Number, b'*') => joined(left, right, FormulaOp::Multiply),
                (Sort::Number, Sort::Number, _) => joined(left, right, FormulaOp::Divide),
                (Sort::Vector, Sort::Number, b'*') => joined(left, right, FormulaOp::Scale),
                (Sort::Number, Sort::Vector, b'*') => {
                    let at = left.at.start..right.at.end;
                    Piece { at, ..joined(right, left, FormulaOp::Scale) }
                }
                (Sort::Vector, Sort::Number, _) => {
                    let one = Piece { sort: Sort::Number, ops: vec![FormulaOp::Constant(1.0)], at: right.at.clone() };
                    joined(left, joined(one, right, FormulaOp::Divide), FormulaOp::Scale)
                }
                (Sort::Vector, Sort::Vector, b'*') => {
                    return Err(error(at, "`*` of two vectors: write dot(a, b) or cross(a, b)"));
                }
                _ => return Err(error(at, "nothing can be divided by a vector")),
            };
        }
        Ok(left)
    }

    fn signed(&mut self) -> Parsed<Piece> {
        let mut minus = None;
        while let Some((sign, at)) = self.sign(b"+-") {
            if sign == b'-' {
                minus = match minus {
                    None => Some(at),
                    Some(_) => None,
                };
            }
        }
        let mut piece = self.power()?;
        if let Some(at) = minus {
            piece.at = at.start..piece.at.end;
            piece.ops.push(if piece.sort == Sort::Number { FormulaOp::Negate } else { FormulaOp::NegateVector });
        }
        Ok(piece)
    }

    fn power(&mut self) -> Parsed<Piece> {
        let base = self.part()?;
        let Some((_, at)) = self.sign(b"^") else { return Ok(base) };
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(error(at, "too many powers"));
        }
        let exponent = self.signed()?;
        self.depth -= 1;
        if base.sort == Sort::Vector || exponent.sort == Sort::Vector {
            return Err(error(at, "`^` of a vector: write dot(a, a)"));
        }
        Ok(joined(base, exponent, FormulaOp::Power))
    }

    fn part(&mut self) -> Parsed<Piece> {
        let mut piece = self.atom()?;
        while let Some((_, dot)) = self.sign(b".") {
            let component = match self.tokens.get(self.next) {
                Some((Token::Name("x"), _)) => 0,
                Some((Token::Name("y"), _)) => 1,
                Some((Token::Name("z"), _)) => 2,
                Some((_, at)) => return Err(error(at.clone(), "after a dot: x, y or z")),
                None => return Err(error(dot, "after a dot: x, y or z")),
            };
            let at = piece.at.start..self.tokens[self.next].1.end;
            self.next += 1;
            if piece.sort == Sort::Number {
                return Err(error(at, "a number has no parts; points and other vectors have .x, .y and .z"));
            }
            piece.ops.push(FormulaOp::Component(component));
            piece = Piece { sort: Sort::Number, at, ..piece };
        }
        Ok(piece)
    }

    fn atom(&mut self) -> Parsed<Piece> {
        let Some((token, at)) = self.tokens.get(self.next).cloned() else {
            return Err(error(self.end.saturating_sub(1)..self.end, "the formula ends too early"));
        };
        self.next += 1;
        match token {
            Token::Number(x) => Ok(number(FormulaOp::Constant(x), at)),
            Token::Sign(b'(') => {
                let inner = self.sum()?;
                match self.sign(b")") {
                    Some((_, end)) => Ok(Piece { at: at.start..end.end, ..inner }),
                    None => Err(error(at, "a bracket is not closed")),
                }
            }
            Token::Name(name) if matches!(self.peek(), Some(Token::Sign(b'('))) => self.call(name, at),
            Token::Name(name) => self.named(name, at),
            Token::Sign(_) | Token::Slot(_) => Err(error(at, "a number, a point or a name is missing here")),
        }
    }

    /// A point, a coordinate, a number given, time, a parameter or a constant.
    fn named(&self, name: &str, at: Range<usize>) -> Parsed<Piece> {
        let number_of = |list: &[&str]| list.iter().position(|n| *n == name).map(|i| i as u8);
        if let Some(k) = number_of(self.names.points) {
            return Ok(Piece { sort: Sort::Vector, ops: vec![FormulaOp::Point(k)], at });
        }
        if let Some(j) = number_of(self.names.coordinates) {
            return Ok(number(FormulaOp::Coordinate(j), at));
        }
        if let Some(i) = number_of(self.names.given) {
            return Ok(number(FormulaOp::Given(i), at));
        }
        if name == "t" {
            return Ok(number(FormulaOp::Time, at));
        }
        if let Some(x) = (self.names.known)(name).or_else(|| constant_of(name)) {
            return Ok(number(FormulaOp::Constant(x), at));
        }
        if function_names().any(|f| f == name) {
            return Err(error(at, format!("`{name}` is a function: write {name}(...)")));
        }
        let message = format!("there is no point, coordinate or parameter `{name}`");
        Err(ExpressionError { at, message, unknown: Some(name.to_string()) })
    }

    /// A function; its name has been taken.
    fn call(&mut self, name: &str, at: Range<usize>) -> Parsed<Piece> {
        let of_numbers = FormulaFunction::ALL.iter().find(|f| f.name() == name);
        let of_vectors = OF_VECTORS.iter().find(|f| f.0 == name);
        let Some(needed) = of_numbers.map(|f| f.arguments()).or(of_vectors.map(|f| f.1)) else {
            let hint = nearest(name, function_names()).map(|h| format!("; did you mean `{h}`?")).unwrap_or_default();
            return Err(error(at, format!("there is no function `{name}`{hint}")));
        };
        let open = self.tokens[self.next].1.clone();
        self.next += 1;
        if name == "rate" {
            return self.rate(at);
        }
        let mut arguments = vec![self.sum()?];
        while self.sign(b",").is_some() {
            arguments.push(self.sum()?);
        }
        let Some((_, end)) = self.sign(b")") else { return Err(error(open, "a bracket is not closed")) };
        let given = arguments.len();
        if given != needed {
            return Err(error(at, format!("`{name}` takes {needed} arguments, {given} given")));
        }
        let wanted = match of_numbers.is_some() || name == "vec" {
            true => Sort::Number,
            false => Sort::Vector,
        };
        if let Some(wrong) = arguments.iter().find(|a| a.sort != wanted) {
            let message = format!("`{name}` takes {}s, this is {}", &wanted.describe()[2..], wrong.sort.describe());
            return Err(error(wrong.at.clone(), message));
        }
        let mut ops: Vec<FormulaOp> = arguments.into_iter().flat_map(|a| a.ops).collect();
        let mut sort = Sort::Number;
        match (name, of_numbers) {
            (_, Some(f)) => ops.push(FormulaOp::Call(*f)),
            ("distance", _) => ops.extend([FormulaOp::SubtractVectors, FormulaOp::Length]),
            ("length", _) => ops.push(FormulaOp::Length),
            ("dot", _) => ops.push(FormulaOp::Dot),
            ("cross", _) => {
                ops.push(FormulaOp::Cross);
                sort = Sort::Vector;
            }
            // three numbers are a vector
            _ => sort = Sort::Vector,
        }
        Ok(Piece { sort, ops, at: at.start..end.end })
    }

    /// The rate of a point or a coordinate; the bracket has been opened.
    fn rate(&mut self, at: Range<usize>) -> Parsed<Piece> {
        let what = self.sum()?;
        let Some((_, end)) = self.sign(b")") else { return Err(error(at, "a bracket is not closed")) };
        let (sort, op) = match what.ops.as_slice() {
            [FormulaOp::Point(k)] => (Sort::Vector, FormulaOp::PointRate(*k)),
            [FormulaOp::Coordinate(j)] => (Sort::Number, FormulaOp::CoordinateRate(*j)),
            _ => return Err(error(what.at, "`rate` takes the name of a point or of a coordinate")),
        };
        Ok(Piece { sort, ops: vec![op], at: at.start..end.end })
    }
}

fn number(op: FormulaOp, at: Range<usize>) -> Piece {
    Piece { sort: Sort::Number, ops: vec![op], at }
}

/// One piece after the other, then an operator. The sort is that of the first but for products.
fn joined(mut left: Piece, right: Piece, op: FormulaOp) -> Piece {
    left.ops.extend(right.ops);
    left.ops.push(op);
    left.at = left.at.start..right.at.end;
    left
}

/// All functions that a formula may use.
pub fn function_names() -> impl Iterator<Item = &'static str> + Clone {
    FormulaFunction::ALL.iter().map(|f| f.name()).chain(OF_VECTORS.iter().map(|f| f.0))
}

/// The text with values for names that are known only where it stands: counters of generators.
pub fn with_locals(text: &str, locals: &dyn Fn(&str) -> Option<f64>) -> String {
    let Ok(tokens) = tokens(text) else { return text.to_string() };
    let mut out = String::new();
    let mut copied = 0;
    for (token, at) in tokens {
        if let Token::Name(name) = token
            && let Some(x) = locals(name)
        {
            out += &text[copied..at.start];
            out += &format!("({x})");
            copied = at.end;
        }
    }
    out + &text[copied..]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Formula, ExpressionError> {
        let known = |n: &str| (n == "L").then_some(2.0);
        read_formula(text, &FormulaNames { points: &["a", "b"], coordinates: &["q"], given: &[], known: &known })
    }

    #[test]
    fn formulas_are_read() {
        for text in [
            "distance(a, b) - L",
            "a.x^2/4 + a.z^2 - 1",
            "dot(a - b, cross(a, b)) + sin(2*t)",
            "length(2*a - b/3) - -q",
            "rate(a).x*sin(q) - rate(q)",
            "(a - b).z + vec(1, q, t).y",
            "max(q, hypot(a.x, 1))",
            "-a.x^-2",
        ] {
            read(text).unwrap_or_else(|e| panic!("{text}: {e:?}"));
        }
        assert!(read("rate(q)").expect("read").has_rates() && read("a.x + t").expect("read").has_time());
        assert_eq!(with_locals("distance(a, b) - i*L", &|n| (n == "i").then_some(3.0)), "distance(a, b) - (3)*L");
    }

    #[test]
    fn mistakes_are_placed() {
        for (text, at, message) in [
            ("distance(a, c)", 12..13, "there is no point, coordinate or parameter `c`"),
            ("distanc(a, b)", 0..7, "there is no function `distanc`; did you mean `distance`?"),
            ("a - b", 0..5, "a vector, must be a number"),
            ("q + a", 2..3, "`+` of a number and a vector"),
            ("a*b", 1..2, "`*` of two vectors: write dot(a, b) or cross(a, b)"),
            ("1/a", 1..2, "nothing can be divided by a vector"),
            ("q.x", 0..3, "a number has no parts"),
            ("a.w", 2..3, "after a dot: x, y or z"),
            ("sin(a)", 4..5, "`sin` takes numbers, this is a vector"),
            ("length(q)", 7..8, "`length` takes vectors, this is a number"),
            ("dot(a)", 0..3, "`dot` takes 2 arguments, 1 given"),
            ("rate(a - b)", 5..10, "`rate` takes the name of a point or of a coordinate"),
            ("distance(a, b", 8..9, "a bracket is not closed"),
            ("a.x +", 4..5, "the formula ends too early"),
            ("a.x b.x", 4..5, "an operator is missing before this"),
            ("a^2", 1..2, "`^` of a vector: write dot(a, a)"),
            ("distance", 0..8, "`distance` is a function: write distance(...)"),
            ("", 0..0, "the formula is empty"),
        ] {
            let e = read(text).expect_err(text);
            assert!(e.message.starts_with(message), "{text}: {}", e.message);
            assert_eq!(e.at, at, "{text}: {}", e.message);
        }
        read(&"(".repeat(5000)).expect_err("too deep");
        read(&format!("{}q", "-".repeat(5000))).expect("signs are no depth");
        read(&format!("q{}", "^q".repeat(3000))).expect_err("too deep");
    }
}
