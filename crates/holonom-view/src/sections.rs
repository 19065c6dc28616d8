//! The numbers of a frame's sections at the present state of a simulation: see [`FrameSection`] for what each of them
//! holds.
//!
//! Everything that can be known beforehand (where centres of mass lie in bodies, what forces act on, which loads are
//! unique) is found once, when the picture is made. Poses, shears, velocities and the centre need no solution of the
//! equations; the rest does, and is empty where they cannot be solved. What does not exist is NaN.

use crate::message::FrameSection;
use crate::picture::frames::{ActionPoint, places};
use crate::picture::{Picture, is_somewhere, local_centre};
use holonom::math::Vec3;
use holonom::{
    Attachment, AttachmentKind, BodyId, Friction, JointCondition, JointId, Marker, Model, Observation, Simulation,
};

/// What is found once.
#[derive(Clone, Debug, Default)]
pub struct FrameSections {
    /// Centre of mass in the frame of each body.
    centres: Vec<Option<Marker>>,
    deforming: Vec<BodyId>,
    /// Of the joints that are the model's own: is the load unique?
    unique: Vec<bool>,
    /// Are loads of redundant joints split as the doctor does, at every moment?
    split: bool,
    /// Places of every force that is the model's own.
    places: Vec<Vec<ActionPoint>>,
    pushes: Vec<Vec3>,
}

/// Numbers of one entry of a section.
pub fn width(section: FrameSection) -> usize {
    match section {
        FrameSection::Poses => 7,
        FrameSection::Shears => 9,
        FrameSection::Reactions => 10,
        FrameSection::Applied => 9,
        FrameSection::Contacts => 8,
        FrameSection::Velocities => 9,
        FrameSection::Accelerations => 6,
        FrameSection::Centre => 6,
    }
}

/// Loads of redundant joints are split as the doctor does where groups of loops have at most so many rows: that is
/// cubic in them, and done sixty times a second. In larger groups they are as the solver found them, and marked as not
/// unique all the same.
const MOST_SPLIT: usize = 200;

const NONE: Vec3 = Vec3::NAN;

fn put(out: &mut Vec<f32>, v: Vec3) {
    out.extend([v.x as f32, v.y as f32, v.z as f32]);
}

impl FrameSections {
    /// Of a model and the picture that was made of it.
    pub fn new(model: &Model, picture: &Picture) -> Self {
        let centre = |body: BodyId| local_centre(model, body).map(|p| body.at(p));
        FrameSections {
            centres: model.bodies().map(centre).collect(),
            deforming: picture.deforming.iter().map(|&i| BodyId::from_index(i as usize)).collect(),
            unique: picture.joints.iter().map(|j| j.unique).collect(),
            split: model.loops().iter().all(|g| g.iter().map(|j| model.rows_of(*j).len()).sum::<usize>() <= MOST_SPLIT),
            places: model
                .forces()
                .take(picture.forces.len())
                .map(|f| places(model, model.law(f).attachments()))
                .collect(),
            pushes: Vec::new(),
        }
    }

    /// Does any body shear or stretch?
    pub fn deforms(&self) -> bool {
        !self.deforming.is_empty()
    }

    /// Append the numbers of a section: whole entries of [`width`] numbers. The simulation may have more joints than
    /// the picture (hands), but the same bodies and forces before any others.
    pub fn fill(&mut self, section: FrameSection, sim: &mut Simulation, out: &mut Vec<f32>) {
        match section {
            FrameSection::Poses => poses(sim, out),
            FrameSection::Shears => self.shears(sim, out),
            FrameSection::Velocities => velocities(sim, out),
            FrameSection::Centre => centre(sim, out),
            FrameSection::Reactions | FrameSection::Applied | FrameSection::Contacts | FrameSection::Accelerations => {
                let model = sim.model().clone();
                let split = self.split && section == FrameSection::Reactions;
                let seen = if split { sim.observe() } else { sim.observe_unsplit() };
                let Ok(mut seen) = seen else { return };
                match section {
                    FrameSection::Reactions => self.reactions(&model, &mut seen, out),
                    FrameSection::Applied => self.applied(&model, &seen, out),
                    FrameSection::Contacts => contacts(&seen, out),
                    _ => self.accelerations(&model, &seen, out),
                }
            }
        }
    }

    fn shears(&self, sim: &Simulation, out: &mut Vec<f32>) {
        let (model, state) = (sim.model(), sim.state());
        for &body in &self.deforming {
            for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
                put(out, model.carried(state, &Attachment::direction(body, axis)).unwrap_or(NONE));
            }
        }
    }

    fn reactions(&self, model: &Model, seen: &mut Observation, out: &mut Vec<f32>) {
        let joints: Vec<JointId> = model.joints().take(self.unique.len()).collect();
        for (&joint, &unique) in joints.iter().zip(&self.unique) {
            let constraint = model.constraint(joint);
            let on = constraint.attachments().get(constraint.reference()).map(|a| a.body);
            let nowhere = on.is_some_and(|b| !is_somewhere(model, b));
            if nowhere || model.condition(joint) == JointCondition::Broken || model.n_multipliers(joint) == 0 {
                out.extend([f32::NAN; 10]);
                continue;
            }
            let r = seen.reaction(joint);
            put(out, r.point);
            put(out, r.force);
            put(out, r.torque);
            out.push(if unique { 1.0 } else { 0.0 });
        }
    }

    fn applied(&mut self, model: &Model, seen: &Observation, out: &mut Vec<f32>) {
        for (force, places) in model.forces().zip(&self.places) {
            seen.pushes(force, &mut self.pushes);
            let attachments = model.law(force).attachments();
            for place in places {
                let (mut push, mut torque) = (Vec3::ZERO, Vec3::ZERO);
                for &k in &place.through {
                    let g = self.pushes[k];
                    match attachments[k].what {
                        AttachmentKind::Point(_) => push += g,
                        AttachmentKind::Spin => torque += g,
                        AttachmentKind::Direction(_) => {
                            torque += seen.carried(&attachments[k]).map_or(Vec3::ZERO, |d| d.at.cross(g))
                        }
                    }
                }
                put(out, seen.point(place.body.at(place.point)).map_or(NONE, |p| p.at));
                put(out, push);
                put(out, torque);
            }
        }
    }

    fn accelerations(&self, model: &Model, seen: &Observation, out: &mut Vec<f32>) {
        for (body, centre) in model.bodies().zip(&self.centres) {
            match centre.and_then(|c| seen.point(c)) {
                Some(now) => {
                    put(out, now.at);
                    put(out, now.acceleration);
                }
                None => {
                    put(out, if is_somewhere(model, body) { seen.centre(body).0 } else { NONE });
                    put(out, NONE);
                }
            }
        }
    }
}

fn poses(sim: &Simulation, out: &mut Vec<f32>) {
    let (model, state) = (sim.model(), sim.state());
    out.reserve(7 * model.n_bodies());
    for body in model.bodies() {
        let at = model.carried(state, &Attachment::point(body, Vec3::ZERO));
        put(out, at.filter(|_| is_somewhere(model, body)).unwrap_or(NONE));
        match model.orientation(state, body) {
            // integrators leave the unit sphere by rounding only
            Some(q) => out.extend([q.x as f32, q.y as f32, q.z as f32, q.w as f32]),
            None => out.extend([f32::NAN; 4]),
        }
    }
}

fn velocities(sim: &Simulation, out: &mut Vec<f32>) {
    let model = sim.model();
    for body in model.bodies() {
        let somewhere = is_somewhere(model, body);
        put(out, if somewhere { sim.centre(body) } else { NONE });
        put(out, if somewhere { sim.centre_velocity(body) } else { NONE });
        put(out, sim.spin(body).unwrap_or(NONE));
    }
}

fn centre(sim: &Simulation, out: &mut Vec<f32>) {
    let model = sim.model();
    let mass: f64 = model.bodies().map(|b| model.mass(b)).sum();
    let moment: Vec3 = model.bodies().map(|b| model.mass(b) * sim.centre(b)).sum();
    // without any mass 0 / 0 says what is to be said
    put(out, moment / mass);
    put(out, sim.momentum().linear / mass);
}

fn contacts(seen: &Observation, out: &mut Vec<f32>) {
    for c in seen.contacts() {
        put(out, c.point);
        put(out, c.force);
        out.push(c.gap as f32);
        out.push(match c.friction {
            Friction::Stick => 0.0,
            Friction::Slip => 1.0,
            Friction::None => 2.0,
        });
    }
}
