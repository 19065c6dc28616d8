//! Block L D L^T of a symmetric saddle-point matrix on an elimination tree of its block graph.
//!
//! The matrix has two kinds of nodes, each with a block of its own size:
//!
//! ```text
//!        primal   dual
//!     [   D       -J^T ]  primal      D  block diagonal, symmetric positive definite
//!     [  -J        0   ]  dual        J  one block per link between a dual and a primal node
//! ```
//!
//! Nodes and links form a graph. When it is a forest, eliminating leaves before their parents makes no fill: factor and
//! solve take time and memory linear in the number of nodes. Where it has cycles, what hangs on them is peeled off in
//! the same way, and the rest, the *core*, is eliminated primal nodes first and duals in an order that makes little
//! fill: time stays linear for rings, ladders and all else whose cycles are not cyclic without end.
//!
//! The work is split in three, so that the expensive thinking happens once:
//!
//! 1. [`Structure`] (sizes and links) and a sample of the values give a [`Plan`]: order, storage, kernel per pivot.
//! 2. [`Plan::factor`] walks the plan over the current [`Blocks`] and fills a [`Factor`].
//! 3. [`Plan::solve`] uses the factor for as many right-hand sides as wanted.
//!
//! Steps 2 and 3 do not allocate, do not recurse and take no square roots. A pivot either has its sign (primal
//! positive, dual negative) or the factorisation stops with [`Singular`], which names the node; [`PivotRule`] has other
//! answers for dependent rows in cycles.
//!
//! Links come in two forms. A *dense* link is any matrix. A *masked* dual connects nodes of size 6 through
//! `mask^T E^T [1 -[r]; 0 1]`: a rotation `E`, a lever arm `r` and the list of rows kept. For those the same Schur
//! complement can be taken through the rows *not* kept, which is cheaper when many are kept; see [`transform`].
//!
//! ```
//! use holonom_tree::{Structure, Blocks};
//! // two primal nodes of size 1 held together by one dual row  x - y = 3
//! let mut s = Structure::new();
//! let (x, y) = (s.primal(1), s.primal(1));
//! let row = s.dual(1);
//! let (to_x, to_y) = (s.link(row, x), s.link(row, y));
//! let mut blocks = Blocks::new(&s);
//! blocks.diagonal_mut(x)[0] = 1.0;
//! blocks.diagonal_mut(y)[0] = 2.0;
//! blocks.link_mut(to_x)[0] = 1.0;
//! blocks.link_mut(to_y)[0] = -1.0;
//! let plan = s.plan(&blocks).unwrap();
//! let mut factor = plan.new_factor();
//! plan.factor(&blocks, &mut factor).unwrap();
//! // rows of the system:  1 x - mu = 0,   2 y + mu = 0,   -(x - y) = -3
//! let mut z = [0.0, 0.0, -3.0];
//! plan.solve(&mut factor, &mut z);
//! assert!((z[0] - 2.0).abs() < 1e-15 && (z[1] + 1.0).abs() < 1e-15);
//! ```

mod baraff;
mod blocks;
mod core;
mod core_layout;
mod double_double;
mod extended;
mod factor;
mod forward;
mod inverse_pivot;
mod layout;
mod neutral;
mod order;
pub mod packed;
mod panel;
mod part;
mod paths;
mod pattern;
mod pivot_rule;
mod plan;
mod planner;
mod rank;
mod residual;
mod size3;
mod solve;
mod structure;
pub mod transform;
mod vec3;

pub use baraff::Baraff;
pub use blocks::Blocks;
pub use extended::ExtendedFactor;
pub use factor::{Factor, Singular};
pub use neutral::NeutralBlocks;
pub use part::PlanPart;
pub use paths::{Paths, SparseHalves};
pub use pattern::FactorColumn;
pub use pivot_rule::PivotRule;
pub use plan::{Cost, PivotForm, Plan, PlanError};
pub use rank::independent_rows;
pub use structure::{LinkId, Mask, Node, Structure};
pub use transform::MaskedTransform;
