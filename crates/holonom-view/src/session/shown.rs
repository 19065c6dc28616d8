//! What a session shows: pictures, frames, answers, downloads.

use super::{Origin, Session};
use crate::hub::Download;
use crate::message::{FrameHeader, Mode, Question, Section, encode_frame};
use crate::numbers;
use crate::picture::{Picture, picture};
use crate::session::Refusal;
use holonom::{Quat, Simulation};
use holonom_scene::{Loader, Quantities, gallery};
use serde_json::{Value, json};

/// Most rows of a backlog or a table of recorded quantities.
const MOST_ROWS: usize = 4000;

impl Session {
    /// What is to be drawn.
    pub fn picture(&mut self) -> Picture {
        let mut out = picture(&self.loaded.scene, &mut self.sim, self.own_joints);
        (out.revision, out.tick) = (self.revision, self.pace.tick);
        out.name.clone_from(&self.origin.name);
        out
    }

    /// What is to be seen now.
    pub fn frame(&mut self, mut header: FrameHeader, wanted: &[Section], watched: &[String]) -> Vec<u8> {
        let energy = self.sim.energy();
        (header.kinetic, header.potential) = (energy.kinetic, energy.total() - energy.kinetic);
        (header.tick, header.time, header.past, header.mode) = (self.tick, self.sim.time(), self.past, self.mode);
        (header.integrator, header.gap) = (self.integrator(), self.gap);
        header.recorded = self.history.span();
        if !self.past {
            header.recorded[1] = self.tick;
        }
        header.revision = self.revision;
        header.hands = self.hands.all().iter().map(|h| h.now(&mut self.sim)).collect();
        header.values = self.values(watched);
        let _ = wanted;
        let mut poses = Vec::with_capacity(7 * self.sim.model().n_bodies());
        push_poses(&self.sim, &mut poses);
        encode_frame(&mut header, &[(Section::Poses, 7, &poses)])
    }

    fn values(&mut self, names: &[String]) -> std::collections::BTreeMap<String, Option<f64>> {
        let mut out = std::collections::BTreeMap::new();
        for name in names {
            let Ok(mut q) = Quantities::of_scene(self.sim.model(), &self.loaded.scene, &[name.as_str()]) else {
                out.insert(name.clone(), None);
                continue;
            };
            let mut values = vec![f64::NAN; q.len()];
            let value = q.read(&mut self.sim, &mut values).ok().and(values.last().copied()).filter(|x| x.is_finite());
            out.insert(name.clone(), value);
        }
        out
    }

    /// Answer a question.
    pub fn answer(&mut self, question: &Question) -> Result<Value, String> {
        match question {
            Question::Gallery => Ok(numbers::gallery(self.own_name())),
            Question::Doctor => numbers::doctor(&self.loaded.scene, &mut self.sim),
            Question::Quantities => numbers::quantities(&self.loaded.scene, &mut self.sim),
            Question::Ledger => numbers::ledger(&self.loaded.scene, &mut self.sim),
            Question::Spy { matrix } => numbers::spy(&self.loaded.scene, &mut self.sim, matrix),
            Question::Backlog { names } => self.backlog(names),
            Question::Scene => Ok(json!({ "name": self.origin.name, "text": self.scene_text() })),
            Question::Details { .. } | Question::Palette => Err("nothing can be built yet".into()),
        }
    }

    /// The scene as text.
    pub fn scene_text(&self) -> String {
        self.origin.text.clone()
    }

    /// The scene that the program was started with.
    pub fn own_name(&self) -> Option<&str> {
        None
    }

    /// A table of recorded quantities, thinned out to what can be looked at.
    fn table(&mut self, names: &[String], most: usize) -> Result<(Quantities, Vec<Vec<f64>>), String> {
        let patterns: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut q = Quantities::of_scene(self.sim.model(), &self.loaded.scene, &patterns)
            .map_err(|unknown| unknown.diagnostic(None).message)?;
        let moments = self.history.moments();
        let stride = moments.len().div_ceil(most).max(1);
        let mut rows = Vec::with_capacity(moments.len() / stride + 1);
        let mut look = Simulation::new(self.sim.model().clone());
        for moment in moments.iter().step_by(stride) {
            look.return_to(&moment.checkpoint);
            let mut row = vec![f64::NAN; q.len()];
            // where forces do not exist there are none to tell of
            let _ = q.read(&mut look, &mut row);
            rows.push(row);
        }
        Ok((q, rows))
    }

    fn backlog(&mut self, names: &[String]) -> Result<Value, String> {
        let (q, rows) = self.table(names, MOST_ROWS)?;
        let column =
            |k: usize| -> Vec<Option<f64>> { rows.iter().map(|r| Some(r[k]).filter(|x| x.is_finite())).collect() };
        let ticks: Vec<u64> = self.history.moments().iter().map(|m| m.tick).collect();
        let stride = ticks.len().div_ceil(MOST_ROWS).max(1);
        Ok(json!({
            "names": q.names().collect::<Vec<_>>(),
            "units": q.units().collect::<Vec<_>>(),
            "ticks": ticks.iter().step_by(stride).collect::<Vec<_>>(),
            "values": (0..q.len()).map(column).collect::<Vec<_>>(),
        }))
    }

    /// Something to download.
    pub fn download(&mut self, what: &Download) -> Result<Vec<u8>, String> {
        match what {
            Download::Scene => Ok(self.scene_text().into_bytes()),
            Download::Inputs => Ok(self.log_text().into_bytes()),
            Download::Csv { names } => {
                let (q, rows) = self.table(names, usize::MAX)?;
                let mut out = q.names().collect::<Vec<_>>().join(",");
                out.push('\n');
                for row in rows {
                    let cells: Vec<String> =
                        row.iter().map(|x| if x.is_nan() { String::new() } else { format!("{x:?}") }).collect();
                    out += &cells.join(",");
                    out.push('\n');
                }
                Ok(out.into_bytes())
            }
        }
    }

    // ---- opening -----------------------------------------------------------------------------------------------

    /// Open a scene of the gallery.
    pub fn open_named(&mut self, name: &str) -> Result<(), Refusal> {
        let entry = gallery::find(name).ok_or_else(|| format!("there is no scene `{name}` in the gallery"))?;
        self.open_own(name, entry.text)
    }

    /// Open a scene from its text.
    pub fn open_own(&mut self, name: &str, text: &str) -> Result<(), Refusal> {
        self.open_text(name, text, None, &Loader::new()).map_err(|details| Refusal {
            message: format!("the scene `{name}` cannot be opened"),
            details: Some(details),
        })
    }

    /// An empty scene.
    pub fn open_new(&mut self) {
        let revision = self.revision;
        *self = Session { revision: revision + 1, ..Session::new() };
    }

    /// Where the present scene came from.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// How the mechanism answers.
    pub fn mode(&self) -> Mode {
        self.mode
    }
}

fn push_poses(sim: &Simulation, out: &mut Vec<f32>) {
    for body in sim.model().bodies() {
        let at = sim.point(body.origin()).0;
        let turn = sim.axes(body).map(|m| Quat::from_mat3(&m).to_array()).unwrap_or([f64::NAN; 4]);
        out.extend(at.to_array().iter().chain(&turn).map(|&x| x as f32));
    }
}
