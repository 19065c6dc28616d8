//! # holonom-collide
//!
//! Collision detection: shapes and poses in, contact candidates with exact features out. No bodies, no time, no forces.
//!
//! ```
//! use holonom_collide::{Collider, Detector, Filter, RigidTransform, CollisionShape, Vec3, gap};
//!
//! let floor = Collider::new(CollisionShape::HalfSpace, 0);
//! let ball = Collider::new(CollisionShape::Sphere { radius: 0.5 }, 1);
//! let mut detector = Detector::new(vec![floor, ball], Filter::new(2).fixed(0))?;
//! let poses = [RigidTransform::default(), RigidTransform::at(Vec3::new(0.0, 0.0, 0.7))];
//! let mut found = Vec::new();
//! detector.detect(&poses, &[0.0, 0.3], &mut found); // the ball may travel 0.3 m: the floor, 0.2 m below, is in reach
//! let contact = &found[0];
//! let g = gap(contact, &poses[detector.carrier(contact.a)], &poses[detector.carrier(contact.b)]);
//! assert!((g.gap - 0.2).abs() < 1e-15);
//! # Ok::<(), String>(())
//! ```
//!
//! Decisions:
//!
//! - **Features, not points.** A [`Candidate`] names what touches (a corner, a face, an edge, a rim) in the axes of the
//!   two carriers, so gap, gradient and curvature follow exactly at any pose near the one of detection.
//! - **Rounded shapes are a core and a radius.** A ball is a point, a capsule a segment: a ball on a floor is one point
//!   above one plane.
//! - **Detection is a pure function** of shapes, poses and reach: nothing is remembered but memory. The order is always
//!   the same.
//! - **Differences first.** Everything is computed from the pose of one carrier relative to the other, so far from the
//!   origin nothing is lost but what the positions themselves have lost.
//! - Convex shapes meet by separating axes over their faces and edges ([`CollisionShape::Hull`],
//!   [`CollisionShape::Box`], capsules alike), and by their nearest features where no face decides; surfaces of
//!   triangles by the features that stick out of them, so that seams are not felt.

#![deny(missing_docs)]
#![deny(clippy::disallowed_methods)]

mod broad_phase;
mod candidate;
mod clearance;
mod clip;
mod collider;
mod convex;
mod cylinder;
mod detector;
mod hull;
mod nearest;
mod pair;
mod plane;
mod polyhedron;
mod round;
mod sat;
mod shape;
mod surface;
mod terrain;

pub use candidate::{Candidate, FeaturePair, Gap, gap};
pub use clearance::CarrierMotion;
pub use collider::{Collider, Filter, Groups, RigidTransform};
pub use detector::{Detector, NearestPoints, RayHit};
pub use glam::{DMat3 as Mat3, DVec3 as Vec3};
pub use shape::CollisionShape;
