//! Every kind of diagnostic has a code that never changes its meaning, and a longer explanation for `holonom explain`.
//!
//! E01: files and their syntax. E02: what a scene says. E03: mechanisms that cannot be built. E04: imports. E05:
//! limits. E06: a simulation that stops. E07: reading and writing. W: what is read but does not count.

use crate::diagnostic::Class;
use std::fmt;

/// A code such as E0214.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Code(&'static str);

impl Code {
    /// The code as written.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// How a command that met it should end.
    pub fn class(self) -> Class {
        match &self.0[..3] {
            "E05" => Class::Limit,
            "E06" => Class::Numerical,
            "E07" => Class::Io,
            _ => Class::Input,
        }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// What a code means.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// The code.
    pub code: Code,
    /// In a few words.
    pub title: &'static str,
    /// At length: what it means, an example, what to do.
    pub text: &'static str,
}

/// Look a code up; case does not matter.
pub fn explain(code: &str) -> Option<&'static Explanation> {
    EXPLANATIONS.iter().find(|e| e.code.name().eq_ignore_ascii_case(code.trim()))
}

macro_rules! codes {
    ($($name:ident = $code:literal, $title:literal, $text:literal;)*) => {
        $(#[doc = $title] pub const $name: Code = Code($code);)*
        /// All codes, in order.
        pub static EXPLANATIONS: &[Explanation] = &[$(Explanation { code: $name, title: $title, text: $text }),*];
    };
}

codes! {
    SYNTAX = "E0101", "the file is not valid TOML", "\
The text does not follow the rules of TOML, so nothing in it can be trusted. Frequent reasons: a string without its closing quote, a missing\n\
comma or bracket in a list, a key given twice, `key: value` instead of `key = value`, an expression such as ${L/2} outside quotes.\n\
\n    at = [0, 0, ${L/2}]      # wrong\n    at = [0, 0, \"${L/2}\"]    # right\n";
    NOT_TEXT = "E0102", "the file is not UTF-8 text", "\
Scene files, URDF and MJCF are text in UTF-8. The place given is the first byte that is not. Save the file again as UTF-8.\n";
    XML_SYNTAX = "E0103", "the file is not valid XML", "\
URDF and MJCF are XML. A tag is not closed, an attribute is not quoted, or two attributes of one element have the same name.\n";
    NO_SUCH_FILE = "E0104", "no such file", "\
The file does not exist, or a name without a suffix is not in the gallery (`holonom scenes` lists it).\n";
    UNKNOWN_FORMAT = "E0105", "the kind of file is not known", "\
Scenes are read from .toml (scene files), .urdf and .xml (MJCF, or URDF by its root element).\n";
    ENTITIES = "E0106", "document types and entities are refused", "\
XML can define its own entities, which can blow a small file up to gigabytes or read other files. Models need none of it, so a DOCTYPE is\n\
refused before anything else is read. Remove it.\n";
    PATH_REFUSED = "E0110", "a path leads out of the scene's folder", "\
Files that a scene names (meshes, includes) must lie in the folder of the scene or below. Absolute paths, `..` that leads out, symbolic links\n\
that lead out and addresses such as file:// are refused without being opened, so that a scene from elsewhere cannot read what it should not.\n\
To allow a folder:  holonom run scene.toml --allow-path DIR\n";
    NOT_A_FILE = "E0111", "a path is not an ordinary file", "\
Folders, devices, pipes and sockets are not read as models.\n";
    INCLUDE_CIRCLE = "E0113", "a file includes itself", "\
Following the includes leads back to a file that is being read. Break the circle.\n";
    BAD_MESH = "E0114", "a mesh file cannot be read", "\
Meshes are read from STL (binary or text), OBJ and COLLADA (.dae). The file is cut short, says it holds more than it does, or has numbers that are not finite.\n";
    UNKNOWN_FIELD = "E0201", "a field is not known here", "\
The table has no such field. Names are checked so that a misspelt one cannot be overlooked. `holonom explain scene` says where the format is described.\n";
    MISSING_FIELD = "E0202", "a field is missing", "\
The thing cannot be made without it.\n";
    WRONG_TYPE = "E0203", "a value has the wrong type", "\
For instance text where a number is needed. Expressions stand in quotes and in ${}:  mass = \"${2 * m}\"\n";
    UNKNOWN_KIND = "E0204", "a kind is not known", "\
`kind` says what sort of joint, force, body or drive it is. docs/scenes.md lists them all.\n";
    OUT_OF_RANGE = "E0205", "a value is out of range", "\
The message says what is allowed, with the unit. Lengths, masses and densities must be greater than zero.\n";
    NOT_FINITE = "E0206", "a number is not finite", "\
Infinity and NaN have no place in a scene.\n";
    WRONG_LENGTH = "E0207", "a list has the wrong number of elements", "\
Points and directions have three elements, quaternions four (w first).\n";
    BAD_NAME = "E0208", "a name is not allowed", "\
Names become columns of recordings (`body.pos.x`), so they must not contain a dot, a control character, a quote or a backslash, must not be\n\
empty or longer than 200 bytes, and `ground` is taken.\n";
    DUPLICATE = "E0209", "a name is given twice", "\
Bodies need names of their own, and so do joints and drives together, and forces.\n";
    UNKNOWN_BODY = "E0210", "no such body", "\
Joints, forces and drives name the bodies they act on. Bodies of generators are called NAME/1, NAME/2, ...\n";
    UNKNOWN_POINT = "E0211", "no such point on the body", "\
`body.point` means a point listed under `points` (or `frames`) of that body. A body made with `from` and `to` has points of these names.\n";
    UNKNOWN_JOINT = "E0212", "no such joint", "\
Drives, gears between coordinates and springs on coordinates name a joint.\n";
    UNKNOWN_COORDINATE = "E0213", "the joint has no such coordinate", "\
A hinge has one coordinate (its angle), a cylindrical joint two (0: the way, 1: the angle); some joints have none.\n";
    ZERO_DIRECTION = "E0214", "a direction has zero length", "\
An axis must point somewhere: its length must be greater than 1e-12. Its length does not matter otherwise.\n";
    EXCLUSIVE = "E0215", "fields exclude each other", "\
Each of the fields says the same thing in another way. Keep one.\n";
    NO_MASS = "E0216", "the mass of a body is not known", "\
Give `mass` and `inertia`, or a shape with `density` or `mass`. A mass alone does not say how a body resists being turned: add a shape, or an\n\
inertia, or make it a particle. Where one shape of a body has a density, the others need one too, or `massless = true`.\n";
    IMPOSSIBLE_INERTIA = "E0217", "no body has such an inertia", "\
Moments of inertia must be positive, and no principal moment may exceed the sum of the two others. A common reason: values in g mm^2, or\n\
moments about the origin instead of the centre of mass.\n";
    BAD_ROTATION = "E0218", "not a rotation", "\
A quaternion (w, x, y, z) must not be zero; it is normalised when its length is within 1e-3 of 1.\n";
    OPEN_MESH = "E0219", "a mesh encloses no volume", "\
Mass and inertia come from the volume inside a closed mesh whose triangles face outwards. Close the mesh; or give the\n\
body `mass`, `com` and `inertia`, so that nothing is asked of its shapes; or mark the shape `massless = true`.\n";
    UNKNOWN_PARAMETER = "E0220", "a parameter is not known", "\
`${name}` needs `name` under [params]. Known besides: pi, tau, deg (pi/180), and inside generators i and n.\n";
    EXPRESSION_SYNTAX = "E0221", "an expression cannot be read", "\
Expressions know + - * / ^ ( ), numbers, parameters, and the functions sqrt sin cos tan asin acos atan atan2 sinh cosh tanh exp ln log10 abs\n\
min max floor ceil round mod sign hypot step ramp. Functions of time use t.\n";
    EXPRESSION_VALUE = "E0222", "an expression has no finite value", "\
A division by zero, the root of a negative number, or a result beyond what a number can hold.\n";
    PARAMETER_CIRCLE = "E0223", "parameters define each other in a circle", "\
To know one, another must be known first, and the other way round.\n";
    UNKNOWN_SETTING = "E0224", "--set names nothing in the scene", "\
`--set path=value` changes a parameter (`--set L=2` or `--set params.L=2`) or any field by its path (`--set body.rod.mass=3`).\n";
    SELF_JOINT = "E0225", "a joint joins a body to itself", "\
A joint needs two different bodies, or a body and the ground.\n";
    BAD_FUNCTION = "E0226", "a function is not usable", "\
The points of a table must be finite and in ascending order, splines need enough of them, and an expression must have finite values.\n";
    UNKNOWN_COLUMN = "E0227", "no such quantity", "\
Quantities are named body.pos.x, body.vel.x, body.omega.x, body.quat.w, joint.coordinate, joint.rate, joint.force.x, joint.torque.x,\n\
energy.kinetic, ... `*` stands for anything.\n";
    UNKNOWN_CHOICE = "E0228", "not one of the known words", "\
The message lists them.\n";
    NO_CONTACT = "E0229", "a shape cannot collide", "\
Boxes, balls, capsules, cylinders, meshes (their convex hull, or their triangles), points, ellipsoids, cones, tubes and tori can, and on the ground\n\
planes and terrain (`heights`); not every pair of them: surfaces of triangles do not meet each other, and of round shapes docs/contact.md has the list. On\n\
rigid and planar bodies and particles, which keep their shape. Scaled and affine bodies do not, and rotors have no position. With a section [contact]\n\
every shape collides that does not say otherwise:\n\
\n    shape = { kind = \"torus\", ring_radius = 1, tube_radius = 0.1, collides = false }\n";
    UNKNOWN_SHAPE = "E0230", "no such shape on the body", "\
A pair under [[contact.pair]] names two bodies, or shapes of bodies that have a `name`: `BODY.NAME`. They must be shapes that collide.\n";
    NOT_BUILT = "E0301", "the mechanism cannot be built", "\
The engine refused a body, a joint or a force; the message is its own.\n";
    NOT_CLOSED = "E0302", "the loop cannot be closed", "\
No pose was found in which all joints fit. Check lengths: in a four-bar the longest link must be shorter than the sum of the three others.\n\
If there is a pose, start nearer to it: give poses to the bodies, or `start` to some joints.\n";
    CONFLICT = "E0303", "joints contradict each other", "\
Each of the joints named can be closed, or each of the drives followed, but not all of them together.\n";
    WRONG_BRANCH = "E0304", "a joint closed the wrong way round", "\
The equations are satisfied by a mirror image of what is meant. Start nearer to the pose wanted.\n";
    NOT_A_ROBOT = "E0401", "neither URDF nor MJCF", "\
The root element of a URDF is <robot>, of an MJCF <mujoco>.\n";
    BROKEN_TREE = "E0402", "links and joints do not form a tree", "\
In a URDF every link but one is the child of exactly one joint. Loops go into a side file NAME.loops.toml.\n";
    UNKNOWN_REFERENCE = "E0403", "an element refers to nothing", "\
A link, joint, body, mesh, class or site of that name does not exist.\n";
    XACRO = "E0405", "a xacro template is not a model", "\
Xacro files are templates from which a URDF is made by a program of ROS, which may start other programs. They are not expanded here:\n\
\n    xacro robot.urdf.xacro > robot.urdf\n";
    IGNORED = "W0404", "part of the file does not count", "\
The element or attribute is read, but has no effect on the simulation, or an approximate one. With --strict this is an error.\n";
    FILE_TOO_LARGE = "E0501", "a file is too large", "\
Files are measured before they are read. `--limit file=BYTES` changes the limit.\n";
    TOO_DEEP = "E0502", "things are nested too deeply", "\
`--limit depth=N` changes the limit.\n";
    TOO_MANY_ATTRIBUTES = "E0503", "an element has too many attributes", "\
`--limit attributes=N` changes the limit.\n";
    TOO_MANY_BODIES = "E0504", "too many bodies", "\
Counts of generators are checked before anything is made. `--limit bodies=N` changes the limit.\n";
    TOO_MANY_FILES = "E0505", "too many files, or includes too deep", "\
`--limit files=N` changes the limit.\n";
    TOO_LARGE_MESH = "E0506", "a mesh is too large", "\
`--limit triangles=N` changes the limit.\n";
    TOO_LARGE_VALUE = "E0507", "a value is too long", "\
Expressions and lists have a largest size too. `--limit values=N` changes that of lists.\n";
    LEFT_FINITE = "E0601", "simulation stopped: the motion left the finite range", "\
Some speed or position grew beyond all bounds. Mostly a fixed step that is too long for a stiff spring or a fast rotation. The last good state\n\
was saved; `holonom run SCENE --from FILE.failed.snap --dt SMALLER` goes on from there.\n";
    STEP_TOO_SMALL = "E0602", "simulation stopped: steps became too small", "\
The adaptive integrator cannot go on: something happens infinitely fast. A force that jumps, or a mechanism that runs into a dead centre.\n";
    NOT_KEPT = "E0603", "simulation stopped: joints cannot be kept", "\
The gaps of the joints named could not be closed after a step: the mechanism was driven beyond its reach, or the step is too long.\n";
    NOT_SOLVED = "E0604", "simulation stopped: the equations cannot be solved", "\
The equations of motion have no solution at this pose, or the solver chosen cannot find it. Or rows of joints repeat those of others but for a part\n\
that is next to rounding (a loop that is closed to 1e-8, hinges whose axes are 1e-6 apart), and an adaptive integrator cannot meet its tolerance there:\n\
close the loop exactly, leave a joint out, or step across with `--dt`.\n";
    DRIVES_CONTRADICT = "E0605", "simulation stopped: drives contradict each other", "\
Drives and joints prescribe rates that no motion has: two drives on one hinge, or on hinges that a coupler, gears or a closed linkage join, came to\n\
want different speeds; or a drive wants to go on where its linkage cannot. The message names those that cannot all be kept. Leave one of them out, or\n\
give it an `effort`: a drive with a cap gives way.\n";
    NOT_AS_PROMISED = "E0606", "simulation stopped: a promise was not kept", "\
With --strict a run stops where a residual, a gap of a joint or its rate, an overlap or a contradiction is larger than what is promised of every step.\n\
Without it the run goes on and says so at its end.\n";
    STUCK = "E0607", "simulation stopped: time stands still", "\
However much is computed, time does not advance any more: a drive runs to infinity (`1/(1-t)`, `tan(t)`), a joint cannot pass a pose, or events follow\n\
each other without end. The message names what moves fastest there.\n";
    CANNOT_READ = "E0701", "a file cannot be read", "\
The operating system says why.\n";
    CANNOT_WRITE = "E0702", "a file cannot be written", "\
The operating system says why. What was recorded so far is in the stream beside the file, if there is one; `holonom recover` reads it.\n";
    SNAPSHOT_MISFIT = "E0310", "the snapshot belongs to another mechanism", "\
A state can be put back only into a model of the same bodies and joints.\n";
    NOT_A_RECORDING = "E0320", "not a recording", "\
The file is neither a recording stream, nor a CSV or Parquet file written by `holonom run --out`.\n";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_explained() {
        for (i, e) in EXPLANATIONS.iter().enumerate() {
            assert!(EXPLANATIONS[..i].iter().all(|f| f.code != e.code), "{} twice", e.code);
            assert!(e.text.len() > 20 && e.text.ends_with('\n'), "{}", e.code);
        }
        assert_eq!(explain("e0214").map(|e| e.code), Some(ZERO_DIRECTION));
        assert!(explain("E9999").is_none());
    }
}
