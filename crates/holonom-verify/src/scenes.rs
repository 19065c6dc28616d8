//! The problems as scene files: `scenes/verification/NAME.toml`, read as a user's file would be, with parameters set as
//! `--set` would.

use crate::comparison::VerifyError;
use holonom::{BodyId, JointId, Marker, Simulation};
use holonom_scene::{Loader, Scene, gallery};

/// A scene of the verification manual, ready to run, and what is called what in it.
pub(crate) struct ProblemScene {
    pub sim: Simulation,
    scene: Scene,
}

/// Read and build a scene with some parameters changed.
pub(crate) fn load(name: &str, parameters: &[(&str, f64)]) -> Result<ProblemScene, VerifyError> {
    load_with(name, parameters, &[])
}

/// The same with further settings, as `--set` takes them.
pub(crate) fn load_with(
    name: &str,
    parameters: &[(&str, f64)],
    settings: &[&str],
) -> Result<ProblemScene, VerifyError> {
    let entry = gallery::find(name).ok_or_else(|| VerifyError::Scene(format!("there is no scene `{name}`")))?;
    let start = Loader { settings: settings.iter().map(|s| s.to_string()).collect(), ..Loader::new() };
    let loader = parameters.iter().fold(start, |loader, (name, value)| loader.parameter(*name, *value));
    let unusable = |failed: holonom_scene::LoadError| VerifyError::Scene(format!("\n{}", failed.render()));
    let loaded = loader.load_text(&format!("{name}.toml"), entry.text).map_err(unusable)?;
    let model = loaded.build().map_err(unusable)?;
    Ok(ProblemScene { sim: Simulation::new(model), scene: loaded.scene })
}

impl ProblemScene {
    /// A body by its name.
    pub fn body(&self, name: &str) -> Result<BodyId, VerifyError> {
        self.sim.model().body(name).ok_or_else(|| VerifyError::Scene(format!("the scene has no body `{name}`")))
    }

    /// A joint or drive by its name.
    pub fn joint(&self, name: &str) -> Result<JointId, VerifyError> {
        self.sim.model().joint(name).ok_or_else(|| VerifyError::Scene(format!("the scene has no joint `{name}`")))
    }

    /// A point by its name, `body.point`, or the origin of a body.
    pub fn point(&self, name: &str) -> Result<Marker, VerifyError> {
        self.scene.marker(name).ok_or_else(|| VerifyError::Scene(format!("the scene has no point `{name}`")))
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Result<f64, VerifyError> {
        let found = self.scene.params.iter().find(|(n, _)| n == name).map(|(_, value)| *value);
        found.ok_or_else(|| VerifyError::Scene(format!("the scene has no parameter `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts of a problem with numbers of their own: the crank that is led around has other lengths and another start,
    /// and the bead on the turning hoop starts where the scalar in question needs it.
    const OTHERWISE: &[(&str, &str)] = &[
        ("p11-slider-crank-led", "L1"),
        ("p11-slider-crank-led", "L2"),
        ("p11-slider-crank-led", "theta"),
        ("p11-slider-crank-led-space", "L1"),
        ("p11-slider-crank-led-space", "L2"),
        ("p11-slider-crank-led-space", "theta"),
        ("p22-turning-hoop", "theta"),
    ];

    /// The numbers of the scenes are those of the problems, but for the few above.
    #[test]
    fn parameters_are_those_of_the_problem() {
        let mut wrong = Vec::new();
        for entry in gallery::VERIFICATION {
            let short = entry.name.split('-').next().unwrap_or_default();
            let name = crate::names().find(|name| name.starts_with(short)).expect(entry.name);
            let problem = crate::problem(name).expect(name);
            let loaded = load(entry.name, &[]).unwrap_or_else(|e| panic!("{}: {e:?}", entry.name));
            for (name, value) in &loaded.scene.params {
                let Some(known) = problem.given(name) else { continue };
                if (known == *value) == OTHERWISE.contains(&(entry.name, name.as_str())) {
                    wrong.push(format!("{}: {name} = {value}, in the problem {known}", entry.name));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn what_is_not_there_is_named() {
        let loaded = load("pendulum", &[]).expect("a scene of the gallery");
        assert!(loaded.body("rod").is_ok() && loaded.joint("pin").is_ok() && loaded.point("rod").is_ok());
        assert!(matches!(loaded.body("road"), Err(VerifyError::Scene(e)) if e.contains("`road`")));
        assert!(matches!(loaded.parameter("L"), Err(VerifyError::Scene(_))));
        assert!(matches!(load("pendulum", &[("L", 2.0)]), Err(VerifyError::Scene(e)) if e.contains("E0224")));
    }
}
