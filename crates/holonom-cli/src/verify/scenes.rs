//! The problems as scene files: `scenes/verification/NAME.toml`, read as a user's file would be, with parameters set as `--set` would.

use super::book::Stop;
use holonom::{BodyId, JointId, Marker, Simulation};
use holonom_scene::{Loader, Scene, gallery};

/// A scene of the verification manual, ready to run, and what is called what in it.
pub(super) struct Staged {
    pub sim: Simulation,
    scene: Scene,
}

/// Read and build a scene with some parameters changed.
pub(super) fn stage(name: &str, parameters: &[(&str, f64)]) -> Result<Staged, Stop> {
    stage_as(name, parameters, &[])
}

/// The same with further settings, as `--set` takes them.
pub(super) fn stage_as(name: &str, parameters: &[(&str, f64)], settings: &[&str]) -> Result<Staged, Stop> {
    let entry = gallery::find(name).ok_or_else(|| Stop::Scene(format!("there is no scene `{name}`")))?;
    let start = Loader { settings: settings.iter().map(|s| s.to_string()).collect(), ..Loader::new() };
    let loader = parameters.iter().fold(start, |loader, (name, value)| loader.parameter(*name, *value));
    let unusable = |failed: holonom_scene::LoadError| Stop::Scene(format!("\n{}", failed.render()));
    let loaded = loader.load_text(&format!("{name}.toml"), entry.text).map_err(unusable)?;
    let model = loaded.build().map_err(unusable)?;
    Ok(Staged { sim: Simulation::new(model), scene: loaded.scene })
}

impl Staged {
    /// A body by its name.
    pub fn body(&self, name: &str) -> Result<BodyId, Stop> {
        self.sim.model().body(name).ok_or_else(|| Stop::Scene(format!("the scene has no body `{name}`")))
    }

    /// A joint or drive by its name.
    pub fn joint(&self, name: &str) -> Result<JointId, Stop> {
        self.sim.model().joint(name).ok_or_else(|| Stop::Scene(format!("the scene has no joint `{name}`")))
    }

    /// A point by its name, `body.point`, or the origin of a body.
    pub fn point(&self, name: &str) -> Result<Marker, Stop> {
        self.scene.marker(name).ok_or_else(|| Stop::Scene(format!("the scene has no point `{name}`")))
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Result<f64, Stop> {
        let found = self.scene.params.iter().find(|(n, _)| n == name).map(|(_, value)| *value);
        found.ok_or_else(|| Stop::Scene(format!("the scene has no parameter `{name}`")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parts of a problem with numbers of their own: the crank that is led around has other lengths and another start, and the bead on the turning hoop starts where the
    /// scalar in question needs it.
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
            let id = holonom_cases::PROBLEMS.iter().find(|(id, _)| id.starts_with(short)).expect(entry.name).0;
            let problem = holonom_cases::problem(id).expect(id);
            let staged = stage(entry.name, &[]).unwrap_or_else(|e| panic!("{}: {e:?}", entry.name));
            for (name, value) in &staged.scene.params {
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
        let staged = stage("pendulum", &[]).expect("a scene of the gallery");
        assert!(staged.body("rod").is_ok() && staged.joint("pin").is_ok() && staged.point("rod").is_ok());
        assert!(matches!(staged.body("road"), Err(Stop::Scene(e)) if e.contains("`road`")));
        assert!(matches!(staged.parameter("L"), Err(Stop::Scene(_))));
        assert!(matches!(stage("pendulum", &[("L", 2.0)]), Err(Stop::Scene(e)) if e.contains("E0224")));
    }
}
