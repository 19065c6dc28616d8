//! `<compiler>` and `<option>`: what holds for the whole file.

use super::Context;
use super::tree::Item;
use super::values::Attributes;
use crate::codes;
use holonom::math::{Vec3, vec3};

/// When the mass of a body comes from its geoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromGeoms {
    /// Where there is no `<inertial>`.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Settings of a file; attributes given twice count as they stand last.
#[derive(Debug)]
pub struct Settings {
    pub radian: bool,
    pub eulerseq: String,
    pub autolimits: bool,
    pub meshdir: String,
    pub strippath: bool,
    pub inertia_from_geoms: FromGeoms,
    pub inertia_groups: (f64, f64),
    pub bound_mass: f64,
    pub bound_inertia: f64,
    pub total_mass: Option<f64>,
    pub balance_inertia: bool,
    pub gravity: Vec3,
    /// Do contacts, limits and dry friction count, and do parent and child pass through each other?
    pub contacts: bool,
    pub limits: bool,
    pub friction: bool,
    pub filter_parent: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            radian: false,
            eulerseq: "xyz".into(),
            autolimits: true,
            meshdir: String::new(),
            strippath: false,
            inertia_from_geoms: FromGeoms::Auto,
            inertia_groups: (0.0, 5.0),
            bound_mass: 0.0,
            bound_inertia: 0.0,
            total_mass: None,
            balance_inertia: false,
            gravity: vec3(0.0, 0.0, -9.81),
            contacts: true,
            limits: true,
            friction: true,
            filter_parent: true,
        }
    }
}

impl<'d> Context<'d, '_> {
    /// `<compiler>`.
    pub fn compiler(&mut self, item: Item<'_, 'd>) {
        let attrs = Attributes::plain(item.element().take());
        if let Some(word) = self.word(&attrs, "angle", &["radian", "degree"]) {
            self.settings.radian = word == "radian";
        }
        if let Some(word) = self.word(&attrs, "coordinate", &["local", "global"])
            && word == "global"
        {
            let (span, message) = (attrs.span_of("coordinate"), "global coordinates are not read");
            self.error(codes::UNKNOWN_CHOICE, span, message, "`coordinate` must be `local`");
        }
        if let Some(a) = attrs.attr("eulerseq") {
            let good = |b: u8| matches!(b, b'x' | b'y' | b'z' | b'X' | b'Y' | b'Z');
            if a.value.len() == 3 && a.value.bytes().all(good) {
                self.settings.eulerseq = a.value.to_string();
            } else {
                let label = "must be three of x, y, z (turning axes) or X, Y, Z (fixed axes)";
                self.error(codes::UNKNOWN_CHOICE, a.span, "`eulerseq` is not a sequence of axes", label);
            }
        }
        self.settings.autolimits = self.flag(&attrs, "autolimits").unwrap_or(self.settings.autolimits);
        self.settings.strippath = self.flag(&attrs, "strippath").unwrap_or(self.settings.strippath);
        self.settings.balance_inertia = self.flag(&attrs, "balanceinertia").unwrap_or(self.settings.balance_inertia);
        // they change what is kept of the model, not how it moves: welded bodies are put together here in any case
        for name in ["fusestatic", "discardvisual", "usethread"] {
            self.flag(&attrs, name);
        }
        for name in ["assetdir", "meshdir"] {
            if let Some(a) = attrs.attr(name) {
                self.settings.meshdir = a.value.to_string();
            }
        }
        attrs.attr("texturedir");
        if let Some(word) = self.word(&attrs, "inertiafromgeom", &["true", "false", "auto"]) {
            self.settings.inertia_from_geoms = match word {
                "true" => FromGeoms::Always,
                "false" => FromGeoms::Never,
                _ => FromGeoms::Auto,
            };
        }
        if let Some([least, most]) = self.array(&attrs, "inertiagrouprange") {
            self.settings.inertia_groups = (least, most);
        }
        let bound_mass = self.not_negative(&attrs, "boundmass", "kg");
        self.settings.bound_mass = bound_mass.unwrap_or(self.settings.bound_mass);
        let bound_inertia = self.not_negative(&attrs, "boundinertia", "kg m^2");
        self.settings.bound_inertia = bound_inertia.unwrap_or(self.settings.bound_inertia);
        if let Some(x) = self.number(&attrs, "settotalmass") {
            self.settings.total_mass = (x > 0.0).then_some(x);
        }
    }

    /// `<option>`.
    pub fn option(&mut self, item: Item<'_, 'd>) {
        let attrs = Attributes::plain(item.element().take());
        self.settings.gravity = self.vector(&attrs, "gravity").unwrap_or(self.settings.gravity);
        // fluids act on every body: only where there is one is anything lost
        for name in ["density", "viscosity"] {
            if attrs.element.peek(name).is_some() && self.number(&attrs, name).is_some_and(|x| x != 0.0) {
                let message = format!("the {name} of the medium is not used");
                self.note(attrs.span_of(name), message, "no fluid forces act on the bodies");
            }
        }
        for flags in item.children().filter(|c| c.name() == "flag") {
            let flags = Attributes::plain(flags.element().take());
            if self.word(&flags, "gravity", &["enable", "disable"]) == Some("disable") {
                self.settings.gravity = Vec3::ZERO;
            }
            let on = |c: &mut Self, name: &str| c.word(&flags, name, &["enable", "disable"]) != Some("disable");
            let all = on(self, "constraint");
            self.settings.contacts &= all & on(self, "contact");
            self.settings.limits &= all & on(self, "limit");
            self.settings.friction &= all & on(self, "frictionloss");
            self.settings.filter_parent &= on(self, "filterparent");
        }
    }
}
