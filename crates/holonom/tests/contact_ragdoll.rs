//! A doll of 17 bodies with limits on every joint falls down a flight of stairs.

#[path = "common/articulated.rs"]
mod articulated;

use articulated::{Watch, along};
use holonom::JointId;
use holonom::prelude::*;

struct Segment {
    body: BodyId,
    centre: Vec3,
    turn: Quat,
}

impl Segment {
    /// A marker at a place in the world, with the axes x and z of the world.
    fn marker(&self, at: Vec3, x: Vec3, z: Vec3) -> Marker {
        let back = self.turn.inverse();
        self.body.at(back * (at - self.centre)).axes(back * x, back * z)
    }
}

struct Doll {
    m: ModelBuilder,
    segments: Vec<Segment>,
    hinges: Vec<(JointId, f64, f64)>,
    cones: Vec<(Marker, Marker, f64)>,
}

const SKIN: Material = Material::new(0.5);

impl Doll {
    /// A capsule from `a` to `b`.
    fn segment(&mut self, name: &str, a: Vec3, b: Vec3, radius: f64, mass: f64) -> usize {
        let (centre, d) = (0.5 * (a + b), b - a);
        let turn = along(d);
        let body = Rigid::cylinder(mass, radius, d.length() + 2.0 * radius).position(centre).orientation(turn);
        let body = self.m.body(name, body.velocity([1.2, 0.1, 0.0]));
        self.m.shape(body.origin(), Shape::Capsule { radius, half_length: 0.5 * d.length() }, SKIN);
        self.segments.push(Segment { body, centre, turn });
        self.segments.len() - 1
    }

    /// A ball joint whose swing stays within a cone about z, and whose twist within another one about x.
    fn ball(&mut self, name: &str, a: usize, b: usize, at: Vec3, swing: f64, twist: f64) {
        let ends = |x, z| [a, b].map(|k| self.segments[k].marker(at, x, z));
        let ([pa, pb], [xa, xb]) = (ends(Vec3::X, Vec3::Z), ends(Vec3::Z, Vec3::X));
        self.m.joint(name, Spherical::new(pa, pb));
        self.m.joint(format!("{name} swing"), ConeLimit::new(pa, pb, swing));
        self.m.joint(format!("{name} twist"), ConeLimit::new(xa, xb, twist));
        self.cones.push((pa, pb, swing));
        self.cones.push((xa, xb, twist));
    }

    /// A hinge across, between two stops.
    fn hinge(&mut self, name: &str, a: usize, b: usize, at: Vec3, lower: f64, upper: f64) {
        let [pa, pb] = [a, b].map(|k| self.segments[k].marker(at, Vec3::X, Vec3::Y));
        let hinge = self.m.joint(name, Revolute::new(pa, pb));
        let stop = Limit::new(self.m.coordinate(hinge, 0), lower, upper);
        self.m.joint(format!("{name} stop"), stop);
        self.hinges.push((hinge, lower, upper));
    }
}

fn doll() -> Doll {
    let m = ModelBuilder::new();
    let mut d = Doll { m, segments: Vec::new(), hinges: Vec::new(), cones: Vec::new() };
    let at = |x: f64, y: f64, z: f64| vec3(x, y, z + 0.02);
    let pelvis = d.segment("pelvis", at(0.0, -0.06, 0.95), at(0.0, 0.06, 0.95), 0.09, 10.0);
    let belly = d.segment("belly", at(0.0, 0.0, 1.02), at(0.0, 0.0, 1.12), 0.09, 8.0);
    let chest = d.segment("chest", at(0.0, 0.0, 1.21), at(0.0, 0.0, 1.38), 0.1, 15.0);
    let neck = d.segment("neck", at(0.0, 0.0, 1.47), at(0.0, 0.0, 1.51), 0.04, 1.5);
    let head = d.segment("head", at(0.0, 0.0, 1.63), at(0.0, 0.0, 1.67), 0.09, 4.5);
    d.ball("waist", pelvis, belly, at(0.0, 0.0, 1.0), 0.5, 0.6);
    d.ball("back", belly, chest, at(0.0, 0.0, 1.16), 0.4, 0.5);
    d.ball("throat", chest, neck, at(0.0, 0.0, 1.45), 0.4, 0.5);
    d.ball("nape", neck, head, at(0.0, 0.0, 1.53), 0.4, 0.7);
    for (side, y) in [("left", 1.0), ("right", -1.0)] {
        let name = |part: &str| format!("{side} {part}");
        let (arm, leg) = (0.2 * y, 0.1 * y);
        let upper = d.segment(&name("upper arm"), at(0.0, arm, 1.39), at(0.0, arm, 1.15), 0.045, 2.2);
        let fore = d.segment(&name("forearm"), at(0.0, arm, 1.09), at(0.0, arm, 0.9), 0.035, 1.4);
        let hand = d.segment(&name("hand"), at(0.0, arm, 0.84), at(0.0, arm, 0.8), 0.03, 0.5);
        let thigh = d.segment(&name("thigh"), at(0.0, leg, 0.84), at(0.0, leg, 0.55), 0.06, 8.0);
        let shank = d.segment(&name("shank"), at(0.0, leg, 0.46), at(0.0, leg, 0.15), 0.05, 3.5);
        let foot = d.segment(&name("foot"), at(0.0, leg, 0.04), at(0.15, leg, 0.04), 0.04, 1.1);
        d.ball(&name("shoulder"), chest, upper, at(0.0, arm, 1.4), 1.4, 1.5);
        d.hinge(&name("elbow"), upper, fore, at(0.0, arm, 1.12), -2.3, 0.05);
        d.ball(&name("wrist"), fore, hand, at(0.0, arm, 0.87), 0.7, 0.8);
        d.ball(&name("hip"), pelvis, thigh, at(0.0, leg, 0.9), 1.2, 1.3);
        d.hinge(&name("knee"), thigh, shank, at(0.0, leg, 0.5), -0.05, 2.2);
        d.hinge(&name("ankle"), shank, foot, at(0.0, leg, 0.08), -0.5, 0.5);
    }
    // the landing, ten stairs down, the floor
    let (rise, tread) = (0.18, 0.3);
    for i in 0..11 {
        let (from, to) = if i == 0 { (-1.0, 0.3) } else { (tread * i as f64, tread * (i + 1) as f64) };
        let top = -rise * i as f64;
        let half = vec3(0.5 * (to - from), 1.5, 0.5);
        let centre = vec3(0.5 * (from + to), 0.0, top - half.z);
        d.m.shape(BodyId::GROUND.at(centre), Shape::Box { half }, SKIN);
    }
    d.m.shape(BodyId::GROUND.at([0.0, 0.0, -11.0 * rise]), Shape::HalfSpace, SKIN);
    d
}

#[test]
fn a_doll_falls_down_the_stairs() {
    let Doll { m, segments, hinges, cones } = doll();
    assert_eq!(segments.len(), 17);
    let mut sim = Simulation::build(m).unwrap();
    sim.set_integrator(IntegratorKind::Stepping);
    assert_eq!(sim.overlap(), 0.0);
    let mut watch = Watch::new(&mut sim);
    let (dt, mut beyond, mut accounted) = (1.0 / 240.0, 0.0f64, 0.0f64);
    let clock = std::time::Instant::now();
    for _ in 0..2400 {
        let before = sim.ledger();
        watch.step(&mut sim, dt);
        let after = sim.ledger();
        // a rise of energy is the ledger's: corrections of positions, and nothing else
        let rise = after.change - before.change;
        let given = (after.projection - before.projection).max(0.0);
        accounted = accounted.max(rise - given);
        for (hinge, lower, upper) in &hinges {
            let (angle, _) = sim.coordinate(*hinge, 0).unwrap();
            beyond = beyond.max(lower - angle).max(angle - upper);
        }
        for (a, b, limit) in &cones {
            let z = |m: &Marker| sim.axes(m.body).unwrap() * m.axes.z_axis;
            beyond = beyond.max(z(a).cross(z(b)).length().atan2(z(a).dot(z(b))) - limit);
        }
    }
    let down = sim.centre(segments[0].body);
    let ledger = sim.ledger();
    watch.print("doll on the stairs");
    println!(
        "  limits passed by {beyond:.1e} rad, rise of energy without projection {accounted:.1e} J, pelvis ends at {down:.2}, contacts took {:.1} J, projection gave {:.1e} J, {:.1} s",
        ledger.contacts,
        ledger.projection,
        clock.elapsed().as_secs_f64()
    );
    watch.demand("doll on the stairs");
    assert!(beyond <= 1e-8, "limits passed by {beyond} rad");
    assert!(accounted <= 1e-9 * watch.start.abs(), "{accounted} J from nowhere");
    assert!(down.z < 0.0, "it did not fall: {down}");
}
