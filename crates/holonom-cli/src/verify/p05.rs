//! Spatial slider-crank: a crank on a hinge, a connecting rod on a ball joint, a Cardan joint, a slider. One loop, 17 rows on 18
//! velocities: one freedom and nothing redundant.

use super::book::{Book, Stop};
use super::track::Track;
use holonom::math::quat_from_axes;
use holonom::prelude::*;
use holonom_cases::Problem;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let (crank_length, rod_length, rate) = (p.parameter("L_crank"), p.parameter("L_rod"), p.initial("theta_dot"));
    let a = Vec3::from(p.parameter_vector("A"));
    // at theta = 0 the crank stands upright
    let b = a + Vec3::Z * crank_length;
    let c = vec3((rod_length * rod_length - b.y * b.y - b.z * b.z).sqrt(), 0.0, 0.0);

    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, -p.parameter("g")]);
    // masses and moments stand in the words of the problem, as do the velocities of rod and slider at the start
    let crank = Rigid::principal(0.12, [1e-4, 1e-4, 1e-5]).centre([0.0, 0.0, 0.5 * crank_length]);
    let crank = m.body("crank", crank.position(a).spin([rate, 0.0, 0.0]));
    let along = (c - b) / rod_length;
    let arm = Vec3::X.cross(along).normalize();
    let rod = Rigid::principal(0.5, [4e-4, 4e-3, 4e-3])
        .position(0.5 * (b + c))
        .orientation(quat_from_axes(Mat3::from_cols(along, arm, along.cross(arm))))
        .velocity([0.12, -0.24, 0.0])
        .spin([1.92, -0.96, 0.48]);
    let rod = m.body("rod", rod);
    let slider = m.body("slider", Rigid::principal(2.0, [1e-4; 3]).position(c).velocity([0.24, 0.0, 0.0]));

    let half = 0.5 * rod_length;
    let axes = |marker: Marker| marker.axes(Vec3::Y, Vec3::X);
    let hinge = m.joint("hinge", Revolute::new(axes(BodyId::GROUND.at(a)), axes(crank.origin())));
    m.joint("ball", Spherical::new(crank.at([0.0, 0.0, crank_length]), rod.at([-half, 0.0, 0.0])));
    // the cross turns about x of the slider and about y of the rod
    m.joint("cross", Universal::new(slider.origin(), rod.at([half, 0.0, 0.0])));
    let guide = m.joint("guide", Prismatic::new(axes(BodyId::GROUND.origin()), axes(slider.origin())));
    let mut track = Track::run(Simulation::build(m)?, p.times())?;

    book.variant("rigid bodies");
    let rows = track.read(|sim| {
        let mut at = |joint| sim.coordinate(joint, 0).unwrap_or((f64::NAN, f64::NAN));
        let (theta, x) = (at(hinge), at(guide));
        vec![theta.0, theta.1, x.0, x.1]
    });
    book.columns(&rows);
    book.constant("total_energy", &track.energies(), p.scalar("total_energy"));
    book.constant("joint gap", &track.gaps(), 0.0);
    Ok(())
}
