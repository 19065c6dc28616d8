//! Complementarity problems with friction cones: dense ones, large sparse ones, and those that are only known as
//! operators.
//!
//! Find `x` so that `a = A x + b` and `x` obey a [`ComplementarityLaw`] row by row: equations, unilateral forces,
//! forces between bounds, friction in cones and in balls. `A` may be singular: redundant rows are the ordinary case,
//! and where `x` is not unique, `a` is.
//!
//! | solver | `A` | what it is for |
//! |---|---|---|
//! | [`DenseConeSolver`] | written down; may be nonsymmetric | up to a few hundred rows, to rounding |
//! | [`SparseConeSolver`] | `G M^-1 G^T`, each row of `G` on a few bodies | thousands of rows, to rounding; sparse factorisations |
//! | [`MatrixFreeConeSolver`] | products `A x` only | any number of rows, to a tolerance; no factorisation at all |
//!
//! All three solve all laws exactly as they stand (Coulomb's cone, no polygons), start from a guess and say how close
//! they came. The first two are one method on two operators: proximal steps, each solved by a semismooth Newton method;
//! dense problems without friction cones are solved by principal pivoting, as long as no rows depend on others.
//! The third is an accelerated projected gradient method, which the other two use as well to come closer where their
//! guess is poor.
//!
//! [`certificate`] says how good an `x` is, whoever found it. [`dense`] has the factorisations of small matrices.
//!
//! ```
//! use holonom_lcp::{ComplementarityLaw, ConeProblem, DenseConeSolver, certificate};
//! // a unit mass on the ground, falling with 1 and sliding with 3: impulses against both, friction 0.5
//! let a = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
//! let b = [-1.0, 3.0, 0.0];
//! let laws = [ComplementarityLaw::Push, ComplementarityLaw::Cone { normal: 0, mu: 0.5, rows: 2 }];
//! let problem = ConeProblem { a: &a, b: &b, laws: &laws };
//! let mut x = [0.0; 3];
//! DenseConeSolver::new().solve(&problem, &mut x)?;
//! assert!((x[0] - 1.0).abs() < 1e-12 && (x[1] + 0.5).abs() < 1e-12);
//! assert!(certificate(&problem, &x).worst < 1e-12);
//! # Ok::<(), holonom_lcp::LcpError>(())
//! ```
//!
//! Nothing here allocates once its memory has grown to the size of the problem, nothing panics on finite or infinite
//! input, and the same input gives the same bits.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod certificate;
pub mod dense;
mod dense_cone;
mod error;
mod interrupt;
mod law;
mod matrix_free;
mod pivoting;
mod project;
mod proximal;
mod scale;
mod sparse;

pub use certificate::{Certifier, ConeCertificate, certificate};
pub use dense_cone::DenseConeSolver;
pub use error::LcpError;
pub use interrupt::Interrupt;
pub use law::{ComplementarityLaw, ConeProblem, ConeReport};
pub use matrix_free::{LinearOperator, MatrixFreeConeSolver, MatrixOperator};
pub use scale::ScaledProblem;
pub use sparse::{SparseConeSolver, SparseRows};
