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
        let sim = spec.simulation();
        let (gap_at_start, rate_at_start) = sim.violation();
        worst.at_most("gap at the start", gap_at_start, 1e-12)?;
        worst.at_most("gap rate at the start", rate_at_start, 1e-12)?;
        let residual = sim.residual().expect("regular");
        worst.at_most("residual of motion", residual.motion, 1e-10)?;
        worst.at_most("residual of constraints", residual.constraint, 1e-10)?;
        let a = sim.accelerations().expect("regular");
        let lambda = sim.multipliers().expect("regular");
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

/// Six roads to the same accelerations; and to the same multipliers where these are well determined.
#[test]
fn all_solvers_agree() {
    for_mechanisms("solvers", 2.0, Wish::ANY, |spec, worst| {
        let mut sim = spec.simulation();
        let a = sim.accelerations().expect("regular");
        let lambda = sim.multipliers().expect("regular");
        let d = Dense::at(sim.model(), sim.state());
        // accelerations that cancel (a body that is held) are measured against what cancels
        let scale = size(&a) + size(&d.mass_solve(&d.e.force)) + size(&d.mass_solve(&d.transposed_times(&lambda)));
        let rcond = d.rcond();
        for name in ["baraff", "dense", "dense-kkt", "banded", "cg"] {
            let applies = sim.set_solver(SolverKind::from_name(name).expect("a known solver"));
            if name == "baraff" && applies.is_err() {
                continue; // a joint that the bodies below it leave without full rank
            }
            applies.expect("it applies");
            let error = gap(&sim.accelerations().expect("regular"), &a) / scale.max(1e-300);
            worst.at_most(name, error, 1e-9)?;
            if rcond > 1e-5 {
                let error = difference(&sim.multipliers().expect("regular"), &lambda);
                let error = if size(&lambda) > 1e-9 { error } else { 0.0 };
                worst.at_most(&*format!("{name}, multipliers").leak(), error, 1e-9)?;
            }
        }
        Ok(())
    });
}

/// lambda . J v, joint by joint, against the absolute powers of all products it is the sum of, and of the applied forces.
#[test]
fn constraint_forces_do_no_work() {
    for_mechanisms("power", 4.0, Wish::ANY, |spec, worst| {
        let sim = spec.simulation();
        let lambda = sim.multipliers().expect("regular");
        let d = Dense::at(sim.model(), sim.state());
        let v = &sim.state().v;
        let (mut net, mut absolute) = (0.0, 0.0);
        if size(v) < 1e-9 {
            return Ok(()); // locked: only rounding errors are left of the velocities
        }
        absolute += d.e.force.iter().zip(v).map(|(f, v)| (f * v).abs()).sum::<f64>();
        for joint in sim.model().joints() {
            net += sim.model().rows_of(joint).map(|i| lambda[i] * dot(d.row(i), v)).sum::<f64>().abs();
            for i in sim.model().rows_of(joint) {
                absolute += d.row(i).iter().zip(v).map(|(j, v)| (lambda[i] * j * v).abs()).sum::<f64>();
            }
        }
        worst.at_most("joint power of absolute power", net / absolute.max(1e-300), 1e-12)
    });
}

/// Pushes on random points of random bodies.
fn pushes(spec: &Spec, g: &mut SplitMix) -> Vec<(Marker, Vec3)> {
    let push = |(i, b): (usize, &common::spec::BodySpec)| {
        let marker = common::grow::random_marker(Some(b.kind), body_id(i), g);
        (marker, g.vec3(3.0))
    };
    spec.bodies.iter().enumerate().map(push).collect()
}

/// Gauss: among all legal accelerations the true ones are nearest to the free ones, measured by M.
#[test]
fn no_legal_acceleration_is_nearer_to_the_free_one() {
    for_mechanisms("Gauss", 2.0, Wish::ANY, |spec, worst| {
        let sim = spec.simulation();
        let a = sim.accelerations().expect("regular");
        let d = Dense::at(sim.model(), sim.state());
        let free = d.mass_solve(&d.e.force);
        let constrained: Vec<f64> = a.iter().zip(&free).map(|(a, f)| a - f).collect();
        let least = d.inner(&constrained, &constrained);
        let size = least + d.inner(&free, &free);
        let mut g = SplitMix(spec.joints.first().map_or(1, |j| j.seed));
        for _ in 0..4 {
            let n = sim.velocities_from_forces(&pushes(spec, &mut g)).expect("regular");
            let own = d.inner(&n, &n);
            // M-orthogonal, so that every other legal acceleration is farther away by n . M n
            let cross = d.inner(&constrained, &n).abs() / (size.sqrt() * own.sqrt()).max(1e-300);
            let cross = if own.sqrt() > 1e-9 { cross } else { 0.0 };
            worst.at_most("cosine to legal accelerations", cross, 1e-10)?;
            let scale = if own > 0.0 { (size / own).sqrt() } else { 0.0 };
            for s in [-1.0, -1e-3, 1e-3, 1.0] {
                let other: Vec<f64> = constrained.iter().zip(&n).map(|(c, n)| c + s * scale * n).collect();
                let excess = (least - d.inner(&other, &other)) / size.max(1e-300);
                let excess = if own.sqrt() > 1e-9 { excess } else { 0.0 };
                worst.at_most("how much nearer another one is", excess, 1e-12)?;
            }
        }
        Ok(())
    });
}

/// The generalised force `f` of one body as pushes on what it carries.
fn as_force(spec: &Spec, i: usize, axes: Mat3, f: &[f64]) -> UserForce {
    let (b, id) = (&spec.bodies[i], body_id(i));
    let v = |k: usize| vec3(f[k], f[k + 1], f[k + 2]);
    let pushes: Vec<(Attachment, Vec3)> = match b.kind {
        Kind::Particle => vec![(Attachment::point(id, Vec3::ZERO), v(0))],
        Kind::Rigid => vec![(Attachment::point(id, b.centre), v(0)), (Attachment::spin(id), v(3))],
        Kind::Uniform | Kind::PerAxis => {
            let whole = [(Attachment::point(id, b.centre), v(0)), (Attachment::spin(id), v(3))];
            // pulling a point away from the centre along a body axis stretches and does nothing else
            let pair = |j: usize| {
                let pull = axes.col(j) * f[6 + j];
                [(Attachment::point(id, b.centre + Vec3::AXES[j]), pull), (Attachment::point(id, b.centre), -pull)]
            };
            whole.into_iter().chain((0..b.kind.scales()).flat_map(pair)).collect()
        }
        Kind::Planar => {
            let p = b.plane();
            vec![
                (Attachment::point(id, b.centre), p.x_axis * f[0] + p.y_axis * f[1]),
                (Attachment::spin(id), p.z_axis * f[2]),
            ]
        }
        Kind::Affine => vec![
            (Attachment::point(id, b.centre), v(0)),
            (Attachment::direction(id, Vec3::X), v(3)),
            (Attachment::direction(id, Vec3::Y), v(6)),
            (Attachment::direction(id, Vec3::Z), v(9)),
        ],
    };
    let attachments: Vec<Attachment> = pushes.iter().map(|p| p.0).collect();
    UserForce::new(attachments, move |_, _, push| {
        for (k, (_, f)) in pushes.iter().enumerate() {
            push.on(k, *f);
        }
    })
}

/// Choose legal accelerations, compute the forces that give them, apply these: the accelerations come back.
#[test]
fn forward_of_inverse_is_the_identity() {
    for_mechanisms("forward and inverse", 2.0, Wish::ANY, |spec, worst| {
        let sim = spec.simulation();
        let mut wanted = sim.accelerations().expect("regular");
        let d = Dense::at(sim.model(), sim.state());
        let mut g = SplitMix(spec.bodies.len() as u64);
        let random: Vec<f64> = wanted.iter().map(|_| g.symmetric(10.0)).collect();
        wanted.iter_mut().zip(d.legal_part(&random)).for_each(|(w, x)| *w += x);
        // any multipliers may be added: the joints take them up
        let mu: Vec<f64> = (0..d.m).map(|_| g.symmetric(10.0)).collect();
        let push = d.transposed_times(&mu);
        let needed: Vec<f64> =
            d.mass_times(&wanted).iter().zip(&d.e.force).zip(&push).map(|((ma, f), p)| ma - f + p).collect();
        let mut m = spec.builder();
        for i in 0..spec.bodies.len() {
            m.force(
                format!("inverse {i}"),
                as_force(spec, i, sim.axes(body_id(i)).unwrap_or(Mat3::NAN), &needed[sim.model().v_range(body_id(i))]),
            );
        }
        let forced = Simulation::build(m).expect("built before");
        let scale = size(&wanted) + size(&d.mass_solve(&needed)) + size(&d.mass_solve(&d.e.force));
        let error = gap(&forced.accelerations().expect("regular"), &wanted) / scale.max(1e-300);
        worst.at_most("accelerations that came back", error, 1e-10)
    });
}

/// Baraff's printed method has no pivots for loops and for joints that the bodies below them leave without full rank, and says which joint it is.
#[test]
fn baraff_refuses_what_he_has_no_pivots_for() {
    let message = |m: ModelBuilder| {
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_solver(SolverKind::Baraff).expect_err("it does not apply").to_string()
    };
    let rod = |m: &mut ModelBuilder, name: &str| m.body(name, Rigid::cuboid(1.0, [1.0, 0.1, 0.1]));

    let mut door = ModelBuilder::new();
    let leaf = rod(&mut door, "leaf");
    for (name, height) in [("upper", 0.5), ("lower", -0.5)] {
        door.joint(name, Revolute::new(BodyId::GROUND.at([0.0, 0.0, height]), leaf.at([0.0, 0.0, height])));
    }
    assert!(message(door).contains("`baraff` needs a mechanism without loops"));

    // a plate moves in its plane only: two of the three rows of a ball joint
    let mut plates = ModelBuilder::new();
    let middle = rod(&mut plates, "middle");
    for (name, x) in [("left", -0.5), ("right", 0.5)] {
        let plate = plates.body(format!("{name} plate"), Planar::new(1.0, 0.1).pose(x, 0.0, 0.0));
        plates.joint(name, Spherical::new(middle.at([x, 0.0, 0.0]), plate.at([0.0, 0.0, 0.0])));
    }
    let text = message(plates);
    assert!(text.contains("without full rank") && text.contains("left") | text.contains("right"), "{text}");
}
