//! What can be opened: the gallery, with a small drawing of each scene.
//!
//! Scenes are read when they are first asked for, once, and not built: bodies stand where they are drawn, which for a
//! card is near enough where joints move them first. The drawing is what the first camera of the scene sees, without
//! perspective: edges of boxes, outlines of round shapes, and of scenes with many bodies only one line each.

use holonom::math::{Mat3, Vec3, vec3};
use holonom_scene::fields::{BodyRef, PointRef};
use holonom_scene::gallery::{GALLERY, GalleryScene, VERIFICATION};
use holonom_scene::scene::{BodyRecord, Geometry, Pose, ShapeRecord};
use holonom_scene::{Loader, Scene};
use serde::Serialize;
use std::collections::HashMap;
use std::sync::OnceLock;

/// What can be opened.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, Serialize)]
pub struct GalleryAnswer {
    /// The scene that the program was started with.
    pub own: Option<String>,
    /// The gallery.
    pub scenes: &'static [SceneCard],
    /// Problems with known answers.
    pub verification: &'static [SceneCard],
}

/// A scene.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SceneCard {
    /// Its name.
    pub name: &'static str,
    /// What it belongs to.
    pub group: &'static str,
    /// For people.
    pub title: String,
    /// For people.
    pub description: String,
    /// Bodies.
    pub bodies: usize,
    /// Joints and drives.
    pub joints: usize,
    /// Do joints close loops?
    pub loops: bool,
    /// Lines, each as x y x y ..., m, y up.
    pub sketch: Vec<Vec<f32>>,
}

/// Lines of a drawing.
pub const MOST_LINES: usize = 200;

/// The gallery.
pub fn cards() -> &'static [SceneCard] {
    static CARDS: OnceLock<Vec<SceneCard>> = OnceLock::new();
    CARDS.get_or_init(|| GALLERY.iter().filter_map(card).collect())
}

/// Problems with known answers.
pub fn verification() -> &'static [SceneCard] {
    static CARDS: OnceLock<Vec<SceneCard>> = OnceLock::new();
    CARDS.get_or_init(|| VERIFICATION.iter().filter_map(card).collect())
}

fn card(entry: &GalleryScene) -> Option<SceneCard> {
    let scene = Loader::new().load_text(&format!("{}.toml", entry.name), entry.text).ok()?.scene;
    Some(SceneCard {
        name: entry.name,
        group: entry.group,
        bodies: scene.bodies.len(),
        joints: scene.joints.len() + scene.drives.len(),
        loops: has_loops(&scene),
        sketch: sketch(&scene),
        title: scene.title,
        description: scene.description,
    })
}

/// Do joints between two sides close a loop?
fn has_loops(scene: &Scene) -> bool {
    let ground = scene.bodies.len();
    let numbers: HashMap<&str, usize> = scene.bodies.iter().enumerate().map(|(i, b)| (&*b.name, i)).collect();
    let number = |p: Option<&PointRef>| match p.map(|p| &p.body) {
        None | Some(BodyRef::Ground) => Some(ground),
        Some(BodyRef::Index(i)) => Some(*i as usize),
        Some(BodyRef::Named(name)) => numbers.get(&**name).copied(),
    };
    let mut parent: Vec<usize> = (0..=ground).collect();
    for link in scene.joints.iter().filter(|l| l.b.is_some()) {
        let (Some(mut a), Some(mut b)) = (number(link.a.as_ref()), number(link.b.as_ref())) else { continue };
        if a > ground || b > ground {
            continue;
        }
        for i in [&mut a, &mut b] {
            while parent[*i] != *i {
                parent[*i] = parent[parent[*i]];
                *i = parent[*i];
            }
        }
        if a == b {
            return true;
        }
        parent[a] = b;
    }
    false
}

/// Two axes across the line of sight: to the right, and up.
fn across(scene: &Scene) -> (Vec3, Vec3) {
    let (sight, up) = match scene.cameras.first() {
        Some(c) => (c.look_at - c.from, c.up),
        None => (vec3(-1.0, 1.6, -0.8), Vec3::Z),
    };
    let right = sight.cross(up);
    if !(right.length() > 1e-9 * sight.length()) {
        return (Vec3::X, Vec3::Y);
    }
    let right = right.normalize();
    (right, right.cross(sight).normalize())
}

/// Corners of a circle.
const ROUND: usize = 16;

fn sketch(scene: &Scene) -> Vec<Vec<f32>> {
    let (right, up) = across(scene);
    let flat = |p: Vec3| [p.dot(right) as f32, p.dot(up) as f32];
    let shapes: usize = scene.bodies.iter().map(|b| b.shapes.len().max(1)).sum();
    // of many bodies every so many'th is drawn
    let (stride, plain) = (shapes.div_ceil(MOST_LINES).max(1), shapes * 12 > MOST_LINES);
    let mut lines: Vec<Vec<f32>> = Vec::new();
    let mut put = |line: &[Vec3]| {
        if lines.len() < MOST_LINES && line.iter().all(|p| p.is_finite()) {
            lines.push(line.iter().flat_map(|p| flat(*p)).collect());
        }
    };
    for body in scene.bodies.iter().step_by(stride) {
        let seen: Vec<&ShapeRecord> = body.shapes.iter().filter(|s| s.visible).collect();
        if seen.is_empty() {
            arms(body).iter().for_each(|line| put(line));
        }
        for shape in seen {
            let pose = body.pose.then(&shape.pose);
            match plain {
                true => put(&longest(&shape.geometry, &pose)),
                false => outline(&shape.geometry, &pose, right, up).iter().for_each(|line| put(line)),
            }
        }
    }
    // of the ground what is not much larger than the mechanism: a wire, a wall, not the road
    let most = 1.5 * extent(&lines);
    for shape in scene.ground_shapes.iter().filter(|s| s.visible && !plain) {
        for line in outline(&shape.geometry, &shape.pose, right, up) {
            let line: Vec<f32> = line.iter().filter(|p| p.is_finite()).flat_map(|p| flat(*p)).collect();
            if lines.len() < MOST_LINES && extent(std::slice::from_ref(&line)) <= most {
                lines.push(line);
            }
        }
    }
    lines
}

/// The larger of width and height of lines.
fn extent(lines: &[Vec<f32>]) -> f32 {
    let along = |axis: usize| {
        let all = || lines.iter().flat_map(|l| l.iter().skip(axis).step_by(2).copied());
        all().fold(f32::NEG_INFINITY, f32::max) - all().fold(f32::INFINITY, f32::min)
    };
    along(0).max(along(1)).max(0.0)
}

/// A body without shapes: from its centre to its points.
fn arms(body: &BodyRecord) -> Vec<[Vec3; 2]> {
    let centre = body.pose.point(body.mass.map_or(Vec3::ZERO, |m| m.centre));
    body.points.iter().map(|p| [centre, body.pose.point(p.pose.position)]).collect()
}

/// Half extents of a shape along its axes, and its middle.
fn halves(geometry: &Geometry) -> (Vec3, Vec3) {
    let about = |h: Vec3| (h, Vec3::ZERO);
    match geometry {
        Geometry::Box(size) => about(0.5 * *size),
        Geometry::Sphere(r) => about(Vec3::splat(*r)),
        Geometry::Ellipsoid(radii) => about(*radii),
        Geometry::Cylinder(r, l) | Geometry::Tube(_, r, l) => about(vec3(*r, *r, 0.5 * l)),
        Geometry::Capsule(r, l) => about(vec3(*r, *r, 0.5 * l + r)),
        Geometry::Cone(r, h) => (vec3(*r, *r, 0.5 * h), vec3(0.0, 0.0, 0.5 * h)),
        Geometry::Torus(radius, tube) => about(vec3(radius + tube, radius + tube, *tube)),
        Geometry::Mesh(mesh) => {
            let low = mesh.vertices.iter().fold(Vec3::INFINITY, |m, p| m.min(*p));
            let high = mesh.vertices.iter().fold(Vec3::NEG_INFINITY, |m, p| m.max(*p));
            (0.5 * (high - low), 0.5 * (low + high))
        }
        Geometry::Heights(_) | Geometry::Point | Geometry::Plane => about(Vec3::ZERO),
    }
}

/// The line along the longest extent of a shape.
fn longest(geometry: &Geometry, pose: &Pose) -> [Vec3; 2] {
    let (half, middle) = halves(geometry);
    let along = if half.x >= half.y && half.x >= half.z {
        vec3(half.x, 0.0, 0.0)
    } else if half.y >= half.z {
        vec3(0.0, half.y, 0.0)
    } else {
        vec3(0.0, 0.0, half.z)
    };
    [pose.point(middle - along), pose.point(middle + along)]
}

/// The lines of a shape as it is seen along the direction that `right` and `up` are across.
fn outline(geometry: &Geometry, pose: &Pose, right: Vec3, up: Vec3) -> Vec<Vec<Vec3>> {
    let (half, middle) = halves(geometry);
    let circle = |centre: Vec3, x: Vec3, y: Vec3| -> Vec<Vec3> {
        let at = |k: usize| libm::sincos(std::f64::consts::TAU * k as f64 / ROUND as f64);
        (0..=ROUND).map(at).map(|(s, c)| centre + x * c + y * s).collect()
    };
    match geometry {
        Geometry::Plane | Geometry::Heights(_) | Geometry::Point => Vec::new(),
        Geometry::Sphere(r) => vec![circle(pose.position, right * *r, up * *r)],
        Geometry::Cylinder(r, _) | Geometry::Tube(_, r, _) | Geometry::Capsule(r, _) | Geometry::Cone(r, _) => {
            let axes = Mat3::from_quat(pose.rotation);
            let (x, y, z) = (axes.x_axis * *r, axes.y_axis * *r, axes.z_axis);
            // the sides that are seen from here
            let side = z.cross(right.cross(up)).normalize_or_zero() * *r;
            let (low, high) =
                (pose.point(middle - vec3(0.0, 0.0, half.z)), pose.point(middle + vec3(0.0, 0.0, half.z)));
            match geometry {
                Geometry::Cone(..) => vec![circle(low, x, y), vec![low + side, high, low - side]],
                _ => vec![
                    circle(low, x, y),
                    circle(high, x, y),
                    vec![low + side, high + side],
                    vec![low - side, high - side],
                ],
            }
        }
        Geometry::Torus(radius, _) => {
            let axes = Mat3::from_quat(pose.rotation);
            vec![circle(pose.position, axes.x_axis * *radius, axes.y_axis * *radius)]
        }
        Geometry::Box(_) | Geometry::Ellipsoid(_) | Geometry::Mesh(_) => {
            let corner = |k: usize| {
                let sign = |bit: usize| if k >> bit & 1 == 0 { -1.0 } else { 1.0 };
                pose.point(middle + half * vec3(sign(0), sign(1), sign(2)))
            };
            // bottom, top, and the uprights
            let ring = |base: usize| [0, 1, 3, 2, 0].map(|k| corner(base + k)).to_vec();
            let mut lines = vec![ring(0), ring(4)];
            lines.extend((0..4).map(|k| vec![corner(k), corner(k + 4)]));
            lines
        }
    }
}
