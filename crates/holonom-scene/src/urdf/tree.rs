//! Links and joints as a tree: who hangs on whom, which links are one rigid body, where everything stands, and what it
//! weighs.
//!
//! - Links joined by fixed joints are one body. It has the frame and the name of the link nearest to the root; the
//!   others are frames on it.
//! - The root is fixed to the ground if it is called `world`, if the side file says so, or if nothing in its body has
//!   mass.
//! - Poses follow from the joints' origins, all coordinates at zero.
//! - A body that moves must have mass. One without (frames between two joints, sensors on a hinge) gets a billionth of
//!   what hangs on it, both mass and inertia; of the whole robot, if nothing does. What moves is changed by about as
//!   much.
//! - An inertia that no body can have is replaced by the nearest one that a flat body has: the second moments of mass,
//!   whose sums the moments of inertia are, must not be negative,
//!
//! ```text
//! s_x = (I_y + I_z - I_x) / 2,  ...        I_x = s_y + s_z,  ...            (principal axes; a negative s becomes 0)
//! ```
//!
//! Every such change is a warning.

use super::robot::{Robot, UrdfJointType};
use super::values::Values;
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::Diagnostic;
use crate::scene::{Mass, Pose};
use crate::source::Span;
use holonom::math::{Mat3, Vec3, symmetric_eigen, vec3};

/// Share of mass and inertia that a body without any gets.
const SHARE: f64 = 1e-9;

/// A rigid body: links that do not move against each other.
pub struct RigidGroup {
    /// The link nearest to the root.
    pub first: usize,
    /// All its links, that one first.
    pub links: Vec<usize>,
    /// The joint that carries it; none for the root.
    pub joint: Option<usize>,
    /// Pose in the world, all coordinates at zero.
    pub pose: Pose,
    /// Mass in its own frame.
    pub mass: Option<Mass>,
}

/// The robot as a tree.
pub struct RobotTree {
    /// Bodies, parents before children.
    pub groups: Vec<RigidGroup>,
    /// Of every link: its body, and its pose on it.
    pub on: Vec<(usize, Pose)>,
    /// Is the root fixed to the ground?
    pub grounded: bool,
}

/// What the side file says about the root.
#[derive(Clone, Copy, Debug)]
pub struct Base {
    /// Is it fixed to the ground?
    pub fixed: Option<bool>,
    /// Where it stands.
    pub pose: Pose,
    /// May links of the robot touch each other, where there are contacts?
    pub self_collision: bool,
}

/// Joints above and below every link.
struct Neighbours {
    above: Vec<Option<usize>>,
    below: Vec<Vec<usize>>,
}

/// Find the tree. None, with errors in the report, if there is none.
pub fn tree(robot: &Robot, base: &Base, root_span: Span, values: &mut Values) -> Option<RobotTree> {
    let neighbours = neighbours(robot, values)?;
    let root = root(robot, &neighbours, root_span, values)?;
    let mut tree = groups(robot, &neighbours, root, base.pose);
    let unreached = (0..robot.links.len()).find(|l| tree.on[*l].0 == usize::MAX);
    if let Some(l) = unreached {
        let span = neighbours.above[l].map_or(robot.links[root].span, |k| robot.joints[k].span);
        let d = Diagnostic::error(codes::BROKEN_TREE, "joints form a circle that does not hang on the root").at(span);
        values.complain(d.label("this joint is in it").help("close loops by joints in a side file NAME.loops.toml"));
        return None;
    }
    weigh(robot, &mut tree);
    settle_root(robot, &mut tree, base, values);
    settle_masses(robot, &mut tree, values);
    Some(tree)
}

fn neighbours(robot: &Robot, values: &mut Values) -> Option<Neighbours> {
    let n = robot.links.len();
    let mut out = Neighbours { above: vec![None; n], below: vec![Vec::new(); n] };
    let mut broken = false;
    for (k, joint) in robot.joints.iter().enumerate() {
        if let Some(other) = out.above[joint.child] {
            let message = format!("the link `{}` is the child of two joints", shown(&robot.links[joint.child].name));
            let d = Diagnostic::error(codes::BROKEN_TREE, message).at(joint.child_span);
            let d = d.label(format!("of `{}` too", shown(&robot.joints[other].name)));
            values.complain(d.help("close loops by joints in a side file NAME.loops.toml"));
            broken = true;
            continue;
        }
        out.above[joint.child] = Some(k);
        out.below[joint.parent].push(k);
    }
    (!broken).then_some(out)
}

/// The one link that is no child.
fn root(robot: &Robot, neighbours: &Neighbours, root_span: Span, values: &mut Values) -> Option<usize> {
    let broken = |message: String, span: Span| Diagnostic::error(codes::BROKEN_TREE, message).at(span);
    let mut roots = (0..robot.links.len()).filter(|l| neighbours.above[*l].is_none());
    let Some(root) = roots.next() else {
        let d = match robot.joints.first() {
            Some(j) => broken("no link is the root: the joints form a circle".into(), j.span),
            None => broken("the robot has no links".into(), root_span),
        };
        values.complain(d.help("in a URDF every link but one is the child of exactly one joint"));
        return None;
    };
    if let Some(second) = roots.next() {
        let (first, link) = (shown(&robot.links[root].name), &robot.links[second]);
        let d = broken(format!("two links hang on nothing: `{first}` and `{}`", shown(&link.name)), link.span);
        let d = d.label("no joint has it as its child");
        values.complain(d.help("join it to the rest, if only by a joint of type floating"));
        return None;
    }
    Some(root)
}

/// Links into rigid bodies, with their poses, breadth first from the root. Links that are not reached have no body.
fn groups(robot: &Robot, neighbours: &Neighbours, root: usize, pose: Pose) -> RobotTree {
    let on = vec![(usize::MAX, Pose::IDENTITY); robot.links.len()];
    let mut tree = RobotTree { groups: Vec::new(), on, grounded: false };
    tree.groups.push(RigidGroup { first: root, links: vec![root], joint: None, pose, mass: None });
    tree.on[root].0 = 0;
    let mut queue = std::collections::VecDeque::from([root]);
    while let Some(l) = queue.pop_front() {
        for &k in &neighbours.below[l] {
            let joint = &robot.joints[k];
            let (group, pose) = tree.on[l];
            let pose = pose.then(&joint.pose);
            if joint.ty == UrdfJointType::Fixed {
                tree.on[joint.child] = (group, pose);
                tree.groups[group].links.push(joint.child);
            } else {
                let pose = tree.groups[group].pose.then(&pose);
                tree.on[joint.child] = (tree.groups.len(), Pose::IDENTITY);
                let links = vec![joint.child];
                tree.groups.push(RigidGroup { first: joint.child, links, joint: Some(k), pose, mass: None });
            }
            queue.push_back(joint.child);
        }
    }
    tree
}

fn weigh(robot: &Robot, tree: &mut RobotTree) {
    for group in &mut tree.groups {
        let on = |l: usize| robot.links[l].mass.map(|m| if l == group.first { m } else { m.placed(&tree.on[l].1) });
        let all: Vec<Mass> = group.links.iter().filter_map(|l| on(*l)).collect();
        let heavy = all.iter().filter(|m| m.mass > 0.0).copied().reduce(|sum, m| sum.plus(&m));
        // an inertia without mass is that of the body it is fixed to
        group.mass = heavy.map(|sum| {
            let more = all.iter().filter(|m| m.mass == 0.0).fold(Mat3::ZERO, |i, m| i + m.inertia);
            Mass { inertia: sum.inertia + more, ..sum }
        });
    }
}

fn settle_root(robot: &Robot, tree: &mut RobotTree, base: &Base, values: &mut Values) {
    let root = &robot.links[tree.groups[0].first];
    let massless = tree.groups[0].mass.is_none();
    tree.grounded = base.fixed.unwrap_or(root.name == "world") || massless;
    if massless && base.fixed != Some(true) && (root.name != "world" || base.fixed == Some(false)) {
        let message = format!("the root `{}` has no mass: it is fixed to the ground", shown(&root.name));
        values.ignored(root.span, message, "a free body needs mass");
    }
}

fn settle_masses(robot: &Robot, tree: &mut RobotTree, values: &mut Values) {
    let moment = |m: &Mass| (m.inertia.x_axis.x + m.inertia.y_axis.y + m.inertia.z_axis.z) / 3.0;
    let n = tree.groups.len();
    // mass and mean moment of all that hangs on a body, itself included
    let mut carried: Vec<(f64, f64)> =
        tree.groups.iter().map(|g| g.mass.map_or((0.0, 0.0), |m| (m.mass, moment(&m)))).collect();
    for g in (1..n).rev() {
        let Some(k) = tree.groups[g].joint else { continue };
        // floating joints carry nothing, but their mass is a measure all the same
        let parent = tree.on[robot.joints[k].parent].0;
        carried[parent].0 += carried[g].0;
        carried[parent].1 += carried[g].1;
    }
    let total = carried[0];
    for (g, group) in tree.groups.iter_mut().enumerate().skip(usize::from(tree.grounded)) {
        let link = &robot.links[group.first];
        let before = values.enter(format!("link/{}", shown(&link.name)));
        match group.mass {
            None => {
                let (mass, moment) = if carried[g].0 > 0.0 { carried[g] } else { total };
                let mass = SHARE * if mass > 0.0 { mass } else { 1.0 };
                let moment = SHARE * if moment > 0.0 { moment } else { 1.0 };
                group.mass = Some(Mass { mass, centre: Vec3::ZERO, inertia: Mat3::from_diagonal(Vec3::splat(moment)) });
                let message = format!("the link `{}` moves and has no mass", shown(&link.name));
                values.ignored(link.span, message, format!("{mass:.3e} kg and {moment:.3e} kg m^2 are used"));
            }
            Some(mass) => {
                if let Some((possible, p)) = possible(&mass) {
                    group.mass = Some(possible);
                    let message = "no body has such an inertia: the nearest that one can have is used";
                    let label = format!("principal moments {:.6e}, {:.6e}, {:.6e} kg m^2", p[0], p[1], p[2]);
                    let heaviest = group.links.iter().find(|l| robot.links[**l].mass.is_some_and(|m| m.mass > 0.0));
                    let span = heaviest.map_or(link.span, |l| robot.links[*l].inertia_span);
                    values.ignored(span, message, label);
                }
            }
        }
        values.leave(before);
    }
}

/// The nearest inertia that a body can have, and the principal moments as they were; none if it is one already.
fn possible(mass: &Mass) -> Option<(Mass, [f64; 3])> {
    let (axes, p) = symmetric_eigen(&mass.inertia);
    let sum = p[0] + p[1] + p[2];
    let least = p[0].min(p[1]).min(p[2]);
    let largest = p[0].max(p[1]).max(p[2]);
    if least > 1e-12 * largest && largest <= (sum - largest) * (1.0 + 1e-9) {
        return None;
    }
    let scale = p[0].abs().max(p[1].abs()).max(p[2].abs());
    // a point has no moments at all: one of a millimetre across; a line has none about itself: a billionth
    let floor = if scale > 0.0 { SHARE * scale } else { mass.mass * 1e-6 };
    let s = p.map(|x| (0.5 * sum - x).max(0.0));
    let lift = if s.iter().filter(|x| **x > 0.5 * floor).count() < 2 { floor } else { 0.0 };
    let [x, y, z] = s.map(|x| x.max(lift));
    let moments = Mat3::from_diagonal(vec3(y + z, z + x, x + y));
    let inertia = axes * moments * axes.transpose();
    Some((Mass { inertia: (inertia + inertia.transpose()) * 0.5, ..*mass }, p))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_inertias_become_the_nearest_possible_ones() {
        let of = |x: f64, y: f64, z: f64| {
            let mass = Mass { mass: 2.0, centre: Vec3::ZERO, inertia: Mat3::from_diagonal(vec3(x, y, z)) };
            possible(&mass).map(|(m, _)| [m.inertia.x_axis.x, m.inertia.y_axis.y, m.inertia.z_axis.z])
        };
        assert_eq!(of(1.0, 2.0, 3.0), None);
        // the largest stays, the others are raised by the same amount
        assert_eq!(of(1.0, 2.0, 4.0), Some([1.5, 2.5, 4.0]));
        assert_eq!(of(0.0, 0.0, 0.0), Some([4e-6; 3]));
        for p in [[0.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [-1.0, -1.0, -1.0], [0.0, 0.0, 1.0]] {
            let [x, y, z] = of(p[0], p[1], p[2]).unwrap();
            let made = Mass { mass: 2.0, centre: Vec3::ZERO, inertia: Mat3::from_diagonal(vec3(x, y, z)) };
            assert!(possible(&made).is_none(), "{p:?} became {x} {y} {z}");
        }
    }
}
