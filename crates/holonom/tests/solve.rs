//! One evaluation of the equations of motion on random mechanisms.

mod common;

use common::dense::Dense;
use common::grow::Wish;
use common::spec::{Kind, Spec, body_id};
use common::{difference, dot, for_mechanisms, gap, size};
use holonom::math::SplitMix;
use holonom::prelude::*;

/// `J vdot + c = 0` and `M vdot = J^T lambda + F`, measured by the engine and again from the matrices written out.
#[test]
fn the_equations_hold() {
    for_mechanisms("equations", 4.0, Wish::ANY, |spec, worst| {
        let mut sim = spec.simulation();
        let residual = sim.residual().expect("regular");
        worst.at_most("residual of motion", residual.motion, 1e-10)?;
        worst.at_most("residual of constraints", residual.constraint, 1e-10)?;
        let a = sim.accelerations().expect("regular").to_vec();
        let lambda = sim.multipliers().expect("regular").to_vec();
        let d = Dense::at(sim.model(), sim.state());
        let (ma, push) = (d.mass_times(&a), d.transposed_times(&lambda));
        let sum: Vec<f64> = push.iter().zip(&d.e.force).map(|(p, f)| p + f).collect();
        let scale = size(&ma) + size(&push) + size(&d.e.force);
        worst.at_most("|M vdot - J^T lambda - F|", gap(&ma, &sum) / scale.max(1e-300), 1e-10)?;
        let free = size(&d.mass_solve(&d.e.force)) + size(&d.mass_solve(&push));
        let c: Vec<f64> = d.e.c.iter().map(|c| -c).collect();
        worst.at_most("|J vdot + c|", gap(&d.jacobian_times(&a), &c) / (free + size(&c)).max(1e-300), 1e-10)
    });
}

/// Five roads to the same accelerations; and to the same multipliers where these are well determined.
#[test]
fn all_solvers_agree() {
    for_mechanisms("solvers", 2.0, Wish::ANY, |spec, worst| {
        let mut sim = spec.simulation();
        let a = sim.accelerations().expect("regular").to_vec();
        let lambda = sim.multipliers().expect("regular").to_vec();
        let d = Dense::at(sim.model(), sim.state());
        // accelerations that cancel (a body that is held) are measured against what cancels
        let scale = size(&a) + size(&d.mass_solve(&d.e.force)) + size(&d.mass_solve(&d.transposed_times(&lambda)));
        let rcond = d.rcond();
        for name in ["dense", "dense-kkt", "banded", "cg"] {
            sim.set_solver(SolverKind::from_name(name).expect("a known solver"));
            let error = gap(sim.accelerations().expect("regular"), &a) / scale.max(1e-300);
            worst.at_most(name, error, 1e-9)?;
            if rcond > 1e-5 {
                let error = difference(sim.multipliers().expect("regular"), &lambda);
                let error = if size(&lambda) > 1e-9 { error } else { 0.0 };
                worst.at_most(&*format!("{name}, multipliers").leak(), error, 1e-9)?;
            }
        }
        Ok(())
    });
}
