//! What users of contact take for granted: shapes that cannot touch are refused, rays and casts answer where shapes
//! are.

use holonom::prelude::*;

fn tetrahedron() -> Shape {
    let vertices = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    Shape::Mesh { vertices, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]] }
}

/// Two bodies with surfaces of triangles would pass through each other: that is said, unless they are told to.
#[test]
fn two_meshes_do_not_pass_in_silence() {
    let describe = || {
        let mut m = ModelBuilder::new();
        let a = m.body("left", Rigid::ball(1.0, 0.5));
        let b = m.body("right", Rigid::ball(1.0, 0.5).position([5.0, 0.0, 0.0]));
        m.shape(a.origin(), tetrahedron(), Material::default());
        m.shape(b.origin(), tetrahedron(), Material::default());
        (m, a, b)
    };
    let message = Simulation::build(describe().0).err().expect("refused").to_string();
    assert!(message.contains("`left`") && message.contains("`right`"), "{message}");
    let (mut m, a, b) = describe();
    m.ignore_pair(a, b);
    Simulation::build(m).expect("they may pass");
    // a mesh on the ground and a hull on a body
    let (mut m, a, b) = describe();
    m.ignore_pair(a, b);
    m.shape(BodyId::GROUND.origin(), tetrahedron(), Material::default());
    assert!(Simulation::build(m).is_err(), "the ground's mesh meets those of the bodies");
}

#[test]
fn queries_answer_where_shapes_are() {
    let mut m = ModelBuilder::new();
    let ball = m.body("ball", Rigid::ball(1.0, 0.1).position([0.0, 0.0, 2.0]));
    let crate_ = m.body("crate", Rigid::ball(1.0, 0.1).position([3.0, 0.0, 0.5]).velocity([0.0, 1.0, 0.0]));
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::smooth());
    m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, Material::smooth());
    let corner = m.shape(crate_.origin(), Shape::Box { half: vec3(0.5, 0.5, 0.5) }, Material::smooth());
    let mut sim = Simulation::build(m).expect("a model");
    let mut shapes = sim.queries().expect("queries");
    let hit = shapes.ray(vec3(3.0, 0.0, 9.0), vec3(0.0, 0.0, -2.0), 20.0).expect("the crate");
    assert!(hit.shape == corner && hit.body == crate_ && (hit.distance - 8.0).abs() < 1e-12);
    assert!((hit.normal - Vec3::Z).length() < 1e-12);
    let hit = shapes.ray_where(vec3(3.0, 0.0, 9.0), -Vec3::Z, 20.0, |_, b| b != crate_).expect("the ground");
    assert!(hit.body.is_ground() && (hit.distance - 9.0).abs() < 1e-12);
    assert!(shapes.ray(vec3(0.0, 0.0, 9.0), Vec3::Z, 20.0).is_none());
    // a box of half a metre that slides along x towards the crate stops half a metre before it
    let probe = Shape::Box { half: vec3(0.5, 0.2, 0.2) };
    let place = (vec3(0.0, 0.0, 0.5), Mat3::IDENTITY);
    let hit = shapes.cast(&probe, place, Vec3::X, 50.0, |_, _| true).expect("a shape").expect("the crate");
    assert!(hit.body == crate_ && (hit.distance - 2.0).abs() < 1e-12, "{hit:?}");
    let down = shapes.cast(&probe, place, -Vec3::Z, 50.0, |_, _| true).expect("a shape").expect("the ground");
    assert!(down.body.is_ground() && (down.distance - 0.3).abs() < 1e-12, "{down:?}");
    // the point of the crate nearest to a place
    let near = shapes.closest(&Shape::Point, (vec3(2.0, 2.0, 0.25), Mat3::IDENTITY), 50.0, |_, b| b == crate_);
    let near = near.expect("a shape").expect("the crate");
    assert!((near.distance - (0.5f64.powi(2) + 1.5f64.powi(2)).sqrt()).abs() < 1e-12, "{near:?}");
    assert!((near.points.1 - vec3(2.5, 0.5, 0.25)).length() < 1e-12);
    let apart = shapes.between(ball, crate_, 50.0).expect("near");
    let expected = (2.5f64.powi(2) + 1.0).sqrt() - 0.1;
    assert!((apart.distance - expected).abs() < 1e-12, "{} for {expected}", apart.distance);
    // and after a while
    sim.run_until(0.5).expect("it runs");
    sim.follow_queries(&mut shapes).expect("the same model");
    let height = 2.0 - 0.5 * 9.81 * 0.25 - 0.1;
    let apart = shapes.between(ball, BodyId::GROUND, 50.0).expect("near");
    assert!((apart.distance - height).abs() < 1e-9, "{}", apart.distance);
    assert!(shapes.closest(&Shape::Sphere { radius: -1.0 }, place, 1.0, |_, _| true).is_err());
}
