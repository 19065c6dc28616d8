//! Ellipsoids, cones, tubes and tori in motion, against known answers.

use holonom::prelude::*;

const G: f64 = 9.81;

/// A spheroid that lies on its flat side rocks: curvature rho = a^2 / c below, middle at c, so w^2 = m g (rho - c) / (I + m
/// c^2).
#[test]
fn a_spheroid_rocks_with_its_frequency() {
    let (a, c, mass) = (0.5, 0.3, 2.0);
    let inertia = mass * (a * a + c * c) / 5.0;
    let w = (mass * G * (a * a / c - c) / (inertia + mass * c * c)).sqrt();
    let mut m = ModelBuilder::new();
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(1.0));
    // tilted by a little: the lowest point is c down to the second order
    let tilt = 1e-4f64;
    let height = ((a * tilt.sin()).powi(2) + (c * tilt.cos()).powi(2)).sqrt();
    let own = vec3(inertia, inertia, mass * 2.0 * a * a / 5.0);
    let egg = m
        .body("egg", Rigid::principal(mass, own).position([0.0, 0.0, height]).orientation(Quat::from_rotation_y(tilt)));
    m.shape(egg.origin(), Shape::Ellipsoid { half: vec3(a, a, c) }, Material::new(1.0));
    let mut sim = Simulation::build(m).expect("a model");
    let period = 2.0 * std::f64::consts::PI / w;
    for (part, turned) in [(0.25, 0.0), (0.5, -1.0), (1.0, 1.0)] {
        sim.run_until(part * period).expect("it rocks");
        let axes = sim.axes(egg).expect("axes");
        let angle = -axes.x_axis.z; // about y
        assert!((angle - tilt * turned).abs() < 1e-6 * tilt + 1e-9, "{part}: {angle} for {}", tilt * turned);
    }
    assert!(sim.overlap() < 1e-12);
}

/// A ring rolls down a slope: a = g sin / (1 + I / (m R^2)), R from its middle to where it touches.
#[test]
fn a_torus_rolls_down_a_slope() {
    let (ring, tube, mass, slope) = (0.4, 0.1, 1.5, 0.2f64);
    let mass_of = MassProperties::torus(1.0, ring, tube);
    let spin = mass_of.inertia().z_axis.z / mass_of.mass() * mass;
    let across = mass_of.inertia().x_axis.x / mass_of.mass() * mass;
    for integrator in [IntegratorKind::default(), IntegratorKind::Stepping] {
        let mut m = ModelBuilder::new();
        m.gravity([G * slope.sin(), 0.0, -G * slope.cos()]);
        m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(0.8));
        // its axis along y
        let body = Rigid::principal(mass, vec3(across, across, spin)).position([0.0, 0.0, ring + tube]);
        let wheel = m.body("ring", body.orientation(Quat::from_rotation_x(-std::f64::consts::FRAC_PI_2)));
        m.shape(wheel.origin(), Shape::Torus { ring, tube }, Material::new(0.8));
        let mut sim = Simulation::build(m).expect("a model");
        sim.set_integrator(integrator);
        for _ in 0..1000 {
            sim.step(1e-3).expect("it rolls");
        }
        let radius = ring + tube;
        let expected = G * slope.sin() / (1.0 + spin / (mass * radius * radius));
        let (x, v) = sim.point(wheel.origin());
        assert!((v.x - expected * sim.time()).abs() < 1e-6, "{integrator:?}: {} for {expected}", v.x);
        assert!((x.z - radius).abs() < 1e-8, "{integrator:?}: {x}");
    }
}

/// A cone put on its side lies there; one on its base stands.
#[test]
fn a_cone_lies_and_stands() {
    let (radius, height, mass) = (0.3f64, 0.8f64, 1.0);
    let half_angle = radius.atan2(height);
    for standing in [true, false] {
        let mut m = ModelBuilder::new();
        m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(0.6));
        let centre = vec3(0.0, 0.0, 0.25 * height);
        let shape = Shape::Cone { radius, height };
        let turn =
            if standing { Quat::IDENTITY } else { Quat::from_rotation_y(std::f64::consts::FRAC_PI_2 + half_angle) };
        // above the lowest of tip and rim
        let lowest = [vec3(0.0, 0.0, height), vec3(radius, 0.0, 0.0), vec3(-radius, 0.0, 0.0)];
        let low = lowest.iter().map(|p| (turn * (*p - centre)).z).fold(f64::INFINITY, f64::min);
        let inertia = 3.0 / 80.0 * mass * (4.0 * radius * radius + height * height);
        let own = vec3(inertia, inertia, 0.3 * mass * radius * radius);
        let cone = m.body("cone", Rigid::principal(mass, own).position([0.0, 0.0, -low + 1e-3]).orientation(turn));
        m.shape(cone.at(-centre), shape, Material::new(0.6));
        let mut sim = Simulation::build(m).expect("a model");
        sim.set_integrator(IntegratorKind::Stepping);
        for _ in 0..1000 {
            sim.step(2e-3).expect("it rests");
        }
        let (x, v) = sim.point(cone.origin());
        assert!(v.length() < 1e-3 && (x.z + low).abs() < 1e-4, "standing {standing}: {x} {v}");
        assert!(sim.overlap() < 1e-8);
    }
}

/// Round shapes among boxes, balls, capsules and hulls on a floor: at rest nothing overlaps, and nothing is gained.
#[test]
fn round_shapes_fall_among_others() {
    let mut m = ModelBuilder::new();
    let wood = Material::new(0.4);
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, wood);
    let corners = vec![vec3(-0.2, -0.2, -0.1), vec3(0.25, -0.1, -0.1), vec3(0.0, 0.25, -0.1), vec3(0.0, 0.0, 0.25)];
    let round = [
        Shape::Ellipsoid { half: vec3(0.3, 0.2, 0.15) },
        Shape::Cone { radius: 0.25, height: 0.4 },
        Shape::Tube { inner: 0.25, outer: 0.35, half_length: 0.2 },
        Shape::Torus { ring: 0.3, tube: 0.08 },
    ];
    let others = [
        Shape::Sphere { radius: 0.15 },
        Shape::Box { half: vec3(0.2, 0.15, 0.1) },
        Shape::Capsule { radius: 0.1, half_length: 0.15 },
        Shape::Hull { points: corners },
    ];
    let mut turn = Quat::from_rotation_y(0.3);
    let mut rounds = Vec::new();
    for (k, shape) in round.iter().enumerate() {
        // each round shape between two others, in a column of its own
        for (level, shape) in [&others[k], shape, &others[(k + 1) % 4]].into_iter().enumerate() {
            let at = vec3(2.0 * k as f64, 0.02 * level as f64, 0.5 + 0.8 * level as f64);
            let body = Rigid::ball(1.0, 0.25).position(at).orientation(turn);
            let id = m.body(format!("b{k}{level}"), body);
            m.shape(id.origin(), shape.clone(), wood);
            if level == 1 {
                // columns are far apart, and not all of these are known as pairs
                rounds.iter().for_each(|other| {
                    m.ignore_pair(*other, id);
                });
                rounds.push(id);
            }
            turn = Quat::from_rotation_x(1.1) * turn * Quat::from_rotation_z(0.7);
        }
    }
    let mut sim = Simulation::build(m).expect("a model");
    sim.set_integrator(IntegratorKind::Stepping);
    let start = sim.energy().total();
    let (mut deepest, mut most) = (0.0f64, f64::NEG_INFINITY);
    for _ in 0..1500 {
        sim.step(2e-3).expect("it falls");
        deepest = deepest.max(sim.overlap());
        most = most.max(sim.energy().total());
    }
    // fast, a step goes 10 mm, and features beside corners and edges are followed for a step only; at rest nothing is left
    assert!(deepest < 0.01, "{deepest} m");
    assert!(sim.overlap() < 1e-6, "{} m at rest", sim.overlap());
    assert!(most <= start * (1.0 + 1e-9), "{most} J of {start} J");
}

/// Eggs and rings on each other: those pairs are known.
#[test]
fn eggs_and_rings_fall_on_each_other() {
    let mut m = ModelBuilder::new();
    let wood = Material::new(0.5);
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, wood);
    let shapes = [
        Shape::Torus { ring: 0.3, tube: 0.1 },
        Shape::Ellipsoid { half: vec3(0.2, 0.25, 0.3) },
        Shape::Torus { ring: 0.35, tube: 0.07 },
        Shape::Ellipsoid { half: vec3(0.3, 0.15, 0.2) },
        Shape::Ellipsoid { half: vec3(0.2, 0.2, 0.12) },
    ];
    for (k, shape) in shapes.into_iter().enumerate() {
        let at = vec3(0.03 * k as f64, 0.02 * k as f64, 0.2 + 0.65 * k as f64);
        let turn = Quat::from_rotation_x(0.2 * k as f64);
        let id = m.body(format!("b{k}"), Rigid::ball(1.0, 0.25).position(at).orientation(turn));
        m.shape(id.origin(), shape, wood);
    }
    let mut sim = Simulation::build(m).expect("a model");
    sim.set_integrator(IntegratorKind::Stepping);
    let start = sim.energy().total();
    let (mut deepest, mut most) = (0.0f64, f64::NEG_INFINITY);
    for _ in 0..1000 {
        sim.step(2e-3).expect("it falls");
        deepest = deepest.max(sim.overlap());
        most = most.max(sim.energy().total());
    }
    // fast, a step goes 10 mm, and features beside corners and edges are followed for a step only; at rest nothing is left
    assert!(deepest < 0.01, "{deepest} m");
    assert!(sim.overlap() < 1e-6, "{} m at rest", sim.overlap());
    assert!(most <= start * (1.0 + 1e-9), "{most} J of {start} J");
}
