//! Wheels that mesh: where the teeth push, phases over many turns, what bearings feel, and that nothing is gained or lost.

mod common;

use common::{Worst, turn};
use holonom::joints::Constraint;
use holonom::math::{SplitMix, quat_from_axes};
use holonom::prelude::*;
use holonom::{JointId, check};
use std::f64::consts::TAU;

/// Where what the integrator loses should not show.
const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 };

/// Two free bodies with markers at their origins, held in this pose, and one relation between them.
struct Pair {
    sim: Simulation,
    p: [Vec3; 2],
}

impl Pair {
    /// `poses`: points and axes of the markers. The centres of mass are elsewhere.
    fn new(
        poses: [(Vec3, Mat3); 2],
        g: &mut SplitMix,
        relation: impl FnOnce(Marker, Marker) -> Box<dyn Constraint>,
    ) -> Pair {
        let mut m = ModelBuilder::new();
        let markers = [0, 1].map(|k| {
            let (p, axes) = poses[k];
            let own = turn(g);
            let point = g.vec3(0.5);
            // the marker has its axes `own` in the body, so the body is turned by axes * own^T
            let r = axes * own.transpose();
            let body = Rigid::principal(1.0, [0.2, 0.3, 0.4]).orientation(quat_from_axes(r)).position(p - r * point);
            let id = m.body(format!("body {k}"), body.centre(g.vec3(0.2)));
            Marker { body: id, point, axes: own }
        });
        m.boxed_joint("relation", relation(markers[0], markers[1]));
        Pair { sim: Simulation::build(m).expect("holds where it is"), p: poses.map(|x| x.0) }
    }

    /// Force and torque about the marker's point that a unit multiplier puts on body `k`.
    fn wrench(&self, k: usize) -> (Vec3, Vec3) {
        let j = check::equations(self.sim.model(), self.sim.state()).jacobian;
        let row = &j[6 * k..6 * k + 6];
        let (force, torque) = (vec3(row[0], row[1], row[2]), vec3(row[3], row[4], row[5]));
        let centre = self.sim.centre(BodyId::from_index(k));
        (force, torque + (centre - self.p[k]).cross(force))
    }

    /// How far the push of a unit multiplier is from the force `f` on body b and `-f` on body a, both at the point `at`.
    fn off(&self, f: Vec3, at: Vec3) -> f64 {
        let wrong = |k: usize, f: Vec3| {
            let (force, torque) = self.wrench(k);
            (force - f).length() + (torque - (at - self.p[k]).cross(f)).length()
        };
        wrong(0, -f) + wrong(1, f)
    }
}

fn about_z(angle: f64) -> Mat3 {
    Mat3::from_rotation_z(angle)
}

#[test]
fn teeth_push_at_the_pitch_point() {
    let (mut g, worst) = (SplitMix(5), Worst::default());
    for _ in 0..100 {
        let (world, shift) = (turn(&mut g), g.vec3(2.0));
        let (r_a, r_b) = (0.2 + g.unit(), 0.2 + g.unit());
        let (phi, psi) = (0.6 * g.unit(), g.symmetric(0.6));
        let place = |p: Vec3, axes: Mat3| (shift + world * p, world * axes);
        let (spin_a, spin_b, line) = (about_z(g.symmetric(3.0)), about_z(g.symmetric(3.0)), g.symmetric(3.0));
        let n = about_z(line) * Vec3::X;
        let u = Vec3::Z.cross(n);
        let h = g.symmetric(0.3); // the wheels need not be in one plane

        // external, internal with the ring second, internal with the ring first
        for (r_b, internal) in [(r_b, false), (r_a + r_b, true), (0.5 * r_a, true)] {
            let signed = if internal { -r_b } else { r_b };
            let (sum, parting) = (r_a + signed, if internal { -1.0 } else { 1.0 });
            let d = n * sum.abs() + Vec3::Z * h;
            for flank in [1.0, -1.0] {
                let poses = [place(Vec3::ZERO, spin_a), place(d, spin_b)];
                let pair = Pair::new(poses, &mut g, |a, b| {
                    let gear = if internal { Gear::internal(a, b, r_a, r_b) } else { Gear::external(a, b, r_a, r_b) };
                    let gear = gear.pressure_angle(phi).helix(psi);
                    Box::new(if flank > 0.0 { gear } else { gear.other_flank() })
                });
                let radial = parting * flank * libm::tan(phi) / libm::cos(psi);
                let f = u * sum.signum() + n * radial - Vec3::Z * libm::tan(psi);
                let pitch = d * (r_a / sum);
                worst.demand("gear", pair.off(world * f, shift + world * pitch), 1e-12);
            }
        }

        // bevel: apex at the origin, pitch point at the distances r_a and r_b from the axes
        let angle = 0.4 + 2.2 * g.unit();
        let (sin, cos) = libm::sincos(angle);
        let z_b = n * sin + Vec3::Z * cos;
        let tilt = Mat3::from_cols(u.cross(z_b), u, z_b) * spin_b;
        let along = (r_a * cos + r_b) / sin;
        let pitch = Vec3::Z * along + n * r_a;
        assert!(
            (pitch.cross(z_b).length() - r_b).abs() < 1e-12,
            "the pitch point is as far from axis b as it should be"
        );
        let (s, t) = (0.3 + g.unit(), 0.3 + g.unit());
        let poses = [place(Vec3::Z * s, spin_a), place(z_b * t, tilt)];
        let pair = Pair::new(poses, &mut g, |a, b| Box::new(BevelGear::new(a, b, r_a, r_b)));
        worst.demand("bevel gear", pair.off(world * u, shift + world * pitch), 1e-11);

        // worm: axes at right angles, both hands and both sides
        let (lead, side) = (g.symmetric(1.0), if g.unit() < 0.5 { 1.0 } else { -1.0 });
        let z_b = -u * side; // n . (z_a × z_b) = side
        let tilt = Mat3::from_cols(Vec3::Z, z_b.cross(Vec3::Z), z_b) * spin_b;
        let poses = [place(Vec3::ZERO, spin_a), place(n * (r_a + r_b), tilt)];
        let pair = Pair::new(poses, &mut g, |a, b| Box::new(Worm::new(a, b, lead, r_b).worm_radius(r_a)));
        let f = Vec3::Z + z_b * (side * lead / (TAU * r_a));
        worst.demand("worm", pair.off(world * f, shift + world * (n * r_a)), 1e-12);

        // rack: anywhere along it, on either side; the rack's axes lie in the pinion's plane
        let (x, y) = (n, u);
        let rack = Mat3::from_cols(x, y, Vec3::Z);
        let side = if g.unit() < 0.5 { 1.0 } else { -1.0 };
        let centre = x * g.symmetric(1.0) + y * g.symmetric(1.0);
        let poses = [place(centre, spin_a), place(Vec3::ZERO, rack)];
        let pair = Pair::new(poses, &mut g, |a, b| {
            let rack = RackAndPinion::new(a, b, r_a);
            Box::new(if side > 0.0 { rack } else { rack.other_side() })
        });
        worst.demand("rack", pair.off(world * -x, shift + world * (centre - y * (side * r_a))), 1e-12);
    }
    worst.print("where teeth push");
}

/// Against forces from the strands' own geometry: tangents of two circles.
#[test]
fn a_belt_pulls_as_its_strands_do() {
    let (mut g, worst) = (SplitMix(6), Worst::default());
    for _ in 0..100 {
        let (r_a, r_b, distance) = (0.1 + 0.4 * g.unit(), 0.1 + 0.4 * g.unit(), 1.2 + g.unit());
        let (spin_a, spin_b, line) = (about_z(g.symmetric(3.0)), about_z(g.symmetric(3.0)), g.symmetric(3.0));
        let n = about_z(line) * Vec3::X;
        let u = Vec3::Z.cross(n);
        for crossed in [false, true] {
            let poses = [(Vec3::ZERO, spin_a), (n * distance, spin_b)];
            let pair = Pair::new(poses, &mut g, |a, b| {
                Box::new(if crossed { Belt::crossed(a, b, r_a, r_b) } else { Belt::open(a, b, r_a, r_b) })
            });
            let sin = (if crossed { r_a + r_b } else { r_a - r_b }) / distance;
            let cos = (1.0 - sin * sin).sqrt();
            // one more unit of tension on the side of u, one less on the other: the pull along the line cancels
            let (mut force, mut on_a, mut on_b) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
            for (tension, side) in [(0.5, 1.0), (-0.5, -1.0)] {
                let radius = n * sin + u * (cos * side);
                let (leaves, meets) = (radius * r_a, n * distance + radius * if crossed { -r_b } else { r_b });
                let strand = (meets - leaves).normalize();
                assert!(strand.dot(radius).abs() < 1e-12, "a tangent");
                on_a += leaves.cross(strand * tension);
                on_b += (meets - n * distance).cross(strand * -tension);
                force -= strand * tension;
            }
            let ((f_a, t_a), (f_b, t_b)) = (pair.wrench(0), pair.wrench(1));
            let off = (f_b - force).length() + (f_a + force).length() + (t_a - on_a).length() + (t_b - on_b).length();
            worst.demand("belt", off, 1e-12);
        }
    }
    worst.print("belts");
}

fn wheel(m: &mut ModelBuilder, name: &str, moment: f64, base: Marker, at: Vec3) -> (BodyId, JointId) {
    let body = m.body(name, Rigid::principal(1.0, Vec3::splat(moment)).position(at));
    let bearing = Revolute::new(base.along(Vec3::Z), body.origin().along(Vec3::Z));
    let bearing = m.joint(format!("bearing of {name}"), bearing);
    (body, bearing)
}

fn angle(sim: &mut Simulation, joint: JointId) -> f64 {
    sim.coordinate(joint, 0).expect("an angle").0
}

#[test]
fn an_odd_ratio_stays_in_phase_for_fifty_turns() {
    let (r_a, r_b) = (1.0, 1.7);
    let at = vec3(r_a + r_b, 0.0, 0.0);
    let mut m = ModelBuilder::new();
    let (one, first) = wheel(&mut m, "one", 0.3, BodyId::GROUND.origin(), Vec3::ZERO);
    let (two, second) = wheel(&mut m, "two", 0.5, BodyId::GROUND.at(at), at);
    let gear = m.joint("gear", Gear::external(one.origin(), two.origin(), r_a, r_b).pressure_angle(0.35).helix(0.2));
    // forwards with a shaking load
    m.force(
        "drive",
        UserForce::new([one.origin().spin()], |_, t, push| push.on(0, Vec3::Z * (2.0 + 3.0 * libm::sin(3.0 * t)))),
    );
    m.force("load", UserForce::new([two.origin().spin()], |a, _, push| push.on(0, a.rate(0) * -0.04)));
    let mut sim = Simulation::build(m).expect("a gear pair");
    let worst = Worst::default();
    let mut before = sim.snapshot();
    for k in 1..=400 {
        sim.run_until(0.1 * k as f64).expect("regular");
        let (a, b) = (angle(&mut sim, first), angle(&mut sim, second));
        worst.demand("phase", (r_a * a + r_b * b).abs(), 1e-9);
        // the gear's own angles are the same turns, counted from the centre line
        let (alpha, beta) = (angle(&mut sim, gear), sim.coordinate(gear, 1).expect("two").0);
        worst.demand("own angles", (alpha + a).abs() + (beta - std::f64::consts::PI + b).abs() % TAU, 1e-9);
        if k == 200 {
            before = sim.snapshot();
        }
    }
    let turns = angle(&mut sim, first) / TAU;
    worst.print("50 turns");
    println!("50 turns: {turns:.1} turns");
    assert!(turns > 50.0, "only {turns} turns");
    // turns are part of the state: the second half again, to the last bit
    let end = sim.state().q.clone();
    sim.restore(&before).expect("a snapshot");
    for k in 201..=400 {
        sim.run_until(0.1 * k as f64).expect("regular");
    }
    assert_eq!(common::bits(&end), common::bits(&sim.state().q));
}

/// A planetary train with helical teeth, thrown into space with nothing to stand on: energy, momentum and angular momentum stay.
#[test]
fn a_train_in_space_keeps_what_it_has() {
    let (r_sun, r_planet) = (0.1, 0.05);
    let (r_ring, arm) = (r_sun + 2.0 * r_planet, r_sun + r_planet);
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, 0.0]);
    let spin = vec3(0.7, -0.4, 1.0);
    let ring = m.body("ring", Rigid::principal(2.0, [0.05, 0.05, 0.1]).spin(spin).velocity([0.1, 0.2, 0.3]));
    let (sun, _) = wheel(&mut m, "sun", 0.01, ring.origin(), Vec3::ZERO);
    let (carrier, of_carrier) = wheel(&mut m, "carrier", 0.02, ring.origin(), Vec3::ZERO);
    let at = vec3(arm, 0.0, 0.0);
    let (planet, _) = wheel(&mut m, "planet", 0.002, carrier.at(at), at);
    let teeth = |gear: Gear| gear.pressure_angle(0.35).helix(0.3);
    m.joint("inner", teeth(Gear::external(sun.origin(), planet.origin(), r_sun, r_planet)));
    m.joint("outer", teeth(Gear::internal(planet.origin(), ring.origin(), r_planet, r_ring)));
    // a spring winds the sun against the carrier, so that the teeth have something to do
    let (axis, to) = (carrier.origin(), sun.origin());
    m.force("spring", Spring::new(axis.body.at([0.3, 0.0, 0.0]), to.body.at([-0.1, 0.1, 0.0]), 40.0, 0.1));
    let mut sim = Simulation::build(m).expect("a train");
    sim.set_integrator(TIGHT);
    let (energy, momentum) = (sim.energy().total(), sim.momentum());
    let worst = Worst::default();
    for k in 1..=40 {
        sim.run_until(0.1 * k as f64).expect("regular");
        let now = sim.momentum();
        worst.demand("energy", (sim.energy().total() - energy).abs(), 1e-10);
        worst.demand("momentum", (now.linear - momentum.linear).length(), 1e-11);
        worst.demand("angular momentum", (now.angular - momentum.angular).length(), 1e-10);
        worst.demand("gap", sim.violation().0, 1e-12);
        assert!(angle(&mut sim, of_carrier).is_finite());
    }
    worst.print("train in space");
}

/// The axial force of helical teeth goes to the end bearing alone when the other one lets the shaft slide, and tilts the shaft.
#[test]
fn helical_teeth_load_the_bearings_of_a_shaft() {
    let (r, torque, phi, psi) = (0.2, 30.0, 0.35, 0.25);
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, 0.0]);
    let shaft = m.body("shaft", Rigid::principal(1.0, [0.1, 0.1, 0.02]));
    // wheel in the middle, bearings half a metre to each side: one holds a point, the other keeps the axis on its line
    let (low, high) = (vec3(0.0, 0.0, -0.5), vec3(0.0, 0.0, 0.5));
    let end = m.joint("end", Spherical::new(BodyId::GROUND.at(low), shaft.at(low)));
    let sliding = m.joint("sliding", PointOnLine::new(BodyId::GROUND.at(high), shaft.at(high)));
    let rim = BodyId::GROUND.at([3.0 * r, 0.0, 0.0]);
    m.joint("teeth", Gear::external(shaft.origin(), rim, r, 2.0 * r).pressure_angle(phi).helix(psi));
    m.force("torque", Torque::new(shaft, [0.0, 0.0, torque]));
    let sim = Simulation::build(m).expect("a shaft");
    let (pt, tan) = (torque / r, libm::tan);
    let (pr, pa) = (pt * tan(phi) / libm::cos(psi), pt * tan(psi));
    // on the shaft: - pt along y, - pr along x, pa along z at (r, 0, 0); moments about the low end
    let high_force = vec3(0.5 * pr + pa * r / 1.0, 0.5 * pt, 0.0);
    let low_force = vec3(pr, pt, -pa) - high_force;
    let (at_low, at_high) = (sim.reaction(end).expect("regular").force, sim.reaction(sliding).expect("regular").force);
    let off = (at_low - low_force).length() + (at_high - high_force).length();
    println!("bearings: {at_low:.6} and {at_high:.6} N, off by {off:.1e}");
    assert!(off < 1e-9 * pt, "{at_low} and {at_high}, should be {low_force} and {high_force}");
}

#[test]
fn a_worm_turns_its_wheel_by_hand_and_side() {
    for (lead, side) in [(0.05, 1.0), (-0.05, 1.0), (0.05, -1.0)] {
        let r = 0.2;
        let mut m = ModelBuilder::new();
        let worm = m.body("worm", Rigid::ball(1.0, 0.1));
        let turning = m.joint("worm's bearing", Revolute::new(BodyId::GROUND.origin(), worm.origin()));
        let at = vec3(0.3, 0.0, 0.0);
        let axis = vec3(0.0, -side, 0.0); // n . (z_a × z_b) = x . (z × axis) = side
        let wheel = m.body("wheel", Rigid::ball(1.0, 0.1).position(at));
        let (on_ground, own) = (BodyId::GROUND.at(at).along(axis), wheel.origin().along(axis));
        let turned = m.joint("wheel's bearing", Revolute::new(on_ground, own));
        m.joint("worm drive", Worm::new(worm.origin(), own, lead, r).worm_radius(0.1));
        m.force("torque", Torque::new(worm, [0.0, 0.0, 0.02]));
        let mut sim = Simulation::build(m).expect("a worm drive");
        sim.run_until(12.0).expect("regular");
        let (a, b) = (angle(&mut sim, turning), angle(&mut sim, turned));
        assert!(a > 20.0 * TAU, "{a}");
        let error = (lead / TAU * a - side * r * b).abs();
        assert!(error < 1e-9, "lead {lead}, side {side}: {a} and {b}, off by {error:e}");
        // the rim next to the worm moves against the worm's axis for a right-handed thread
        let (_, v) = sim.point(wheel.origin());
        let rim = v + sim.spin(wheel).expect("rigid").cross(vec3(-r, 0.0, 0.0));
        assert!(rim.z * lead < 0.0, "{rim}");
    }
}

type Couple<'a> = dyn Fn(&mut ModelBuilder, [BodyId; 2], [JointId; 2]) + 'a;

/// A gear by teeth, by belt, by coupler, and by ratio of speeds gives the same motion.
#[test]
fn four_ways_to_couple_two_wheels_agree() {
    let (r_a, r_b) = (0.1, 0.25);
    let at = vec3(r_a + r_b, 0.0, 0.0);
    let run = |couple: &Couple| {
        let mut m = ModelBuilder::new();
        let (one, first) = wheel(&mut m, "one", 0.3, BodyId::GROUND.origin(), Vec3::ZERO);
        let (two, second) = wheel(&mut m, "two", 0.5, BodyId::GROUND.at(at), at);
        couple(&mut m, [one, two], [first, second]);
        m.force("torque", Torque::new(one, [0.0, 0.0, 1.0]));
        let mut sim = Simulation::build(m).expect("two wheels");
        sim.set_integrator(TIGHT); // rates alone do not correct what the integrator loses in the angles
        sim.run_until(8.0).expect("regular");
        (angle(&mut sim, first), angle(&mut sim, second))
    };
    let teeth = run(&|m, [a, b], _| {
        m.joint("gear", Gear::external(a.origin(), b.origin(), r_a, r_b));
    });
    let belt = run(&|m, [a, b], _| {
        m.joint("belt", Belt::crossed(a.origin(), b.origin(), r_a, r_b));
    });
    let coupler = run(&|m, _, [p, q]| {
        let terms = [(r_a, m.coordinate(p, 0)), (r_b, m.coordinate(q, 0))];
        m.joint("coupler", Coupler::new(terms));
    });
    let rates = run(&|m, _, [p, q]| {
        let ratio = VelocityRatio::coordinates(m.coordinate(p, 0), m.coordinate(q, 0), -r_a / r_b);
        m.joint("ratio", ratio);
    });
    let spins = run(&|m, [a, b], _| {
        m.joint("ratio", VelocityRatio::spins(a.origin(), b.origin(), -r_a / r_b));
    });
    assert!(teeth.0 > 5.0 * TAU, "{teeth:?}");
    for (what, other) in [("belt", belt), ("coupler", coupler), ("rates", rates), ("spins", spins)] {
        let off = (teeth.0 - other.0).abs() + (teeth.1 - other.1).abs();
        assert!(off < 1e-9, "{what}: {other:?} against {teeth:?}");
    }
}

#[test]
fn a_differential_shares_the_torque() {
    let mut m = ModelBuilder::new();
    let names = ["left", "right", "carrier"];
    let wheels = names.map(|n| wheel(&mut m, n, 0.1, BodyId::GROUND.origin(), Vec3::ZERO));
    let [left, right, carrier] = wheels.map(|(_, joint)| m.coordinate(joint, 0));
    let row = m.joint("differential", Differential::new(left, right, carrier));
    m.force("torque", Torque::new(wheels[2].0, [0.0, 0.0, 1.0]));
    m.force("drag", Torque::new(wheels[1].0, [0.0, 0.0, -0.3]));
    let mut sim = Simulation::build(m).expect("three shafts");
    let a = wheels.map(|(body, _)| sim.model().v_range(body).start + 5);
    let a = a.map(|k| sim.accelerations().expect("regular")[k]);
    let row = sim.model().rows_of(row).start;
    let lambda = sim.multipliers().expect("regular")[row];
    assert!((a[0] + a[1] - 2.0 * a[2]).abs() < 1e-12, "{a:?}");
    for (k, torque) in [(0, lambda), (1, lambda - 0.3), (2, 1.0 - 2.0 * lambda)] {
        assert!((0.1 * a[k] - torque).abs() < 1e-12, "{}: {a:?}, {lambda}", names[k]);
    }
    sim.run_until(6.0).expect("regular");
    let [l, r, c] = wheels.map(|(_, joint)| angle(&mut sim, joint));
    assert!(c > 3.0 * TAU && (l + r - 2.0 * c).abs() < 1e-10, "{l} {r} {c}");
}

/// Engaged while the wheels turn, after several turns, and kept in phase through further edits.
#[test]
fn a_gear_engages_in_motion() {
    let mut m = ModelBuilder::new();
    let at = vec3(0.3, 0.0, 0.0);
    let (one, first) = wheel(&mut m, "one", 0.3, BodyId::GROUND.origin(), Vec3::ZERO);
    let (two, second) = wheel(&mut m, "two", 0.5, BodyId::GROUND.at(at), at);
    m.force("torque", Torque::new(one, [0.0, 0.0, 1.0]));
    m.force("other torque", Torque::new(two, [0.0, 0.0, 0.4]));
    let mut sim = Simulation::build(m).expect("two wheels");
    sim.run_until(6.0).expect("regular");
    let sum = |sim: &mut Simulation| 0.1 * angle(sim, first) + 0.2 * angle(sim, second);
    let engaged = sum(&mut sim);
    assert!(engaged > TAU, "{engaged}");
    let gear = Gear::external(one.origin(), two.origin(), 0.1, 0.2);
    sim.add_joint("gear", gear).expect("fits");
    sim.run_until(9.0).expect("regular");
    let middle = sum(&mut sim);
    let rope = Distance::new(BodyId::GROUND.at([0.0, 0.0, 1.0]), one.origin(), 1.0);
    sim.add_joint("redundant rod", rope).expect("fits");
    sim.run_until(12.0).expect("regular");
    let end = sum(&mut sim);
    assert!((middle - engaged).abs() < 1e-10 && (end - engaged).abs() < 1e-10, "{engaged} {middle} {end}");
}

type Make = dyn Fn(Marker, Marker) -> Box<dyn Constraint>;

#[test]
fn nonsense_is_refused_with_its_number() {
    let reason = |relation: &Make| {
        let mut m = ModelBuilder::new();
        let a = m.body("a", Rigid::ball(1.0, 0.1));
        let b = m.body("b", Rigid::ball(1.0, 0.1).position([1.0, 0.0, 0.0]));
        m.boxed_joint("relation", relation(a.origin(), b.origin()));
        m.build().err().map_or_else(|| "accepted".to_string(), |e| e.to_string())
    };
    let cases: &[(&str, &Make)] = &[
        ("radius of the second wheel is -1 m", &|a, b| Box::new(Gear::external(a, b, 1.0, -1.0))),
        ("radius of the second wheel is -2 m", &|a, b| Box::new(Gear::internal(a, b, 1.0, -2.0))),
        ("must differ", &|a, b| Box::new(Gear::internal(a, b, 1.0, 1.0))),
        ("pressure angle is -0.1 rad", &|a, b| Box::new(Gear::external(a, b, 1.0, 1.0).pressure_angle(-0.1))),
        ("helix angle is 2 rad", &|a, b| Box::new(Gear::external(a, b, 1.0, 1.0).helix(2.0))),
        ("joins a body to itself", &|a, _| Box::new(Gear::external(a, a, 1.0, 1.0))),
        ("radius of the first wheel is 0 m", &|a, b| Box::new(BevelGear::new(a, b, 0.0, 1.0))),
        ("lead is 0 m per turn", &|a, b| Box::new(Worm::new(a, b, 0.0, 1.0))),
        ("pitch radius is NaN m", &|a, b| Box::new(RackAndPinion::new(a, b, f64::NAN))),
        ("second wheel is 0 m", &|a, b| Box::new(Belt::open(a, b, 1.0, 0.0))),
        ("radius of the drum is -1 m", &|a, b| Box::new(Winch::new(a, b, -1.0))),
        ("passes 1 points", &|a, _| Box::new(Reeving::new([a]))),
        ("joins a body to itself", &|a, _| Box::new(Reeving::new([a, a]))),
        ("length is -1 m", &|a, b| Box::new(Reeving::new([a, b]).length(-1.0))),
        ("lead is inf m per turn", &|a, b| Box::new(Screw::new(a, b, f64::INFINITY))),
        ("ratio is NaN", &|a, b| Box::new(VelocityRatio::spins(a, b, f64::NAN))),
        ("couples no coordinates", &|_, _| Box::new(Coupler::new([]))),
        ("a ratio is 0", &|a, b| Box::new(Coupler::new([(0.0, Coordinate::of(Revolute::new(a, b), 0))]))),
        ("there is no number 1", &|a, b| Box::new(Coupler::new([(1.0, Coordinate::of(Revolute::new(a, b), 1))]))),
        ("joins lengths with angles", &|a, b| {
            let c = |i| Coordinate::of(Cylindrical::new(a, b), i);
            Box::new(Differential::new(c(0), c(1), c(1)))
        }),
    ];
    for (expected, relation) in cases {
        let found = reason(relation);
        assert!(found.contains(expected), "`{found}` does not say `{expected}`");
    }
}
