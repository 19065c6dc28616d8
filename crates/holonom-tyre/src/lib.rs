//! # holonom-tyre
//!
//! A deformable [`Tyre`] on a [`Terrain`], as a force law of `holonom`. This crate is an extension: it uses nothing of
//! the engine that is not public, and is an example of how much a [`Force`](holonom::forces::Force) of your own can do.
//!
//! ```
//! use holonom::prelude::*;
//! use holonom_tyre::{Grip, PlaneTerrain, Tyre, TyreLoad};
//!
//! let radius = 0.34;
//! let mut m = ModelBuilder::new();
//! // 40 kg lower the hub by d = 4.2 mm: 8e4 d (1 + 40 d) = m g
//! let wheel = m.body("wheel", Rigid::ball(40.0, 0.2).position([0.0, 0.0, radius - 0.0042]).velocity([4.0, 0.0, 0.0]));
//! let hub = wheel.origin().along([0.0, 1.0, 0.0]); // the axle is y
//! let tyre = Tyre::new(hub, radius, TyreLoad::CITY_BIKE, 0.02, PlaneTerrain::level(0.0));
//! m.force("tyre", tyre.damping(0.3).grip(Grip::ASPHALT_CLEAN));
//! let mut sim = Simulation::build(m)?;
//! sim.run_until(1.0)?;
//! // it slid at first; now it rolls, and carries its weight
//! let (height, speed, spin) = (sim.centre(wheel).z, sim.centre_velocity(wheel).x, sim.spin(wheel).unwrap());
//! assert!((height - (radius - 0.0042)).abs() < 1e-4);
//! assert!(speed < 4.0 && (spin.y * height / speed - 1.0).abs() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`Tyre`]: radial springs fitted to a curve of load against deflection, damping, friction against slip.
//! - [`TyreLoad`], [`SlipCurve`], [`Grip`]: such curves, and coefficients of friction by surface. Any
//!   [`Function`](holonom::functions::Function) will do.
//! - [`Terrain`]: a height over the x-y plane. [`PlaneTerrain`], [`ProfileTerrain`], [`HeightField`], or a function
//!   `|x, y| [h, h_x, h_y]`.
//!
//! SI units, z up, angles in radians, as in the engine.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod carcass;
mod curves;
mod kinds;
mod terrain;
mod tread;
mod tyre;

pub use curves::{Grip, SlipCurve, TyreLoad};
pub use kinds::{FORCES, TERRAINS};
pub use terrain::{HeightField, PlaneTerrain, ProfileTerrain, Terrain};
pub use tyre::Tyre;
