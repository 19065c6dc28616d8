//! Gradients of whole runs, against differences of whole runs: by the state a run begins in, by parameters, by controls.

#[path = "common/closed.rs"]
mod closed;
mod common;

use closed::{Closed, closed};
use common::grow::Wish;
use common::linkage::{self, Y};
use common::{Worst, dot, for_mechanisms, size};
use holonom::IntegratorKind;
use holonom::answers::{Displacement, HeldFactor, PushAlong, Rollout, RolloutOptions, RolloutParameter, RolloutTable};
use holonom::check::advance_body;
use holonom::math::SplitMix;
use holonom::prelude::*;
use proptest::test_runner::TestCaseError;
use std::cell::Cell;
use std::sync::Arc;

/// A smooth objective of some states: a random quadratic of every number in q and v.
struct Objective {
    linear: Vec<f64>,
    square: Vec<f64>,
    every: usize,
}

impl Objective {
    fn new(model: &Model, every: usize, seed: u64) -> Objective {
        let mut g = SplitMix(seed);
        let mut list = || (0..model.n_q() + model.n_v()).map(|_| g.symmetric(1.0)).collect::<Vec<f64>>();
        Objective { linear: list(), square: list(), every }
    }

    fn at(&self, k: usize, q: &[f64], v: &[f64]) -> f64 {
        if !k.is_multiple_of(self.every) {
            return 0.0;
        }
        let numbers = q.iter().chain(v).zip(&self.linear).zip(&self.square);
        numbers.map(|((x, l), s)| l * x + s * x * x).sum()
    }

    /// Its derivatives, positions by central differences of what is quadratic.
    fn slopes(&self, model: &Model, k: usize, state: &State, by_q: &mut [f64], by_v: &mut [f64]) {
        if !k.is_multiple_of(self.every) {
            return;
        }
        let n_q = model.n_q();
        for (i, slope) in by_v.iter_mut().enumerate() {
            *slope += self.linear[n_q + i] + 2.0 * self.square[n_q + i] * state.v[i];
        }
        for body in model.bodies() {
            let (q, v) = (model.q_range(body), model.v_range(body));
            for (j, at) in v.clone().enumerate() {
                let side = |h: f64| {
                    let (mut moved, mut unit) = (state.q.clone(), vec![0.0; v.len()]);
                    unit[j] = 1.0;
                    advance_body(model, body, &mut moved[q.clone()], &unit, h);
                    self.at(k, &moved, &state.v)
                };
                let h = 1e-3;
                let (coarse, fine) = ((side(h) - side(-h)) / (2.0 * h), (side(0.5 * h) - side(-0.5 * h)) / h);
                by_q[at] += fine + (fine - coarse) / 3.0;
            }
        }
    }
}

/// The objective of a run.
fn objective(model: &Arc<Model>, start: Option<&State>, options: &RolloutOptions, of: &Objective) -> (Rollout, f64) {
    let mut sum = 0.0;
    let run = Rollout::run(model, start, options.clone(), |k, s| sum += of.at(k, &s.q, &s.v)).expect("a run");
    (run, sum)
}

/// Central differences at three steps, extrapolated twice, and how far the last two are apart.
fn slope(h: f64, mut at: impl FnMut(f64) -> f64) -> (f64, f64) {
    let [a, b, c] = [h, 0.5 * h, 0.25 * h].map(|h| (at(h) - at(-h)) / (2.0 * h));
    let (ab, bc) = (b + (b - a) / 3.0, c + (c - b) / 3.0);
    (bc + (bc - ab) / 15.0, (bc - ab).abs())
}

/// The nearest state `h` along `d` that is legal.
fn neighbour(model: &Arc<Model>, d: &Displacement, h: f64) -> State {
    let mut state = model.initial_state().clone();
    for body in model.bodies() {
        let (q, v) = (model.q_range(body), model.v_range(body));
        advance_body(model, body, &mut state.q[q], &d.position[v.clone()], h);
        v.for_each(|k| state.v[k] += h * d.velocity[k]);
    }
    let mut sim = Simulation::new(model.clone());
    sim.set_state(state);
    sim.project().expect("a neighbour");
    sim.state().clone()
}

/// The gradient by the state a run begins in, along a legal change; `false` where differences are no good.
fn by_start(model: &Arc<Model>, options: &RolloutOptions, seed: u64, worst: &Worst) -> Result<bool, TestCaseError> {
    let of = Objective::new(model, 5, seed);
    let mut g = SplitMix(seed);
    let mut list = || (0..model.n_v()).map(|_| g.symmetric(1.0)).collect::<Vec<f64>>();
    let d = Displacement { position: list(), velocity: list(), force: Vec::new() };
    let d = HeldFactor::at(model, model.initial_state()).and_then(|mut held| held.legal(&d)).expect("regular");
    if Rollout::run(model, None, options.clone(), |_, _| {}).is_err() {
        return Ok(false); // passes a singular pose
    }
    let (run, _) = objective(model, None, options, &of);
    let found = run.gradient(&[], |k, s, q, v| of.slopes(model, k, s, q, v)).expect("a gradient");
    let along = dot(&found.position, &d.position) + dot(&found.velocity, &d.velocity);
    let (wanted, apart) = slope(4e-4, |h| objective(model, Some(&neighbour(model, &d, h)), options, &of).1);
    let scale = wanted.abs().max(size(&found.position) * size(&d.position)).max(1.0);
    if !(apart <= 1e-7 * scale) {
        return Ok(false); // chaotic, or too near a singular pose for differences
    }
    worst.at_most("by the start", (along - wanted).abs() / scale, 1e-6)?;
    Ok(true)
}

#[test]
fn by_the_state_it_begins_in_on_trees_and_loops() {
    let (good, all) = (Cell::new(0), Cell::new(0));
    for_mechanisms("rollouts, trees", 0.1, Wish { most: 5, ..Wish::ANY }, |spec, worst| {
        let model = Arc::new(spec.build().expect("accepted"));
        if model.has_inequalities() {
            return Ok(());
        }
        all.set(all.get() + 1);
        let used = by_start(&model, &RolloutOptions::new(4e-3, 40), 11, worst)?;
        good.set(good.get() + usize::from(used));
        Ok(())
    });
    let worst = Worst::default();
    let (mut loops, mut used) = (0, 0);
    for number in 0..40 {
        let spec = closed(number, Closed { most: 5, rigid: number % 2 == 0, closing: 2, full_rank: true });
        let Ok(model) = spec.build() else { continue };
        if model.has_inequalities() {
            continue;
        }
        let looped = model.has_loops();
        let one = by_start(&Arc::new(model), &RolloutOptions::new(4e-3, 40), number, &worst);
        let one = one.unwrap_or_else(|e| panic!("mechanism {number}: {e}"));
        loops += usize::from(looped && one);
        used += usize::from(one);
    }
    worst.print("rollouts, loops");
    println!("{} of {} trees, {used} closed mechanisms, {loops} with loops", good.get(), all.get());
    assert!(2 * good.get() > all.get() && loops > 15);
}

/// Two links on hinges, a spring, a damper, a motor that makes a distance swing; every number of it is a parameter.
const NUMBERS: [f64; 9] = [2.0, 1.5, 0.8, 0.6, 9.81, 30.0, 0.4, 0.7, 0.1];

fn machine(p: &[f64]) -> ModelBuilder {
    let &[mass, tip, upper, lower, gravity, stiffness, damping, rate, swing] = p else { unreachable!() };
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -gravity]);
    let a = m.body("upper", Rigid::cuboid(mass, [upper, 0.1, 0.06]).position([0.5 * upper, 0.0, 0.0]));
    let b = m.body("lower", Rigid::cuboid(tip, [lower, 0.05, 0.07]).position([upper + 0.5 * lower, 0.0, 0.0]));
    let (near, far) = (a.at([-0.5 * upper, 0.0, 0.0]).along(Y), a.at([0.5 * upper, 0.0, 0.0]).along(Y));
    m.joint("shoulder", Revolute::new(BodyId::GROUND.origin().along(Y), near));
    m.joint("elbow", Revolute::new(far, b.at([-0.5 * lower, 0.0, 0.0]).along([0.1, 1.0, 0.2])));
    m.force("spring", Spring::new(BodyId::GROUND.at([0.3, 0.2, 0.9]), b.origin(), stiffness, 0.5).damping(damping));
    // the middle of the upper link is drawn to and fro
    let path = move |t: f64| vec3(0.0, 0.0, swing * (rate * t).sin());
    m.force("sway", UserPull { on: [a.origin().p()], path: Box::new(path) });
    m
}

/// A force on a point that depends on time and on where the point is.
struct UserPull {
    on: [Attachment; 1],
    path: Box<dyn Fn(f64) -> Vec3 + Send + Sync>,
}

impl holonom::forces::Force for UserPull {
    fn kind(&self) -> &'static str {
        "pull"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.on
    }
    fn apply(&self, a: &holonom::attach::View, t: f64, push: &mut holonom::forces::Push) {
        push.on(0, 20.0 * ((self.path)(t) - a.at(0)));
    }
}

fn parameters(numbers: &[f64], make: impl Fn(&[f64]) -> ModelBuilder) -> Vec<RolloutParameter> {
    (0..numbers.len())
        .map(|i| {
            let with = |x: f64| {
                let mut p = numbers.to_vec();
                p[i] = x;
                make(&p).build()
            };
            RolloutParameter::new(numbers[i], numbers[i].abs(), with).expect("a parameter")
        })
        .collect()
}

fn by_parameters(numbers: &[f64], options: &RolloutOptions, make: impl Fn(&[f64]) -> ModelBuilder) -> f64 {
    let model = Arc::new(make(numbers).build().expect("a model"));
    let of = Objective::new(&model, 7, 5);
    let (run, _) = objective(&model, None, options, &of);
    let all = parameters(numbers, &make);
    let found = run.gradient(&all, |k, s, q, v| of.slopes(&model, k, s, q, v)).expect("a gradient");
    let mut worst: f64 = 0.0;
    for i in 0..numbers.len() {
        let (wanted, apart) = slope(2e-3 * numbers[i].abs(), |h| {
            let mut p = numbers.to_vec();
            p[i] += h;
            objective(&Arc::new(make(&p).build().expect("a model")), None, options, &of).1
        });
        let off = (found.parameters[i] - wanted).abs() / wanted.abs().max(1e-3);
        println!(
            "parameter {i}: {:.10e}, differences {wanted:.10e}, apart {apart:.1e}, off {off:.1e}",
            found.parameters[i]
        );
        worst = worst.max(off);
    }
    worst
}

#[test]
fn by_masses_lengths_gravity_and_laws_of_a_tree() {
    let worst = by_parameters(&NUMBERS, &RolloutOptions::new(2e-3, 300), machine);
    assert!(worst < 1e-6, "{worst:.1e}");
}

/// A four-bar linkage: lengths of its links, its masses, and a distance joint that closes another loop.
fn loops(p: &[f64]) -> ModelBuilder {
    let &[crank, coupler, base, mass, gravity, stay] = p else { unreachable!() };
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -gravity]);
    let pins = [vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, crank), vec3(coupler, 0.0, crank + 0.3), vec3(base, 0.0, 0.0)];
    let rods: Vec<(Marker, Marker)> = (0..3)
        .map(|i| {
            let (from, to) = (pins[i], pins[i + 1]);
            let (d, length) = ((to - from).normalize(), (to - from).length());
            let turn = holonom::math::exp_quat(Y * (-d.z).atan2(d.x));
            let mass = mass * (1.0 + 0.3 * i as f64) * length;
            let rod = Rigid::cuboid(mass, [length, 0.1, 0.06]).position(0.5 * (from + to)).orientation(turn);
            let rod = m.body(format!("rod {i}"), rod);
            (rod.at([-0.5 * length, 0.0, 0.0]), rod.at([0.5 * length, 0.0, 0.0]))
        })
        .collect();
    let hinge = |a: Marker, b: Marker| Revolute::new(a.along(Y), b.along(Y));
    m.joint("a", hinge(BodyId::GROUND.at(pins[0]), rods[0].0));
    m.joint("b", hinge(rods[0].1, rods[1].0));
    m.joint("c", hinge(rods[1].1, rods[2].0));
    m.joint("d", hinge(rods[2].1, BodyId::GROUND.at(pins[3])));
    let ball = m.body("ball", Rigid::ball(0.4, 0.1).position(pins[2] + stay * Vec3::Y));
    m.joint("stay", Distance::new(rods[1].1, ball.origin(), stay));
    m
}

#[test]
fn by_lengths_and_masses_of_loops() {
    let worst = by_parameters(&[0.4, 1.1, 1.3, 2.0, 9.81, 0.5], &RolloutOptions::new(2e-3, 250), loops);
    assert!(worst < 1e-6, "{worst:.1e}");
}

#[test]
fn by_controls_of_every_step() {
    let model = Arc::new(machine(&NUMBERS).build().expect("a model"));
    let joint = |name| PushAlong::coordinate(model.joint(name).expect("there"), 0);
    let body = model.body("lower").expect("there");
    let steps = 60;
    let mut options = RolloutOptions::new(4e-3, steps);
    options.controls =
        vec![joint("shoulder"), joint("elbow"), PushAlong::point(body.at([0.3, 0.0, 0.0]), [0.2, 0.5, 1.0])];
    let mut g = SplitMix(4);
    options.sizes = (0..3 * steps).map(|_| g.symmetric(3.0)).collect();
    let of = Objective::new(&model, 4, 9);
    let (run, _) = objective(&model, None, &options, &of);
    let found = run.gradient(&[], |k, s, q, v| of.slopes(&model, k, s, q, v)).expect("a gradient");
    let worst = Worst::default();
    for i in [0, 1, 2, 40, 100, 101, 170, 3 * steps - 1] {
        let (wanted, _) = slope(0.1, |h| {
            let mut other = options.clone();
            other.sizes[i] += h;
            objective(&model, None, &other, &of).1
        });
        worst.demand("by a control", (found.controls[i] - wanted).abs() / size(&found.controls), 1e-8);
    }
    worst.print("controls");
}

/// The two directions of differentiation, of everything that is looked at.
#[test]
fn forwards_and_backwards_agree() {
    let worst = Worst::default();
    let four = [0.4, 1.1, 1.3, 2.0, 9.81, 0.5];
    let of = |numbers: &[f64], make: fn(&[f64]) -> ModelBuilder, joints: [&str; 2], body: &str| {
        let model = Arc::new(make(numbers).build().expect("a model"));
        let joint = |name| PushAlong::coordinate(model.joint(name).expect("there"), 0);
        let point = model.body(body).expect("there").at([0.1, 0.2, 0.3]);
        let along = [joint(joints[0]), joint(joints[1]), PushAlong::point(point, [0.3, 0.5, 1.0])];
        let (run, table) = Rollout::watched(&model, None, RolloutOptions::new(4e-3, 75), &along).expect("a run");
        let mut g = SplitMix(8);
        let mut weights = || (0..table.values.len()).map(|_| g.symmetric(1.0)).collect::<Vec<f64>>();
        let by = RolloutTable { values: weights(), rates: weights() };
        let all = parameters(numbers, make);
        let found = run.watched_gradient(&all, &along, &by).expect("a gradient");
        for (parameter, backwards) in all.iter().zip(&found.parameters) {
            let forwards = run.watched_tangent(parameter, &along).expect("derivatives");
            let sum = dot(&forwards.values, &by.values) + dot(&forwards.rates, &by.rates);
            let size = size(&forwards.values).max(size(&forwards.rates));
            println!("backwards {backwards:.10e}, forwards {sum:.10e}");
            worst.demand("apart", (sum - backwards).abs() / sum.abs().max(size), 1e-7);
        }
    };
    of(&NUMBERS, machine, ["shoulder", "elbow"], "lower");
    of(&four, loops, ["a", "c"], "rod 1");
    worst.print("both ways");
}

/// Kept states are a matter of memory: with few of them the gradient has the same bits.
#[test]
fn checkpoints_change_no_bit() {
    let model = Arc::new(machine(&NUMBERS).build().expect("a model"));
    let of = Objective::new(&model, 3, 2);
    let mut options = RolloutOptions::new(2e-3, 101);
    let all = parameters(&NUMBERS, machine);
    let mut gradient = || {
        let (run, _) = objective(&model, None, &options, &of);
        let found = run.gradient(&all, |k, s, q, v| of.slopes(&model, k, s, q, v)).expect("a gradient");
        options.memory = 4 * 2048;
        (run.kept(), found)
    };
    let (many, few) = (gradient(), gradient());
    println!("{} and {} states kept", many.0, few.0);
    assert!(many.0 == 101 && few.0 < 30);
    // which states are looked at differs, what is found does not
    assert_eq!(many.1, few.1);
}

#[test]
fn runs_are_those_of_the_integrator() {
    let four_bar = || {
        let mut m = ModelBuilder::new();
        linkage::four_bar(&mut m, &mut linkage::Rough::not());
        m
    };
    for (name, m) in
        [("machine", machine(&NUMBERS)), ("loops", loops(&[0.4, 1.1, 1.3, 2.0, 9.81, 0.5])), ("four-bar", four_bar())]
    {
        let model = Arc::new(m.build().expect("a model"));
        let mut sim = Simulation::new(model.clone());
        sim.set_integrator(IntegratorKind::RungeKutta4);
        for _ in 0..200 {
            sim.step(2e-3).expect("a step");
        }
        let run = Rollout::run(&model, None, RolloutOptions::new(2e-3, 200), |_, _| {}).expect("a run");
        assert_eq!(common::bits(&run.last().q), common::bits(&sim.state().q), "{name}");
        assert_eq!(common::bits(&run.last().v), common::bits(&sim.state().v), "{name}");
    }
}

#[test]
fn what_has_no_gradient_is_refused() {
    let mut m = ModelBuilder::new();
    let rod = m.body("rod", Rigid::cuboid(3.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
    let pin = m.joint("pin", Revolute::new(BodyId::GROUND.origin().along(Y), rod.at([-0.5, 0.0, 0.0]).along(Y)));
    let model = Arc::new(m.build().expect("a model"));
    let refused = |options: RolloutOptions| match Rollout::run(&model, None, options, |_, _| {}) {
        Ok(_) => panic!("accepted"),
        Err(e) => e.to_string(),
    };
    assert!(refused(RolloutOptions::new(0.0, 3)).contains("step 0 s"));
    let mut options = RolloutOptions::new(1e-3, 3);
    options.controls = vec![PushAlong::coordinate(pin, 0)];
    assert!(refused(options.clone()).contains("must be 3"));
    options.sizes = vec![0.0, f64::NAN, 0.0];
    assert!(refused(options).contains("must be finite"));
    let other = ModelBuilder::new().build();
    if let Ok(other) = other {
        let run = Rollout::run(&model, None, RolloutOptions::new(1e-3, 3), |_, _| {}).expect("a run");
        let mut other = Some(other);
        let swapped = RolloutParameter::new(1.0, 1.0, |_| match other.take() {
            Some(other) => Ok(other),
            None => ModelBuilder::new().build(),
        });
        let found = run.gradient(&[swapped.expect("models")], |_, _, _, _| {});
        assert!(found.expect_err("other coordinates").to_string().contains("other coordinates"));
    }
}
