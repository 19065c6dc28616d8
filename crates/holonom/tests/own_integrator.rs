//! An integrator from outside the engine: Heun's method, written against what the trait offers.

use holonom::integrate::{Attempt, Integrator, Motion};
use holonom::prelude::*;

struct Heun;

impl Integrator for Heun {
    fn name(&self) -> &'static str {
        "heun"
    }
    fn order(&self) -> u32 {
        2
    }
    fn attempt(&mut self, motion: &mut Motion<'_>, h: f64) -> Result<Attempt, StepError> {
        let t = motion.time();
        let (q0, v0) = motion.state();
        let (q0, v0) = (q0.to_vec(), v0.to_vec());
        let rates =
            |motion: &mut Motion<'_>, t: f64, q: &[f64], v: &[f64]| -> Result<(Vec<f64>, Vec<f64>), StepError> {
                let (mut dq, mut dv) = (vec![0.0; q.len()], vec![0.0; v.len()]);
                motion.rates(t, q, v, &mut dq, &mut dv)?;
                Ok((dq, dv))
            };
        let ahead = |x: &[f64], rate: &[f64]| -> Vec<f64> { x.iter().zip(rate).map(|(x, r)| x + h * r).collect() };
        let (dq0, dv0) = rates(motion, t, &q0, &v0)?;
        let (dq1, dv1) = rates(motion, t + h, &ahead(&q0, &dq0), &ahead(&v0, &dv0))?;
        let mean = |x: &[f64], a: &[f64], b: &[f64]| -> Vec<f64> {
            (0..x.len()).map(|i| x[i] + 0.5 * h * (a[i] + b[i])).collect()
        };
        let mut q1 = mean(&q0, &dq0, &dq1);
        motion.normalise(&mut q1);
        let (q, v) = motion.state();
        q.copy_from_slice(&q1);
        v.copy_from_slice(&mean(&v0, &dv0, &dv1));
        Ok(Attempt { error: None, evaluations: 2 })
    }
}

#[test]
fn an_integrator_of_ones_own_reaches_its_order() {
    let run = |own: Option<f64>| {
        let mut m = ModelBuilder::new();
        let rod = m.body("rod", Rigid::cuboid(1.0, [1.0, 0.2, 0.1]).position([0.5, 0.0, 0.0]).spin([1.0, 0.0, 2.0]));
        m.joint("pivot", Spherical::new(BodyId::GROUND.origin(), rod.at([-0.5, 0.0, 0.0])));
        let mut sim = Simulation::build(m).expect("valid");
        match own {
            Some(h) => {
                sim.set_own_integrator(Box::new(Heun));
                sim.run_fixed(1.0, h)
            }
            None => sim.run_until(1.0),
        }
        .expect("a smooth motion");
        assert!(sim.violation().0 < 1e-13, "projection follows any integrator");
        sim.centre(rod)
    };
    let exact = run(None);
    let errors = [4e-3, 2e-3, 1e-3].map(|h| (run(Some(h)) - exact).length());
    let order = (errors[0] / errors[2]).log2() / 2.0;
    println!("order {order:.2} from {errors:?}");
    assert!((order - 2.0).abs() < 0.2, "{order}, {errors:?}");
}
