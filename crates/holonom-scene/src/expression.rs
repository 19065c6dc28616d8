//! Arithmetic in scene files: `${L/2 + 0.1}`, and functions of time such as `0.3*sin(2*pi*t)`, with two derivatives.
//!
//! ```text
//! sum     = product { (+|-) product }
//! product = signed { (*|/) signed }
//! signed  = { + | - } power              so that -2^2 = -4
//! power   = atom [ ^ signed ]            so that 2^3^2 = 2^9 and 2^-1 = 0.5
//! atom    = number | name | name ( sum { , sum } ) | ( sum )
//! ```
//!
//! Read by precedence climbing on an explicit stack (a million brackets are refused, not followed) into a program in
//! reverse Polish order, run on triples (f, f', f''). A product, a quotient and a function of a function follow the
//! rules of calculus:
//!
//! ```text
//! (u v)'' = u'' v + 2 u' v' + u v''        (g(u))' = g' u'        (g(u))'' = g'' u'^2 + g' u''
//! ```
//!
//! Names are looked up when the expression is read; only its variable (t) stays open. All functions come from `libm`,
//! so values have the same bits on every machine.

use holonom::functions::Function;
use std::ops::Range;

/// Value, first and second derivative.
type Jet = [f64; 3];

/// What is wrong with an expression, and where in its text.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpressionError {
    /// Bytes of the text.
    pub at: Range<usize>,
    /// One sentence.
    pub message: String,
    /// An unknown name, if that is what is wrong.
    pub unknown: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Op {
    Constant(f64),
    Variable,
    /// A value that is given from outside.
    Slot(usize),
    Negate,
    Add,
    Subtract,
    Multiply,
    Divide,
    Power,
    Call(usize),
}

/// An expression, ready to be evaluated.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    program: Vec<Op>,
}

#[derive(Clone, Copy)]
struct Builtin {
    name: &'static str,
    arguments: usize,
    run: fn(&[Jet]) -> Jet,
}

/// Deepest stack of values in an evaluation.
const STACK: usize = 64;
/// Longest text.
pub const LONGEST: usize = 10_000;

fn chain(u: Jet, [g, g1, g2]: Jet) -> Jet {
    [g, g1 * u[1], g2 * u[1] * u[1] + g1 * u[2]]
}

fn multiply(u: Jet, v: Jet) -> Jet {
    [u[0] * v[0], u[1] * v[0] + u[0] * v[1], u[2] * v[0] + 2.0 * u[1] * v[1] + u[0] * v[2]]
}

fn inverse(u: Jet) -> Jet {
    let g = 1.0 / u[0];
    chain(u, [g, -g * g, 2.0 * g * g * g])
}

/// Small whole powers by products, so that 3^2 is exactly 9 and (-2)^3 has a value.
fn power(u: Jet, v: Jet) -> Jet {
    let n = v[0];
    if v[1] == 0.0 && v[2] == 0.0 {
        if n == libm::trunc(n) && n.abs() <= 64.0 {
            let mut out = [1.0, 0.0, 0.0];
            for _ in 0..n.abs() as usize {
                out = multiply(out, u);
            }
            return if n < 0.0 { inverse(out) } else { out };
        }
        return chain(u, [libm::pow(u[0], n), n * libm::pow(u[0], n - 1.0), n * (n - 1.0) * libm::pow(u[0], n - 2.0)]);
    }
    let ln = chain(u, [libm::log(u[0]), 1.0 / u[0], -1.0 / (u[0] * u[0])]);
    let e = multiply(v, ln);
    let x = libm::exp(e[0]);
    chain(e, [x, x, x])
}

fn either(first: bool, a: &[Jet]) -> Jet {
    if first { a[0] } else { a[1] }
}

#[rustfmt::skip]
static BUILTINS: &[Builtin] = &[
    Builtin { name: "sqrt", arguments: 1, run: |a| { let r = a[0][0].sqrt(); if a[0][1] == 0.0 && a[0][2] == 0.0 { [r, 0.0, 0.0] } else { chain(a[0], [r, 0.5 / r, -0.25 / (r * r * r)]) } } },
    Builtin { name: "sin", arguments: 1, run: |a| { let (s, c) = libm::sincos(a[0][0]); chain(a[0], [s, c, -s]) } },
    Builtin { name: "cos", arguments: 1, run: |a| { let (s, c) = libm::sincos(a[0][0]); chain(a[0], [c, -s, -c]) } },
    Builtin { name: "tan", arguments: 1, run: |a| { let t = libm::tan(a[0][0]); let d = 1.0 + t * t; chain(a[0], [t, d, 2.0 * t * d]) } },
    Builtin { name: "asin", arguments: 1, run: |a| { let (x, y) = (a[0][0], libm::asin(a[0][0])); if constant(a[0]) { return [y, 0.0, 0.0]; } let d = 1.0 / (1.0 - x * x).sqrt(); chain(a[0], [y, d, x * d * d * d]) } },
    Builtin { name: "acos", arguments: 1, run: |a| { let (x, y) = (a[0][0], libm::acos(a[0][0])); if constant(a[0]) { return [y, 0.0, 0.0]; } let d = 1.0 / (1.0 - x * x).sqrt(); chain(a[0], [y, -d, -x * d * d * d]) } },
    Builtin { name: "atan", arguments: 1, run: |a| { let x = a[0][0]; let d = 1.0 / (1.0 + x * x); chain(a[0], [libm::atan(x), d, -2.0 * x * d * d]) } },
    Builtin { name: "atan2", arguments: 2, run: atan2 },
    Builtin { name: "sinh", arguments: 1, run: |a| { let (s, c) = (libm::sinh(a[0][0]), libm::cosh(a[0][0])); chain(a[0], [s, c, s]) } },
    Builtin { name: "cosh", arguments: 1, run: |a| { let (s, c) = (libm::sinh(a[0][0]), libm::cosh(a[0][0])); chain(a[0], [c, s, c]) } },
    Builtin { name: "tanh", arguments: 1, run: |a| { let t = libm::tanh(a[0][0]); let d = 1.0 - t * t; chain(a[0], [t, d, -2.0 * t * d]) } },
    Builtin { name: "exp", arguments: 1, run: |a| { let x = libm::exp(a[0][0]); chain(a[0], [x, x, x]) } },
    Builtin { name: "ln", arguments: 1, run: |a| { let x = a[0][0]; chain(a[0], [libm::log(x), 1.0 / x, -1.0 / (x * x)]) } },
    Builtin { name: "log10", arguments: 1, run: |a| { let (x, k) = (a[0][0], std::f64::consts::LOG10_E); chain(a[0], [libm::log10(x), k / x, -k / (x * x)]) } },
    Builtin { name: "abs", arguments: 1, run: |a| if a[0][0] < 0.0 { a[0].map(|x| -x) } else { a[0] } },
    Builtin { name: "sign", arguments: 1, run: |a| [if a[0][0] > 0.0 { 1.0 } else if a[0][0] < 0.0 { -1.0 } else { 0.0 }, 0.0, 0.0] },
    Builtin { name: "step", arguments: 1, run: |a| [if a[0][0] >= 0.0 { 1.0 } else { 0.0 }, 0.0, 0.0] },
    Builtin { name: "ramp", arguments: 1, run: |a| if a[0][0] > 0.0 { a[0] } else { [0.0; 3] } },
    Builtin { name: "floor", arguments: 1, run: |a| [libm::floor(a[0][0]), 0.0, 0.0] },
    Builtin { name: "ceil", arguments: 1, run: |a| [libm::ceil(a[0][0]), 0.0, 0.0] },
    Builtin { name: "round", arguments: 1, run: |a| [libm::round(a[0][0]), 0.0, 0.0] },
    Builtin { name: "min", arguments: 2, run: |a| either(a[0][0] <= a[1][0], a) },
    Builtin { name: "max", arguments: 2, run: |a| either(a[0][0] >= a[1][0], a) },
    Builtin { name: "mod", arguments: 2, run: |a| { let n = libm::floor(a[0][0] / a[1][0]); [a[0][0] - n * a[1][0], a[0][1] - n * a[1][1], a[0][2] - n * a[1][2]] } },
    Builtin { name: "hypot", arguments: 2, run: |a| { let s = add(multiply(a[0], a[0]), multiply(a[1], a[1])); (BUILTINS[0].run)(&[s]) } },
];

fn constant(u: Jet) -> bool {
    u[1] == 0.0 && u[2] == 0.0
}

fn add(u: Jet, v: Jet) -> Jet {
    [u[0] + v[0], u[1] + v[1], u[2] + v[2]]
}

/// `(y' x - x' y) / (x^2 + y^2)` is the rate of the angle; its rate by the rule for quotients.
fn atan2(a: &[Jet]) -> Jet {
    let (y, x) = (a[0], a[1]);
    let r = x[0] * x[0] + y[0] * y[0];
    let n = y[1] * x[0] - x[1] * y[0];
    let n1 = y[2] * x[0] - x[2] * y[0];
    let r1 = 2.0 * (x[0] * x[1] + y[0] * y[1]);
    let value = libm::atan2(y[0], x[0]);
    if n == 0.0 && n1 == 0.0 { [value, 0.0, 0.0] } else { [value, n / r, (n1 * r - n * r1) / (r * r)] }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'a> {
    Number(f64),
    Name(&'a str),
    /// A stretch of text that the caller has understood.
    Slot(usize),
    Sign(u8),
}

/// Understands stretches of text that are no names of this language: called where a name or a quoted text begins, with
/// the text from there on and where that is, it tells how many bytes are one of its own values and which.
pub type SlotFinder<'a> = dyn FnMut(&str, usize) -> Result<Option<(usize, usize)>, ExpressionError> + 'a;

/// What waits on the stack for its second operand, or for its closing bracket.
#[derive(Clone, Copy)]
enum Waiting {
    Operator(Op, u8),
    Bracket,
    Call { builtin: usize, arguments: usize },
}

/// An expression on its way to a program.
struct Parser<'a> {
    variable: &'a str,
    known: &'a dyn Fn(&str) -> Option<f64>,
    program: Vec<Op>,
    waiting: Vec<(Waiting, Range<usize>)>,
}

type Parsed<T> = Result<T, ExpressionError>;

impl Parser<'_> {
    /// A token where an operand is expected: true if that operand is complete. `call` if a bracket follows a name.
    fn operand(&mut self, token: Token, call: bool, at: Range<usize>) -> Parsed<bool> {
        let waits = match token {
            Token::Number(x) => {
                self.program.push(Op::Constant(x));
                return Ok(true);
            }
            Token::Slot(k) => {
                self.program.push(Op::Slot(k));
                return Ok(true);
            }
            Token::Name(name) if !call => {
                let op = self.named(name, at)?;
                self.program.push(op);
                return Ok(true);
            }
            Token::Name(name) => Waiting::Call { builtin: builtin(name, &at)?, arguments: 1 },
            Token::Sign(b'(') => Waiting::Bracket,
            // a sign binds tighter than * and looser than ^
            Token::Sign(b'-') => Waiting::Operator(Op::Negate, 3),
            Token::Sign(b'+') => return Ok(false),
            Token::Sign(_) => return Err(error(at, "a number or a name is missing here")),
        };
        self.waiting.push((waits, at));
        Ok(false)
    }

    /// The variable, a parameter or a constant.
    fn named(&self, name: &str, at: Range<usize>) -> Parsed<Op> {
        if name == self.variable && !name.is_empty() {
            return Ok(Op::Variable);
        }
        match (self.known)(name).or_else(|| constant_of(name)) {
            Some(value) => Ok(Op::Constant(value)),
            None if BUILTINS.iter().any(|b| b.name == name) => {
                Err(error(at, format!("`{name}` is a function: write {name}(...)")))
            }
            None => {
                let message = format!("there is no parameter `{name}`");
                Err(ExpressionError { at, message, unknown: Some(name.to_string()) })
            }
        }
    }

    /// A token after an operand: true if another operand must follow.
    fn after_operand(&mut self, token: Token, at: Range<usize>) -> Parsed<bool> {
        let (op, strength) = match token {
            Token::Sign(b'+') => (Op::Add, 1),
            Token::Sign(b'-') => (Op::Subtract, 1),
            Token::Sign(b'*') => (Op::Multiply, 2),
            Token::Sign(b'/') => (Op::Divide, 2),
            Token::Sign(b'^') => (Op::Power, 4),
            Token::Sign(b')') => return self.close(at).map(|()| false),
            Token::Sign(b',') => return self.comma(at).map(|()| true),
            _ => return Err(error(at, "an operator is missing before this")),
        };
        // operators of one strength are taken from the left, powers from the right
        self.release(if op == Op::Power { strength + 1 } else { strength });
        self.waiting.push((Waiting::Operator(op, strength), at));
        Ok(true)
    }

    /// Operators that wait and are at least so strong have their operands now.
    fn release(&mut self, strength: u8) {
        while let Some((Waiting::Operator(op, s), _)) = self.waiting.last()
            && *s >= strength
        {
            self.program.push(*op);
            self.waiting.pop();
        }
    }

    fn close(&mut self, at: Range<usize>) -> Parsed<()> {
        self.release(0);
        match self.waiting.pop() {
            Some((Waiting::Call { builtin, arguments }, from)) => {
                let Builtin { name, arguments: needed, .. } = BUILTINS[builtin];
                if arguments != needed {
                    return Err(error(from, format!("`{name}` takes {needed} arguments, {arguments} given")));
                }
                self.program.push(Op::Call(builtin));
                Ok(())
            }
            Some((Waiting::Bracket, _)) => Ok(()),
            _ => Err(error(at, "a closing bracket without its opening one")),
        }
    }

    fn comma(&mut self, at: Range<usize>) -> Parsed<()> {
        self.release(0);
        match self.waiting.last_mut() {
            Some((Waiting::Call { arguments, .. }, _)) => {
                *arguments += 1;
                Ok(())
            }
            _ => Err(error(at, "a comma outside a function")),
        }
    }
}

/// The functions there are.
pub fn function_names() -> impl Iterator<Item = &'static str> {
    BUILTINS.iter().map(|b| b.name)
}

fn builtin(name: &str, at: &Range<usize>) -> Parsed<usize> {
    BUILTINS.iter().position(|b| b.name == name).ok_or_else(|| {
        let hint = crate::diagnostic::nearest(name, BUILTINS.iter().map(|b| b.name));
        let hint = hint.map(|h| format!("; did you mean `{h}`?")).unwrap_or_default();
        error(at.clone(), format!("there is no function `{name}`{hint}"))
    })
}

impl Expression {
    /// Read an expression. `known` gives the values of names; `variable` is the one that stays open (`t`), or an empty
    /// text.
    pub fn read(text: &str, variable: &str, known: &dyn Fn(&str) -> Option<f64>) -> Result<Self, ExpressionError> {
        Expression::read_with(text, variable, known, &mut |_, _| Ok(None))
    }

    /// The same with values of the caller's own: see [`SlotFinder`] and [`Expression::with`].
    pub fn read_with(
        text: &str,
        variable: &str,
        known: &dyn Fn(&str) -> Option<f64>,
        slots: &mut SlotFinder,
    ) -> Result<Self, ExpressionError> {
        if text.len() > LONGEST {
            return Err(error(0..text.len(), format!("an expression of {} characters, at most {LONGEST}", text.len())));
        }
        let tokens = tokens_with(text, slots)?;
        let mut parser = Parser { variable, known, program: Vec::new(), waiting: Vec::new() };
        let mut operand_next = true;
        let mut i = 0;
        while i < tokens.len() {
            let (token, at) = tokens[i].clone();
            i += 1;
            if !operand_next {
                operand_next = parser.after_operand(token, at)?;
                continue;
            }
            let call = matches!(token, Token::Name(_)) && matches!(tokens.get(i), Some((Token::Sign(b'('), _)));
            operand_next = !parser.operand(token, call, at)?;
            // the bracket belongs to the call
            i += usize::from(call);
            if parser.waiting.len() > 1000 {
                return Err(error(0..text.len(), "too many brackets"));
            }
        }
        if operand_next {
            let end = text.len();
            let what = if tokens.is_empty() { "the expression is empty" } else { "the expression ends too early" };
            return Err(error(end.saturating_sub(1)..end, what));
        }
        parser.release(0);
        if let Some((_, at)) = parser.waiting.pop() {
            return Err(error(at, "a bracket is not closed"));
        }
        let expression = Expression { program: parser.program };
        if expression.deepest() > STACK {
            return Err(error(0..text.len(), "the expression is nested too deeply"));
        }
        Ok(expression)
    }

    fn deepest(&self) -> usize {
        let (mut depth, mut most) = (0usize, 0);
        for op in &self.program {
            match op {
                Op::Constant(_) | Op::Variable | Op::Slot(_) => depth += 1,
                Op::Negate => {}
                Op::Call(b) => depth -= BUILTINS[*b].arguments - 1,
                _ => depth -= 1,
            }
            most = most.max(depth);
        }
        most
    }

    /// Does it depend on its variable?
    pub fn is_constant(&self) -> bool {
        !self.program.contains(&Op::Variable)
    }

    /// Value, first and second derivative.
    pub fn at(&self, x: f64) -> Jet {
        self.run(x, &[])
    }

    /// The value with these values of the caller's own.
    ///
    /// # Panics
    /// When there are fewer of them than were found while it was read.
    pub fn with(&self, slots: &[f64]) -> f64 {
        self.run(0.0, slots)[0]
    }

    /// One minus the other.
    pub fn difference(left: &Expression, right: &Expression) -> Expression {
        let program = left.program.iter().chain(&right.program).copied().chain([Op::Subtract]).collect();
        Expression { program }
    }

    /// Minus its size: below zero everywhere but where it is zero.
    pub fn not_zero(mut self) -> Expression {
        let size = BUILTINS.iter().position(|b| b.name == "abs");
        self.program.extend(size.map(Op::Call).into_iter().chain([Op::Negate]));
        self
    }

    fn run(&self, x: f64, slots: &[f64]) -> Jet {
        // a difference holds one value while its right side is computed
        let mut stack = [[0.0; 3]; STACK + 1];
        let mut n = 0;
        for op in &self.program {
            match op {
                Op::Constant(c) => {
                    stack[n] = [*c, 0.0, 0.0];
                    n += 1;
                }
                Op::Variable => {
                    stack[n] = [x, 1.0, 0.0];
                    n += 1;
                }
                Op::Slot(k) => {
                    stack[n] = [slots[*k], 0.0, 0.0];
                    n += 1;
                }
                Op::Negate => stack[n - 1] = stack[n - 1].map(|x| -x),
                Op::Call(b) => {
                    let b = &BUILTINS[*b];
                    n -= b.arguments;
                    stack[n] = (b.run)(&stack[n..n + b.arguments]);
                    n += 1;
                }
                _ => {
                    let (u, v) = (stack[n - 2], stack[n - 1]);
                    n -= 1;
                    stack[n - 1] = match op {
                        Op::Add => add(u, v),
                        Op::Subtract => add(u, v.map(|x| -x)),
                        Op::Multiply => multiply(u, v),
                        Op::Divide if constant(u) && constant(v) => [u[0] / v[0], 0.0, 0.0],
                        Op::Divide => multiply(u, inverse(v)),
                        _ => power(u, v),
                    };
                }
            }
        }
        stack[0]
    }

    /// The value of an expression without a variable.
    pub fn value(&self) -> f64 {
        self.at(0.0)[0]
    }
}

impl Function for Expression {
    fn at(&self, x: f64) -> [f64; 3] {
        Expression::at(self, x)
    }
}

pub(crate) fn constant_of(name: &str) -> Option<f64> {
    match name {
        "pi" => Some(std::f64::consts::PI),
        "tau" => Some(std::f64::consts::TAU),
        "deg" => Some(std::f64::consts::PI / 180.0),
        _ => None,
    }
}

/// An error at some bytes of a text.
pub fn error(at: Range<usize>, message: impl Into<String>) -> ExpressionError {
    ExpressionError { at, message: message.into(), unknown: None }
}

pub(crate) fn tokens(text: &str) -> Result<Vec<(Token<'_>, Range<usize>)>, ExpressionError> {
    tokens_with(text, &mut |_, _| Ok(None))
}

fn tokens_with<'t>(text: &'t str, slots: &mut SlotFinder) -> Result<Vec<(Token<'t>, Range<usize>)>, ExpressionError> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let start = i;
        if (bytes[i].is_ascii_alphabetic() || matches!(bytes[i], b'_' | b'\''))
            && let Some((length, slot)) = slots(&text[i..], i)?
        {
            i += length.max(1);
            out.push((Token::Slot(slot), start..i));
            continue;
        }
        match bytes[i] {
            b if b.is_ascii_whitespace() => i += 1,
            // of what stands before it
            b'.' if bytes.get(i + 1).is_some_and(u8::is_ascii_alphabetic) => {
                i += 1;
                out.push((Token::Sign(b'.'), start..i));
            }
            b'0'..=b'9' | b'.' => {
                while i < bytes.len()
                    && (bytes[i].is_ascii_alphanumeric()
                        || bytes[i] == b'.'
                        || bytes[i] == b'_'
                        || (matches!(bytes[i], b'+' | b'-') && matches!(bytes[i - 1], b'e' | b'E')))
                {
                    i += 1;
                }
                let number: f64 = text[start..i]
                    .replace('_', "")
                    .parse()
                    .map_err(|_| error(start..i, format!("`{}` is not a number", &text[start..i])))?;
                out.push((Token::Number(number), start..i));
            }
            b if b.is_ascii_alphabetic() || b == b'_' => {
                while i < bytes.len() && (bytes[i].is_ascii_alphanumeric() || bytes[i] == b'_') {
                    i += 1;
                }
                out.push((Token::Name(&text[start..i]), start..i));
            }
            b @ (b'+' | b'-' | b'*' | b'/' | b'^' | b'(' | b')' | b',') => {
                i += 1;
                out.push((Token::Sign(b), start..i));
            }
            _ => {
                let c = text[start..].chars().next().unwrap_or(' ');
                return Err(error(
                    start..start + c.len_utf8(),
                    format!("`{}` has no meaning here", c.escape_default()),
                ));
            }
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> f64 {
        Expression::read(text, "", &|n| (n == "L").then_some(2.0)).unwrap_or_else(|e| panic!("{text}: {e:?}")).value()
    }

    #[test]
    fn the_rules_of_precedence() {
        for (text, expected) in [
            ("1+2*3", 7.0),
            ("(1+2)*3", 9.0),
            ("-2^2", -4.0),
            ("2^3^2", 512.0),
            ("2^-1", 0.5),
            ("8/4/2", 1.0),
            ("1-2-3", -4.0),
            ("2*-3", -6.0),
            ("L/2 + 0.1", 1.1),
            ("max(1, min(5, 3))", 3.0),
            ("1e-3*1e3", 1.0),
            ("--2", 2.0),
            ("mod(-1, 3)", 2.0),
            ("(-2)^3", -8.0),
            ("180*deg/pi", 1.0),
            ("hypot(3,4)", 5.0),
            ("1_000", 1000.0),
            ("2e+1", 20.0),
            ("-2*3", -6.0),
            ("sqrt(0)", 0.0),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn derivatives_match_differences() {
        for text in [
            "sin(2*t)*exp(-t)",
            "t^3/(1+t^2)",
            "sqrt(1+t)",
            "atan2(t, 2-t^2)",
            "2^t",
            "t^t",
            "cos(t)^-2",
            "ln(1+t)+log10(2+t)",
            "tanh(t)*cosh(t)-sinh(t)",
            "asin(t/3)*acos(t/4)",
            "hypot(t, 3)",
            "tan(t/2)",
            "abs(t-5)",
            "ramp(t-0.2)^2",
            "atan(t)",
            "mod(t^2, 0.5)",
        ] {
            let f = Expression::read(text, "t", &|_| None).expect(text);
            let (x, h) = (0.83, 1e-4);
            let [y, d, dd] = f.at(x);
            let (p, m) = (f.at(x + h), f.at(x - h));
            assert!(y.is_finite());
            assert!((d - (p[0] - m[0]) / (2.0 * h)).abs() < 1e-6 * (1.0 + d.abs()), "{text}");
            assert!((dd - (p[1] - m[1]) / (2.0 * h)).abs() < 1e-6 * (1.0 + dd.abs()), "{text}");
        }
    }

    #[test]
    fn errors_are_placed() {
        let fails = |text: &str| Expression::read(text, "t", &|_| None).expect_err(text);
        assert_eq!(fails("1 + x").at, 4..5);
        assert_eq!(fails("1 + x").unknown.as_deref(), Some("x"));
        assert_eq!(fails("sine(1)").message, "there is no function `sine`; did you mean `sin`?");
        assert_eq!(fails("1 2").at, 2..3);
        assert_eq!(fails("(1").at, 0..1);
        for text in ["", "1+", ")", "max(1)", "1,2", "1$", "f", "1..2", "sin", "()", "sin()", "é"] {
            fails(text);
        }
        fails(&"(".repeat(9000));
        fails(&format!("{}1{}", "(1+".repeat(900), ")".repeat(900)));
    }
}
