//! The tree of bodies: `<worldbody>`, `<body>`, `<frame>`, `<replicate>`, and what stands on bodies.
//!
//! A body's place is `pos` and a rotation in its parent's frame at the reference configuration (all joint coordinates
//! at their `ref`). Frames are only changes of coordinates. Replicates are written out here, each with its suffix,
//! after their number was charged. The walk keeps its own stack, in the order of the file.

use super::Context;
use super::defaults::ClassId;
use super::geoms::Geom;
use super::joints::MjcfJoint;
use super::settings::FromGeoms;
use super::tree::Item;
use super::values::Attributes;
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::Diagnostic;
use crate::limits::Limits;
use crate::scene::{Mass, Pose};
use crate::source::Span;
use holonom::math::{Mat3, Quat, Vec3, symmetric_eigen, vec3};
use std::rc::Rc;

/// Number of a body of the file; 0 is the world.
pub type BodyIndex = usize;

/// A body of the file.
pub struct MjcfBody {
    pub name: String,
    pub span: Span,
    pub parent: BodyIndex,
    /// In the world, at the reference configuration.
    pub world: Pose,
    /// In the frame of the parent.
    pub local: Pose,
    pub joints: Vec<MjcfJoint>,
    pub has_inertial: bool,
    /// From `<inertial>`, in the body's frame.
    pub inertial: Option<Mass>,
    pub geoms: Vec<Geom>,
    /// The moving body it is a part of (itself, if it has joints; 0 if it is a part of the world), and where on it.
    pub link: BodyIndex,
    pub on_link: Pose,
}

impl MjcfBody {
    fn new(name: String, span: Span, parent: BodyIndex, world: Pose, local: Pose) -> Self {
        MjcfBody {
            name,
            span,
            parent,
            world,
            local,
            joints: Vec::new(),
            has_inertial: false,
            inertial: None,
            geoms: Vec::new(),
            link: 0,
            on_link: Pose::IDENTITY,
        }
    }
}

/// A named place on a body.
pub struct MjcfSite {
    pub name: String,
    pub span: Span,
    pub body: BodyIndex,
    pub pose: Pose,
}

/// What is to be read: an element inside a body, the frames around it, the nearest `childclass`, the suffix of names.
struct Task<'t, 'd> {
    item: Item<'t, 'd>,
    body: BodyIndex,
    frame: Pose,
    class: Option<ClassId>,
    suffix: Rc<str>,
}

impl<'d> Context<'d, '_> {
    /// The world, before anything is read.
    pub fn world(root: Span) -> MjcfBody {
        MjcfBody::new("ground".into(), root, 0, Pose::IDENTITY, Pose::IDENTITY)
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
                    let pose = self.pose(&Attributes::plain(e));
                    let class = self.child_class(e, t.class);
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
                    let attrs = self.attributes(t.item.element(), t.class);
                    let pose = self.pose(&attrs);
                    if let Some(name) = attrs.element.attr("name") {
                        let name = self.name(&format!("{}{}", name.value, t.suffix), name.span);
                        let pose = t.frame.then(&pose);
                        self.sites.push(MjcfSite { name, span: attrs.span(), body: t.body, pose });
                    }
                }
                "camera" => self.camera(t.item, t.body, &t.frame, t.class),
                // all others go to the ledger
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
        let local = t.frame.then(&self.pose(&Attributes::plain(e)));
        let class = self.child_class(e, t.class);
        let name = match e.attr("name") {
            Some(a) => {
                let name = self.name(&format!("{}{}", a.value, t.suffix), a.span);
                if !self.body_names.insert(name.clone()) {
                    let message = format!("there are two bodies `{}`", shown(&name));
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
        let world = self.bodies[t.body].world.then(&local);
        let has_inertial = t.item.children().any(|c| c.name() == "inertial");
        self.bodies.push(MjcfBody { has_inertial, ..MjcfBody::new(name, e.span(), t.body, world, local) });
        for item in t.item.children() {
            open.push(Task { item, body: id, frame: Pose::IDENTITY, class, suffix: t.suffix.clone() });
        }
    }

    fn replicate<'t>(&mut self, t: &Task<'t, 'd>, open: &mut Vec<Task<'t, 'd>>) {
        let e = t.item.element().take();
        let attrs = Attributes::plain(e);
        let Some(count) = self.number(&attrs, "count") else {
            if e.peek("count").is_none() {
                self.error(codes::MISSING_FIELD, e.span(), "<replicate> has no `count`", "how many?");
            }
            return;
        };
        let span = attrs.span_of("count");
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
        let offset = self.vector(&attrs, "offset").unwrap_or_default();
        let turn = self.array(&attrs, "euler").map_or(Quat::IDENTITY, |v| self.euler(v));
        let separator = attrs.attr("sep").map_or("", |a| a.value);
        let class = self.child_class(e, t.class);
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
    fn inertial(&mut self, item: Item<'_, 'd>, body: BodyIndex, frame: &Pose) {
        let attrs = Attributes::plain(item.element().take());
        let pose = frame.then(&self.pose(&attrs));
        let Some(mass) = self.not_negative(&attrs, "mass", "kg") else {
            if attrs.element.peek("mass").is_none() {
                self.error(codes::MISSING_FIELD, attrs.span(), "<inertial> has no `mass`", "`mass` is missing");
            }
            return;
        };
        let Some(inertia) = self.inertia(&attrs) else { return };
        let turn = Mat3::from_quat(pose.rotation);
        let inertia = turn * inertia * turn.transpose();
        if self.settings.inertia_from_geoms == FromGeoms::Always {
            self.note(attrs.span(), "<inertial> is not used", "`inertiafromgeom` takes the mass from the geoms");
        } else if body != 0 {
            self.bodies[body].inertial = Some(Mass { mass, centre: pose.position, inertia });
        }
    }

    /// The inertia of `<inertial>`, in its own axes.
    fn inertia(&mut self, attrs: &Attributes<'d>) -> Option<Mat3> {
        let diagonal = self.vector(attrs, "diaginertia");
        let inertia = match (diagonal, self.array::<6>(attrs, "fullinertia")) {
            (Some(_), Some(_)) => {
                let message = "`fullinertia` and `diaginertia` exclude each other";
                let span = attrs.attr("fullinertia").map_or(attrs.span(), |a| a.name_span);
                self.error(codes::EXCLUSIVE, span, message, "keep one of them");
                return None;
            }
            (Some(d), None) => Mat3::from_diagonal(d),
            (None, Some([xx, yy, zz, xy, xz, yz])) => {
                Mat3::from_cols(vec3(xx, xy, xz), vec3(xy, yy, yz), vec3(xz, yz, zz))
            }
            (None, None) => {
                let label = "neither `diaginertia` nor `fullinertia`";
                self.error(codes::MISSING_FIELD, attrs.span(), "<inertial> has no inertia", label);
                return None;
            }
        };
        let (_, [a, b, c]) = symmetric_eigen(&inertia);
        let most = a.max(b).max(c);
        let bad = a.min(b).min(c) < 0.0 || most > (a + b + c - most) * (1.0 + 1e-9) + 1e-300;
        if bad && !self.settings.balance_inertia {
            let at = attrs.attr("fullinertia").or(attrs.attr("diaginertia")).map_or(attrs.span(), |a| a.span);
            let d = Diagnostic::error(codes::IMPOSSIBLE_INERTIA, "no body has such an inertia").at(at);
            let d = d.label(format!("principal moments {a:.6e}, {b:.6e}, {c:.6e} kg m^2"));
            self.report.push(d.help("none may be negative, nor exceed the sum of the two others"));
            return None;
        }
        Some(inertia)
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
