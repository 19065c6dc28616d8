//! Mass properties: closed forms against meshes of the same shapes, what is put together, and what is refused.

mod common;

use common::{Worst, gap, slopes};
use holonom::MeshError;
use holonom::bodies::Body;
use holonom::math::SplitMix;
use holonom::prelude::*;
use std::f64::consts::PI;

type Mesh = (Vec<Vec3>, Vec<[usize; 3]>);

/// A surface of revolution about z through the points (radius, height), from bottom to top; radius 0 at both ends.
fn revolved(profile: &[(f64, f64)], around: usize) -> Mesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let inner = &profile[1..profile.len() - 1];
    for &(r, z) in inner {
        for k in 0..around {
            let (s, c) = libm::sincos(2.0 * PI * k as f64 / around as f64);
            vertices.push(vec3(r * c, r * s, z));
        }
    }
    let (bottom, top) = (vertices.len(), vertices.len() + 1);
    vertices.push(vec3(0.0, 0.0, profile[0].1));
    vertices.push(vec3(0.0, 0.0, profile[profile.len() - 1].1));
    let last = (inner.len() - 1) * around;
    for k in 0..around {
        let next = (k + 1) % around;
        triangles.push([bottom, next, k]);
        triangles.push([top, last + k, last + next]);
        for ring in 0..inner.len() - 1 {
            let (low, high) = (ring * around, (ring + 1) * around);
            triangles.push([low + k, low + next, high + next]);
            triangles.push([low + k, high + next, high + k]);
        }
    }
    (vertices, triangles)
}

/// Half a turn of a circle of this radius around (0, z), from one angle to another, in n parts.
fn arc(radius: f64, z: f64, from: f64, to: f64, n: usize) -> Vec<(f64, f64)> {
    let point = |k: usize| {
        let (s, c) = libm::sincos(from + (to - from) * k as f64 / n as f64);
        (if c.abs() < 1e-12 { 0.0 } else { radius * c }, z + radius * s)
    };
    (0..=n).map(point).collect()
}

fn torus(ring: f64, tube: f64, n: usize) -> Mesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for i in 0..n {
        let (si, ci) = libm::sincos(2.0 * PI * i as f64 / n as f64);
        for j in 0..n {
            let (sj, cj) = libm::sincos(2.0 * PI * j as f64 / n as f64);
            let r = ring + tube * cj;
            vertices.push(vec3(r * ci, r * si, tube * sj));
        }
    }
    for i in 0..n {
        for j in 0..n {
            let at = |i: usize, j: usize| (i % n) * n + j % n;
            triangles.push([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
            triangles.push([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    (vertices, triangles)
}

fn box_mesh(size: Vec3) -> Mesh {
    let corner = |k: usize| {
        let side = |bit: usize| if k & bit == 0 { -0.5 } else { 0.5 };
        vec3(side(1), side(2), side(4)) * size
    };
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).collect();
    ((0..8).map(corner).collect(), triangles)
}

/// Largest relative difference of two sets of properties.
fn apart(a: &MassProperties, b: &MassProperties) -> f64 {
    let length = (a.inertia().to_cols_array().iter().fold(0.0, |m: f64, x| m.max(x.abs())) / a.mass()).sqrt();
    let second = gap(&a.second_moments().to_cols_array(), &b.second_moments().to_cols_array());
    ((a.mass() - b.mass()).abs() / a.mass())
        .max((a.volume() - b.volume()).abs() / a.volume())
        .max((a.centre() - b.centre()).length() / length)
        .max(second / (a.mass() * length * length))
}

fn meshed(mesh: &Mesh, density: f64) -> MassProperties {
    MassProperties::from_mesh(&mesh.0, &mesh.1, density).expect("closed")
}

#[test]
fn a_mesh_of_a_box_is_the_box() {
    let (size, mut g) = (vec3(1.0, 0.6, 0.4), SplitMix(4));
    let (vertices, triangles) = box_mesh(size);
    let worst = Worst::default();
    for _ in 0..50 {
        // anywhere, turned any way, also far from the origin
        let (turn, by) = (common::turn(&mut g), g.vec3(100.0));
        let moved: Vec<Vec3> = vertices.iter().map(|&v| turn * v + by).collect();
        let found = meshed(&(moved, triangles.clone()), 700.0);
        let expected = MassProperties::cuboid(700.0, size).rotated(turn).translated(by);
        worst.demand("box", apart(&expected, &found), 1e-12);
    }
    worst.print("mesh");
}

/// Meshes inscribed in round shapes come nearer by a factor of four whenever their edges are halved.
#[test]
fn meshes_of_round_shapes_converge() {
    let density = 1200.0;
    type Case = (&'static str, MassProperties, fn(usize) -> Mesh);
    let cases: [Case; 7] = [
        ("sphere", MassProperties::sphere(density, 0.7), |n| revolved(&arc(0.7, 0.0, -0.5 * PI, 0.5 * PI, n), 2 * n)),
        ("ellipsoid", MassProperties::ellipsoid(density, [0.7, 0.35, 1.4]), |n| {
            let (v, t) = revolved(&arc(0.7, 0.0, -0.5 * PI, 0.5 * PI, n), 2 * n);
            (v.into_iter().map(|v| v * vec3(1.0, 0.5, 2.0)).collect(), t)
        }),
        ("cylinder", MassProperties::cylinder(density, 0.3, 1.1), |n| {
            revolved(&[(0.0, -0.55), (0.3, -0.55), (0.3, 0.55), (0.0, 0.55)], 2 * n)
        }),
        ("cone", MassProperties::cone(density, 0.3, 1.1), |n| revolved(&[(0.0, 0.0), (0.3, 0.0), (0.0, 1.1)], 2 * n)),
        ("capsule", MassProperties::capsule(density, 0.3, 1.1), |n| {
            let mut profile = arc(0.3, -0.55, -0.5 * PI, 0.0, n);
            profile.extend(arc(0.3, 0.55, 0.0, 0.5 * PI, n));
            revolved(&profile, 2 * n)
        }),
        ("hemisphere", MassProperties::hemisphere(density, 0.4), |n| {
            let mut profile = vec![(0.0, 0.0)];
            profile.extend(arc(0.4, 0.0, 0.0, 0.5 * PI, n));
            revolved(&profile, 2 * n)
        }),
        ("torus", MassProperties::torus(density, 0.5, 0.2), |n| torus(0.5, 0.2, 2 * n)),
    ];
    for (name, exact, mesh) in cases {
        let errors: Vec<f64> = [16, 32, 64].iter().map(|&n| apart(&exact, &meshed(&mesh(n), density))).collect();
        println!("{name}: {errors:?}, orders {:.3?}", slopes(&errors));
        assert!(errors[2] < 3e-3 && slopes(&errors).iter().all(|s| (s - 2.0).abs() < 0.05), "{name}: {errors:?}");
    }
}

#[test]
fn parts_add_up() {
    let mut g = SplitMix(12);
    let worst = Worst::default();
    for _ in 0..50 {
        let size = vec3(0.2 + g.unit(), 0.2 + g.unit(), 0.2 + g.unit());
        let (turn, by) = (common::turn(&mut g), g.vec3(2.0));
        let whole = MassProperties::cuboid(500.0, size);
        // cut in two across x
        let cut = size.x * (0.2 + 0.6 * g.unit());
        let left =
            MassProperties::cuboid(500.0, vec3(cut, size.y, size.z)).translated([0.5 * (cut - size.x), 0.0, 0.0]);
        let right = MassProperties::cuboid(500.0, vec3(size.x - cut, size.y, size.z)).translated([0.5 * cut, 0.0, 0.0]);
        let place = |p: &MassProperties| p.rotated(turn).translated(by);
        worst.demand("two halves", apart(&place(&whole), &place(&left).plus(&place(&right))), 1e-13);
        worst.demand("one half", apart(&place(&left), &place(&whole).minus(&place(&right))), 1e-12);

        // parallel axes: I about p is the inertia of the same body moved, taken about the origin by its definition
        let p = g.vec3(1.0);
        let d = whole.centre() - p;
        let moved = whole.inertia() + (Mat3::from_diagonal(Vec3::splat(d.length_squared())) - outer(d)) * whole.mass();
        worst.demand("parallel axes", gap(&whole.inertia_about(p).to_cols_array(), &moved.to_cols_array()), 1e-12);

        // principal moments do not care about turns
        let sorted = |p: &MassProperties| {
            let mut m = p.principal().0.to_array();
            m.sort_by(f64::total_cmp);
            m
        };
        worst.demand("principal moments", gap(&sorted(&whole), &sorted(&place(&whole))) / whole.mass(), 1e-14);
        let (moments, axes) = place(&whole).principal();
        let back = axes * Mat3::from_diagonal(moments) * axes.transpose();
        worst.demand(
            "axes",
            gap(&back.to_cols_array(), &place(&whole).inertia().to_cols_array()) / whole.mass(),
            1e-14,
        );
    }
    worst.print("parts");
    let dumbbell = MassProperties::point(2.0, [1.0, 0.0, 0.0]).plus(&MassProperties::point(1.0, [-2.0, 0.0, 0.0]));
    assert_eq!((dumbbell.mass(), dumbbell.centre()), (3.0, Vec3::ZERO));
    assert_eq!(dumbbell.inertia(), Mat3::from_diagonal(vec3(0.0, 6.0, 6.0)));
    let tube = MassProperties::tube(1000.0, 0.1, 0.2, 3.0);
    let about_axis = 0.5 * tube.mass() * (0.01 + 0.04);
    assert!((tube.inertia().z_axis.z - about_axis).abs() < 1e-12 * about_axis);
    let shell = MassProperties::hollow_sphere(1000.0, 0.1, 0.2);
    let moment = 0.4 * shell.mass() * (0.2f64.powi(5) - 0.1f64.powi(5)) / (0.2f64.powi(3) - 0.1f64.powi(3));
    assert!((shell.inertia().x_axis.x - moment).abs() < 1e-12 * moment);
}

fn outer(d: Vec3) -> Mat3 {
    Mat3::from_cols(d * d.x, d * d.y, d * d.z)
}

#[test]
fn meshes_that_enclose_nothing_are_refused() {
    let (vertices, triangles) = box_mesh(Vec3::ONE);
    let refused = |v: &[Vec3], t: &[[usize; 3]]| MassProperties::from_mesh(v, t, 1.0).expect_err("refused");
    // a triangle taken away: all three of its edges are open; one is named
    let open = refused(&vertices, &triangles[1..]);
    let edges = [(0, 2), (2, 3), (3, 0)];
    assert!(matches!(open, MeshError::Open { from, to, .. } if edges.contains(&(to, from))), "{open}");
    // one triangle turned over
    let mut turned = triangles.clone();
    turned[5].swap(0, 1);
    let error = refused(&vertices, &turned);
    assert!(matches!(error, MeshError::Orientation { first, second, .. } if first == 5 || second == 5), "{error}");
    assert!(error.to_string().contains("opposite directions"), "{error}");
    // all of them
    let inwards: Vec<[usize; 3]> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let error = refused(&vertices, &inwards);
    assert_eq!(error, MeshError::Volume(-1.0));
    assert!(error.to_string().contains("exchange two vertices of each"), "{error}");
    // flat
    let flat: Vec<Vec3> = vertices.iter().map(|v| *v * vec3(1.0, 1.0, 0.0)).collect();
    assert!(matches!(refused(&flat, &triangles), MeshError::Volume(0.0)));
    assert_eq!(refused(&vertices, &triangles[..3]), MeshError::TooFew(3));
    let mut wrong = triangles.clone();
    wrong[2][1] = 8;
    assert_eq!(refused(&vertices, &wrong), MeshError::UnknownVertex { triangle: 2, vertex: 8, vertices: 8 });
    wrong[2] = [4, 4, 5];
    assert_eq!(refused(&vertices, &wrong), MeshError::Degenerate { triangle: 2, vertex: 4 });
    let mut lost = vertices.clone();
    lost[3].y = f64::NAN;
    assert_eq!(refused(&lost, &triangles), MeshError::NotFinite(3));
}

/// Every kind of body takes them, and moves accordingly.
#[test]
fn bodies_are_made_from_properties() {
    let p = MassProperties::cone(800.0, 0.3, 0.9).rotated(Mat3::from_rotation_x(0.4)).translated([0.1, 0.2, 0.3]);
    let spin = vec3(0.3, -1.0, 2.0);
    let at = vec3(1.0, 2.0, 3.0);
    let velocity = Mat3::from_cols(spin.cross(Vec3::X), spin.cross(Vec3::Y), spin.cross(Vec3::Z));
    let bodies: [Box<dyn Body>; 4] = [
        Box::new(Rigid::from_properties(&p).position(at).spin(spin)),
        Box::new(Affine::from_properties(&p).pose(at, Mat3::IDENTITY).velocity(Vec3::ZERO, velocity)),
        Box::new(Scaled::uniform_from(&p).position(at).spin(spin)),
        Box::new(Scaled::per_axis_from(&p).position(at).spin(spin)),
    ];
    for body in bodies {
        body.validate().expect("sound");
        let (mut q, mut v) = (vec![0.0; body.n_q()], vec![0.0; body.n_dof()]);
        body.initial(&mut q, &mut v);
        let (centre, m) = (body.centre(&q), body.momentum(&q, &v));
        assert!((centre - at - p.centre()).length() < 1e-14, "{}", body.kind());
        let linear = spin.cross(p.centre()) * p.mass();
        let angular = p.inertia() * spin + centre.cross(linear);
        assert!((m.linear - linear).length() < 1e-12 && (m.angular - angular).length() < 1e-11, "{}", body.kind());
    }
    let planar = Planar::from_properties(&p).velocity(0.0, 0.0, 2.0);
    let (mut q, mut v) = ([0.0; 3], [0.0; 3]);
    planar.initial(&mut q, &mut v);
    let centre = Body::centre(&planar, &q);
    assert!((centre - p.centre() * vec3(1.0, 1.0, 0.0)).length() < 1e-15);
    let turning = planar.momentum(&q, &v).angular - centre.cross(planar.momentum(&q, &v).linear);
    assert!((turning.z - 2.0 * p.inertia().z_axis.z).abs() < 1e-12);
    Rigid::capsule(2.0, 0.1, 0.5).validate().expect("sound");
    let same = MassProperties::sphere(1.0, 0.3).of_mass(5.0);
    assert!(same.mass() == 5.0 && (same.inertia().x_axis.x - 0.18).abs() < 1e-15);
}
