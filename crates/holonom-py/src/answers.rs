//! Answers about the present state: quantities, loads, diagnosis, energies, contacts, events. What they return are data
//! classes of `holonom/_results.py`.

use crate::arrays::vector;
use crate::errors::{answer_error, usage};
use crate::model::{self, quantities};
use crate::simulation::Simulation;
use holonom::{Axes, Contact, Diagnosis, EventKind, EventPlace, Friction, JointId, Model, Reaction};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// One of the data classes, by keyword.
pub(crate) fn result<'py>(
    py: Python<'py>,
    class: &str,
    fill: impl FnOnce(&Bound<'py, PyDict>) -> PyResult<()>,
) -> PyResult<Bound<'py, PyAny>> {
    let fields = PyDict::new(py);
    fill(&fields)?;
    py.import("holonom._results")?.getattr(class)?.call((), Some(&fields))
}

fn reaction<'py>(
    py: Python<'py>,
    name: &str,
    r: &Reaction,
    unique: ([bool; 3], [bool; 3]),
) -> PyResult<Bound<'py, PyAny>> {
    result(py, "Reaction", |d| {
        d.set_item("joint", name)?;
        d.set_item("force", vector(py, r.force))?;
        d.set_item("torque", vector(py, r.torque))?;
        d.set_item("point", vector(py, r.point))?;
        d.set_item("force_unique", unique.0.to_vec().into_pyarray(py))?;
        d.set_item("torque_unique", unique.1.to_vec().into_pyarray(py))
    })
}

fn friction(state: Friction) -> &'static str {
    match state {
        Friction::None => "none",
        Friction::Stick => "stick",
        Friction::Slip => "slip",
    }
}

fn contact<'py>(py: Python<'py>, model: &Model, c: &Contact) -> PyResult<Bound<'py, PyAny>> {
    result(py, "Contact", |d| {
        d.set_item("a", model.body_name(c.bodies.0))?;
        d.set_item("b", model.body_name(c.bodies.1))?;
        d.set_item("point", vector(py, c.point))?;
        d.set_item("normal", vector(py, c.normal))?;
        d.set_item("gap", c.gap)?;
        d.set_item("force", vector(py, c.force))?;
        d.set_item("torque", vector(py, c.torque))?;
        d.set_item("slip", vector(py, c.slip))?;
        d.set_item("friction", friction(c.friction))
    })
}

fn diagnosis<'py>(py: Python<'py>, model: &Model, d: &Diagnosis) -> PyResult<Bound<'py, PyAny>> {
    let names = |joints: &[JointId]| joints.iter().map(|j| model.joint_name(*j)).collect::<Vec<_>>();
    let row = |r: &holonom::doctor::RowName| (r.joint_name.clone(), r.row, r.holds.clone());
    let redundant = d.redundant.iter().map(|set| {
        result(py, "RedundantSet", |f| {
            f.set_item("rows", set.rows.iter().map(row).collect::<Vec<_>>())?;
            f.set_item("could_be_left_out", set.dropped.iter().map(row).collect::<Vec<_>>())
        })
    });
    let reactions = PyDict::new(py);
    for r in &d.reactions {
        let name = model.joint_name(r.joint);
        reactions.set_item(name, reaction(py, name, &r.reaction, (r.force_unique, r.torque_unique))?)?;
    }
    result(py, "Diagnosis", |f| {
        f.set_item("bodies", d.bodies)?;
        f.set_item("joints", d.joints)?;
        f.set_item("rows", d.rows)?;
        f.set_item("rank", d.rank)?;
        f.set_item("mobility", d.mobility)?;
        f.set_item("mobility_nearby", d.mobility_generic)?;
        f.set_item("singular", d.is_singular())?;
        f.set_item("loops", d.loops)?;
        f.set_item("redundant", redundant.collect::<PyResult<Vec<_>>>()?)?;
        f.set_item("not_unique", d.not_unique.iter().map(row).collect::<Vec<_>>())?;
        f.set_item("contradictions", d.contradictions.iter().map(|set| names(set)).collect::<Vec<_>>())?;
        f.set_item("reactions", reactions)?;
        f.set_item("gap", d.gap)
    })
}

#[pymethods]
impl Simulation {
    /// One quantity by its name, such as `pin.force.z`.
    fn quantity(&mut self, py: Python<'_>, name: &str) -> PyResult<f64> {
        let mut all = quantities(&self.loaded, self.run.sim.model(), &[name.to_string()])?;
        // `time` comes first unless it was asked for
        let at = all.len() - 1;
        if at > 1 || name.contains('*') {
            return Err(usage(format!("`{name}` is not one quantity; select(...) reads several")));
        }
        let mut values = vec![0.0; all.len()];
        let read = py.detach(|| all.read(self.probe(), &mut values));
        self.after()?;
        read.map_err(|e| answer_error(&e))?;
        Ok(values[at])
    }

    /// What a joint carries: the action of body a on body b, and which components can have no other value. `axes`:
    /// world, a, b (the axes of either body).
    #[pyo3(signature = (joint, axes = "world"))]
    fn reaction<'py>(&mut self, py: Python<'py>, joint: &str, axes: &str) -> PyResult<Bound<'py, PyAny>> {
        let id = model::joint(self.run.sim.model(), joint)?;
        let known = [("world", Axes::World), ("a", Axes::A), ("b", Axes::B)];
        let Some((_, seen_in)) = known.into_iter().find(|(n, _)| *n == axes) else {
            return Err(crate::errors::unknown("choice of axes", axes, known.map(|k| k.0).into_iter()));
        };
        let loops = self.run.sim.model().has_loops();
        let found = py.detach(|| {
            let probe = self.probe();
            let reaction = probe.reaction_in(id, seen_in)?;
            // without loops nothing shares a load
            let known = if loops { Some(probe.diagnose()?) } else { None };
            let unique = known.as_ref().and_then(|d| d.reaction(id)).map(|r| (r.force_unique, r.torque_unique));
            Ok((reaction, unique))
        });
        self.after()?;
        let (found, mut unique) = found.map_err(|e| answer_error(&e))?;
        if let Some((force, torque)) = &mut unique
            && seen_in != Axes::World
        {
            // in other axes a component is unique only where all are
            for part in [force, torque] {
                *part = [part.iter().all(|u| *u); 3];
            }
        }
        reaction(py, joint, &found, unique.unwrap_or(([true; 3], [true; 3])))
    }

    /// What every joint carries, by name, and what of it is unique: those of `diagnose()`.
    fn reactions<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.diagnose(py)?.getattr("reactions")
    }

    /// Multipliers of a joint or drive, row by row, N or N m: the torque of a motor, the tension of a rod.
    fn multipliers<'py>(&mut self, py: Python<'py>, joint: &str) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let id = model::joint(self.run.sim.model(), joint)?;
        let found = py.detach(|| self.probe().multipliers_of(id));
        self.after()?;
        Ok(found.map_err(|e| answer_error(&e))?.into_pyarray(py))
    }

    /// Ask the doctor: mobility, loops, redundant joints, which loads are unique.
    fn diagnose<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = py.detach(|| self.probe().diagnose());
        self.after()?;
        diagnosis(py, self.run.sim.model(), &found.map_err(|e| answer_error(&e))?)
    }

    /// Energies, J.
    fn energy<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let e = self.probe().energy();
        self.after()?;
        result(py, "Energy", |d| {
            d.set_item("kinetic", e.kinetic)?;
            d.set_item("potential", e.gravity)?;
            d.set_item("elastic", e.elastic)
        })
    }

    /// Where energy came from and went, J.
    fn ledger<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (l, model) = (self.run.sim.ledger(), self.run.sim.model());
        let (forces, joints) = (PyDict::new(py), PyDict::new(py));
        for f in model.forces() {
            forces.set_item(model.force_name(f), l.force(f))?;
        }
        for j in model.joints() {
            joints.set_item(model.joint_name(j), l.joint(j))?;
        }
        result(py, "Ledger", |d| {
            d.set_item("change", l.change)?;
            d.set_item("forces", forces)?;
            d.set_item("joints", joints)?;
            d.set_item("bodies", l.bodies)?;
            d.set_item("friction", l.friction)?;
            d.set_item("contacts", l.contacts)?;
            d.set_item("impacts", l.impacts)?;
            d.set_item("blows", l.blows)?;
            d.set_item("projection", l.projection)?;
            d.set_item("stepping", l.stepping)?;
            d.set_item("imposed", l.imposed)?;
            d.set_item("unaccounted", l.integrator)
        })
    }

    /// Linear (kg m/s) and angular momentum about the origin (kg m^2/s) of all bodies.
    fn momentum<'py>(&self, py: Python<'py>) -> (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>) {
        let m = self.run.sim.momentum();
        (vector(py, m.linear), vector(py, m.angular))
    }

    /// How well the solution at the present state solves the equations.
    fn certificate<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let found = py.detach(|| self.probe().certificate());
        self.after()?;
        let c = found.map_err(|e| answer_error(&e))?;
        result(py, "Certificate", |d| {
            d.set_item("motion", c.residual.motion)?;
            d.set_item("constraint", c.residual.constraint)?;
            d.set_item("gap", c.gap)?;
            d.set_item("gap_rate", c.gap_rate)?;
            d.set_item("dependent_rows", c.rank_deficiency)?;
            d.set_item("contradiction", c.contradiction)?;
            d.set_item("complementarity", c.complementarity)?;
            d.set_item("overlap", c.overlap)
        })
    }

    /// Largest gap of a joint (m or rad) and its largest rate.
    fn violation(&mut self) -> (f64, f64) {
        self.probe().violation()
    }

    /// All touches with the forces between them, in a stable order.
    fn contacts<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let found = py.detach(|| self.probe().contacts());
        self.after()?;
        let (all, model) = (found.map_err(|e| answer_error(&e))?, self.run.sim.model());
        let all = all.iter().map(|c| contact(py, model, c)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, all)
    }

    /// Keep the newest so many events until they are taken; 0, as at the start, keeps none.
    fn keep_events(&mut self, newest: usize) -> PyResult<()> {
        if newest > 1 << 24 {
            return Err(usage(format!("{newest} events are too many to keep, at most {}", 1 << 24)));
        }
        self.run.sim.keep_events(newest);
        Ok(())
    }

    /// The events kept so far, oldest first; they are not kept any longer.
    fn take_events<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let events = self.run.sim.take_events();
        let model = self.run.sim.model();
        let one = |e: &holonom::Event| {
            result(py, "Event", |d| {
                let (a, b, joint) = match e.place {
                    EventPlace::Contact { shapes: (a, b), .. } => {
                        let name = |s| model.body_name(model.shape(s).1);
                        (Some(name(a)), Some(name(b)), None)
                    }
                    EventPlace::Joint { joint, .. } => (None, None, Some(model.joint_name(joint))),
                };
                let kind = match e.kind {
                    EventKind::Impact => "impact",
                    EventKind::Closes => "closes",
                    EventKind::Opens => "opens",
                    EventKind::Slips => "slips",
                    EventKind::Sticks => "sticks",
                    EventKind::Enters => "enters",
                    EventKind::Leaves => "leaves",
                };
                d.set_item("time", e.time)?;
                d.set_item("kind", kind)?;
                d.set_item("a", a)?;
                d.set_item("b", b)?;
                d.set_item("joint", joint)?;
                d.set_item("point", e.point.map(|p| vector(py, p)))?;
                d.set_item("impulse", vector(py, e.impulse))?;
                d.set_item("speed", e.speed)
            })
        };
        let all = events.iter().map(one).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, all)
    }
}
