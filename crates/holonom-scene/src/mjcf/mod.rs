//! MJCF: the models of MuJoCo, as documents of scenes.
//!
//! ```text
//! text -> elements with includes in place (tree) -> settings, defaults, assets -> bodies (bodies, geoms, joints)
//!      -> document: one body per set of bodies that move together, joints, springs, rotors (document), equalities, actuators, tendons
//! ```
//!
//! - Bodies without joints are a part of what they stand on: exact, and without equations. Their names stay as frames
//!   of that body; what stands on the world becomes the ground. Sites are frames too.
//! - Bodies are drawn at the reference configuration. Joint coordinates of the scene are those of the file less `ref`.
//! - Several joints on a body become one joint (see `mjcf/joints.rs`); `armature` becomes a rotor geared to the
//!   coordinate. Both are exact.
//! - Equalities are kept exactly, where MuJoCo lets them give way.
//! - Every actuator has a parameter `ctrl_NAME`, 0 at first, that `--set` can change.
//! - Everything in the file that has no effect, or an approximate one, is in the report: the import ledger (W0404).
//!
//! `docs/import.md` has the whole mapping.

mod actuators;
mod assets;
mod bodies;
mod contact;
mod defaults;
mod document;
mod equality;
mod geoms;
mod joints;
mod ledger;
mod settings;
mod tendons;
mod tree;
mod values;

use crate::codes;
use crate::confine::{Confinement, shown};
use crate::diagnostic::{Diagnostic, Report};
use crate::import::scene_name;
use crate::limits::Limits;
use crate::load::ImportContext;
use crate::node::{DocTable, TableAt, numbers};
use crate::scene::Pose;
use crate::source::Span;
use document::DocumentSections;
use holonom::math::{Mat3, Vec3};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use tree::{Documents, ElementTree, Item};

/// A coordinate of the scene that is the coordinate of a joint of the file, less `reference` (m or rad).
#[derive(Clone)]
struct Coordinate {
    name: String,
    reference: f64,
    spring_reference: f64,
}

/// Everything that is known while a file is read.
struct Context<'d, 'w> {
    report: &'w mut Report,
    confinement: &'w Confinement,
    limits: Limits,
    /// Folder of the main text, number of texts, start tag of the root.
    folder: PathBuf,
    n_files: usize,
    root: Span,
    settings: settings::Settings,
    defaults: defaults::Defaults<'d>,
    assets: assets::Assets,
    bodies: Vec<bodies::MjcfBody>,
    body_names: HashSet<String>,
    joint_names: HashSet<String>,
    force_names: HashSet<String>,
    sites: Vec<bodies::MjcfSite>,
    /// Elements made by replicates so far, and whether they were too many.
    charged: u64,
    over: bool,
    out: DocumentSections,
    /// Where sites are: on which moving body, and where on it.
    site_places: HashMap<String, (bodies::BodyIndex, Pose)>,
    /// Coordinates of the scene by the names of the file's joints.
    coordinates: HashMap<String, Coordinate>,
    tendons: HashMap<String, tendons::FixedTendon>,
    /// Does any geom touch others, do some touch only some, and geoms by their names.
    touches: bool,
    selective: bool,
    /// Has no contact friction, and which geoms do pairs name?
    all_smooth: bool,
    paired: HashSet<String>,
    geoms: HashMap<String, contact::NamedGeom>,
}

/// Read a model as the document of a scene.
pub fn import(file: u32, context: &mut ImportContext) -> DocTable {
    let Some(documents) = Documents::read(file, context) else { return DocTable::new() };
    let tree = match ElementTree::new(&documents, &context.limits) {
        Ok(tree) => tree,
        Err(d) => {
            context.report.push(*d);
            return DocTable::new();
        }
    };
    let root = tree.root().element();
    if root.name() != "mujoco" {
        let message = format!("the root element is <{}>", shown(root.name()));
        let d = Diagnostic::error(codes::NOT_A_ROBOT, message).at(root.name_span());
        context.report.push(d.label("must be <mujoco>"));
        return DocTable::new();
    }
    let mut reader = Context {
        folder: context.folder(file),
        n_files: context.sources.files().len(),
        report: context.report,
        confinement: context.confinement,
        limits: context.limits,
        root: root.span(),
        settings: Default::default(),
        defaults: Default::default(),
        assets: Default::default(),
        bodies: vec![Context::world(root.span())],
        body_names: ["world".to_string(), "ground".to_string()].into(),
        joint_names: HashSet::new(),
        force_names: HashSet::new(),
        sites: Vec::new(),
        charged: 0,
        over: false,
        out: DocumentSections::default(),
        site_places: HashMap::new(),
        coordinates: HashMap::new(),
        tendons: HashMap::new(),
        touches: false,
        selective: false,
        all_smooth: false,
        paired: HashSet::new(),
        geoms: HashMap::new(),
    };
    let title = root.attr("model").map(|a| (a.value, a.span));
    reader.read(&tree);
    let errors = reader.report.has_errors();
    let table = reader.finish(title);
    if !errors {
        for document in &documents.all {
            ledger::unread(document, context.report);
        }
    }
    table
}

impl<'d> Context<'d, '_> {
    fn read(&mut self, tree: &ElementTree<'d>) {
        let sections = |name: &'static str| tree.root().children().filter(move |c| c.name() == name);
        // settings hold for the whole file, wherever they stand; classes and assets come before what uses them
        sections("compiler").for_each(|s| self.compiler(s));
        sections("option").for_each(|s| self.option(s));
        sections("default").for_each(|s| self.default_section(s));
        sections("asset").for_each(|s| self.assets(s));
        for section in sections("worldbody") {
            self.kinematic_tree(section);
        }
        if self.over || self.report.has_errors() {
            return;
        }
        self.prepare_contacts(sections("contact"));
        self.write_bodies();
        sections("tendon").for_each(|s| self.tendon_section(s));
        sections("equality").for_each(|s| self.equality_section(s));
        sections("actuator").for_each(|s| self.actuator_section(s));
        sections("contact").for_each(|s| self.contact_section(s));
    }

    /// One line of the ledger.
    fn note(&mut self, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.report.push(Diagnostic::warning(codes::IGNORED, message).at(span).label(label));
    }

    /// Add a force, under a name that is free.
    fn force(&mut self, name: impl Into<String>, span: Span, table: TableAt) {
        let name = free(&mut self.force_names, name.into());
        self.out.force.put(name, span, table);
    }

    /// A name as scenes allow it. A changed one is noted.
    fn name(&mut self, given: &str, span: Span) -> String {
        let name = scene_name(given);
        if name != given {
            self.note(span, format!("`{}` is called `{}` here", shown(given), shown(&name)), "not a name of a scene");
        }
        name
    }

    /// `<camera>`: where it looks at the reference configuration.
    fn camera(&mut self, item: Item<'_, 'd>, body: usize, frame: &Pose, class: Option<usize>) {
        let attrs = self.attributes(item.element(), class);
        let span = attrs.span();
        let pose = self.bodies[body].world.then(frame).then(&self.pose(&attrs));
        let turn = Mat3::from_quat(pose.rotation);
        let angle = self.number(&attrs, "fovy").unwrap_or(45.0) * (std::f64::consts::PI / 180.0);
        let mode = self.word(&attrs, "mode", &["fixed", "track", "trackcom", "targetbody", "targetbodycom"]);
        attrs.attr("target");
        let Some(name) = attrs.element.attr("name") else { return };
        if body != 0 || !matches!(mode, None | Some("fixed")) {
            let message = format!("camera `{}` stands still", shown(name.value));
            self.note(span, message, "it looks as at the reference pose");
        }
        let name = self.name(name.value, name.span);
        if self.out.camera.get(&name).is_some() || !(angle > 0.0) {
            return;
        }
        let target = pose.position - turn * Vec3::Z;
        let table = DocTable::at(span).vector("from", pose.position).vector("look_at", target);
        self.out.camera.put(name, span, table.vector("up", turn * Vec3::Y).with("angle", angle));
    }

    /// The document.
    fn finish(self, title: Option<(&str, Span)>) -> DocTable {
        let span = self.root;
        let mut document = DocTable::new();
        if let Some((title, at)) = title {
            document.put("title", at, title.replace("${", "$ {"));
        }
        document.push("gravity", span, numbers(span, &self.settings.gravity.to_array()));
        let out = self.out;
        let mut ground = DocTable::new();
        if !out.ground_frames.is_empty() {
            ground.put("frames", span, out.ground_frames);
        }
        if !out.ground_shapes.is_empty() {
            ground.put("shapes", span, out.ground_shapes);
        }
        let mut contact = DocTable::new();
        if self.settings.contacts && self.touches {
            contact.put("friction", span, 1.0);
            if !out.ignore.is_empty() {
                contact.put("ignore", span, out.ignore);
            }
            if !out.pairs.is_empty() {
                contact.put("pair", span, out.pairs);
            }
        }
        let sections = [
            ("params", out.params),
            ("ground", ground),
            ("body", out.body),
            ("joint", out.joint),
            ("force", out.force),
            ("contact", contact),
            ("camera", out.camera),
        ];
        for (name, table) in sections {
            if !table.is_empty() {
                document.put(name, span, table);
            }
        }
        document
    }
}

/// The name, or one like it that is free, and now taken.
fn free(taken: &mut HashSet<String>, mut name: String) -> String {
    while !taken.insert(name.clone()) {
        name.push('_');
    }
    name
}
