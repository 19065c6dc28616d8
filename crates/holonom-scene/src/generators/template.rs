//! Templates: the body and joint tables from which a generator makes its pieces.

use super::{Counters, GeneratorInput, world};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::fields::{BodyRef, PointRef, Record, Val, Where};
use crate::kinds::{BODIES, JOINTS};
use crate::node::{DocNode, DocTable, Value};
use crate::read::SceneReader;
use crate::scene::{BodyRecord, InteractionRecord, Pose};
use crate::source::Span;
use holonom::math::Vec3;
use std::sync::Arc;

/// Does any text in it use one of these names? (Text that only looks like it counts too: that costs time, not truth.)
pub fn uses(node: &DocNode, names: &[&str]) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    match &node.value {
        Value::Text(text) => text.split(|c| !word(c)).any(|w| names.contains(&w)),
        Value::List(list) => list.iter().any(|n| uses(n, names)),
        Value::Table(t) => t.entries().iter().any(|e| uses(&e.node, names)),
        _ => false,
    }
}

/// Where a piece stands.
#[derive(Clone, Copy)]
pub struct Stand {
    /// Its frame.
    pub pose: Pose,
    /// Its length, if it has two ends.
    pub length: Option<f64>,
}

/// A body table from which pieces are made.
pub struct Pieces<'n> {
    node: &'n DocNode,
    varies: bool,
    shared: Option<Arc<Record>>,
    /// The last piece of a shared record, to be copied.
    like: Option<BodyRecord>,
    like_length: Option<f64>,
    velocity: Vec3,
    spin: Vec3,
    about: Vec3,
    moves: bool,
    span: Span,
}

impl<'n> Pieces<'n> {
    /// The template in the field `field` of a generator; the whole turns about a point.
    pub fn new(
        m: &mut SceneReader,
        input: &GeneratorInput<'n>,
        field: &str,
        counters: &[&str],
        about: Vec3,
        ends: bool,
    ) -> Option<Self> {
        let node = input.table.get(field)?;
        let table = m.reader.table(node, field)?;
        let placed: &[&str] = if ends { &["at", "rotation", "from", "to"] } else { &["at", "from", "to"] };
        for entry in table.entries() {
            if placed.contains(&entry.key.as_str()) {
                let message = format!("`{}` cannot be said in `{field}`", entry.key);
                let label = "the generator says where its pieces are";
                m.reader.error(codes::EXCLUSIVE, entry.key_span, message, label);
                return None;
            }
        }
        Some(Pieces {
            node,
            varies: uses(node, counters),
            shared: None,
            like: None,
            like_length: None,
            velocity: input.velocity,
            spin: input.spin,
            about,
            moves: input.record.has("velocity") || input.record.has("spin"),
            span: input.span,
        })
    }

    /// Make one; its number in the list of bodies. The counters must be set.
    pub fn make(&mut self, m: &mut SceneReader, name: String, stand: Stand) -> Option<u32> {
        let index = m.scene.bodies.len() as u32;
        let like = if self.like_length == stand.length { self.like.as_ref() } else { None };
        let mut body = match like {
            Some(like) => BodyRecord { name: name.into(), ..like.clone() },
            None => {
                let record = match &self.shared {
                    Some(record) => record.clone(),
                    None => Arc::new(m.reader.kind(self.node, &name, &BODIES)?),
                };
                if !self.varies {
                    self.shared = Some(record.clone());
                }
                let body = match m.body_at(&name, record, self.span, stand.pose, stand.length) {
                    Ok(body) => body,
                    Err(d) => {
                        m.reader.complain(*d);
                        return None;
                    }
                };
                if !self.varies {
                    (self.like, self.like_length) = (Some(body.clone()), stand.length);
                }
                body
            }
        };
        body.pose = stand.pose;
        let own = &body.record;
        if let (None, Some(rotation)) = (stand.length, own.rotation("rotation")) {
            body.pose.rotation = rotation;
        }
        let own_velocity = own.vector("velocity").unwrap_or_default();
        body.velocity = own_velocity + self.velocity + self.spin.cross(stand.pose.position - self.about);
        body.spin = own.vector("spin").unwrap_or_default() + self.spin;
        body.moves |= self.moves;
        m.scene.bodies.push(body);
        Some(index)
    }

    /// Is what it makes a particle, which carries no point but itself?
    pub fn are_particles(&self) -> bool {
        self.node.as_table().and_then(|t| t.get("kind")).and_then(DocNode::as_text) == Some("particle")
    }
}

/// One side of a joint.
pub enum End {
    /// A piece, and where on it unless the template says otherwise.
    Piece(u32, Vec3),
    /// What the user named, and where.
    Given(PointRef, Span),
}

/// A joint table from which joints between pieces are made.
pub struct Ties<'n> {
    node: DocNode,
    sides: [Option<&'n DocNode>; 2],
    varies: bool,
    shared: Option<(Arc<Record>, [Option<Where>; 2])>,
    /// The same with a side the user named, and where that was.
    shared_given: Option<(Span, Arc<Record>)>,
    span: Span,
}

impl<'n> Ties<'n> {
    /// The template in the field `field` of a generator.
    pub fn new(m: &mut SceneReader, input: &GeneratorInput<'n>, field: &str, counters: &[&str]) -> Option<Self> {
        let node = input.table.get(field)?;
        let table = m.reader.table(node, field)?;
        let mut rest = DocTable::new();
        for entry in table.entries() {
            match entry.key.as_str() {
                "a" | "b" => {}
                "at" => {
                    let d = Diagnostic::error(codes::EXCLUSIVE, format!("`at` cannot be said in `{field}`"));
                    let d = d.at(entry.key_span).label("the generator says where its joints are");
                    m.reader
                        .complain(d.help("points of the pieces themselves are said as  a = [1, 0, 0], b = [0, 0, 0]"));
                    return None;
                }
                _ => rest.push(entry.key.clone(), entry.key_span, entry.node.clone()),
            }
        }
        let kind = table.get("kind").and_then(DocNode::as_text).and_then(|k| JOINTS.find(k));
        let joins = |kind: &'static crate::fields::Kind| kind.fields.iter().any(|f| f.iter().any(|f| f.name == "b"));
        match (kind, table.get("kind")) {
            (Some(kind), Some(at)) if !joins(kind) => {
                let message = format!("a joint of kind `{}` does not join two bodies", kind.name);
                m.reader.error(codes::UNKNOWN_KIND, at.span, message, "not possible in a generator");
                return None;
            }
            // the real side is set when the joint is made
            (Some(_), _) => rest.put("b", node.span, "ground"),
            _ => {}
        }
        Some(Ties {
            sides: [table.get("a"), table.get("b")],
            node: DocNode::new(node.span, rest),
            varies: uses(node, counters),
            shared: None,
            shared_given: None,
            span: input.span,
        })
    }

    fn side(m: &mut SceneReader, node: Option<&DocNode>, field: &str) -> Option<Option<Where>> {
        Some(match node {
            None => None,
            Some(node) if node.as_text().is_some() => Some(Where::Named(m.reader.text(node, field)?.into())),
            Some(node) => Some(Where::At(m.reader.vector(node, field)?)),
        })
    }

    /// Join two ends. The counters must be set.
    pub fn tie(&mut self, m: &mut SceneReader, name: String, a: End, b: End) -> Option<()> {
        let read;
        let (record, at) = match &self.shared {
            Some(shared) => (&shared.0, &shared.1),
            None => {
                let record = Arc::new(m.reader.kind(&self.node, &name, &JOINTS)?);
                let at = [Self::side(m, self.sides[0], "a")?, Self::side(m, self.sides[1], "b")?];
                read = (record, at);
                if !self.varies {
                    self.shared = Some(read.clone());
                }
                (&read.0, &read.1)
            }
        };
        // what the user named is shown where it was named
        let given = match (&a, &b) {
            (End::Given(p, span), _) => Some(("a", p, *span)),
            (_, End::Given(p, span)) => Some(("b", p, *span)),
            _ => None,
        };
        let record = match (given, &self.shared_given) {
            (None, _) => record.clone(),
            (Some((.., span)), Some((same, record))) if *same == span && !self.varies => record.clone(),
            (Some((side, p, span)), _) => {
                let mut own = Record::clone(record);
                own.replace(side, Val::Point(Box::new(p.clone())), span);
                let own = Arc::new(own);
                self.shared_given = Some((span, own.clone()));
                own
            }
        };
        let point = |end: End, given: &Option<Where>| match end {
            End::Piece(i, usual) => PointRef { body: BodyRef::Index(i), at: given.clone().unwrap_or(Where::At(usual)) },
            End::Given(p, _) => p,
        };
        let (a, b) = (Some(point(a, &at[0])), Some(point(b, &at[1])));
        let link = InteractionRecord { name: name.into(), span: self.span, a, b, record };
        m.scene.joints.push(link);
        Some(())
    }
}

/// The joints of a generator: between its pieces, and at its ends, where these have tables of their own.
pub struct Joinery<'n> {
    /// Between pieces.
    pub between: Option<Ties<'n>>,
    first: Option<Ties<'n>>,
    last: Option<Ties<'n>>,
    /// What the beginning is joined to.
    pub begins: Option<PointRef>,
    /// What the end is joined to.
    pub ends: Option<PointRef>,
    /// Where these were input.
    spans: [Span; 2],
}

impl<'n> Joinery<'n> {
    /// All joint tables of a generator.
    pub fn new(m: &mut SceneReader, input: &GeneratorInput<'n>, counters: &[&str]) -> Option<Self> {
        let mut ties = |field: &str| match input.table.get(field) {
            Some(_) => Ties::new(m, input, field, counters).map(Some),
            None => Some(None),
        };
        let (between, first, last) = (ties("joint")?, ties("first_joint")?, ties("last_joint")?);
        let point = |field: &str| input.record.point(field).cloned();
        let (begins, ends) = (point("first"), point("last"));
        for (end, own, field) in [(&begins, &first, "first"), (&ends, &last, "last")] {
            if end.is_some() && own.is_none() && between.is_none() {
                input.missing(m, format!("`{field}` needs a joint"), "add  joint = { kind = \"spherical\" }");
                return None;
            }
            if end.is_none() && own.is_some() {
                input.missing(m, format!("`{field}_joint` without `{field}`"), "say what it is joined to");
                return None;
            }
        }
        let spans = [input.record.span_of("first"), input.record.span_of("last")];
        Some(Joinery { between, first, last, begins, ends, spans })
    }

    /// Where the first piece begins: `from`, or the point of `first`, or the origin.
    pub fn from(&self, m: &SceneReader, input: &GeneratorInput) -> Vec3 {
        let from = input.record.vector("from");
        from.or_else(|| self.begins.as_ref().and_then(|p| world(m, p))).unwrap_or_default()
    }

    /// Join the beginning of the first piece.
    pub fn begin(&mut self, m: &mut SceneReader, name: String, piece: u32, at: Vec3) -> Option<()> {
        let Some(given) = self.begins.clone() else { return Some(()) };
        let ties = self.first.as_mut().or(self.between.as_mut())?;
        ties.tie(m, name, End::Given(given, self.spans[0]), End::Piece(piece, at))
    }

    /// Join the end of the last piece.
    pub fn end(&mut self, m: &mut SceneReader, name: String, piece: u32, at: Vec3) -> Option<()> {
        let Some(given) = self.ends.clone() else { return Some(()) };
        let ties = self.last.as_mut().or(self.between.as_mut())?;
        ties.tie(m, name, End::Piece(piece, at), End::Given(given, self.spans[1]))
    }
}

/// Runs `f` with counters, and takes them away again whatever happens.
pub fn counting(
    m: &mut SceneReader,
    counters: &[(&str, f64)],
    f: impl FnOnce(&mut SceneReader, &Counters) -> Option<()>,
) -> Option<()> {
    let counters = Counters::enter(m, counters);
    let done = f(m, &counters);
    counters.leave(m);
    done
}
