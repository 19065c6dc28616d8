//! Formulas as data: what is written in a file or a text, run on numbers that differentiate themselves.
//!
//! A formula is a program in reverse Polish order over a stack of numbers; a vector is three of them. It knows points,
//! coordinates of joints, their rates, time, and two plain numbers that whoever runs it gives. Run on
//! [`Number`]s it yields value, gradient by every input, rate and second derivative at once: rows and forces made from
//! it are those of a formula written in a program ([`crate::Written`]), without truncation.
//!
//! Inputs are numbered: x, y, z of point 0, of point 1, ..., then the coordinates.
//!
//! ```text
//! positions   point k:  (p, pdot, 0), unit gradient          coordinate j:  (q, qdot, curvature of q), unit gradient
//! velocities  point k:  (p, pdot), no gradient; its rate:  (pdot, 0), unit gradient
//!             coordinate j:  (q, qdot), no gradient; its rate:  (qdot, curvature of q), unit gradient
//! ```
//!
//! The length of a vector of length 0 has no direction: as in the distance joint that of x is taken, so that a row
//! stays finite and a projection can open the gap again.

use super::coordinate::Readings;
use super::{Attachment, View};
use crate::error::{Invalid, refuse};
use crate::math::Vec3;
use crate::math::number::{Gradient, Number, Vector};

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $arguments:literal;)*) => {
        /// Functions of numbers.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum FormulaFunction {
            $($(#[$doc])* $name,)*
        }

        impl FormulaFunction {
            /// All of them.
            pub const ALL: &[FormulaFunction] = &[$(FormulaFunction::$name,)*];

            /// How it is written.
            pub const fn name(self) -> &'static str {
                match self {
                    $(FormulaFunction::$name => $text,)*
                }
            }

            /// How many numbers it takes.
            pub const fn arguments(self) -> usize {
                match self {
                    $(FormulaFunction::$name => $arguments,)*
                }
            }
        }
    };
}

functions! {
    /// Square root.
    Sqrt = "sqrt", 1;
    /// Sine.
    Sin = "sin", 1;
    /// Cosine.
    Cos = "cos", 1;
    /// Tangent.
    Tan = "tan", 1;
    /// Arc sine.
    Asin = "asin", 1;
    /// Arc cosine.
    Acos = "acos", 1;
    /// Arc tangent.
    Atan = "atan", 1;
    /// The angle of the point (second, first).
    Atan2 = "atan2", 2;
    /// Hyperbolic sine.
    Sinh = "sinh", 1;
    /// Hyperbolic cosine.
    Cosh = "cosh", 1;
    /// Hyperbolic tangent.
    Tanh = "tanh", 1;
    /// Exponential.
    Exp = "exp", 1;
    /// Natural logarithm.
    Ln = "ln", 1;
    /// The number without its sign.
    Abs = "abs", 1;
    /// -1, 0 or 1.
    Sign = "sign", 1;
    /// The positive part.
    Ramp = "ramp", 1;
    /// The smaller one.
    Min = "min", 2;
    /// The larger one.
    Max = "max", 2;
    /// Length of two numbers.
    Hypot = "hypot", 2;
}

/// A step of a formula. Vectors are three numbers on the stack, z on top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FormulaOp {
    /// A number.
    Constant(f64),
    /// Time, s.
    Time,
    /// A number given by whoever runs it: 0 or 1.
    Given(u8),
    /// Where a point is, world axes: a vector.
    Point(u8),
    /// How fast it moves: a vector.
    PointRate(u8),
    /// A coordinate of a joint.
    Coordinate(u8),
    /// Its rate.
    CoordinateRate(u8),
    /// Two numbers to one.
    Add,
    /// The lower less the upper.
    Subtract,
    /// Two numbers to one.
    Multiply,
    /// The lower by the upper.
    Divide,
    /// The lower to the power of the upper.
    Power,
    /// Of a number.
    Negate,
    /// Two vectors to one.
    AddVectors,
    /// The lower vector less the upper.
    SubtractVectors,
    /// A vector and a number above it to a vector.
    Scale,
    /// Of a vector.
    NegateVector,
    /// Two vectors to a number.
    Dot,
    /// Two vectors to a vector.
    Cross,
    /// A vector to a number.
    Length,
    /// A vector to its x (0), y (1) or z (2).
    Component(u8),
    /// Numbers to one.
    Call(FormulaFunction),
}

/// Deepest stack.
const DEEPEST: usize = 32;
/// Most inputs: three for each point, one for each coordinate.
pub const MAX_INPUTS: usize = 24;

/// A formula in points, coordinates of joints and time.
#[derive(Clone, Debug, PartialEq)]
pub struct Formula {
    ops: Vec<FormulaOp>,
    n_points: usize,
    n_coordinates: usize,
    has_rates: bool,
    has_time: bool,
}

impl Formula {
    /// From its steps, which must leave one number, over so many points and coordinates.
    pub fn new(ops: Vec<FormulaOp>, n_points: usize, n_coordinates: usize) -> Result<Formula, Invalid> {
        if 3 * n_points + n_coordinates > MAX_INPUTS {
            return refuse!(
                "",
                "a formula of {n_points} points and {n_coordinates} coordinates; a point counts three times, and at most {MAX_INPUTS} are allowed"
            );
        }
        let mut depth = 0usize;
        for op in &ops {
            let (takes, gives) = match *op {
                FormulaOp::Constant(_) | FormulaOp::Time => (0, 1),
                FormulaOp::Given(i) if i < 2 => (0, 1),
                FormulaOp::Point(i) | FormulaOp::PointRate(i) if usize::from(i) < n_points => (0, 3),
                FormulaOp::Coordinate(i) | FormulaOp::CoordinateRate(i) if usize::from(i) < n_coordinates => (0, 1),
                FormulaOp::Add | FormulaOp::Subtract | FormulaOp::Multiply => (2, 1),
                FormulaOp::Divide | FormulaOp::Power => (2, 1),
                FormulaOp::Negate => (1, 1),
                FormulaOp::AddVectors | FormulaOp::SubtractVectors | FormulaOp::Cross => (6, 3),
                FormulaOp::Scale => (4, 3),
                FormulaOp::NegateVector => (3, 3),
                FormulaOp::Dot => (6, 1),
                FormulaOp::Length => (3, 1),
                FormulaOp::Component(i) if i < 3 => (3, 1),
                FormulaOp::Call(f) => (f.arguments(), 1),
                _ => return refuse!("", "a formula names an input that it does not have: {op:?}"),
            };
            let Some(left) = depth.checked_sub(takes) else {
                return refuse!("", "a formula takes more than it has: {op:?}");
            };
            depth = left + gives;
            if depth > DEEPEST {
                return refuse!("", "a formula is nested too deeply");
            }
        }
        if depth != 1 {
            return refuse!("", "a formula leaves {depth} numbers, must leave one");
        }
        let has = |wanted: &dyn Fn(&FormulaOp) -> bool| ops.iter().any(wanted);
        let has_rates = has(&|op| matches!(op, FormulaOp::PointRate(_) | FormulaOp::CoordinateRate(_)));
        let has_time = has(&|op| matches!(op, FormulaOp::Time));
        Ok(Formula { n_points, n_coordinates, has_rates, has_time, ops })
    }

    /// Points and coordinates that it is over.
    pub fn inputs(&self) -> (usize, usize) {
        (self.n_points, self.n_coordinates)
    }

    /// Does it speak of rates?
    pub fn has_rates(&self) -> bool {
        self.has_rates
    }

    /// Does it speak of time?
    pub fn has_time(&self) -> bool {
        self.has_time
    }

    /// Does it fit what it is to be read with?
    pub(crate) fn fits(&self, n_points: usize, n_coordinates: usize) -> Result<(), Invalid> {
        if (self.n_points, self.n_coordinates) != (n_points, n_coordinates) {
            return refuse!(
                "",
                "a formula over {} points and {} coordinates is given {n_points} and {n_coordinates}",
                self.n_points,
                self.n_coordinates
            );
        }
        Ok(())
    }

    /// Run. `inputs` says what stands for a point, its rate, a coordinate and its rate.
    fn run<G: Gradient + PartialEq>(&self, inputs: &impl Inputs<G>, t: f64, given: [f64; 2]) -> Number<G> {
        let zero = Number::constant(0.0);
        let mut stack = [zero; DEEPEST];
        let mut n = 0;
        for op in &self.ops {
            match *op {
                FormulaOp::Constant(x) => push(&mut stack, &mut n, Number::constant(x)),
                FormulaOp::Time => push(&mut stack, &mut n, Number { value: t, rate: 1.0, ..zero }),
                FormulaOp::Given(i) => push(&mut stack, &mut n, Number::constant(given[usize::from(i)])),
                FormulaOp::Point(k) => push_vector(&mut stack, &mut n, inputs.point(k.into())),
                FormulaOp::PointRate(k) => push_vector(&mut stack, &mut n, inputs.point_rate(k.into())),
                FormulaOp::Coordinate(j) => push(&mut stack, &mut n, inputs.coordinate(j.into())),
                FormulaOp::CoordinateRate(j) => push(&mut stack, &mut n, inputs.coordinate_rate(j.into())),
                FormulaOp::Add | FormulaOp::Subtract | FormulaOp::Multiply | FormulaOp::Divide | FormulaOp::Power => {
                    let (b, a) = (pop(&stack, &mut n), pop(&stack, &mut n));
                    let x = match op {
                        FormulaOp::Add => a + b,
                        FormulaOp::Subtract => a - b,
                        FormulaOp::Multiply => a * b,
                        FormulaOp::Divide => a / b,
                        _ => power(a, b),
                    };
                    push(&mut stack, &mut n, x);
                }
                FormulaOp::Negate => stack[n - 1] = -stack[n - 1],
                FormulaOp::Call(f) => {
                    n -= f.arguments();
                    let x = call(f, &stack[n..n + f.arguments()]);
                    push(&mut stack, &mut n, x);
                }
                _ => self.vectors(*op, &mut stack, &mut n),
            }
        }
        stack[0]
    }

    /// The steps with vectors.
    fn vectors<G: Gradient>(&self, op: FormulaOp, stack: &mut [Number<G>; DEEPEST], n: &mut usize) {
        if op == FormulaOp::Scale {
            let (s, v) = (pop(stack, n), pop_vector(stack, n));
            return push_vector(stack, n, v * s);
        }
        let b = pop_vector(stack, n);
        match op {
            FormulaOp::NegateVector => push_vector(stack, n, -b),
            FormulaOp::Length => push(stack, n, length(b)),
            FormulaOp::Component(i) => push(stack, n, [b.x, b.y, b.z][usize::from(i)]),
            _ => {
                let a = pop_vector(stack, n);
                match op {
                    FormulaOp::AddVectors => push_vector(stack, n, a + b),
                    FormulaOp::SubtractVectors => push_vector(stack, n, a - b),
                    FormulaOp::Cross => push_vector(stack, n, a.cross(b)),
                    _ => push(stack, n, a.dot(b)),
                }
            }
        }
    }
}

fn push<G: Gradient>(stack: &mut [Number<G>; DEEPEST], n: &mut usize, x: Number<G>) {
    stack[*n] = x;
    *n += 1;
}

fn pop<G: Gradient>(stack: &[Number<G>; DEEPEST], n: &mut usize) -> Number<G> {
    *n -= 1;
    stack[*n]
}

fn push_vector<G: Gradient>(stack: &mut [Number<G>; DEEPEST], n: &mut usize, v: Vector<G>) {
    [v.x, v.y, v.z].into_iter().for_each(|x| push(stack, n, x));
}

fn pop_vector<G: Gradient>(stack: &[Number<G>; DEEPEST], n: &mut usize) -> Vector<G> {
    let (z, y, x) = (pop(stack, n), pop(stack, n), pop(stack, n));
    Vector::new(x, y, z)
}

fn length<G: Gradient>(v: Vector<G>) -> Number<G> {
    let r = v.length();
    if r.value == 0.0 { Number { second: 0.0, ..v.x } } else { r }
}

/// Small whole powers by products, so that (-2)^3 has a value and x^2 a derivative at 0.
fn power<G: Gradient + PartialEq>(a: Number<G>, b: Number<G>) -> Number<G> {
    let n = b.value;
    if n == libm::trunc(n) && n.abs() <= 64.0 && b == Number::constant(n) {
        let whole = (0..n.abs() as usize).fold(Number::constant(1.0), |p, _| p * a);
        return if n < 0.0 { 1.0 / whole } else { whole };
    }
    if b == Number::constant(n) {
        let p = |k: f64| libm::pow(a.value, n - k);
        return a.lift([p(0.0), n * p(1.0), n * (n - 1.0) * p(2.0)]);
    }
    (a.ln() * b).exp()
}

fn call<G: Gradient>(f: FormulaFunction, x: &[Number<G>]) -> Number<G> {
    let a = x[0];
    match f {
        FormulaFunction::Sqrt => a.sqrt(),
        FormulaFunction::Sin => a.sin(),
        FormulaFunction::Cos => a.cos(),
        FormulaFunction::Tan => a.tan(),
        FormulaFunction::Asin => a.asin(),
        FormulaFunction::Acos => a.acos(),
        FormulaFunction::Atan => a.atan(),
        FormulaFunction::Atan2 => a.atan2(x[1]),
        FormulaFunction::Sinh => a.lift([libm::sinh(a.value), libm::cosh(a.value), libm::sinh(a.value)]),
        FormulaFunction::Cosh => a.lift([libm::cosh(a.value), libm::sinh(a.value), libm::cosh(a.value)]),
        FormulaFunction::Tanh => {
            let y = libm::tanh(a.value);
            a.lift([y, 1.0 - y * y, -2.0 * y * (1.0 - y * y)])
        }
        FormulaFunction::Exp => a.exp(),
        FormulaFunction::Ln => a.ln(),
        FormulaFunction::Abs => a.abs(),
        FormulaFunction::Sign if a.value == 0.0 => Number::constant(0.0),
        FormulaFunction::Sign => Number::constant(1f64.copysign(a.value)),
        FormulaFunction::Ramp if a.value > 0.0 => a,
        FormulaFunction::Ramp => Number::constant(0.0),
        FormulaFunction::Min => {
            if a.value <= x[1].value {
                a
            } else {
                x[1]
            }
        }
        FormulaFunction::Max => {
            if a.value >= x[1].value {
                a
            } else {
                x[1]
            }
        }
        FormulaFunction::Hypot => (a * a + x[1] * x[1]).sqrt(),
    }
}

/// What stands for the inputs of a formula.
trait Inputs<G: Gradient> {
    fn point(&self, k: usize) -> Vector<G>;
    fn point_rate(&self, k: usize) -> Vector<G>;
    fn coordinate(&self, j: usize) -> Number<G>;
    fn coordinate_rate(&self, j: usize) -> Number<G>;
}

/// The points in front of some readings, and the coordinates in them.
struct Seen<'a, const K: usize> {
    a: &'a View<'a>,
    readings: &'a Readings,
    n_points: usize,
    /// Gradients are by rates.
    rates: bool,
}

impl<const K: usize> Seen<'_, K> {
    fn number(&self, [value, rate, second]: [f64; 3], input: Option<usize>) -> Number<[f64; K]> {
        let mut gradient = [0.0; K];
        if let Some(slot) = input.and_then(|i| gradient.get_mut(i)) {
            *slot = 1.0;
        }
        Number { value, rate, second, gradient }
    }

    fn vector(&self, value: Vec3, rate: Vec3, input: Option<usize>) -> Vector<[f64; K]> {
        let part = |i: usize| self.number([value[i], rate[i], 0.0], input.map(|k| 3 * k + i));
        Vector::new(part(0), part(1), part(2))
    }
}

impl<const K: usize> Inputs<[f64; K]> for Seen<'_, K> {
    fn point(&self, k: usize) -> Vector<[f64; K]> {
        let now = self.a.get(k);
        self.vector(now.at, now.rate, (!self.rates).then_some(k))
    }
    fn point_rate(&self, k: usize) -> Vector<[f64; K]> {
        self.vector(self.a.rate(k), Vec3::ZERO, self.rates.then_some(k))
    }
    fn coordinate(&self, j: usize) -> Number<[f64; K]> {
        let (value, rate, curvature) = self.readings.measure(self.a, j);
        self.number([value, rate, curvature], (!self.rates).then_some(3 * self.n_points + j))
    }
    fn coordinate_rate(&self, j: usize) -> Number<[f64; K]> {
        let (_, rate, curvature) = self.readings.measure(self.a, j);
        self.number([rate, curvature, 0.0], self.rates.then_some(3 * self.n_points + j))
    }
}

/// What a formula comes to at a moment: value, rate, second derivative and gradient by its inputs.
pub(crate) type FormulaValue = Number<[f64; MAX_INPUTS]>;

/// A formula with what it is over: points first, then joints whose coordinates it reads.
#[derive(Clone, Debug)]
pub(crate) struct BoundFormula {
    pub formula: std::sync::Arc<Formula>,
    pub readings: Readings,
}

impl BoundFormula {
    pub fn attachments(&self) -> &[Attachment] {
        self.readings.attachments()
    }

    pub fn validate(&self) -> Result<(), Invalid> {
        self.readings.validate()?;
        self.formula.fits(self.formula.inputs().0, self.readings.coordinates().len())
    }

    /// Value and derivatives along positions, or by rates.
    pub fn evaluate(&self, a: &View, t: f64, rates: bool, given: [f64; 2]) -> FormulaValue {
        let (n_points, n_coordinates) = self.formula.inputs();
        match 3 * n_points + n_coordinates {
            0..=6 => self.with::<6>(a, t, rates, given),
            7..=12 => self.with::<12>(a, t, rates, given),
            _ => self.with::<MAX_INPUTS>(a, t, rates, given),
        }
    }

    fn with<const K: usize>(&self, a: &View, t: f64, rates: bool, given: [f64; 2]) -> FormulaValue {
        let n_points = self.formula.inputs().0;
        let seen = Seen::<K> { a, readings: &self.readings, n_points, rates };
        let found = self.formula.run(&seen, t, given);
        let mut gradient = [0.0; MAX_INPUTS];
        gradient[..K].copy_from_slice(&found.gradient);
        Number { value: found.value, rate: found.rate, second: found.second, gradient }
    }

    /// The gradient by attachments, to `visit(attachment, gradient)`.
    pub fn gradient(&self, a: &View, found: &FormulaValue, mut visit: impl FnMut(usize, Vec3)) {
        let (n_points, n_coordinates) = self.formula.inputs();
        for k in 0..n_points {
            let g = Vec3::from_slice(&found.gradient[3 * k..]);
            if g != Vec3::ZERO {
                visit(k, g);
            }
        }
        for j in 0..n_coordinates {
            let s = found.gradient[3 * n_points + j];
            if s != 0.0 {
                self.readings.gradient(a, j, |k, g| visit(k, g * s));
            }
        }
    }
}
