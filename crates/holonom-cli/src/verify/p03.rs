//! Andrews' squeezing mechanism: seven bodies, three loops that meet in one point, a spring, a constant torque; 30 ms of motion at up to
//! 1400 rad/s. As plane bodies, and in space with hinges (50 rows of rank 41).
//!
//! Body axes: the angle of each body is the one the problem gives it, x along c(angle); so s(angle) is the body's -y, and all seven
//! coordinates of the problem are angles of pins. The three pins at E hang on body K2, so that their reactions are the multipliers of the
//! problem's six loop equations (x and y of E on K3, on K4 and on K6).

use super::book::{Book, Stop};
use super::plane::{Made, Plate, ground, pin};
use super::track::Track;
use holonom::JointId;
use holonom::prelude::*;
use holonom_cases::Problem;

const COORDINATES: [&str; 7] = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"];

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    squeeze(p, book, "plane bodies", Made::Plane)?;
    squeeze(p, book, "hinges in space", Made::Space)
}

struct Squeezer {
    /// K1 to K7.
    bodies: [BodyId; 7],
    /// Pins whose angles are the coordinates, in their order.
    angles: [JointId; 7],
    /// The pins at E.
    meeting: [JointId; 3],
}

fn mechanism(p: &Problem, made: Made) -> (ModelBuilder, Squeezer) {
    let mut m = ModelBuilder::new();
    m.gravity(Vec3::ZERO);
    let k = |name: &str| p.parameter(name);
    let [beta, theta, gamma, phi, delta, omega, epsilon] = COORDINATES.map(|name| p.initial(name));
    let along = |from: [f64; 2], angle: f64, by: f64| [from[0] + by * angle.cos(), from[1] + by * angle.sin()];
    let across = |from: [f64; 2], angle: f64, by: f64| [from[0] + by * angle.sin(), from[1] - by * angle.cos()];
    let (o, a, b) = ([0.0, 0.0], [k("xa"), k("ya")], [k("xb"), k("yb")]);
    let (f, g, h) = (along(o, beta, k("rr")), along(a, delta, k("zt")), across(a, epsilon, k("u")));

    let mut body = |n: usize, at: [f64; 2], angle: f64, centre: [f64; 2]| {
        let plate = Plate::new(k(&format!("m{n}")), k(&format!("I{n}")), at, angle).centre(centre[0], centre[1]);
        plate.add(made, &mut m, &format!("K{n}"))
    };
    let k1 = body(1, o, beta, [k("ra"), 0.0]);
    let k2 = body(2, f, beta + theta, [-k("da"), 0.0]);
    let k3 = body(3, b, gamma, [k("sb"), -k("sa")]);
    let k4 = body(4, g, phi + delta, [0.0, k("ea") - k("e")]);
    let k5 = body(5, a, delta, [k("ta"), k("tb")]);
    let k6 = body(6, h, omega + epsilon, [k("zf") - k("fa"), 0.0]);
    let k7 = body(7, a, epsilon, [-k("ub"), -k("ua")]);

    let at = |body: BodyId, x: f64, y: f64| body.at([x, y, 0.0]);
    let angles = [
        pin(&mut m, "O", ground(o), k1.origin()),
        pin(&mut m, "F", at(k1, k("rr"), 0.0), k2.origin()),
        pin(&mut m, "B", ground(b), k3.origin()),
        pin(&mut m, "G", at(k5, k("zt"), 0.0), k4.origin()),
        pin(&mut m, "A of K5", ground(a), k5.origin()),
        pin(&mut m, "H", at(k7, 0.0, -k("u")), k6.origin()),
        pin(&mut m, "A of K7", ground(a), k7.origin()),
    ];
    let e = at(k2, -k("d"), 0.0);
    let meeting = [
        pin(&mut m, "E of K3", e, at(k3, 0.0, -k("ss"))),
        pin(&mut m, "E of K4", e, at(k4, 0.0, -k("e"))),
        pin(&mut m, "E of K6", e, at(k6, k("zf"), 0.0)),
    ];
    m.force("spring", Spring::new(at(k3, k("sd"), -k("sc")), ground([k("xc"), k("yc")]), k("c0"), k("l0")));
    m.force("torque", Torque::new(k1, [0.0, 0.0, k("mom")]));
    (m, Squeezer { bodies: [k1, k2, k3, k4, k5, k6, k7], angles, meeting })
}

impl Squeezer {
    fn angle(&self, sim: &mut Simulation, i: usize) -> (f64, f64) {
        sim.coordinate(self.angles[i], 0).unwrap_or((f64::NAN, f64::NAN))
    }

    /// Second derivatives of the seven coordinates.
    fn angular_accelerations(&self, sim: &mut Simulation) -> Result<[f64; 7], StepError> {
        let model = sim.model().clone();
        let rates = sim.accelerations()?;
        // the last velocity coordinate of either kind of body is its turning about z
        let [k1, k2, k3, k4, k5, k6, k7] = self.bodies.map(|body| rates[model.v_range(body).end - 1]);
        Ok([k1, k2 - k1, k3, k4 - k5, k5, k6 - k7, k7])
    }

    /// The multipliers of the loop equations.
    fn multipliers(&self, sim: &mut Simulation) -> Result<[f64; 6], StepError> {
        let mut all = [0.0; 6];
        for (joint, pair) in self.meeting.iter().zip(all.chunks_exact_mut(2)) {
            pair.copy_from_slice(&sim.reaction(*joint)?.force.to_array()[..2]);
        }
        Ok(all)
    }
}

fn squeeze(p: &Problem, book: &mut Book, name: &'static str, made: Made) -> Result<(), Stop> {
    let (m, squeezer) = mechanism(p, made);
    let mut track = Track::run(Simulation::build(m)?, p.times())?;
    book.variant(name);
    let rows = track.read(|sim| {
        let all: Vec<_> = (0..7).map(|i| squeezer.angle(sim, i)).collect();
        all.iter().map(|a| a.0).chain(all.iter().map(|a| a.1)).collect()
    });
    book.columns(&rows);

    let ends = [("start", 0), ("end", track.states.len() - 1)];
    for (when, sample) in ends {
        track.sim.set_state(track.states[sample].clone());
        let found = squeezer.angular_accelerations(&mut track.sim)?;
        let forces = squeezer.multipliers(&mut track.sim)?;
        if sample == 0 {
            for i in 0..2 {
                let name = format!("{}_ddot", COORDINATES[i]);
                book.scalar(&format!("{name} at the {when}"), Some(found[i]), p.initial(&name));
            }
            book.series(&format!("multipliers at the {when}"), &forces, &p.initials("multipliers_test_set_form"));
        } else {
            for (i, expected) in p.scalars("qddot_at_0p03").into_iter().enumerate() {
                book.scalar(&format!("{}_ddot at the {when}", COORDINATES[i]), Some(found[i]), expected);
            }
            let expected = p.scalars("multipliers_at_0p03_test_set_form");
            book.series(&format!("multipliers at the {when}"), &forces, &expected);
        }
    }
    // the torque does work on the crank
    let closed = track.read(|sim| sim.energy().total() - p.parameter("mom") * squeezer.angle(sim, 0).0);
    book.constant("energy less work of the torque", &closed, closed[0]);
    book.constant("joint gap", &track.gaps(), 0.0);
    Ok(())
}
