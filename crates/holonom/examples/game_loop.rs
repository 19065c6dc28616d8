//! Watch for: frames that come when they like, steps that are all the same, and pictures in between: the same game, bit for bit, at 30, 60 and 144 frames per second.

use holonom::prelude::*;

/// Every step, s. Never the time of a frame: a run is the same on every machine only if its steps are.
const STEP: f64 = 1.0 / 240.0;
/// So many steps are compared: two seconds.
const STEPS: u64 = 480;
/// A frame that took longer than this (a breakpoint, a swapped-out window) is cut short, s.
const LONGEST_FRAME: f64 = 0.25;

/// What is drawn of a body.
#[derive(Clone, Copy)]
struct Pose {
    at: Vec3,
    turn: Quat,
}

/// Steps of fixed length behind frames of any length.
struct GameWorld {
    sim: Simulation,
    /// Time that the frames are ahead of the steps, s; less than a step after every frame.
    owed: f64,
    /// All bodies before and after the newest step.
    before: Vec<Pose>,
    now: Vec<Pose>,
}

impl GameWorld {
    fn new(sim: Simulation) -> Self {
        let now = poses(&sim);
        GameWorld { sim, owed: 0.0, before: now.clone(), now }
    }

    /// Advance by the time that passed since the last frame; `input` is asked before every step, with its time.
    fn frame(&mut self, passed: f64, mut input: impl FnMut(&mut Simulation)) -> Result<(), StepError> {
        self.owed += passed.min(LONGEST_FRAME);
        while self.owed >= STEP {
            input(&mut self.sim);
            std::mem::swap(&mut self.before, &mut self.now);
            self.sim.step(STEP)?;
            self.now = poses(&self.sim);
            self.owed -= STEP;
        }
        Ok(())
    }

    /// Where a body is to be drawn: between the two newest states, because the frame lies between them.
    fn shown(&self, body: BodyId) -> Option<Pose> {
        let i = body.index()?;
        let (a, b, part) = (self.before.get(i)?, self.now.get(i)?, self.owed / STEP);
        Some(Pose { at: a.at.lerp(b.at, part), turn: a.turn.slerp(b.turn, part) })
    }
}

fn poses(sim: &Simulation) -> Vec<Pose> {
    let turn = |body| sim.axes(body).map_or(Quat::IDENTITY, |axes| Quat::from_mat3(&axes));
    sim.model().bodies().map(|b| Pose { at: sim.centre(b), turn: turn(b) }).collect()
}

/// A wrecking ball of half a tonne on ten links of two kilograms, held level, and a wall of six boxes.
fn level() -> Result<Simulation, ModelError> {
    let mut m = ModelBuilder::new();
    let stone = Material::new(0.6);
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, stone);
    let mut above = BodyId::GROUND.at([0.0, 0.0, 5.0]);
    for i in 0..10 {
        let x = -0.4 * (i as f64 + 0.5);
        let link = m.body(format!("link {i}"), Rigid::cuboid(2.0, [0.4, 0.05, 0.05]).position([x, 0.0, 5.0]));
        m.joint(format!("ball {i}"), Spherical::new(above, link.at([0.2, 0.0, 0.0])));
        above = link.at([-0.2, 0.0, 0.0]);
    }
    let ball = m.body("ball", Rigid::ball(500.0, 0.4).position([-4.0, 0.0, 5.0]));
    m.joint("hook", Spherical::new(above, ball.origin()));
    m.shape(ball.origin(), Shape::Sphere { radius: 0.4 }, stone);
    for i in 0..6 {
        let at = [0.6, 0.0, 0.25 + 0.5 * i as f64];
        let brick = m.body(format!("box {i}"), Rigid::cuboid(20.0, [0.5; 3]).position(at));
        m.shape(brick.origin(), Shape::Box { half: vec3(0.25, 0.25, 0.25) }, stone);
    }
    Simulation::build(m)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut ends = Vec::new();
    for rate in [30.0, 60.0, 144.0] {
        let mut sim = level()?;
        sim.set_integrator(IntegratorKind::Stepping);
        let mut world = GameWorld::new(sim);
        let top = world.sim.model().body("box 5").ok_or("has a wall")?;
        let (mut frames, mut steps, mut hash) = (0, 0, 0);
        // a machine that cannot keep its rate: every fifth frame takes twice as long
        while steps <= STEPS {
            let passed = if frames % 5 == 4 { 2.0 } else { 1.0 } / rate;
            world.frame(passed, |sim| {
                // the last frame goes a few steps further at one rate than at another
                if steps == STEPS {
                    hash = sim.state().hash();
                }
                steps += 1;
            })?;
            frames += 1;
        }
        let shown = world.shown(top).ok_or("is a body")?;
        println!(
            "{rate:>3} frames per second: {frames} frames, {steps} steps; the top box is drawn at ({:.3}, {:.3}) m, turned by {:.1} degrees",
            shown.at.x,
            shown.at.z,
            shown.turn.to_axis_angle().1.to_degrees()
        );
        ends.push(hash);
    }
    let same = ends.iter().all(|hash| *hash == ends[0]);
    println!("after {STEPS} steps the state has the hash {:016x}, whatever the frames: {same}", ends[0]);
    assert!(same, "{ends:x?}");
    Ok(())
}
