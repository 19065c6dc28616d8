//! Nets with many loops: ladders and grids.

use super::template::{End, Joinery, Pieces, Stand, Ties, counting};
use super::{GeneratorInput, fields, sizes};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::node::DocNode;
use crate::read::{SceneReader, along};
use crate::scene::Pose;
use crate::source::Span;
use holonom::math::{Vec3, quat_from_axes};

/// `[ladder.NAME]`.
pub fn ladder(m: &mut SceneReader, name: &str, node: &DocNode, span: Span) -> Option<()> {
    const COUNTERS: &[&str] = &["i"];
    let input =
        GeneratorInput::read(m, "ladder", name, node, span, fields::LADDER, &["link", "rung", "joint", "first_joint"])?;
    let mut joints = Joinery::new(m, &input, COUNTERS)?;
    let (r, n) = (&input.record, input.count);
    let from = joints.from(m, &input);
    let direction = r.vector("direction").unwrap_or(Vec3::X);
    let (length, across) = (r.number("length")?, r.vector("across")?);
    let width = across.length();
    if !(width > 1e-12) {
        let d = Diagnostic::error(codes::ZERO_DIRECTION, "`across` has zero length").at(r.span_of("across"));
        m.reader.complain(
            d.label("must be longer than 1e-12 m")
                .help("write the way from the left rail to the right one:  across = [0, 1, 0]"),
        );
        return None;
    }
    let mut rails = Pieces::new(m, &input, "link", COUNTERS, from, true)?;
    let rung_table = if input.table.get("rung").is_some() { "rung" } else { "link" };
    let mut rungs = Pieces::new(m, &input, rung_table, COUNTERS, from, true)?;
    let (rail_turn, rung_turn) = (quat_from_axes(along(direction)), quat_from_axes(along(across / width)));
    let sides = ["left", "right"];
    counting(m, &[("i", 1.0), ("n", n as f64)], |m, counters| {
        let mut before = [0, 0];
        for i in 1..=n {
            counters.set(m, &[i as f64]);
            let mut here = [0, 0];
            for side in 0..2 {
                let position = from + across * side as f64 + direction * (length * (i - 1) as f64);
                let stand = Stand { pose: Pose { position, rotation: rail_turn }, length: Some(length) };
                here[side] = rails.make(m, format!("{name}/{}/{i}", sides[side]), stand)?;
                let joint = format!("{name}/{}/{i}", sides[side]);
                match i {
                    1 if side == 1 => {
                        // the point named is that of the left rail; the right one is joined to the same body beside it
                        if let Some(given) = &mut joints.begins {
                            given.at = crate::fields::Where::Unsaid;
                        }
                        joints.begin(m, joint, here[side], Vec3::ZERO)?;
                    }
                    1 => joints.begin(m, joint, here[side], Vec3::ZERO)?,
                    _ => {
                        let above = End::Piece(before[side], Vec3::X * length);
                        joints.between.as_mut()?.tie(m, joint, above, End::Piece(here[side], Vec3::ZERO))?;
                    }
                }
            }
            let position = from + direction * (length * i as f64);
            let stand = Stand { pose: Pose { position, rotation: rung_turn }, length: Some(width) };
            let rung = rungs.make(m, format!("{name}/rung/{i}"), stand)?;
            for side in 0..2 {
                let end = End::Piece(rung, Vec3::X * (width * side as f64));
                let rail = End::Piece(here[side], Vec3::X * length);
                joints.between.as_mut()?.tie(m, format!("{name}/rung/{i}/{}", sides[side]), rail, end)?;
            }
            before = here;
        }
        Some(())
    })
}

/// `[grid.NAME]`.
pub fn grid(m: &mut SceneReader, name: &str, node: &DocNode, span: Span) -> Option<()> {
    const COUNTERS: &[&str] = &["i", "row", "column"];
    let input = GeneratorInput::read(m, "grid", name, node, span, fields::GRID, &["link", "joint"])?;
    let (rows, columns) = sizes::grid(m, input.table)?;
    let r = &input.record;
    let from = r.vector("from").unwrap_or_default();
    let right = r.vector("right").unwrap_or(Vec3::X);
    let down = r.vector("down").unwrap_or(Vec3::Y);
    let mut pieces = Pieces::new(m, &input, "link", COUNTERS, from, false)?;
    let mut ties = Ties::new(m, &input, "joint", COUNTERS)?;
    let particles = pieces.are_particles();
    let first = m.scene.bodies.len() as u32;
    let locals = [("i", 1.0), ("row", 1.0), ("column", 1.0), ("n", input.count as f64)];
    counting(m, &locals, |m, counters| {
        for row in 1..=rows {
            for column in 1..=columns {
                counters.set(m, &[((row - 1) * columns + column) as f64, row as f64, column as f64]);
                let position = from + right * (column - 1) as f64 + down * (row - 1) as f64;
                let stand = Stand { pose: Pose { position, ..Pose::IDENTITY }, length: None };
                pieces.make(m, format!("{name}/{row}/{column}"), stand)?;
            }
        }
        for row in 1..=rows {
            for column in 1..=columns {
                let k = (row - 1) * columns + column - 1;
                counters.set(m, &[(k + 1) as f64, row as f64, column as f64]);
                for (there, next, way, word) in
                    [(column < columns, k + 1, right, "right"), (row < rows, k + columns, down, "down")]
                {
                    if !there {
                        continue;
                    }
                    let end = |m: &SceneReader, k: u64, way: Vec3| {
                        let pose = m.scene.bodies[first as usize + k as usize].pose;
                        let at = if particles { Vec3::ZERO } else { pose.rotation.conjugate() * way };
                        End::Piece(first + k as u32, at)
                    };
                    let (a, b) = (end(m, k, 0.5 * way), end(m, next, -0.5 * way));
                    ties.tie(m, format!("{name}/{row}/{column}/{word}"), a, b)?;
                }
            }
        }
        Some(())
    })
}
