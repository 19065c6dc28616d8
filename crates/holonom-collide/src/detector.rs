//! The detector: colliders prepared once, then tested at any poses.

mod query;

pub use query::{NearestPoints, RayHit};

use crate::broad_phase::{Aabb, AabbTree, OrientedBox};
use crate::candidate::{RelativePose, gap};
use crate::clearance::Side;
use crate::convex::{self, ConvexScratch};
use crate::cylinder::{self, Cylinder, CylinderScratch};
use crate::pair::ColliderPair;
use crate::plane::{self, ContactPlane};
use crate::polyhedron::Polyhedron;
use crate::round::{self, Round, RoundShape};
use crate::surface::TriangleSurface;
use crate::terrain::{self, TerrainScratch};
use crate::{Candidate, Collider, CollisionShape, Filter, Groups, Mat3, RigidTransform, Vec3};

/// Rounding of positions that a contact must survive, in units of the last place of what they were computed from.
const ROUNDING: f64 = 32.0 * f64::EPSILON;

/// What overlaps by more than this part of the distance of interest is looked at with all that is within it.
const BURIED: f64 = 1e-6;

/// Corners of a shape whose own distances from a surface are looked at: those of a box, a segment, a point.
const FEW_CORNERS: usize = 8;

/// What a collider is made of, in the axes of its carrier.
pub(crate) enum Core {
    Round(Round),
    Cylinder(Cylinder),
    Polyhedron(Box<Polyhedron>),
    Plane(ContactPlane),
    Surface(Box<TriangleSurface>),
}

impl Core {
    /// Shapes tested from the other side: surfaces from convex shapes, half-spaces from everything.
    fn rank(&self) -> u8 {
        match self {
            Core::Round(_) => 0,
            Core::Cylinder(_) => 1,
            Core::Polyhedron(_) => 2,
            Core::Surface(_) => 3,
            Core::Plane(_) => 4,
        }
    }
}

struct Ready {
    carrier: u32,
    radius: f64,
    core: Core,
    /// Index into the extents; half-spaces have none.
    bound: Option<OrientedBox>,
    /// Greatest length from which places on it are computed, m.
    size: f64,
}

/// Finds contact candidates among colliders.
pub struct Detector {
    colliders: Vec<Collider>,
    filter: Filter,
    carriers: usize,
    ready: Vec<Ready>,
    /// Colliders with bounds, and those without.
    bounded: Vec<u32>,
    unbounded: Vec<u32>,
    tree: AabbTree,
    extents: Vec<Aabb>,
    /// Radii of balls about the middles of the extents that hold the same, m.
    around: Vec<f64>,
    pairs: Vec<(u32, u32)>,
    /// Colliders of each carrier.
    of_carrier: Vec<Vec<u32>>,
    stack: Vec<(f64, u32)>,
    scratch: ConvexScratch,
    terrain: TerrainScratch,
    cylinder: CylinderScratch,
    found: Vec<Candidate>,
}

impl Detector {
    /// Prepares colliders. Carriers are numbered as in the filter.
    ///
    /// # Errors
    ///
    /// A shape or place that is not acceptable, a carrier the filter does not know.
    pub fn new(colliders: Vec<Collider>, filter: Filter) -> Result<Detector, String> {
        let carriers = filter.fixed.len();
        let mut ready = Vec::with_capacity(colliders.len());
        for (i, collider) in colliders.iter().enumerate() {
            if collider.carrier as usize >= carriers {
                let c = collider.carrier;
                return Err(format!("collider {i} names carrier {c}; the filter knows {carriers} carriers, from 0 on"));
            }
            collider.shape.validate().map_err(|e| format!("collider {i}: {e}"))?;
            collider.place.validate().map_err(|e| format!("collider {i}: {e}"))?;
            ready.push(prepare(collider));
        }
        let split = |bounded: bool| {
            let indices = 0..ready.len() as u32;
            indices.filter(|i| ready[*i as usize].bound.is_some() == bounded).collect::<Vec<u32>>()
        };
        let (bounded, unbounded) = (split(true), split(false));
        let extents = vec![Aabb::default(); bounded.len()];
        let around = vec![0.0; bounded.len()];
        let mut of_carrier = vec![Vec::new(); carriers];
        ready.iter().zip(0..).for_each(|(r, i)| of_carrier[r.carrier as usize].push(i));
        Ok(Detector {
            colliders,
            filter: filter.sorted(),
            carriers,
            ready,
            bounded,
            unbounded,
            tree: AabbTree::default(),
            extents,
            around,
            pairs: Vec::new(),
            of_carrier,
            stack: Vec::new(),
            scratch: ConvexScratch::default(),
            terrain: TerrainScratch::default(),
            cylinder: CylinderScratch::default(),
            found: Vec::new(),
        })
    }

    /// Puts another shape in the place of a collider's.
    ///
    /// # Errors
    ///
    /// A shape that is not acceptable; the collider is then as before. A half-space cannot become a shape with an end,
    /// nor the other way round.
    pub fn replace(&mut self, collider: u32, shape: CollisionShape) -> Result<(), String> {
        shape.validate()?;
        let old = &self.colliders[collider as usize];
        let new = Collider { shape: shape.into(), ..old.clone() };
        let ready = prepare(&new);
        if ready.bound.is_some() != self.ready[collider as usize].bound.is_some() {
            return Err("a half-space cannot take the place of a shape with an end, nor the other way round".into());
        }
        self.colliders[collider as usize] = new;
        self.ready[collider as usize] = ready;
        Ok(())
    }

    /// Lets a collider take part, in all its groups, or not at all.
    pub fn switch(&mut self, collider: u32, takes_part: bool) {
        let groups = if takes_part { u32::MAX } else { 0 };
        self.colliders[collider as usize].groups = Groups { member: groups, with: groups };
    }

    /// A collider as a core with a rounding radius on its carrier.
    pub(crate) fn side(&self, collider: u32) -> Side<'_> {
        let ready = &self.ready[collider as usize];
        Side { carrier: ready.carrier as usize, radius: ready.radius, core: &ready.core }
    }

    /// Number of carriers.
    pub fn carriers(&self) -> usize {
        self.carriers
    }

    /// What carries a collider.
    pub fn carrier(&self, collider: u32) -> usize {
        self.ready[collider as usize].carrier as usize
    }

    /// Whether two colliders are tested against each other.
    pub fn meet(&self, a: u32, b: u32) -> bool {
        let who = |i: u32| {
            let collider = &self.colliders[i as usize];
            (i, collider.carrier, collider.groups)
        };
        a != b && self.filter.meet(who(a.min(b)), who(a.max(b)))
    }

    /// Whether two colliders that [meet](Detector::meet) can touch at all: surfaces of triangles pass through each
    /// other, and so do half-spaces; of ellipsoids, cones, tubes, cylinders and tori, ellipsoids meet each other and
    /// tori all of them.
    pub fn can_touch(&self, a: u32, b: u32) -> bool {
        let core = |i: u32| &self.ready[i as usize].core;
        match (core(a), core(b)) {
            (Core::Surface(_), Core::Surface(_)) | (Core::Plane(_), Core::Plane(_)) => false,
            (Core::Round(a), Core::Round(b)) => round::known(a, b),
            (Core::Round(a), Core::Cylinder(b)) | (Core::Cylinder(b), Core::Round(a)) => {
                round::known(a, &round::of_cylinder(b))
            }
            _ => true,
        }
    }

    /// Finds every pair of features that touch or may touch soon, at these poses of the carriers.
    ///
    /// `reach[c]` tells how far any point of carrier c may travel in the time of interest, m; 0 for what rests. Pairs
    /// whose distance is at most the sum of both, and a touching tolerance that follows the rounding of the positions,
    /// yield the candidates with gaps that small. `out` is cleared first; it comes out sorted by (lower collider,
    /// higher collider, key).
    ///
    /// # Panics
    ///
    /// When there are fewer poses or reaches than carriers.
    pub fn detect(&mut self, carriers: &[RigidTransform], reach: &[f64], out: &mut Vec<Candidate>) {
        assert!(carriers.len() >= self.carriers, "{} poses for {} carriers", carriers.len(), self.carriers);
        assert!(reach.len() >= self.carriers, "{} reaches for {} carriers", reach.len(), self.carriers);
        out.clear();
        self.find_pairs(carriers, reach);
        for k in 0..self.pairs.len() {
            let (i, j) = self.pairs[k];
            let start = out.len();
            let reach = [i, j].map(|i| reach[self.carrier(i)]);
            self.examine(i, j, carriers, reach[0] + reach[1], out);
            out[start..].sort_unstable_by_key(|c| (c.key, c.a));
        }
    }

    /// Pairs that are near enough by their bounds, into `self.pairs`.
    fn find_pairs(&mut self, carriers: &[RigidTransform], reach: &[f64]) {
        for (k, &i) in self.bounded.iter().enumerate() {
            let ready = &self.ready[i as usize];
            let pose = &carriers[ready.carrier as usize];
            let more = reach[ready.carrier as usize] + touching(ready, pose);
            self.extents[k] = extent(ready, pose, more);
            self.around[k] = more + ready.radius + ready.bound.map_or(0.0, |b| b.half.length());
        }
        self.pairs.clear();
        let (bounded, filter, colliders) = (&self.bounded, &self.filter, &self.colliders);
        let pairs = &mut self.pairs;
        let mut note = |i: u32, j: u32| {
            let (i, j) = (i.min(j), i.max(j));
            let (a, b) = (&colliders[i as usize], &colliders[j as usize]);
            if filter.meet((i, a.carrier, a.groups), (j, b.carrier, b.groups)) {
                pairs.push((i, j));
            }
        };
        self.tree.build(&self.extents);
        let (extents, around) = (&self.extents, &self.around);
        self.tree.pairs(extents, |k, l| {
            let (k, l) = (k as usize, l as usize);
            // Twice the distance of the middles: boxes overlap at their corners long before balls do.
            let apart = (extents[k].low - extents[l].low) + (extents[k].high - extents[l].high);
            let near = 2.0 * (around[k] + around[l]);
            if apart.length_squared() <= near * near {
                note(bounded[k], bounded[l]);
            }
        });
        for &i in &self.unbounded {
            for &j in &self.bounded {
                note(i, j);
            }
        }
        self.pairs.sort_unstable();
    }

    /// Finds candidates between two carriers among which is the one with the least gap, where that is at most `most`,
    /// m. Unlike [`Detector::detect`] with so large a reach, it looks at the parts of surfaces that may be nearest and
    /// at no others. `out` is cleared first.
    ///
    /// # Panics
    ///
    /// When there are fewer poses than carriers.
    pub fn nearest(&mut self, carriers: &[RigidTransform], pair: (usize, usize), most: f64, out: &mut Vec<Candidate>) {
        assert!(carriers.len() >= self.carriers, "{} poses for {} carriers", carriers.len(), self.carriers);
        out.clear();
        for k in 0..self.of_carrier[pair.0].len() {
            for l in 0..self.of_carrier[pair.1].len() {
                let (i, j) = (self.of_carrier[pair.0][k], self.of_carrier[pair.1][l]);
                if self.meet(i, j) && self.least_gap(i, j, carriers) <= most {
                    self.nearest_of(i, j, carriers, most, out);
                }
            }
        }
    }

    /// The same for two colliders whose bounds are near enough; candidates are added to `out`.
    fn nearest_of(&mut self, i: u32, j: u32, carriers: &[RigidTransform], most: f64, out: &mut Vec<Candidate>) {
        let mut limit = self.bound_of_gap(i, j, carriers).min(most);
        let start = out.len();
        loop {
            self.examine(i, j, carriers, limit, out);
            let gap = |c: &Candidate| gap(c, &carriers[self.carrier(c.a)], &carriers[self.carrier(c.b)]).gap;
            let least = out[start..].iter().map(gap).fold(f64::INFINITY, f64::min);
            if limit >= most || least <= limit && least > -BURIED * most {
                break;
            }
            // what is behind a surface does not touch its nearest triangle; and the shortest way out of the ground for
            // what is deep in it may lead anywhere
            limit = if least < 0.0 { most } else { (2.0 * limit).max(1e-3 * most).min(most) };
            out.truncate(start);
        }
    }

    /// A distance, m, that the gap of two colliders is not less than: that of balls around them.
    fn least_gap(&self, i: u32, j: u32, carriers: &[RigidTransform]) -> f64 {
        let ball = |i: u32| {
            let ready = &self.ready[i as usize];
            let pose = &carriers[ready.carrier as usize];
            ready.bound.map(|b| (pose.point(b.centre), b.half.length() + ready.radius + touching(ready, pose)))
        };
        match (ball(i), ball(j)) {
            (Some((a, ra)), Some((b, rb))) => (a - b).length() - ra - rb,
            _ => 0.0,
        }
    }

    /// A distance, m, that the gap of two colliders does not exceed, unless one is behind the other's surface: that of
    /// two points of theirs. Infinite where nothing is gained by knowing one.
    fn bound_of_gap(&mut self, i: u32, j: u32, carriers: &[RigidTransform]) -> f64 {
        let rank = |i: u32| self.ready[i as usize].core.rank();
        let (i, j) = if rank(i) > rank(j) { (j, i) } else { (i, j) };
        let (a, b) = (&self.ready[i as usize], &self.ready[j as usize]);
        let relative = RelativePose::between(&carriers[a.carrier as usize], &carriers[b.carrier as usize]);
        let distance = match (&a.core, &b.core) {
            (Core::Polyhedron(first), Core::Surface(second)) => {
                let corners = || first.vertices.iter().map(|v| relative.point_back(*v));
                let middle = corners().sum::<Vec3>() / first.vertices.len() as f64;
                let nearest = second.nearest_point(middle, &mut self.stack);
                let bound = corners().map(|v| (v - nearest).length()).fold((middle - nearest).length(), f64::min);
                // mostly a corner is nearest; of many corners the bound at hand must do
                corners()
                    .take(FEW_CORNERS)
                    .fold(bound, |bound, v| bound.min((v - second.nearest_point(v, &mut self.stack)).length()))
            }
            (Core::Cylinder(first), Core::Surface(second)) => {
                let middle = relative.point_back(first.centre);
                (middle - second.nearest_point(middle, &mut self.stack)).length()
            }
            (Core::Surface(first), Core::Plane(plane)) => {
                let height = |v: &Vec3| plane.n.dot(relative.point_back(*v) - plane.o);
                first.vertices.iter().map(height).fold(f64::INFINITY, f64::min)
            }
            _ => f64::INFINITY,
        };
        (distance * (1.0 + 1e-9) - a.radius - b.radius).max(0.0)
    }

    fn examine(&mut self, i: u32, j: u32, carriers: &[RigidTransform], reach: f64, out: &mut Vec<Candidate>) {
        let rank = |i: u32| self.ready[i as usize].core.rank();
        let (i, j) = if rank(i) > rank(j) { (j, i) } else { (i, j) };
        let (a, b) = (&self.ready[i as usize], &self.ready[j as usize]);
        let (pa, pb) = (&carriers[a.carrier as usize], &carriers[b.carrier as usize]);
        let limit = reach + touching(a, pa) + touching(b, pb);
        let mut pair = ColliderPair {
            indices: [i, j],
            radii: [a.radius, b.radius],
            relative: RelativePose::between(pa, pb),
            world: pa.rotation,
            limit,
            out,
        };
        match (&a.core, &b.core) {
            (Core::Round(first), Core::Polyhedron(second)) => {
                round::on_poly(&mut pair, first, second, &mut self.cylinder)
            }
            (Core::Round(first), Core::Surface(second)) => {
                round::on_surface(&mut pair, first, second, &mut self.cylinder);
            }
            (Core::Round(first), Core::Plane(plane)) => round::on_plane(&mut pair, first, plane),
            (Core::Round(first), Core::Round(second)) => round::on_round(&mut pair, first, second),
            (Core::Round(first), Core::Cylinder(second)) => {
                round::on_round(&mut pair, first, &round::of_cylinder(second));
            }
            (Core::Cylinder(first), Core::Cylinder(second)) => cylinder::on_cylinder(&mut pair, first, second),
            (Core::Cylinder(first), Core::Polyhedron(second)) => {
                cylinder::on_poly(&mut pair, first, second, &mut self.cylinder, &mut self.scratch);
            }
            (Core::Cylinder(first), Core::Surface(second)) => {
                cylinder::on_surface(&mut pair, first, second, &mut self.cylinder);
            }
            (Core::Cylinder(first), Core::Plane(plane)) => cylinder::on_plane(&mut pair, first, plane),
            (Core::Polyhedron(first), Core::Polyhedron(second)) => {
                convex::meet(&mut pair, first, second, &mut self.scratch)
            }
            (Core::Polyhedron(first), Core::Plane(plane)) => plane::corners(&mut pair, &first.vertices, plane),
            (Core::Polyhedron(first), Core::Surface(second)) => {
                terrain::meet(&mut pair, first, second, &mut self.terrain)
            }
            (Core::Surface(first), Core::Plane(plane)) => plane::corners(&mut pair, &first.vertices, plane),
            // Surfaces do not meet each other, nor do half-spaces.
            _ => {}
        }
    }
}

/// How far rounding may have moved the surface of a collider, m.
fn touching(ready: &Ready, pose: &RigidTransform) -> f64 {
    ROUNDING * (pose.position.abs().max_element() + ready.size)
}

fn extent(ready: &Ready, pose: &RigidTransform, more: f64) -> Aabb {
    let Some(bound) = &ready.bound else { return Aabb::default() };
    let axes = pose.rotation * bound.axes;
    let half = axes.x_axis.abs() * bound.half.x + axes.y_axis.abs() * bound.half.y + axes.z_axis.abs() * bound.half.z;
    let half = half + Vec3::splat(more + ready.radius);
    let centre = pose.point(bound.centre);
    Aabb { low: centre - half, high: centre + half }
}

fn prepare(collider: &Collider) -> Ready {
    let place = &collider.place;
    let round = |shape: RoundShape| (Core::Round(Round { shape, place: *place }), 0.0);
    let (core, radius) = match &*collider.shape {
        CollisionShape::Point => (Core::Polyhedron(Box::new(Polyhedron::point(place))), 0.0),
        CollisionShape::Sphere { radius } => (Core::Polyhedron(Box::new(Polyhedron::point(place))), *radius),
        CollisionShape::Capsule { radius, half_length } => {
            (Core::Polyhedron(Box::new(Polyhedron::segment(place, *half_length))), *radius)
        }
        CollisionShape::Box { half } => (Core::Polyhedron(Box::new(Polyhedron::cuboid(place, *half))), 0.0),
        CollisionShape::Hull { points } => (Core::Polyhedron(Box::new(Polyhedron::hull(place, points))), 0.0),
        CollisionShape::HalfSpace => (Core::Plane(ContactPlane { o: place.position, n: place.rotation.z_axis }), 0.0),
        CollisionShape::Mesh { vertices, triangles } => {
            (Core::Surface(Box::new(TriangleSurface::new(place, vertices, triangles, false))), 0.0)
        }
        CollisionShape::HeightField { heights, rows, columns, size } => {
            (Core::Surface(Box::new(TriangleSurface::field(place, heights, *rows, *columns, *size))), 0.0)
        }
        CollisionShape::Ellipsoid { half } => round(RoundShape::Ellipsoid { half: *half }),
        CollisionShape::Cone { radius, height } => round(RoundShape::Cone { radius: *radius, height: *height }),
        CollisionShape::Tube { inner, outer, half_length } => {
            round(RoundShape::Tube { inner: *inner, outer: *outer, half_length: *half_length })
        }
        CollisionShape::Torus { ring, tube } => round(RoundShape::Torus { ring: *ring, tube: *tube }),
        CollisionShape::Cylinder { radius, half_length } => {
            (Core::Cylinder(Cylinder::new(place, *radius, *half_length)), 0.0)
        }
    };
    let bound = match &core {
        Core::Round(round) => {
            let (half, centre) = round.bound();
            Some(OrientedBox { centre, axes: round.place.rotation, half })
        }
        Core::Cylinder(c) => {
            Some(OrientedBox { centre: c.centre, axes: c.axes, half: Vec3::new(c.radius, c.radius, c.half_length) })
        }
        Core::Polyhedron(poly) => Some(match &poly.boxed {
            Some(frame) => OrientedBox { centre: frame.centre, axes: frame.axes, half: frame.half },
            None => around(&poly.vertices),
        }),
        Core::Surface(surface) => {
            let mut bound = around(&surface.vertices);
            if let Some(up) = surface.up {
                // What has fallen through is still below.
                let depth = up * surface.extent;
                bound.centre -= depth;
                bound.half += depth.abs();
            }
            Some(bound)
        }
        Core::Plane(_) => None,
    };
    let own = bound.as_ref().map_or(0.0, |b| b.half.length());
    let size = place.position.length() + own + radius;
    Ready { carrier: collider.carrier, radius, core, bound, size }
}

/// Bounds along the axes of the carrier.
fn around(points: &[Vec3]) -> OrientedBox {
    let low = points.iter().fold(Vec3::INFINITY, |m, p| m.min(*p));
    let high = points.iter().fold(Vec3::NEG_INFINITY, |m, p| m.max(*p));
    OrientedBox { centre: (low + high) * 0.5, axes: Mat3::IDENTITY, half: (high - low) * 0.5 }
}
