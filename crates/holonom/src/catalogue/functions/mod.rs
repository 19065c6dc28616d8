//! Functions of one variable with two derivatives: motions prescribed in time, laws of springs and motors.
//!
//! | function | second derivative |
//! |---|---|
//! | a number, [`Harmonic`], [`Polynomial`] | continuous, as all others |
//! | [`SmoothStep`]: from one value to another | continuous |
//! | [`SplineFunction`]: through samples | continuous (zero beyond the samples, where it goes on straight) |
//! | [`NurbsFunction`] | continuous if no inner knot stands more than degree - 2 times |
//! | [`SmoothTable`]: through samples, without overshoot | jumps at the samples; the rate does not |
//! | [`Table`]: straight between samples | zero; the rate jumps at the samples |
//! | [`Sum`], [`ScaledFunction`] | as their parts |
//!
//! A motion prescribed in time needs a continuous rate, and is integrated with full accuracy only if the second
//! derivative is continuous.
//!
//! ```
//! use holonom::functions::{Function, SmoothStep};
//! let lift = SmoothStep { from: 0.0, to: 0.2, start: 1.0, end: 3.0 };
//! assert_eq!(lift.at(2.0)[0], 0.1);
//! assert_eq!(lift.at(5.0), [0.2, 0.0, 0.0]);
//! ```

mod combined;
mod elementary;
mod integral;
pub(crate) mod kinds;
mod nurbs;
mod spline;
mod table;

pub use crate::catalogue::interface::Function;
pub use combined::{ScaledFunction, Sum};
pub use elementary::{Harmonic, Polynomial, SmoothStep};
pub use integral::integral;
pub use kinds::{FUNCTIONS, make};
pub use nurbs::NurbsFunction;
pub use spline::SplineFunction;
pub use table::{SmoothTable, Table};

use crate::error::{Invalid, refuse};

/// Are these samples of a function: as many abscissae as ordinates, two at least, finite, and the abscissae increasing?
pub(crate) fn check_samples(x: &[f64], y: &[f64]) -> Result<(), Invalid> {
    if x.len() != y.len() {
        return refuse!("y", "{} abscissae for {} values, must be as many", x.len(), y.len());
    }
    if x.len() < 2 {
        return refuse!("x", "number of samples is {}, must be at least 2", x.len());
    }
    for (field, name, list) in [("x", "abscissa", x), ("y", "value", y)] {
        if let Some(i) = (0..list.len()).find(|&i| !list[i].is_finite()) {
            return refuse!(field, "{name} {i} is {}, must be finite", list[i]);
        }
    }
    match (1..x.len()).find(|&i| !(x[i] > x[i - 1])) {
        Some(i) => refuse!("x", "abscissa {i} is {} after {}, must increase", x[i], x[i - 1]),
        None => Ok(()),
    }
}

/// `Err` that names the first of these numbers that is not finite.
pub(crate) fn check_finite(numbers: &[(&str, f64)]) -> Result<(), Invalid> {
    match numbers.iter().find(|n| !n.1.is_finite()) {
        Some((name, x)) => refuse!(name.replace(' ', "_"), "{name} is {x}, must be finite"),
        None => Ok(()),
    }
}
