//! What a step runs into that it did not foresee.
//!
//! Rows of a step are those of features that are near each other where it begins. By its end bodies have moved and
//! turned, and other features may overlap. They are detected there anew; those that the step did not know join its
//! rows, and it is taken again from its start. A row added so reads, at the start,
//!
//! ```text
//! G v1 >= - max(C(q0), 0) / h
//! ```
//!
//! as any other. Rows that were foreseen and are open have more room than that, because bodies that turn leave the
//! straight line: the second derivative c of the gap at the velocities of the start opens it by h² c / 2 (the tip of a
//! rod that swings past a wall would hit the air otherwise). Where that proves too much (another touch stops the turn),
//! the row is learned as well, and has no such room. Where C(q0) < 0 (a corner that comes around an edge was behind the
//! plane of the face it is going to touch) a row forbids to come nearer, which is right to the order of the step. What
//! the linear rows leave is of the second order, and pushed apart afterwards.

use super::turning::spin;
use super::{Start, Stepping};
use crate::catalogue::attach::BodyId;
use crate::contact::inequality::project::QUIET;
use crate::contact::inequality::workspace::{ContactScratch, Workspace};
use crate::contact::inequality::{Block, Origin, gather, project};
use crate::contact::touch::ContactGeometry;
use crate::evaluate;
use crate::evaluate::evaluation::bodies_at;
use crate::model::warm_start::{Key, WarmStart};
use crate::step::integrate::Motion;
use holonom_collide::Candidate;

/// How often a step is taken again with what it ran into.
const ROUNDS: usize = 4;

/// How far bodies that overlap from the start are pushed apart in a step, of the model's length scale.
const OUT: f64 = 0.1;

/// Bodies that turn by less in a step, rad, go straight as far as gaps are concerned.
const BENT: f64 = 0.05;

/// Features that a step ran into, and where it began.
#[derive(Default)]
pub(super) struct Anew {
    learned: Vec<Candidate>,
    known: Vec<Candidate>,
    rounds: usize,
    start: Start,
    /// Touches that had more room because bodies turn.
    bent: Vec<Key>,
    /// Forces found in the round before.
    forces: Vec<WarmStart>,
    /// How far anything may go in the step, and the deepest overlap where it begins, m.
    reach: f64,
    before: f64,
}

impl Anew {
    /// A step begins.
    pub fn begin(&mut self, m: &Motion<'_>) {
        self.learned.clear();
        self.bent.clear();
        self.rounds = 0;
        if !m.model.shapes.is_empty() {
            self.start.note(m);
        }
    }

    pub fn is_first(&self) -> bool {
        self.rounds == 0
    }

    /// What is known where the step begins.
    pub fn note_before(&mut self, work: &Workspace) {
        self.reach = work.contact.detection.longest_reach();
        self.before = project::deepest(work);
    }

    /// The deepest overlap where the step begins, m or rad.
    pub fn before(&self) -> f64 {
        self.before
    }

    /// Features that were run into, beside those that were foreseen.
    pub fn join(&mut self, candidates: &mut Vec<Candidate>) {
        if self.learned.is_empty() {
            return;
        }
        for c in &self.learned {
            match candidates.binary_search_by_key(&c.order(), |c| c.order()) {
                Ok(i) => candidates[i] = *c,
                Err(i) => candidates.insert(i, *c),
            }
        }
    }

    /// How much a gap that is open opens because its bodies turn, m.
    pub fn bend(&self, m: &Motion<'_>, h: f64, block: &Block) -> f64 {
        let (ineq, row) = (&m.work.contact.rows, block.row as usize);
        let Origin::Touch(touch) = block.origin else { return 0.0 };
        if !(ineq.gap[row] > QUIET * m.model.contact_scale() && ineq.c[row] > 0.0) || self.knows(block.key) {
            return 0.0;
        }
        // not more than the points themselves leave their tangents: the rest is the change of the normal
        let touch = &ineq.touches[touch as usize];
        let bodies = &bodies_at(m.model, &m.work.eval.frames, m.q, m.v);
        let inward = |body: BodyId| match body.index() {
            Some(i) => {
                let w = spin(m.model, bodies, body);
                if h * w.length() < BENT {
                    return 0.0;
                }
                w.length_squared() * (touch.now.point - m.model.bodies[i].centre(m.model.q_of(i, m.q))).length()
            }
            None => 0.0,
        };
        0.5 * h * h * ineq.c[row].min(inward(touch.bodies.0) + inward(touch.bodies.1))
    }

    pub fn forget_bent(&mut self) {
        self.bent.clear();
    }

    pub fn note_bent(&mut self, key: Key, bend: f64) {
        if bend > 0.0 {
            self.bent.push(key);
        }
    }

    fn knows(&self, key: Key) -> bool {
        self.learned.iter().any(|l| Key(l.a, l.b, l.key) == key)
    }

    /// First guesses of forces, if there are better ones than those of the step before.
    pub fn guess(&self) -> Option<&Vec<WarmStart>> {
        (self.rounds > 0).then_some(&self.forces)
    }

    /// Nothing overlapped, and nothing has moved by more than a small part of what is left alone. Frames must be up to
    /// date.
    pub fn at_rest(&self, m: &Motion<'_>, h: f64) -> bool {
        let quiet = QUIET * m.model.contact_scale();
        self.before <= quiet && !m.model.shapes.is_empty() && self.moved(m, h) <= 0.01 * quiet
    }

    /// How far any point of a shape has moved, m. Frames must be up to date.
    pub fn moved(&self, m: &Motion<'_>, h: f64) -> f64 {
        let bodies = &bodies_at(m.model, &m.work.eval.frames, m.q, m.v);
        h * m.work.contact.detection.farthest(m.model, bodies)
    }

    /// How far a point may be moved to push bodies apart, m: as far as anything moves in the step; and out of what it
    /// was in before, step by step.
    pub fn room(&self, m: &Motion<'_>, h: f64) -> f64 {
        let moved = self.moved(m, h);
        let size = 1.0f64.max(m.model.contact_scale());
        self.reach.max(moved) + (4.0 * size * self.before).min(OUT * m.model.contact_scale()) + QUIET * size
    }
}

impl Stepping {
    /// After a smooth step with the candidates at hand: does anything overlap? Frames must be up to date. The
    /// candidates are as before.
    pub(super) fn runs_into(&mut self, m: &mut Motion<'_>, h: f64) -> bool {
        let detection = &m.work.contact.detection;
        let foreseen = detection.candidates.is_empty() && self.anew.moved(m, h) <= self.anew.reach * (1.0 + 1e-9);
        if m.model.shapes.is_empty() || foreseen {
            return false;
        }
        self.anew.known.clone_from(&m.work.contact.detection.candidates);
        gather::detect_within(m.model, m.q, m.v, 0.0, m.work);
        gather::gather(m.model, m.q, m.v, m.t + h, m.work);
        m.work.contact.overlap = project::deepest(m.work);
        m.work.contact.detection.candidates.clone_from(&self.anew.known);
        m.work.contact.overlap > QUIET * m.model.contact_scale()
    }

    /// Look where the step has ended for what overlaps and was not foreseen. If there is any, the step goes back to its
    /// start, and knows it from now on.
    pub(super) fn learn(&mut self, m: &mut Motion<'_>, h: f64) -> bool {
        if m.model.shapes.is_empty() {
            return false;
        }
        evaluate::place_bodies(m.model, m.q, m.v, &mut m.work.eval);
        if self.anew.rounds == ROUNDS || self.anew.at_rest(m, h) {
            return false;
        }
        let quiet = QUIET * m.model.contact_scale();
        self.anew.known.clone_from(&m.work.contact.detection.candidates);
        gather::detect_within(m.model, m.q, m.v, 0.0, m.work);
        let Workspace { eval, contact, .. } = &mut *m.work;
        let ContactScratch { detection, .. } = contact;
        let bodies = &bodies_at(m.model, &eval.frames, m.q, m.v);
        let gap = |c: &Candidate| {
            let [a, b] = [c.a, c.b].map(|s| m.model.shapes.all[s as usize].body);
            ContactGeometry::of(c, a, b, bodies).gap
        };
        let Anew { learned, known, bent, .. } = &mut self.anew;
        let mut more = false;
        for c in &detection.candidates {
            let depth = -gap(c);
            // one of the same name may have been elsewhere along its edge
            let same = |i: usize| -gap(&known[i]) > 0.5 * depth;
            let foreseen = || known.binary_search_by_key(&c.order(), |c| c.order()).is_ok_and(same);
            if depth > quiet && (bent.contains(&Key(c.a, c.b, c.key)) || !foreseen()) {
                learned.retain(|l| l.order() != c.order());
                learned.push(*c);
                more = true;
            }
        }
        if more {
            self.anew.rounds += 1;
            self.anew.forces.clone_from(m.warm_start);
            self.anew.start.give_back(m);
        }
        more
    }
}
