use holonom::prelude::*;
#[test]
fn one() {
    let mut m = ModelBuilder::new();
    let bob = m.body("bob", Particle::new(1.0, [0.0,0.0,1.0]).velocity([1.0,0.0,0.0]));
    let plate = m.body("plate", Planar::new(1.0, 0.1));
    m.joint("rod", Distance::new(bob.origin(), plate.origin(), 1.0));
    let model = m.build().unwrap();
    for n in holonom::SolverKind::NAMES {
        let (x, r) = match holonom::check::solution(&model, model.initial_state(), holonom::SolverKind::from_name(n).unwrap()) { Ok(x) => x, Err(e) => {println!("{n} {e}"); continue } };
        println!("{n} {x:?} {r:?}");
    }
}
