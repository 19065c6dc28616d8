//! What each joint is in the structure of a mechanism, and whether its load is unique.
//!
//! Which joints lie on loops is a question to the graph of joints, and quick. Which of them hold something twice is one
//! to the doctor, whose time is cubic in the rows of a group of loops, up to a size from which on he only probes; so he
//! is not asked where it would take long ([`MOST_ROWS`], [`MOST_JOINTS`]). Where he is not, no joint is called
//! redundant, and loads on loops are taken for unique if the solver met no row that depends on others.

use super::StructureRole;
use holonom::{Diagnosis, Simulation};

/// Largest group of loops whose rows the doctor writes out in a moment (0.1 s).
pub const MOST_ROWS: usize = 300;
/// Groups larger than this he does not write out.
const PROBED: usize = 1000;
/// Most joints of a mechanism that the doctor is asked about.
pub const MOST_JOINTS: usize = 2000;

/// What is known of the first joints of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointRoles {
    /// Place of each joint. Joints under inequalities are in no loop here.
    pub roles: Vec<StructureRole>,
    /// Are all components of its reaction unique?
    pub unique: Vec<bool>,
    /// Was the doctor asked?
    pub exact: bool,
}

/// Is a mechanism small enough for the doctor to be quick?
pub fn is_quick(sim: &Simulation) -> bool {
    let model = sim.model();
    let rows = |group: &[holonom::JointId]| group.iter().map(|j| model.rows_of(*j).len()).sum::<usize>();
    model.n_joints() <= MOST_JOINTS
        && model.loops().iter().all(|group| {
            let n = rows(group);
            n <= MOST_ROWS || n > PROBED
        })
}

/// The structure of the first `joints` joints at the present state.
pub fn of(sim: &mut Simulation, joints: usize) -> JointRoles {
    // without joints there is nothing to ask, and contacts are not solved for
    if joints == 0 {
        return JointRoles { exact: true, ..JointRoles::default() };
    }
    let loops = sim.model().loops();
    let mut out = JointRoles { roles: vec![StructureRole::Primary; joints], unique: vec![true; joints], exact: false };
    let mut on_loops = vec![false; joints];
    for joint in loops.iter().flatten().filter(|j| j.index() < joints) {
        (out.roles[joint.index()], on_loops[joint.index()]) = (StructureRole::Loop, true);
    }
    if is_quick(sim)
        && let Ok(found) = sim.diagnose()
    {
        note(&mut out, &found);
        return out;
    }
    // what the solver met tells only whether there is any such row
    let all_unique = sim.observe_unsplit().is_ok_and(|seen| seen.rank_deficiency() == Some(0));
    if !all_unique {
        out.unique.iter_mut().zip(&on_loops).for_each(|(unique, on_loop)| *unique &= !on_loop);
    }
    out
}

fn note(out: &mut JointRoles, found: &Diagnosis) {
    out.exact = true;
    for row in found.redundant.iter().flat_map(|set| &set.rows) {
        if let Some(role) = out.roles.get_mut(row.joint.index()) {
            *role = StructureRole::Redundant;
        }
    }
    for r in &found.reactions {
        if let Some(unique) = out.unique.get_mut(r.joint.index()) {
            *unique = r.is_unique();
        }
    }
}
