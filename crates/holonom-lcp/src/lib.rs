//! Complementarity problems with friction cones, for small dense matrices and for large ones that are only known as operators.
//!
//! Find `x` so that `a = A x + b` and `x` obey a [`Law`] row by row: equations, pushes that cannot pull, forces between bounds,
//! friction in cones and in balls. `A` may be singular: redundant rows are the ordinary case, and where `x` is not unique, `a` is.
//!
//! | method | laws | what it is good for |
//! |---|---|---|
//! | [`Cone`] | all, exactly | everything up to a few hundred rows; starts from a guess |
//! | [`Dantzig`] | all, friction in boxes | few rows; `A` may be nonsymmetric |
//! | [`Lemke`] | all, friction in polygons | the reference: finds a solution or a ray |
//! | [`Blocks`] | no friction | many one-sided rows |
//! | [`Heap`] | all, exactly | thousands of rows, each on a few bodies; sparse factorisations |
//! | [`Pile`] | all, to a tolerance | thousands of rows; asks for products `A x` only |
//!
//! [`certificate`] says how good an `x` is, whoever found it.
//!
//! ```
//! use holonom_lcp::{Cone, Law, Problem, certificate};
//! // a unit mass on the ground, falling with 1 and sliding with 3: impulses against both, friction 0.5
//! let a = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
//! let b = [-1.0, 3.0, 0.0];
//! let laws = [Law::Push, Law::Cone { normal: 0, mu: 0.5, rows: 2 }];
//! let problem = Problem { a: &a, b: &b, laws: &laws };
//! let mut x = [0.0; 3];
//! Cone::new().solve(&problem, &mut x)?;
//! assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] + 0.5).abs() < 1e-12);
//! assert!(certificate(&problem, &x).worst < 1e-12);
//! # Ok::<(), holonom_lcp::Failure>(())
//! ```
//!
//! Nothing here allocates once its memory has grown to the size of the problem, nothing panics on finite or infinite input, and
//! the same input gives the same bits.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod blocks;
mod blocks6;
mod certificate;
mod cone;
mod dantzig;
mod dense;
mod heap;
mod inverse;
mod law;
mod lemke;
mod method;
mod pile;
mod project;
mod scale;
mod standard;

pub use blocks::Blocks;
pub use certificate::{Certificate, certificate};
pub use cone::Cone;
pub use dantzig::Dantzig;
pub use heap::{Heap, Rows};
pub use law::{Failure, Law, Problem, Report};
pub use lemke::Lemke;
pub use method::{Method, Solver};
pub use pile::{Matrix, Operator, Pile};
