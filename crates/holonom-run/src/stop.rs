//! A run that cannot go on: what happened, to what, why probably, and what to do.

use crate::run_loop::RunLoop;
use holonom::math::Vec3;
use holonom::{AttachmentKind, BodyId, Model, Simulation, StepError};
use holonom_scene::codes::{self, Code};
use holonom_scene::fields::Val;
use holonom_scene::source::Span;
use holonom_scene::{Diagnostic, Scene};

/// When it stopped, and what had grown by then; the state of the stop is in the simulation.
pub fn moment(e: &StepError, run: &RunLoop) -> String {
    let sim = &run.sim;
    let step = match run.settings.dt {
        Some(dt) => format!("dt {dt:.1e} s"),
        None => format!("adaptive steps, the last good one {:.1e} s", sim.time() - run.before.t),
    };
    let at = format!("t = {:.6} s (step {}, {step})", sim.time(), run.steps + 1);
    match fastest(e, sim) {
        Some(grown) => format!("{at}: {grown}"),
        None => at,
    }
}

/// The message of a stop at that moment; the last good state is in the simulation, because a motion that has gone wrong
/// says nothing of how fast the mechanism really is.
pub fn explain(e: &StepError, moment: String, run: &RunLoop, scene: &Scene) -> Diagnostic {
    let (code, mut message, mut span) = headline(e, scene);
    if let Some(endless) = endless_drive(scene, run) {
        (message, span) = (format!("{}; {message}", endless.0), Some(endless.1));
    }
    let mut d = Diagnostic::error(code, format!("simulation stopped: {message}")).note("at", moment);
    d.span = span;
    let scale = time_scale(scene, run.sim.model(), &run.sim);
    let dt = run.settings.dt;
    if let Some((what, time)) = &scale {
        let ratio = match dt {
            Some(dt) if dt > *time => format!("; dt is {:.0} times longer", dt / time),
            Some(dt) if dt > 0.2 * time => "; dt is hardly shorter".into(),
            _ => String::new(),
        };
        d = d.note("note", format!("fastest time scale in the model: {what}, {time:.1e} s{ratio}"));
    }
    let suggested = dt.map(|dt| match scale {
        Some((_, time)) if dt > 0.2 * time => 0.2 * time,
        _ => 0.1 * dt,
    });
    if matches!(e, StepError::Blocked { .. }) {
        return d
            .help("give the drive a cap (`effort`) with which it gives way, or a course that ends before the stop");
    }
    if let StepError::TautLink { rate, .. } = e {
        let damped = "use  --integrator sdirk4  or  --integrator stepping, which damp what they cannot follow";
        return d.help(format!("{damped}, or  --dt {}  or less", round_down(1.0 / rate)));
    }
    if matches!(e, StepError::Unresolved { .. }) {
        return d.help("`holonom check` names the set of joints; leave a joint out, close the loop exactly, or step across with  --dt 1e-3");
    }
    let implicit = run.settings.integrator == "sdirk4";
    match (code, suggested) {
        (c, _) if c == codes::NOT_SOLVED => {
            d.help("`holonom check` says which joints are redundant or singular; `--solver sparse` copes with both")
        }
        (c, _) if c == codes::DRIVES_CONTRADICT => {
            d.help("let the drives agree, or leave one of them out, or give one an `effort` and it gives way")
        }
        (c, _) if c == codes::NOT_AS_PROMISED => d.help(
            "`holonom check` says what is special about the mechanism; without --strict the run goes on with a warning",
        ),
        (c, _) if c == codes::STUCK => {
            d.help("a drive must have a course that stays finite; `--dt` steps across what cannot be followed")
        }
        (_, Some(dt)) if !implicit => {
            d.help(format!("use  --dt {}  or less, or  --integrator implicit", round_down(dt)))
        }
        (_, Some(dt)) => d.help(format!("use  --dt {}  or less", round_down(dt))),
        (c, None) if c == codes::STEP_TOO_SMALL && !implicit => {
            d.help("use  --integrator implicit  for stiff forces, or  --dt 1e-4  to step across what is not smooth")
        }
        _ => d.help("look at the last good state: something in the scene is pulled beyond its reach"),
    }
}

/// Values and rates beyond this, in m, rad, m/s, rad/s, N or N m, are on their way to infinity.
const ENDLESS: f64 = 1e7;

/// A drive whose function of time runs to infinity about now, and its place.
fn endless_drive(scene: &Scene, run: &RunLoop) -> Option<(String, Span)> {
    let t = run.sim.time();
    // an adaptive step comes to a pole only as near as its steps let it
    let ahead = [0.0, 1e-12, 1e-9, 1e-6, 1e-4].map(|h| t + h * t.abs().max(1.0));
    let endless =
        |f: &dyn holonom::functions::Function| ahead.iter().any(|t| f.at(*t)[..2].iter().any(|x| !(x.abs() < ENDLESS)));
    scene.drives.iter().find_map(|drive| {
        let values = drive.record.values();
        let named = values.iter().find(|(_, v, _)| matches!(v, Val::Function(f) if endless(f.as_ref())))?;
        Some((format!("the `{}` of the drive `{}` runs to infinity at t = {t:.6} s", named.0, drive.name), named.2))
    })
}

/// Code, sentence, and the place of what is at fault.
fn headline(e: &StepError, scene: &Scene) -> (Code, String, Option<Span>) {
    let body = |name: &str| scene.bodies.iter().find(|b| &*b.name == name).map(|b| b.span);
    let joint = |name: &str| scene.joints.iter().chain(&scene.drives).find(|j| &*j.name == name).map(|j| j.span);
    match e {
        StepError::NotFinite { body: name, .. } => {
            (codes::LEFT_FINITE, format!("the motion of body `{name}` left the finite range"), body(name))
        }
        StepError::StepTooSmall { step, .. } => {
            (codes::STEP_TOO_SMALL, format!("the step size fell to {step:.1e} s"), None)
        }
        StepError::DriftNotCorrected { joint: name, gap, .. } => {
            (codes::NOT_KEPT, format!("joint `{name}` could not be closed, gap {gap:.1e} (m or rad)"), joint(name))
        }
        StepError::TautLink { body: name, rate, step, .. } => {
            let fast = format!("swings at {rate:.1e} rad/s under the pull of its joints");
            (codes::NOT_KEPT, format!("body `{name}` {fast}, too fast for steps of {step:.1e} s"), body(name))
        }
        StepError::Singular { name, .. } => {
            (codes::NOT_SOLVED, format!("the equations are singular at `{name}`"), joint(name).or(body(name)))
        }
        StepError::Contradiction { joint: name, rate, conflict, .. } => {
            let others: Vec<String> = conflict.iter().filter(|c| *c != name).map(|c| format!("`{c}`")).collect();
            let message = format!(
                "`{name}` cannot keep its rate: with {} kept it is off by {rate:.3e} (m/s or rad/s)",
                others.join(", ")
            );
            (codes::DRIVES_CONTRADICT, message, joint(name))
        }
        StepError::Stuck { name, speed, step, .. } => {
            let fast = format!("`{name}` moves at {speed:.1e} (m/s or rad/s)");
            (codes::STUCK, format!("time stands still at steps of {step:.1e} s: {fast}"), joint(name).or(body(name)))
        }
        StepError::Unresolved { joint: name, step, .. } => {
            let message = format!(
                "steps have fallen to {step:.1e} s: rows of `{name}` repeat those of other joints but for a part that is next to rounding"
            );
            (codes::NOT_SOLVED, message, joint(name))
        }
        StepError::NotCertified { what, .. } => (codes::NOT_AS_PROMISED, what.clone(), None),
        StepError::NotConverged { what, residual, iterations, .. } => {
            (codes::NOT_SOLVED, format!("{what} did not converge: {residual:.1e} after {iterations} iterations"), None)
        }
        StepError::Blocked { drives, .. } => {
            (codes::NOT_KEPT, e.to_string(), drives.first().and_then(|drive| joint(drive)))
        }
        other => (codes::NOT_SOLVED, other.to_string(), None),
    }
}

/// The speed that grew, at the last good state.
fn fastest(e: &StepError, sim: &Simulation) -> Option<String> {
    let model = sim.model();
    let body = match e {
        StepError::NotFinite { body, .. } => model.body(body)?,
        _ => model.bodies().max_by(|a, b| speed(sim, *a).total_cmp(&speed(sim, *b)))?,
    };
    // the largest component: squares may be too large for a number
    let size = |v: Vec3| v.abs().max_element();
    let (v, w) = (size(sim.centre_velocity(body)), sim.spin(body).map_or(0.0, size));
    let name = model.body_name(body);
    Some(if w * model.length_scale() > v {
        format!("body `{name}` turns at {w:.2e} rad/s")
    } else {
        format!("body `{name}` moves at {v:.2e} m/s")
    })
}

fn speed(sim: &Simulation, body: BodyId) -> f64 {
    sim.centre_velocity(body).length() + sim.spin(body).map_or(0.0, Vec3::length) * sim.model().length_scale()
}

/// The shortest time in which something can happen, s: springs and dampers against the lightest body they act on, and
/// turning bodies. An estimate from what the scene says; laws of the user are not looked into.
pub fn time_scale(scene: &Scene, model: &Model, sim: &Simulation) -> Option<(String, f64)> {
    let mut best: Option<(String, f64)> = None;
    let mut offer = |what: String, time: f64| {
        if time.is_finite() && time > 0.0 && best.as_ref().is_none_or(|b| time < b.1) {
            best = Some((what, time));
        }
    };
    for force in model.forces() {
        let name = model.force_name(force);
        let Some(link) = scene.forces.iter().find(|l| &*l.name == name) else { continue };
        let attachments = model.law(force).attachments();
        let turns = attachments.iter().any(|a| a.what == AttachmentKind::Spin);
        let inertia = attachments.iter().filter_map(|a| a.body.index()).map(|i| inertia(scene, i, turns));
        let lightest = inertia.fold(f64::INFINITY, f64::min);
        for (field, is_spring) in
            [("stiffness", true), ("rotational_stiffness", true), ("damping", false), ("rotational_damping", false)]
        {
            let Some(k) = link.record.number(field).filter(|k| *k > 0.0) else { continue };
            let time = lightest / k;
            offer(format!("{} of `{name}`", field.replace('_', " ")), if is_spring { time.sqrt() } else { time });
        }
    }
    for body in model.bodies() {
        let w = sim.spin(body).map_or(0.0, Vec3::length);
        offer(format!("the turning of `{}`", model.body_name(body)), 1.0 / w);
    }
    best
}

/// Mass of a body (kg), or its smallest moment of inertia (kg m^2).
fn inertia(scene: &Scene, body: usize, turns: bool) -> f64 {
    let Some(mass) = scene.bodies.get(body).and_then(|b| b.mass) else { return f64::INFINITY };
    if !turns {
        return mass.mass;
    }
    let i = &mass.inertia;
    i.x_axis.x.min(i.y_axis.y).min(i.z_axis.z)
}

/// One digit, not larger.
fn round_down(x: f64) -> String {
    if !(x > 0.0 && x.is_finite()) {
        return "a smaller step".into();
    }
    let power = 10f64.powf(x.log10().floor());
    let digit = (x / power + 1e-9).floor().max(1.0);
    format!("{digit}e{}", power.log10().round() as i64)
}

#[cfg(test)]
mod tests {
    use super::round_down;

    #[test]
    fn suggestions_have_one_digit() {
        assert_eq!(round_down(1e-4), "1e-4");
        assert_eq!(round_down(0.000_45), "4e-4");
        assert_eq!(round_down(0.5), "5e-1");
    }
}
