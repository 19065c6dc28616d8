//! Andrews' squeezing mechanism: seven bodies, three loops that meet in one point, a spring, a constant torque; 30 ms
//! of motion at up to 1400 rad/s. As plane bodies, and in space with hinges (50 rows of rank 41).
//!
//! The three pins at E hang on body K2, so that their reactions are the multipliers of the problem's six loop equations
//! (x and y of E on K3, on K4 and on K6).

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::SampledRun;
use crate::scenes::load_with;
use holonom::JointId;
use holonom::prelude::*;

const COORDINATES: [&str; 7] = ["beta", "Theta", "gamma", "Phi", "delta", "Omega", "epsilon"];

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    squeeze(p, compare, "plane bodies", "planar")?;
    squeeze(p, compare, "hinges in space", "rigid")
}

struct Squeezer {
    /// K1 to K7.
    bodies: [BodyId; 7],
    /// Pins whose angles are the coordinates, in their order.
    angles: Vec<JointId>,
    /// The pins at E.
    meeting: Vec<JointId>,
}

/// The mechanism, its members bodies of that kind.
fn mechanism(kind: &str) -> Result<(Simulation, Squeezer), VerifyError> {
    const BODIES: [&str; 7] = ["K1", "K2", "K3", "K4", "K5", "K6", "K7"];
    let kinds = BODIES.map(|body| format!("body.{body}.kind={kind}"));
    let scene = load_with("p03-squeezer", &[], &kinds.each_ref().map(String::as_str))?;
    let (mut bodies, mut angles, mut meeting) = ([BodyId::GROUND; 7], Vec::new(), Vec::new());
    for (body, name) in bodies.iter_mut().zip(BODIES) {
        *body = scene.body(name)?;
    }
    for name in ["O", "F", "B", "G", "A5", "H", "A7"] {
        angles.push(scene.joint(name)?);
    }
    for name in ["E3", "E4", "E6"] {
        meeting.push(scene.joint(name)?);
    }
    Ok((scene.sim, Squeezer { bodies, angles, meeting }))
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

fn squeeze(p: &Reference, compare: &mut Comparison, name: &'static str, kind: &str) -> Result<(), VerifyError> {
    let (sim, squeezer) = mechanism(kind)?;
    let mut sampled = SampledRun::run(sim, p.times())?;
    compare.variant(name);
    let rows = sampled.read(|sim| {
        let all: Vec<_> = (0..7).map(|i| squeezer.angle(sim, i)).collect();
        all.iter().map(|a| a.0).chain(all.iter().map(|a| a.1)).collect()
    });
    compare.columns(&rows);

    let ends = [("start", 0), ("end", sampled.states.len() - 1)];
    for (when, sample) in ends {
        sampled.sim.set_state(sampled.states[sample].clone());
        let found = squeezer.angular_accelerations(&mut sampled.sim)?;
        let forces = squeezer.multipliers(&mut sampled.sim)?;
        if sample == 0 {
            for i in 0..2 {
                let name = format!("{}_ddot", COORDINATES[i]);
                compare.scalar(&format!("{name} at the {when}"), Some(found[i]), p.initial(&name));
            }
            compare.series(&format!("multipliers at the {when}"), &forces, &p.initials("multipliers_test_set_form"));
        } else {
            for (i, expected) in p.scalars("qddot_at_0p03").into_iter().enumerate() {
                compare.scalar(&format!("{}_ddot at the {when}", COORDINATES[i]), Some(found[i]), expected);
            }
            let expected = p.scalars("multipliers_at_0p03_test_set_form");
            compare.series(&format!("multipliers at the {when}"), &forces, &expected);
        }
    }
    // the torque does work on the crank
    let closed = sampled.read(|sim| sim.energy().total() - p.parameter("mom") * squeezer.angle(sim, 0).0);
    compare.constant("energy less work of the torque", &closed, closed[0]);
    compare.constant("joint gap", &sampled.gaps(), 0.0);
    Ok(())
}
