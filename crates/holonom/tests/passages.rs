//! Singular poses on the way: parallelograms that fall through their flat pose, by every integrator, in few steps.

use holonom::prelude::*;

/// N parallelograms side by side: N + 1 upright cranks on the ground, N couplers, all rods of 1 m and 1 kg; they fall to
/// one side and are flat four times in five seconds.
fn ladder(n: usize) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    m.gravity([0.0, -9.81, 0.0]);
    let up = std::f64::consts::FRAC_PI_2;
    let crank = |m: &mut ModelBuilder, i: usize| {
        let body = m.body(format!("crank {i}"), Planar::rod(1.0, 1.0).pose(i as f64, 0.5, up).velocity(0.5, 0.0, -1.0));
        m.joint(format!("foot {i}"), Revolute::new(BodyId::GROUND.at([i as f64, 0.0, 0.0]), body.at([-0.5, 0.0, 0.0])));
        body
    };
    let cranks: Vec<BodyId> = (0..=n).map(|i| crank(&mut m, i)).collect();
    for (i, pair) in cranks.windows(2).enumerate() {
        let rod = Planar::rod(1.0, 1.0).pose(i as f64 + 0.5, 1.0, 0.0).velocity(1.0, 0.0, 0.0);
        let coupler = m.body(format!("coupler {i}"), rod);
        for (side, crank, x) in [("left", pair[0], -0.5), ("right", pair[1], 0.5)] {
            m.joint(format!("{side} {i}"), Revolute::new(crank.at([0.5, 0.0, 0.0]), coupler.at([x, 0.0, 0.0])));
        }
    }
    m
}

/// A single crank with the same inertia and weight as the ladder: I = (n + 1)/3 + n, torque about the foot. The angle of
/// the cranks and their rate at `end`.
fn reduced(n: usize, end: f64) -> (f64, f64) {
    let n = n as f64;
    let (inertia, moment) = ((n + 1.0) / 3.0 + n, 9.81 * ((n + 1.0) * 0.5 + n));
    let steps = 20_000;
    let h = end / f64::from(steps);
    let f = |x: [f64; 2]| [x[1], -moment * x[0].cos() / inertia];
    let along = |x: [f64; 2], k: [f64; 2], h: f64| [x[0] + h * k[0], x[1] + h * k[1]];
    let mut x = [std::f64::consts::FRAC_PI_2, -1.0];
    for _ in 0..steps {
        let a = f(x);
        let b = f(along(x, a, h / 2.0));
        let c = f(along(x, b, h / 2.0));
        let d = f(along(x, c, h));
        (0..2).for_each(|i| x[i] += h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    (x[0], x[1])
}

/// Largest difference of any crank from the reduced problem.
fn off(sim: &Simulation, n: usize) -> f64 {
    let (angle, rate) = reduced(n, sim.time());
    (0..=n).fold(0.0, |worst: f64, i| {
        let at = 3 * i;
        let turned = (sim.state().q[at + 2] - angle).sin().abs();
        worst.max(turned).max((sim.state().v[at + 2] - rate).abs())
    })
}

/// Four passages in five seconds: a run without them takes about 80 steps of `dop853` and 270 of `sdirk4`.
#[test]
fn adaptive_integrators_pass_in_few_steps() {
    for (name, most, allowed) in [("dop853", 130, 1e-5), ("sdirk4", 330, 1e-3)] {
        for n in [1, 2, 3, 5, 10, 20] {
            let mut sim = Simulation::build(ladder(n)).expect("valid");
            sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
            let summary = sim.run_until(5.0).expect("passes");
            let (off, gap) = (off(&sim, n), sim.violation().0);
            println!("{name}, {n} loops: {} steps, {} rejected, off by {off:.1e}", summary.steps, summary.rejected);
            assert!(summary.steps <= most && summary.rejected <= 40, "{name}, {n} loops: {summary:?}");
            assert!(off < allowed && gap < 1e-10, "{name}, {n} loops: off by {off:e}, gap {gap:e}");
        }
    }
}

#[test]
fn rattle_passes_and_keeps_the_branch() {
    for n in [1, 2, 5, 10] {
        let error = |h: f64| {
            let mut sim = Simulation::build(ladder(n)).expect("valid");
            sim.set_integrator(IntegratorKind::Rattle);
            let start = sim.energy().total();
            sim.run_fixed(3.0, h).expect("passes");
            (off(&sim, n), (sim.energy().total() - start).abs() / start)
        };
        let (coarse, fine) = (error(2e-3), error(1e-3));
        println!("rattle, {n} loops: off by {coarse:?} at 2 ms, {fine:?} at 1 ms");
        assert!(fine.0 < 1e-3 && fine.1 < 1e-4, "{n} loops: {fine:?}");
        assert!((2.5..6.5).contains(&(coarse.0 / fine.0)), "{n} loops: not of order 2, {coarse:?}, {fine:?}");
    }
}

/// Links of 0.2 m and 0.5 kg in a line between two walls, under their own weight: to carry it in this pose would take an
/// infinite pull. The chain stands, with joints that give way by less than can be seen.
fn taut(n: usize) -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let mut last = BodyId::GROUND.origin();
    for i in 0..n {
        let link = Rigid::cuboid(0.5, [0.2, 0.05, 0.05]).position([0.1 + 0.2 * i as f64, 0.0, 0.0]);
        let body = m.body(format!("link {i}"), link);
        m.joint(format!("pin {i}"), Spherical::new(last, body.at([-0.1, 0.0, 0.0])));
        last = body.at([0.1, 0.0, 0.0]);
    }
    m.joint("last pin", Spherical::new(BodyId::GROUND.at([0.2 * n as f64, 0.0, 0.0]), last));
    m
}

#[test]
fn taut_chains_stand() {
    for n in [4, 10, 12, 20] {
        for name in ["dop853", "euler", "stepping", "sdirk4", "rattle"] {
            let mut sim = Simulation::build(taut(n)).expect("valid");
            sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
            let result = sim.run_until(0.05);
            let sag = (0..n).fold(0.0, |sag: f64, i| {
                let body = sim.model().body(&format!("link {i}")).expect("there");
                let at = sim.centre(body);
                sag.max(at.y.abs()).max(at.z.abs())
            });
            let gap = sim.violation().0;
            println!("{n} links, {name}: {result:?}, sag {sag:.1e} m, gap {gap:.1e} m");
            // its impulses hold nothing here, and the explicit steps in their place have their limits: it says so
            let named = matches!(&result, Err(StepError::Singular { name, .. }) if name.starts_with("pin"));
            assert!(result.is_ok() || (name == "rattle" && n > 10 && named), "{n} links, {name}: {result:?}");
            assert!(sag < 2e-3 && gap < 1e-5, "{n} links, {name}: sag {sag:e}, gap {gap:e}");
        }
    }
}
