//! The tree of bodies: `<worldbody>`, `<body>`, `<frame>`, `<replicate>`, and what stands on bodies.
//!
//! A body's place is `pos` and a rotation in its parent's frame at the reference configuration (all joint coordinates at their `ref`). Frames are
//! only changes of coordinates. Replicates are written out here, each with its suffix, after their number was charged. The walk keeps its own
//! stack, in the order of the file.

use super::Context;
use super::defaults::ClassId;
use super::geoms::Geom;
use super::joints::Joint;
use super::settings::FromGeoms;
use super::tree::Item;
use super::values::Look;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::limits::Limits;
use crate::scene::{Mass, Pose};
use crate::source::Span;
use holonom::math::{Mat3, Quat, Vec3, symmetric_eigen, vec3};
use std::rc::Rc;

/// Number of a body of the file; 0 is the world.
pub type BodyId = usize;

/// A body of the file.
pub struct Body {
    pub name: String,
    pub span: Span,
    pub parent: BodyId,
    /// In the world, at the reference configuration.
    pub world: Pose,
    /// In the frame of the parent.
    pub local: Pose,
    pub joints: Vec<Joint>,
    pub has_inertial: bool,
    /// From `<inertial>`, in the body's frame.
    pub inertial: Option<Mass>,
    pub geoms: Vec<Geom>,
    /// The moving body it is a part of (itself, if it has joints; 0 if it is a part of the world), and where on it.
    pub link: BodyId,
    pub on_link: Pose,
}

/// A named place on a body.
pub struct Site {
    pub name: String,
    pub span: Span,
    pub body: BodyId,
    pub pose: Pose,
}

/// What is to be read: an element inside a body, the frames around it, the nearest `childclass`, the suffix of names.
struct Task<'t, 'd> {
    item: Item<'t, 'd>,
    body: BodyId,
    frame: Pose,
    class: Option<ClassId>,
    suffix: Rc<str>,
}

impl<'d> Context<'d, '_> {
    /// The world, before anything is read.
    pub fn world(root: Span) -> Body {
        Body {
            name: "ground".into(),
            span: root,
            parent: 0,
            world: Pose::IDENTITY,
            local: Pose::IDENTITY,
            joints: Vec::new(),
            has_inertial: false,
            inertial: None,
            geoms: Vec::new(),
            link: 0,
            on_link: Pose::IDENTITY,
        }
    }

    /// `<worldbody>` and all that is in it.
    pub fn kinematic_tree(&mut self, section: Item<'_, 'd>) {
        let class = self.class_of(section.element().take(), "childclass");
        let task = |item, suffix| Task { item, body: 0, frame: Pose::IDENTITY, class, suffix };
        let none: Rc<str> = "".into();
        let mut open: Vec<Task> = section.children().rev().map(|c| task(c, none.clone())).collect();
        while let Some(t) = open.pop() {
            let first = open.len();
            match t.item.name() {
                "body" => self.body(&t, &mut open),
                "frame" => {
                    let e = t.item.element().take();
                    e.attr("name");
                    let pose = self.pose(&Look::plain(e));
                    let class = if e.peek("childclass").is_some() { self.class_of(e, "childclass") } else { t.class };
                    let frame = t.frame.then(&pose);
                    for item in t.item.children() {
                        open.push(Task { item, body: t.body, frame, class, suffix: t.suffix.clone() });
                    }
                }
                "replicate" => self.replicate(&t, &mut open),
                "geom" => self.geom(t.item, t.body, &t.frame, t.class),
                "joint" | "freejoint" => self.joint(t.item, t.body, &t.frame, t.class, &t.suffix),
                "inertial" => self.inertial(t.item, t.body, &t.frame),
                "site" => {
                    let look = self.look(t.item.element(), t.class);
                    let pose = self.pose(&look);
                    if let Some(name) = look.element.attr("name") {
                        let name = self.name(&format!("{}{}", name.value, t.suffix), name.span);
                        let pose = t.frame.then(&pose);
                        self.sites.push(Site { name, span: look.span(), body: t.body, pose });
                    }
                }
                "camera" => self.camera(t.item, t.body, &t.frame, t.class),
                // the ledger speaks of all others
                _ => {}
            }
            open[first..].reverse();
            if self.bodies.len() as u64 > self.limits.bodies + 1 || self.over {
                let asked = self.bodies.len() as u64;
                if !self.over
                    && let Err(d) = self.limits.bodies("bodies", asked)
                {
                    self.report.push(d.at(t.item.element().span()));
                }
                return;
            }
        }
    }

    fn body<'t>(&mut self, t: &Task<'t, 'd>, open: &mut Vec<Task<'t, 'd>>) {
        let e = t.item.element().take();
        let id = self.bodies.len();
        let local = t.frame.then(&self.pose(&Look::plain(e)));
        let class = if e.peek("childclass").is_some() { self.class_of(e, "childclass") } else { t.class };
        let name = match e.attr("name") {
            Some(a) => {
                let name = self.name(&format!("{}{}", a.value, t.suffix), a.span);
                if !self.body_names.insert(name.clone()) {
                    let message = format!("there are two bodies `{}`", crate::confine::shown(&name));
                    self.error(codes::DUPLICATE, a.span, message, "another body has it");
                    return;
                }
                name
            }
            None => super::free(&mut self.body_names, format!("body{id}")),
        };
        if let Some(a) = e.attr("mocap").filter(|a| a.value.trim() == "true") {
            self.note(a.name_span, format!("body `{name}` does not move"), "a mocap body stands where it is drawn");
        }
        self.bodies.push(Body {
            name,
            span: e.span(),
            parent: t.body,
            world: self.bodies[t.body].world.then(&local),
            local,
            joints: Vec::new(),
            has_inertial: t.item.children().any(|c| c.name() == "inertial"),
            inertial: None,
            geoms: Vec::new(),
            link: 0,
            on_link: Pose::IDENTITY,
        });
        for item in t.item.children() {
            open.push(Task { item, body: id, frame: Pose::IDENTITY, class, suffix: t.suffix.clone() });
        }
    }

    fn replicate<'t>(&mut self, t: &Task<'t, 'd>, open: &mut Vec<Task<'t, 'd>>) {
        let e = t.item.element().take();
        let look = Look::plain(e);
        let Some(count) = self.number(&look, "count") else {
            if e.peek("count").is_none() {
                self.error(codes::MISSING_FIELD, e.span(), "<replicate> has no `count`", "how many?");
            }
            return;
        };
        let span = look.attr("count").map_or(e.span(), |a| a.span);
        if !(count >= 1.0 && count == libm::trunc(count)) {
            let label = format!("{count}, must be a whole number of at least 1");
            self.error(codes::OUT_OF_RANGE, span, "`count` is out of range", label);
            return;
        }
        let charge = if count >= 1e18 { u64::MAX } else { count as u64 }.saturating_mul(t.item.size().max(1));
        self.charged = self.charged.saturating_add(charge);
        let what = "elements made by <replicate>";
        if let Err(d) = Limits::check(codes::TOO_MANY_BODIES, what, self.charged, self.limits.bodies, "bodies") {
            self.report.push(d.at(span));
            self.over = true;
            return;
        }
        let offset = self.vector(&look, "offset").unwrap_or_default();
        let turn = match look.attr("euler").and_then(|a| self.numbers(&a, 3, 3)) {
            Some(v) => self.euler([v[0], v[1], v[2]]),
            None => Quat::IDENTITY,
        };
        let separator = look.attr("sep").map_or("", |a| a.value);
        let class = if e.peek("childclass").is_some() { self.class_of(e, "childclass") } else { t.class };
        let count = count as u64;
        let digits = count.to_string().len();
        let step = Pose { position: offset, rotation: turn };
        let mut frame = t.frame;
        for i in 0..count {
            let suffix: Rc<str> = format!("{separator}{i:0digits$}{}", t.suffix).into();
            for item in t.item.children() {
                open.push(Task { item, body: t.body, frame, class, suffix: suffix.clone() });
            }
            frame = frame.then(&step);
        }
    }

    /// `<inertial>`.
    fn inertial(&mut self, item: Item<'_, 'd>, body: BodyId, frame: &Pose) {
        let look = Look::plain(item.element().take());
        let pose = frame.then(&self.pose(&look));
        let Some(mass) = self.not_negative(&look, "mass", "kg") else {
            if look.element.peek("mass").is_none() {
                self.error(codes::MISSING_FIELD, look.span(), "<inertial> has no `mass`", "`mass` is missing");
            }
            return;
        };
        let diagonal = self.vector(&look, "diaginertia");
        let full = look.attr("fullinertia").and_then(|a| self.numbers(&a, 6, 6).map(|v| (v, a)));
        let inertia = match (diagonal, full) {
            (Some(_), Some((_, a))) => {
                let message = "`fullinertia` and `diaginertia` exclude each other";
                self.error(codes::EXCLUSIVE, a.name_span, message, "keep one of them");
                return;
            }
            (Some(d), None) => Mat3::from_diagonal(d),
            (None, Some((v, _))) => {
                Mat3::from_cols(vec3(v[0], v[3], v[4]), vec3(v[3], v[1], v[5]), vec3(v[4], v[5], v[2]))
            }
            (None, None) => {
                let d = Diagnostic::error(codes::MISSING_FIELD, "<inertial> has no inertia").at(look.span());
                self.report.push(d.label("neither `diaginertia` nor `fullinertia`"));
                return;
            }
        };
        let (_, [a, b, c]) = symmetric_eigen(&inertia);
        let most = a.max(b).max(c);
        let bad = a.min(b).min(c) < 0.0 || most > (a + b + c - most) * (1.0 + 1e-9) + 1e-300;
        if bad && !self.settings.balance_inertia {
            let label = format!("principal moments {a:.6e}, {b:.6e}, {c:.6e} kg m^2");
            let at = look.attr("fullinertia").or(look.attr("diaginertia")).map_or(look.span(), |a| a.span);
            let d = Diagnostic::error(codes::IMPOSSIBLE_INERTIA, "no body has such an inertia").at(at).label(label);
            self.report.push(d.help("none may be negative, nor exceed the sum of the two others"));
            return;
        }
        let turn = Mat3::from_quat(pose.rotation);
        let inertia = turn * inertia * turn.transpose();
        if self.settings.inertia_from_geoms == FromGeoms::Always {
            self.note(look.span(), "<inertial> is not used", "`inertiafromgeom` takes the mass from the geoms");
        } else if body != 0 {
            self.bodies[body].inertial = Some(Mass { mass, centre: pose.position, inertia });
        }
    }

    /// Which bodies move together, and the mass of each moving body.
    pub fn links(&mut self) -> Vec<Option<Mass>> {
        let n = self.bodies.len();
        let mut own: Vec<Option<Mass>> = vec![None; n];
        for (i, own) in own.iter_mut().enumerate().skip(1) {
            let body = &self.bodies[i];
            let geoms = body.geoms.iter().filter_map(|g| g.mass);
            let sum = geoms.fold(None, |sum: Option<Mass>, m| Some(sum.map_or(m, |s| s.plus(&m))));
            *own = bounded(body.inertial.or(sum), &self.settings);
        }
        if let Some(total) = self.settings.total_mass {
            let sum: f64 = own.iter().flatten().map(|m| m.mass).sum();
            if sum > 0.0 {
                own.iter_mut().flatten().for_each(|m| *m = m.scaled(total / sum));
            }
        }
        let mut of_links: Vec<Option<Mass>> = vec![None; n];
        for i in 1..n {
            let parent = self.bodies[i].parent;
            let (link, on_link) = if self.bodies[i].joints.is_empty() {
                (self.bodies[parent].link, self.bodies[parent].on_link.then(&self.bodies[i].local))
            } else {
                (i, Pose::IDENTITY)
            };
            (self.bodies[i].link, self.bodies[i].on_link) = (link, on_link);
            if let Some(m) = own[i] {
                let m = m.placed(&on_link);
                of_links[link] = Some(of_links[link].map_or(m, |s| s.plus(&m)));
            }
        }
        of_links
    }
}

/// What the compiler settings make of the mass of a body.
fn bounded(mass: Option<Mass>, settings: &super::settings::Settings) -> Option<Mass> {
    let least = settings.bound_inertia;
    let mut m = match mass {
        Some(m) => m,
        None if settings.bound_mass > 0.0 || least > 0.0 => Mass { mass: 0.0, centre: Vec3::ZERO, inertia: Mat3::ZERO },
        None => return None,
    };
    m.mass = m.mass.max(settings.bound_mass);
    let (axes, mut p) = symmetric_eigen(&m.inertia);
    let [a, b, c] = p;
    let unbalanced = a + b < c || a + c < b || b + c < a;
    if p.iter().any(|x| *x < least) || (settings.balance_inertia && unbalanced) {
        p = p.map(|x| x.max(least));
        if settings.balance_inertia && (p[0] + p[1] < p[2] || p[0] + p[2] < p[1] || p[1] + p[2] < p[0]) {
            p = [(p[0] + p[1] + p[2]) / 3.0; 3];
        }
        m.inertia = axes * Mat3::from_diagonal(p.into()) * axes.transpose();
    }
    (m.mass > 0.0).then_some(m)
}
