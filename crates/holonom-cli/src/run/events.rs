//! What happened in a run and when: the stream of `--events`, one line of JSON each.
//!
//! ```text
//! {"time": s, "event": "begin", "a": BODY, "b": BODY, "point": [x, y, z]}                 two shapes begin to touch
//! {"time": s, "event": "end", "a": BODY, "b": BODY}                                        they touch no more
//! {"time": s, "event": "impact", "a", "b", "point", "impulse": [x, y, z], "speed": m/s}    impulse on a, N s, friction included
//! {"time": s, "event": "slip" | "stick", "a", "b", "point"}                                with events only
//! {"time": s, "event": "enter" | "leave", "a": BODY of the sensor, "b": BODY, "point"}     sensors
//! {"time": s, "event": ..., "joint": NAME, "impulse": number, "speed"}                     stops and ropes
//! ```
//!
//! `shape_a` and `shape_b` are the numbers of the shapes, in the order of the scene: bodies first, then the ground. Two
//! shapes touch from the first of their touches to the last; what touches when the run begins has begun then. Times are
//! exact where events are followed; where time is stepped they are the ends of steps, and impulses those of the whole
//! step.

use super::lines::LineFile;
use crate::error::CliError;
use holonom::{Event, EventKind, EventPlace, JointId, Model, ShapeId, Simulation, Vec3};
use holonom_run::RunLoop;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Most events of one step.
const NEWEST: usize = 1 << 20;

/// Who an event is about: two shapes, or a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Who {
    Shapes(ShapeId, ShapeId),
    Joint(JointId),
}

/// The stream of `--events`.
pub(crate) struct EventStream {
    file: LineFile,
    /// Touches that carry, by who.
    touches: BTreeMap<Who, BTreeSet<u64>>,
}

impl EventStream {
    /// Open the file, and write down what touches at the start.
    pub fn begin(path: &Path, run: &mut RunLoop) -> Result<EventStream, CliError> {
        let mut stream = EventStream { file: LineFile::create(path)?, touches: BTreeMap::new() };
        run.sim.keep_events(NEWEST);
        // asked through another simulation: the motion is the same with and without a stream
        let mut probe = run.settings.simulation(run.sim.model())?;
        probe.set_state(run.sim.state().clone());
        let time = run.sim.time();
        let mut begun = BTreeMap::new();
        for c in probe.contacts().unwrap_or_default().iter().filter(|c| c.force.length() > 0.0) {
            let who = Who::Shapes(c.shapes.0, c.shapes.1);
            stream.touches.entry(who).or_default().insert(c.key);
            begun.entry(who).or_insert(c.point);
        }
        for (who, point) in begun {
            stream.line(run.sim.model(), time, "begin", who, Some(point), None)?;
        }
        Ok(stream)
    }

    /// The events of the step just taken.
    pub fn after_step(&mut self, sim: &mut Simulation) -> Result<(), CliError> {
        let events = sim.take_events();
        let model = sim.model();
        for moment in events.chunk_by(|a, b| a.time == b.time) {
            self.moment(model, moment)?;
        }
        Ok(())
    }

    /// Events of one moment: what follows from each other is one line.
    fn moment(&mut self, model: &Model, events: &[Event]) -> Result<(), CliError> {
        let time = events[0].time;
        let mut struck: BTreeMap<Who, (Vec3, f64, Option<Vec3>)> = BTreeMap::new();
        let mut changed: BTreeMap<Who, (bool, Option<Vec3>)> = BTreeMap::new();
        let mut others = Vec::new();
        for e in events {
            let (who, key) = who(&e.place);
            let touches = self.touches.entry(who).or_default();
            let touched = !touches.is_empty();
            match e.kind {
                EventKind::Impact => {
                    let known = struck.entry(who).or_insert((Vec3::ZERO, 0.0, e.point));
                    (known.0, known.1) = (known.0 + e.impulse, known.1.max(e.speed));
                }
                EventKind::Closes => {
                    changed.entry(who).or_insert((touched, e.point));
                    touches.insert(key);
                }
                EventKind::Opens => {
                    changed.entry(who).or_insert((touched, e.point));
                    touches.remove(&key);
                }
                EventKind::Slips => others.push(("slip", who, e.point)),
                EventKind::Sticks => others.push(("stick", who, e.point)),
                EventKind::Enters => others.push(("enter", who, e.point)),
                EventKind::Leaves => others.push(("leave", who, e.point)),
            }
        }
        for (who, (impulse, speed, point)) in struck {
            self.line(model, time, "impact", who, point, Some((impulse, speed)))?;
        }
        for (who, (touched, point)) in changed {
            match (touched, self.touches.get(&who).is_some_and(|t| !t.is_empty())) {
                (false, true) => self.line(model, time, "begin", who, point, None)?,
                (true, false) => self.line(model, time, "end", who, None, None)?,
                _ => {}
            }
        }
        for (name, who, point) in others {
            self.line(model, time, name, who, point, None)?;
        }
        Ok(())
    }

    fn line(
        &mut self,
        model: &Model,
        time: f64,
        event: &str,
        who: Who,
        point: Option<Vec3>,
        struck: Option<(Vec3, f64)>,
    ) -> Result<(), CliError> {
        let mut line = Map::new();
        let mut put = |name: &str, value: Value| line.insert(name.into(), value);
        put("time", json!(time));
        put("event", json!(event));
        match who {
            Who::Shapes(a, b) => {
                put("a", json!(model.body_name(model.shape(a).1)));
                put("b", json!(model.body_name(model.shape(b).1)));
                put("shape_a", json!(a.index()));
                put("shape_b", json!(b.index()));
            }
            Who::Joint(joint) => {
                put("joint", json!(model.joint_name(joint)));
            }
        }
        if let Some(point) = point {
            put("point", json!(point.to_array()));
        }
        if let Some((impulse, speed)) = struck {
            put("impulse", if matches!(who, Who::Joint(_)) { json!(impulse.x) } else { json!(impulse.to_array()) });
            put("speed", json!(speed));
        }
        self.file.write(&Value::Object(line))
    }

    /// All lines are in the file.
    pub fn finish(mut self) -> Result<(), CliError> {
        self.file.finish()
    }
}

fn who(place: &EventPlace) -> (Who, u64) {
    match *place {
        EventPlace::Contact { shapes: (a, b), key } => (Who::Shapes(a, b), key),
        EventPlace::Joint { joint, row } => (Who::Joint(joint), row as u64),
    }
}
