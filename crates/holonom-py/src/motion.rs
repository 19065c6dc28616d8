//! Where things are and how they move: arrays by body and by joint coordinate.

use crate::arrays::{rotation, table, vector};
use crate::errors::usage;
use crate::model::{self, body, coordinate, coordinates};
use crate::simulation::Simulation;
use holonom::{BodyId, Vec3};
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;

type Array1<'py> = Bound<'py, PyArray1<f64>>;
type Array2<'py> = Bound<'py, PyArray2<f64>>;

impl Simulation {
    /// Origin and orientation (w, x, y, z; NaN for what has none).
    fn pose_of(&self, id: BodyId) -> [f64; 7] {
        let sim = &self.run.sim;
        let p = sim.point(id.origin()).0;
        let turn = match id {
            BodyId::GROUND => Some(holonom::Quat::IDENTITY),
            id => sim.model().orientation(sim.state(), id),
        };
        let [w, x, y, z] = turn.map_or([f64::NAN; 4], |r| [r.w, r.x, r.y, r.z]);
        [p.x, p.y, p.z, w, x, y, z]
    }

    /// Of the origin, and angular.
    fn velocity_of(&self, id: BodyId) -> [f64; 6] {
        let v = self.run.sim.point(id.origin()).1;
        let w = self.run.sim.spin(id).unwrap_or(Vec3::ZERO);
        [v.x, v.y, v.z, w.x, w.y, w.z]
    }

    fn of_bodies<const N: usize>(&self, of: impl Fn(BodyId) -> [f64; N]) -> Vec<[f64; N]> {
        self.run.sim.model().bodies().map(of).collect()
    }

    /// Value and rate of every joint coordinate.
    fn of_coordinates(&mut self) -> Vec<(f64, f64)> {
        let all = coordinates(self.run.sim.model());
        let probe = self.probe();
        all.into_iter().map(|(j, i)| probe.coordinate(j, i).unwrap_or((f64::NAN, f64::NAN))).collect()
    }
}

#[pymethods]
impl Simulation {
    /// Poses of all bodies: (bodies, 7), origin x, y, z (m) and quaternion w, x, y, z; NaN for what has no orientation.
    fn poses<'py>(&self, py: Python<'py>) -> PyResult<Array2<'py>> {
        table(py, self.of_bodies(|id| self.pose_of(id)))
    }

    /// Velocities of all bodies: (bodies, 6), of the origin (m/s) and angular (rad/s), world axes.
    fn velocities<'py>(&self, py: Python<'py>) -> PyResult<Array2<'py>> {
        table(py, self.of_bodies(|id| self.velocity_of(id)))
    }

    /// Centres of mass of all bodies: (bodies, 3), m.
    fn centres_of_mass<'py>(&self, py: Python<'py>) -> PyResult<Array2<'py>> {
        table(py, self.of_bodies(|id| self.run.sim.centre(id).to_array()))
    }

    /// Pose of a body: origin x, y, z (m) and quaternion w, x, y, z.
    fn pose<'py>(&self, py: Python<'py>, body: &str) -> PyResult<Array1<'py>> {
        Ok(self.pose_of(model::body(self.run.sim.model(), body)?).to_vec().into_pyarray(py))
    }

    /// Velocity of a body: of its origin (m/s) and angular (rad/s), world axes.
    fn velocity<'py>(&self, py: Python<'py>, body: &str) -> PyResult<Array1<'py>> {
        Ok(self.velocity_of(model::body(self.run.sim.model(), body)?).to_vec().into_pyarray(py))
    }

    /// Rotation matrix of a body: its columns are the axes of the body in the world.
    fn rotation<'py>(&self, py: Python<'py>, body: &str) -> PyResult<Array2<'py>> {
        let id = model::body(self.run.sim.model(), body)?;
        let axes = self.run.sim.axes(id).ok_or_else(|| usage(format!("the body `{body}` has no orientation")))?;
        rotation(py, axes)
    }

    /// Position (m) and velocity (m/s) of a point: of a body at coordinates of its own, `point("rod", (1, 0, 0))`, or
    /// one that the scene names, `point("rod.tip")`.
    #[pyo3(signature = (name, at = None))]
    fn point<'py>(&self, py: Python<'py>, name: &str, at: Option<[f64; 3]>) -> PyResult<(Array1<'py>, Array1<'py>)> {
        let marker = match (at, self.loaded.scene.marker(name)) {
            (Some(at), _) => {
                crate::arrays::finite("at", &at)?;
                body(self.run.sim.model(), name)?.at(at)
            }
            (None, Some(marker)) => marker,
            (None, None) => match name.split_once('.') {
                Some((of, point)) => {
                    body(self.run.sim.model(), of)?;
                    return Err(usage(format!("the body `{of}` has no point `{point}`")));
                }
                None => body(self.run.sim.model(), name)?.origin(),
            },
        };
        let (p, v) = self.run.sim.point(marker);
        Ok((vector(py, p), vector(py, v)))
    }

    /// Value of a joint coordinate, m or rad; turns are counted.
    fn coordinate(&mut self, name: &str) -> PyResult<f64> {
        let (joint, i) = coordinate(self.run.sim.model(), name)?;
        Ok(self.probe().coordinate(joint, i).map_or(f64::NAN, |c| c.0))
    }

    /// Rate of a joint coordinate, m/s or rad/s.
    fn rate(&mut self, name: &str) -> PyResult<f64> {
        let (joint, i) = coordinate(self.run.sim.model(), name)?;
        Ok(self.probe().coordinate(joint, i).map_or(f64::NAN, |c| c.1))
    }

    /// Values of all joint coordinates (m or rad), in the order of `Model.coordinates`.
    fn joint_positions<'py>(&mut self, py: Python<'py>) -> Array1<'py> {
        self.of_coordinates().into_iter().map(|c| c.0).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Rates of all joint coordinates (m/s or rad/s), in the order of `Model.coordinates`.
    fn joint_velocities<'py>(&mut self, py: Python<'py>) -> Array1<'py> {
        self.of_coordinates().into_iter().map(|c| c.1).collect::<Vec<_>>().into_pyarray(py)
    }
}
