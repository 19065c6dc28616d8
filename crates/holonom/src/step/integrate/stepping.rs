//! Time stepping on velocities: joints, contacts, limits, ropes, friction and caps in one solve per step. Order 1 while
//! anything touches.
//!
//! ```text
//! M (v1 - v0) = h F(q0, v0) + J(q0)^T (h lambda) + G(q0)^T p,       J(q0) v1 + C_t = 0
//! unilateral    G v1 + C_t >= - C / h,  p >= 0, complementary       (what is open may close in this step, not more)
//! friction      |p_t| <= mu p_n, opposite to the slip G_t v1 where there is any; no slip otherwise
//! bounded       G v1 + C_t = 0   or   G (v1 - v0) + h c = 0,        p within h times the bounds
//! q1 = q0 advanced by h v1
//! ```
//!
//! (Stewart and Trinkle 1996, Anitescu and Potra 1997, with Coulomb's law as it stands instead of a pyramid.) The
//! problem has a solution whatever the forces, jams and Painleve's rod included: impulses take the place of forces that
//! do not exist. Impacts need no special care: a contact that closes in the step at the speed u takes the impulse that
//! stops it, or lets it leave at `restitution` times |u| (Newton's law, all contacts at once). Where that would gain
//! energy, which Newton's law may with friction, the step is taken without rebound. What sticks has the velocity zero
//! exactly, so it does not creep.
//!
//! Rows belong to features (a corner above a face, an edge across an edge) that are near where the step begins. Bodies
//! turn, and others may meet where it ends: so everything is detected anew there. Features that overlap and were not
//! foreseen join the rows, and the step is taken again from its start (`stepping/anew.rs`). Steps in which bodies near
//! each other turn far are taken in parts (`stepping/turning.rs`).
//!
//! Positions are not pulled by springs. Where bodies overlap after that, by rounding or because surfaces curve and
//! bodies turn, they are pushed apart by a projection ([`crate::contact::inequality::project`]), together with the
//! joints.
//!
//! Where nothing can touch and nothing slides the motion is smooth, and taken by the classical Runge-Kutta method of
//! order 4, in parts so short that the energy is accounted for: the whole step, or those bodies that neither joints nor
//! forces connect with anything that touches (`stepping/smooth.rs`, `stepping/flight.rs`). Where too many parts would
//! be needed (light links under a heavy load vibrate much faster than the step), the step is taken on velocities, which
//! damps what it cannot follow ([`crate::contact::inequality::tension`]).
//!
//! Energy. F is constant over the step but for the forces that turn spinning bodies; of those the mean over the step is
//! taken that neither gives energy nor takes any ([`crate::catalogue::bodies::Body::inertial_mean`]). With P the
//! projection onto legal velocities, the energy of free motion then changes by - h² F P F / 2, and every impulse that
//! obeys its law takes energy too. What is left are the corrections of positions, which the ledger keeps. The ledger
//! closes exactly: see `stepping/books.rs`.

mod anew;
mod apart;
mod books;
mod driven;
mod flight;
mod near;
mod smooth;
mod taut;
mod turning;

use super::{Attempt, Integrator, Motion, RungeKutta4};
use crate::catalogue::joints::Level;
use crate::contact::inequality::blows;
use crate::contact::inequality::memory;
use crate::contact::inequality::sleep::Sleep;
use crate::contact::inequality::solve::Task;
use crate::contact::inequality::tension::Tension;
use crate::contact::inequality::{Origin, RowBound, gather, project, soft};
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate::{self, Noise, energy};
use crate::model::state::BlowWorks;
use crate::step::drift;
use holonom_lcp::ComplementarityLaw as Law;

/// Velocity-level time stepping.
#[derive(Default)]
pub struct Stepping {
    smooth: RungeKutta4,
    company: smooth::Company,
    /// Islands that are followed on their own.
    flying: Vec<bool>,
    tension: Tension,
    task: Task,
    /// Velocity change without inequality rows.
    free: Vec<f64>,
    /// h lambda of the joints.
    impulses: Vec<f64>,
    /// Loads of joints with friction, N.
    loads: Vec<f64>,
    sleep: Sleep,
    /// Laws of all blocks, and which of them are left out because nothing comes near them.
    laws: Vec<Option<Law>>,
    out: Vec<bool>,
    guess: Vec<f64>,
    balance: books::Balance,
    start: Start,
    anew: anew::Anew,
    /// Of every body: potential energy gained in a correction, and kinetic energy, J.
    lifted: apart::Lifted,
    kept_q: Vec<f64>,
    kept_v: Vec<f64>,
    kept_ledger: Vec<f64>,
}

/// Parts in which a step is taken whose joints cannot be closed otherwise: light links that are thrown about by a heavy
/// hand turn a thousand times as fast as what they hang on.
const MOST_HALVES: usize = 512;
/// And at most so many because bodies turn far.
const MOST_PARTS_TURNING: usize = 64;
/// Parts beyond which overlaps that are left are left, and reported.
const MOST_PARTS_APART: usize = 8;
/// The largest overlap that is left without trying shorter steps, of the model's length scale.
const APART: f64 = 1e-7;
/// An overlap of more than this, of the same scale, that a step has not made smaller is not made smaller by shorter
/// ones.
const HELD: f64 = 1e-3;
/// Islands may come to rest within a step that are slower than so many times what weight changes in it.
const STOPPABLE: f64 = 2.0;
/// Friction that follows a load is solved for again until the load has settled.
const LOAD_ITERATIONS: usize = 30;

impl Integrator for Stepping {
    fn name(&self) -> &'static str {
        "stepping"
    }
    fn order(&self) -> u32 {
        1
    }
    fn handles_inequalities(&self) -> bool {
        true
    }
    fn attempt(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Attempt, StepError> {
        self.start.note(m);
        let mut parts = 1;
        loop {
            let last = parts >= MOST_HALVES;
            let (more, most) = match self.in_steps(m, h, parts) {
                Ok((attempt, Outcome::Closed)) => return Ok(attempt),
                Ok((attempt, Outcome::Overlapping)) if parts >= MOST_PARTS_APART => return Ok(attempt),
                // what is left open is named by the projection that follows
                Ok((attempt, _)) if last => return Ok(attempt),
                Err(e) if last || matches!(e, StepError::Interrupted { .. }) => return Err(e),
                Ok((_, Outcome::Shorter(times))) => (times, MOST_PARTS_TURNING),
                _ => (2, MOST_HALVES),
            };
            self.start.give_back(m);
            m.work.contact.blows.iter_mut().for_each(Vec::clear);
            parts = (parts * more).min(most);
        }
    }
}

/// How a step, or a part of one, came out.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Outcome {
    /// Joints are closed, nothing overlaps.
    Closed,
    /// Joints are closed, something overlaps.
    Overlapping,
    /// Joints are open.
    Open,
    /// It was not taken, because bodies turn too far in it: it must be so many times shorter.
    Shorter(usize),
}

/// Where a step began.
#[derive(Default)]
struct Start {
    q: Vec<f64>,
    v: Vec<f64>,
    ledger: Vec<f64>,
    projected: f64,
    blows: BlowWorks,
    warm_start: Vec<crate::model::warm_start::WarmStart>,
}

impl Start {
    fn note(&mut self, m: &Motion<'_>) {
        self.q.clone_from(m.q);
        self.v.clone_from(m.v);
        self.ledger.clear();
        self.ledger.extend_from_slice(m.ledger);
        (self.projected, self.blows) = (*m.projected, *m.blows);
        self.warm_start.clone_from(m.warm_start);
    }

    fn give_back(&self, m: &mut Motion<'_>) {
        m.q.copy_from_slice(&self.q);
        m.v.copy_from_slice(&self.v);
        m.ledger.copy_from_slice(&self.ledger);
        (*m.projected, *m.blows) = (self.projected, self.blows);
        m.warm_start.clone_from(&self.warm_start);
    }
}

impl Stepping {
    /// The step in equal parts. Could everything be closed and kept apart after each of them?
    fn in_steps(&mut self, m: &mut Motion<'_>, h: f64, parts: usize) -> Result<(Attempt, Outcome), StepError> {
        let (start, part, last) = (m.t, h / parts as f64, parts >= MOST_HALVES);
        let (mut evaluations, mut outcome) = (0, Outcome::Closed);
        for i in 0..parts {
            m.t = start + part * i as f64;
            let result = self.one(m, part, parts >= MOST_PARTS_TURNING);
            m.t = start;
            let (attempt, came) = result?;
            evaluations += attempt.evaluations;
            if came != Outcome::Closed {
                outcome = came;
                if !(last || came == Outcome::Overlapping && parts >= MOST_PARTS_APART) {
                    break;
                }
            }
        }
        Ok((Attempt { error: None, evaluations }, outcome))
    }

    fn one(&mut self, m: &mut Motion<'_>, h: f64, any_turn: bool) -> Result<(Attempt, Outcome), StepError> {
        self.anew.begin(m);
        let mut evaluations = 0;
        loop {
            self.detect(m, h);
            if let Some(times) = self.too_far(m, h).filter(|_| !any_turn) {
                return Ok((Attempt { error: None, evaluations }, Outcome::Shorter(times)));
            }
            if let Some(attempt) = self.smooth_step(m, h)? {
                return Ok((attempt, Outcome::Closed));
            }
            self.sleep.begin(m.model, m.sleeping, m.warm_start, &m.work.contact.rows);
            self.prepare(m, h)?; // M, F, J; what would happen without inequality rows
            self.find_impulses(m, h)?; // complementarity
            let solved = self.hold_taut(m, h)?; // and once more where links are taut
            self.apply(m, h, solved)?; // v1, q1
            evaluations += 2;
            let closed = self.close(m, h)?;
            if self.learn(m, h) {
                continue; // again with what it ran into
            }
            let apart = self.settle(m, h)?; // overlaps apart, velocities legal where they arrive
            let outcome = match (closed, apart) {
                (false, _) => Outcome::Open,
                (true, false) => Outcome::Overlapping,
                (true, true) => Outcome::Closed,
            };
            return Ok((Attempt { error: None, evaluations }, outcome));
        }
    }

    /// Everything that may touch in the step.
    fn detect(&mut self, m: &mut Motion<'_>, h: f64) {
        m.work.contact.clear_forces();
        evaluate::place_bodies(m.model, m.q, m.v, &mut m.work.eval);
        gather::detect(m.model, m.q, m.v, h, m.work);
        self.anew.join(&mut m.work.contact.detection.candidates);
        gather::gather_near(m.model, m.q, m.v, m.t + h, h, m.work);
        if self.anew.is_first() {
            project::note_overlap_before(m.work);
            self.anew.note_before(m.work);
        }
    }

    /// Equations at the start, and the velocity change without inequality rows.
    fn prepare(&mut self, m: &mut Motion<'_>, h: f64) -> Result<(), StepError> {
        let (model, work) = (m.model, &mut *m.work);
        self.tension.clear();
        let known = work.kkt.is_at(m.q, m.t, &work.eval); // from the end of the step before
        if known {
            evaluate::evaluate_body_forces(model, m.q, m.v, &mut work.eval);
        } else {
            evaluate::evaluate_bodies(model, m.q, m.v, &mut work.eval);
        }
        for (i, body) in model.bodies.iter().enumerate() {
            let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
            body.inertial_mean(&work.eval.frames[i], h, &mut work.eval.force[range]);
        }
        self.balance.note_bodies(&work.eval.force);
        evaluate::apply_forces(model, m.q, m.v, m.t, &mut work.eval);
        evaluate::evaluate_gaps_of_start(model, m.q, m.v, m.t + h, &mut work.eval);
        if !known {
            evaluate::evaluate_constraints(model, m.q, m.v, m.t, &mut work.eval);
            work.kkt.factor(model, m.t, &work.eval)?;
        }
        work.kkt.note_pose(model, m.q, m.t, &mut work.eval);
        self.load(m, h);
        m.work.kkt.solve(m.model, m.t, &m.work.eval)?;
        self.free.clear();
        self.free.extend_from_slice(&m.work.kkt.x[..m.v.len()]);
        Ok(())
    }

    /// Right-hand side of a step without inequality rows.
    fn load(&self, m: &mut Motion<'_>, h: f64) {
        let feedback = m.feedback();
        let n = m.v.len();
        let work = &mut *m.work;
        for i in 0..n {
            work.kkt.x[i] = h * work.eval.force[i];
        }
        for (i, rate) in work.eval.gap_rate.iter().enumerate() {
            work.kkt.x[n + i] = rate + feedback.map_or(0.0, |f| h * (f.ks * work.eval.gap[i] + f.kd * rate));
        }
        for &row in &m.model.acceleration_rows {
            work.kkt.x[n + row as usize] = h * work.eval.c[row as usize];
        }
    }

    fn find_impulses(&mut self, m: &mut Motion<'_>, h: f64) -> Result<(), StepError> {
        self.loads.clear();
        self.loads.resize(m.model.n_joints(), 0.0);
        self.solve_for(m, h, true)?;
        let ineq = &m.work.contact.rows;
        let rebound =
            ineq.blocks.iter().any(|b| matches!(b.bound, RowBound::Push { restitution, .. } if restitution > 0.0));
        if rebound && self.work_of_impulses(m)? > 0.0 {
            self.solve_for(m, h, false)?;
        }
        Ok(())
    }

    /// Impulses, with friction that follows loads as those settle.
    fn solve_for(&mut self, m: &mut Motion<'_>, h: f64, rebound: bool) -> Result<(), StepError> {
        let follows =
            m.work.contact.rows.blocks.iter().any(|b| matches!(b.bound, RowBound::Dry { lever, .. } if lever > 0.0));
        for _ in 0..if follows { LOAD_ITERATIONS } else { 1 } {
            self.pose(m, h, rebound);
            self.solve_near(m, h)?;
            if !follows {
                break;
            }
            self.load_with_impulses(m, h);
            m.work.kkt.solve(m.model, m.t, &m.work.eval)?;
            if self.update_loads(m, h) {
                break;
            }
        }
        Ok(())
    }

    /// The complementarity problem of the step.
    fn pose(&mut self, m: &Motion<'_>, h: f64, rebound: bool) {
        let ineq = &m.work.contact.rows;
        self.task.empty(ineq.len());
        self.anew.forget_bent();
        self.task.stoppable = Some(STOPPABLE * m.model.gravity.length() * h);
        let closed = project::QUIET * m.model.contact_scale();
        let Task { laws, b, x, slack, give, .. } = &mut self.task;
        soft::prepare(ineq, give);
        for block in &ineq.blocks {
            let load = |joint: u32| self.loads[joint as usize];
            let slips = slips(ineq, block);
            laws.push(Some(block.bound.law(block.n as usize, h, load, |row| row as usize, slips)));
            for row in block.rows() {
                let free = ineq.product(row, &self.free);
                slack.push(if ineq.gap[row] <= closed { ineq.gap[row].max(0.0) / h } else { 0.0 });
                b.push(match block.level {
                    Level::Acceleration => free + h * ineq.c[row],
                    Level::Velocity => free + ineq.rate[row],
                    Level::Position => {
                        let bend = self.anew.bend(m, h, block);
                        self.anew.note_bent(block.key, bend);
                        let (gap, rate) = (ineq.gap[row] + bend, ineq.rate[row]);
                        let after = rate + free;
                        let mut least = -gap.max(0.0) / h;
                        if rebound && rate < 0.0 && after < least {
                            least = least.max(rebound_speed(&block.bound, rate, gap, -free / h).unwrap_or(least));
                        }
                        match block.bound {
                            RowBound::Soft { stiffness, damping } => {
                                give[row] = soft::give(stiffness, damping, h) / h;
                                after + soft::offset(stiffness, damping, h, gap)
                            }
                            _ => after - least,
                        }
                    }
                });
            }
        }
        memory::recall(self.anew.guess().unwrap_or(m.warm_start), ineq, h, x);
        // what sleeps is held by what is remembered
        for (law, block) in laws.iter_mut().zip(&ineq.blocks) {
            if ineq.parts_of(block.row as usize).first().is_some_and(|part| self.sleep.is_asleep(part.body)) {
                *law = None;
            }
        }
        // an infinite gap (no stop there) is never reached
        for (law, block) in laws.iter_mut().zip(&ineq.blocks) {
            if block.rows().any(|row| !b[row].is_finite() && ineq.gap[row] == f64::INFINITY) {
                *law = None;
                block.rows().for_each(|row| (b[row], x[row]) = (0.0, 0.0));
            }
        }
    }

    /// Energy that stops, contacts and friction give to the bodies: half the sum of impulse times velocity before and
    /// after; 0 within rounding. What motors and hands give is theirs to give.
    fn work_of_impulses(&mut self, m: &mut Motion<'_>) -> Result<f64, StepError> {
        let (n, work) = (m.v.len(), &mut *m.work);
        work.kkt.x.fill(0.0);
        for (row, &x) in self.task.x.iter().enumerate() {
            work.contact.rows.push(row, x, &mut work.kkt.x[..n]);
        }
        work.kkt.solve(m.model, m.t, &work.eval)?;
        let (ineq, mut sum, mut size) = (&work.contact.rows, 0.0, 0.0);
        for block in ineq.blocks.iter().filter(|b| !matches!(b.bound, RowBound::Within { .. } | RowBound::Ball { .. }))
        {
            for row in block.rows() {
                // of a touch: over the surface of the other, which may run over its body
                let moving =
                    if matches!(block.origin, Origin::Touch(_)) { ineq.rate[row] } else { ineq.product(row, m.v) };
                let before = moving + ineq.product(row, &self.free);
                let (before, change) =
                    (self.task.x[row] * before, 0.5 * self.task.x[row] * ineq.product(row, &work.kkt.x));
                sum += before + change;
                size += before.abs() + change.abs();
            }
        }
        Ok(if sum.abs() <= 1e-12 * size { 0.0 } else { sum })
    }

    fn load_with_impulses(&self, m: &mut Motion<'_>, h: f64) {
        self.load(m, h);
        let n = m.v.len();
        for (row, &x) in self.task.x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            m.work.contact.rows.push(row, x, &mut m.work.kkt.x[..n]);
        }
    }

    /// Forces in joints whose friction follows them, from the impulses in `work.kkt.x`. Have they settled?
    fn update_loads(&mut self, m: &mut Motion<'_>, h: f64) -> bool {
        let n = m.v.len();
        self.impulses.clear();
        self.impulses.extend(m.work.kkt.x[n..].iter().map(|x| x / h));
        let mut settled = true;
        for record in &m.model.inequalities {
            let Some(joint) = record.loaded else { continue };
            let id = crate::model::JointId(joint);
            let load = dynamics::reaction(m.model, id, m.q, m.v, m.t, Some(&self.impulses), m.work).force.length();
            let known = &mut self.loads[joint as usize];
            settled &= (load - *known).abs() <= 1e-12 * load;
            *known = load;
        }
        settled
    }

    /// New velocities and positions; works and memory. `solved`: the change of velocity is in `work.kkt.x`.
    fn apply(&mut self, m: &mut Motion<'_>, h: f64, solved: bool) -> Result<(), StepError> {
        if !solved {
            self.load_with_impulses(m, h);
            m.work.kkt.solve_and_check(m.model, m.t, &m.work.eval)?;
        }
        self.refuse_blocked(m, h)?;
        let n = m.v.len();
        self.kept_v.clone_from(m.v);
        for (v, dv) in m.v.iter_mut().zip(&m.work.kkt.x) {
            *v += dv;
        }
        self.ground_pushed(m);
        self.hold_flying(m);
        self.impulses.clear();
        self.impulses.extend_from_slice(&m.work.kkt.x[n..]);
        self.book(m, h);
        if let Some(out) = &mut m.work.contact.blows {
            let x = &self.task.x;
            blows::note(&m.work.contact.rows, x, |row| x[row] > 0.0, |blow| out.push(blow));
        }
        let before = energy::mechanical(m.model, m.q, m.v);
        memory::remember(&m.work.contact.rows, &self.task.x, h, m.warm_start);
        self.sleep.end(m.model, m.sleeping, m.q, m.v, h, m.warm_start, m.work);
        for (i, body) in m.model.bodies.iter().enumerate().filter(|(i, _)| !self.company.flies(*i)) {
            body.advance(m.model.q_of_mut(i, m.q), m.model.v_of(i, m.v), h);
        }
        m.blows.stepping += energy::mechanical(m.model, m.q, m.v) - before;
        self.land_flying(m);
        Ok(())
    }

    /// Joints closed where the step ends. Could they be?
    fn close(&mut self, m: &mut Motion<'_>, h: f64) -> Result<bool, StepError> {
        let (model, t) = (m.model, m.t + h);
        if !m.drift.projects() || model.n_rows() == 0 {
            return Ok(true);
        }
        // before overlaps are looked at: closing joints later would make new ones
        let before = energy::mechanical(model, m.q, m.v);
        if self.tension.matters() {
            drift::close_taut(model, m.q, m.v, t, &self.tension, m.work)?;
        }
        let worst = drift::close_gaps(model, m.q, m.v, t, m.work)?;
        *m.projected += energy::mechanical(model, m.q, m.v) - before;
        Ok(drift::is_closed(model, &worst))
    }

    /// Overlaps apart, joints closed, velocities legal. Did positions come out right?
    fn settle(&mut self, m: &mut Motion<'_>, h: f64) -> Result<bool, StepError> {
        let (model, n, t) = (m.model, m.v.len(), m.t + h);
        m.work.contact.overlap = self.anew.before();
        if !self.anew.at_rest(m, h) {
            self.push_apart(m, h)?;
        }
        let (before, after, size) = (self.anew.before(), m.work.contact.overlap, model.contact_scale());
        // what drives hold beyond a limit is held there in shorter steps too
        let held = before > HELD * size && after > 0.999 * before;
        let closed = after <= APART * size || held;
        evaluate::evaluate_bodies(model, m.q, m.v, &mut m.work.eval);
        self.tension.add(model, m.work);
        evaluate::evaluate_constraints(model, m.q, m.v, t, &mut m.work.eval);
        m.work.kkt.factor(model, t, &m.work.eval)?;
        let work = &mut *m.work;
        if !self.tension.matters() {
            work.kkt.note_pose(model, m.q, t, &mut work.eval);
        }
        evaluate::evaluate_gaps_with(Noise::None, model, m.q, m.v, t, &mut work.eval);
        work.kkt.x[..n].fill(0.0);
        work.kkt.x[n..].copy_from_slice(&work.eval.gap_rate);
        work.kkt.solve(model, t, &work.eval)?;
        self.kept_v.clone_from(m.v);
        for (v, dv) in m.v.iter_mut().zip(&work.kkt.x) {
            *v += dv;
        }
        self.book_arrival(m);
        evaluate::place_bodies(model, m.q, m.v, &mut m.work.eval);
        Ok(closed)
    }
}

/// Speed of leaving for what now comes at `rate` < 0 and meets after `gap`, accelerated `towards` (m/s²). It meets at
/// the speed |u|, leaves at e |u|, and has come back as far as it is now:
///
/// ```text
/// u² = rate² + 2 towards gap,        leaving² = e² u² - 2 towards gap        (nothing where that is negative: it does not come back so far)
/// ```
///
/// Without the last term every bounce would begin a little above the floor for nothing, and a ball would never come to
/// rest.
fn rebound_speed(bound: &RowBound, rate: f64, gap: f64, towards: f64) -> Option<f64> {
    let fall = 2.0 * towards.max(0.0) * gap.max(0.0);
    let restitution = bound.rebound(-(rate * rate + fall).sqrt());
    let square = restitution * restitution * (rate * rate + fall) - fall;
    (square > 0.0).then(|| square.sqrt())
}

/// Does a touch slip, so that sliding friction applies?
fn slips(ineq: &crate::contact::inequality::InequalityRows, block: &crate::contact::inequality::Block) -> bool {
    let speed: f64 = block.rows().map(|row| ineq.rate[row] * ineq.rate[row]).sum();
    speed.sqrt() > 1e-6
}
