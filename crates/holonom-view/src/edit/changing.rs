//! What is there, changed: fields, names, welds, places, copies; and what is taken away, with everything that cannot be
//! without it.

use super::EditError;
use super::document::{NO_SPAN, Path, THINGS, inner_mut, node, path, put, take, take_thing, thing, thing_mut};
use super::expand::explicit;
use super::poses::{AfterEdit, SceneDraft, links, redraw};
use super::record;
use super::references::{NamedThing, needs, visit};
use holonom::joints::{self, Closes};
use holonom::math::{Quat, Vec3};
use holonom_scene::diagnostic::nearest;
use holonom_scene::node::{DocNode, DocTable, Value};
use holonom_scene::read::SECTIONS;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Fields of bodies and joints that say how the scene starts.
const STARTING: [&str; 9] = ["at", "rotation", "from", "to", "angle", "velocity", "spin", "start", "start_rate"];

impl SceneDraft<'_> {
    /// Make sure that a thing stands in the document by itself.
    fn own(&mut self, section: &str, name: &str) -> Result<(), EditError> {
        if explicit(&mut self.document, self.scene, section, name)? {
            return Ok(());
        }
        if THINGS.contains(&section) && section != "body" {
            return Err(self.unknown_link(section, name));
        }
        if section == "body" {
            return Err(self.unknown_body(name));
        }
        Err(EditError::new(format!("the scene has no {section} `{name}`")))
    }

    /// Another value of a field; null takes it away.
    pub fn set(&mut self, whole: &str, value: &Json) -> Result<(), EditError> {
        let value = if value.is_null() { None } else { Some(node(value)?) };
        match path(whole)? {
            Path::Whole(section) => set_in(&mut self.document, &[section], value, whole),
            Path::Field("params", rest) => {
                let params = self.document.get("params").and_then(DocNode::as_table);
                if rest.len() != 1 || params.is_none_or(|p| p.get(rest[0]).is_none()) {
                    return Err(EditError::new(format!("the scene has no parameter `{}`", rest.join("."))));
                }
                self.then = AfterEdit::Anew;
                set_in(self.document.table_mut("params", NO_SPAN), &rest, value, whole)
            }
            Path::Field(section, rest) => {
                let table = self.document.table_mut(section, NO_SPAN);
                set_in(table, &rest, value, whole)?;
                if table.is_empty() {
                    take(&mut self.document, section);
                }
                Ok(())
            }
            Path::Thing(section, name, rest) => {
                if rest.is_empty() {
                    return Err(EditError::new(format!(
                        "`{whole}` is a whole table; say which field: `{whole}.FIELD`"
                    )));
                }
                self.own(section, name)?;
                let found = thing_mut(&mut self.document, section, name);
                let table = found.ok_or_else(|| EditError::new(format!("the scene has no {section} `{name}`")))?;
                let said = value.is_some();
                set_in(table, &rest, value, whole)?;
                if section == "body" && said && rest.len() == 1 {
                    // the one says what the other would
                    match rest[0] {
                        "mass" => take(table, "density"),
                        "density" => take(table, "mass"),
                        "shape" => take(table, "shapes"),
                        "shapes" => take(table, "shape"),
                        _ => None,
                    };
                }
                if rest.len() == 1 && STARTING.contains(&rest[0]) {
                    self.then = AfterEdit::Anew;
                    if section == "body" {
                        take_thing(&mut self.document, "start", name);
                    }
                }
                Ok(())
            }
        }
    }

    /// Another name, wherever it is spoken of.
    pub fn rename(&mut self, whole: &str, to: &str) -> Result<(), EditError> {
        let to = to.trim();
        let (section, name) = match path(whole)? {
            Path::Thing(section, name, rest) if rest.is_empty() => (section, name),
            Path::Field("ground", rest) if rest.len() == 2 && rest[0] == "points" => {
                return self.rename_ground_point(rest[1], to);
            }
            _ => return Err(EditError::new(format!("`{whole}` has no name that could be changed"))),
        };
        if to == name {
            return Ok(());
        }
        if to.is_empty() || to.contains('.') {
            return Err(EditError::new(format!("`{to}` cannot be a name: it must not be empty and has no dots")));
        }
        if THINGS.contains(&section) {
            self.own(section, name)?;
            self.name(section, Some(to), "")?;
        } else if thing(&self.document, section, to).is_some() {
            return Err(EditError::new(format!("there is a {section} `{to}` already; choose another name")));
        }
        let entries = inner_mut(&mut self.document, section).map(DocTable::entries_mut);
        let entry = entries.and_then(|e| e.iter_mut().find(|e| e.key == name));
        entry.ok_or_else(|| EditError::new(format!("the scene has no {section} `{name}`")))?.key = to.into();
        let spoken = match section {
            "body" => NamedThing::Body,
            "joint" | "drive" => NamedThing::Joint,
            _ => return Ok(()),
        };
        // pieces of generators that speak of it by a computed name must be written out, or they would speak of nobody
        self.write_out_users(spoken, name)?;
        visit(&mut self.document, &mut |text, what| {
            if what == spoken {
                let (head, tail) = text.split_at(text.find('.').unwrap_or(text.len()));
                if head == name {
                    *text = format!("{to}{tail}");
                }
            }
        });
        if section == "body"
            && let Some(starts) = inner_mut(&mut self.document, "start")
            && let Some(entry) = starts.entries_mut().iter_mut().find(|e| e.key == name)
        {
            entry.key = to.into();
        }
        if let Some(columns) = inner_mut(&mut self.document, "record").and_then(|t| t.get_mut("columns")) {
            let rename = |node: &mut DocNode| {
                if let Value::Text(text) = &mut node.value
                    && let Some(rest) = text.strip_prefix(name).filter(|r| r.starts_with('.'))
                {
                    *text = format!("{to}{rest}");
                }
            };
            match &mut columns.value {
                Value::List(list) => list.iter_mut().for_each(rename),
                _ => rename(columns),
            }
        }
        Ok(())
    }

    fn rename_ground_point(&mut self, name: &str, to: &str) -> Result<(), EditError> {
        if to.is_empty() || to.contains('.') {
            return Err(EditError::new(format!("`{to}` cannot be a name: it must not be empty and has no dots")));
        }
        let points = inner_mut(&mut self.document, "ground").and_then(|g| inner_mut(g, "points"));
        let points = points.ok_or_else(|| EditError::new("the ground has no points".to_string()))?;
        if points.get(to).is_some() {
            return Err(EditError::new(format!("the ground has a point `{to}` already; choose another name")));
        }
        let entry = points.entries_mut().iter_mut().find(|e| e.key == name);
        entry.ok_or_else(|| EditError::new(format!("the ground has no point `{name}`")))?.key = to.into();
        let (old, new) = (format!("ground.{name}"), format!("ground.{to}"));
        visit(&mut self.document, &mut |text, what| {
            if what == NamedThing::Body && *text == old {
                text.clone_from(&new);
            }
        });
        Ok(())
    }

    /// Write out every generated link that speaks of a thing.
    fn write_out_users(&mut self, what: NamedThing, name: &str) -> Result<(), EditError> {
        for (section, list) in
            [("joint", &self.scene.joints), ("drive", &self.scene.drives), ("force", &self.scene.forces)]
        {
            for link in list.iter().filter(|l| needs(l, self.scene).contains(&(what, name))) {
                explicit(&mut self.document, self.scene, section, &link.name)?;
            }
        }
        Ok(())
    }

    /// Take a thing away, and what cannot be without it.
    pub fn remove(&mut self, whole: &str) -> Result<(), EditError> {
        match path(whole)? {
            Path::Thing(section, name, rest) if rest.is_empty() && THINGS.contains(&section) => {
                self.own(section, name)?;
                self.remove_thing(section, name)
            }
            Path::Thing(section, name, rest) if rest.is_empty() => {
                match take_thing(&mut self.document, section, name) {
                    Some(_) => Ok(()),
                    None => Err(EditError::new(format!("the scene has no {section} `{name}`"))),
                }
            }
            Path::Field("ground", rest) if rest.len() == 2 && rest[0] == "points" => {
                let user = links(self.scene).find(|l| {
                    let on = |p: &Option<holonom_scene::fields::PointRef>| {
                        p.as_ref().is_some_and(|p| {
                            p.body == holonom_scene::fields::BodyRef::Ground
                                && matches!(&p.at, holonom_scene::fields::Where::Named(n) if &**n == rest[1])
                        })
                    };
                    on(&l.a) || on(&l.b)
                });
                if let Some(user) = user {
                    return Err(EditError::new(format!(
                        "the point `{}` holds `{}`; remove that first",
                        rest[1], user.name
                    )));
                }
                let points = inner_mut(&mut self.document, "ground").and_then(|g| inner_mut(g, "points"));
                match points.and_then(|p| take(p, rest[1])) {
                    Some(_) => Ok(()),
                    None => Err(EditError::new(format!("the ground has no point `{}`", rest[1]))),
                }
            }
            _ => {
                Err(EditError::new(format!("`{whole}` cannot be removed; a field is cleared by setting it to nothing")))
            }
        }
    }

    fn remove_thing(&mut self, section: &str, name: &str) -> Result<(), EditError> {
        // everything that needs it, and everything that needs that
        let mut gone: BTreeSet<(&str, String)> = BTreeSet::from([(section_of(section), name.to_string())]);
        loop {
            let before = gone.len();
            for (section, list) in
                [("joint", &self.scene.joints), ("drive", &self.scene.drives), ("force", &self.scene.forces)]
            {
                for link in list {
                    let lost = needs(link, self.scene).iter().any(|(what, n)| {
                        let sections: &[&str] = if *what == NamedThing::Body { &["body"] } else { &["joint", "drive"] };
                        sections.iter().any(|s| gone.contains(&(*s, n.to_string())))
                    });
                    if lost {
                        gone.insert((section, link.name.to_string()));
                    }
                }
            }
            if gone.len() == before {
                break;
            }
        }
        for (section, name) in &gone {
            explicit(&mut self.document, self.scene, section, name)?;
        }
        for (section, name) in &gone {
            take_thing(&mut self.document, section, name);
            if *section == "body" {
                take_thing(&mut self.document, "start", name);
                self.stop_following(name);
                self.forget_pairs(name);
            }
        }
        let with: Vec<String> = gone
            .iter()
            .filter(|(s, n)| (*s, n.as_str()) != (section, name))
            .map(|(s, n)| format!("{s} `{n}`"))
            .collect();
        if !with.is_empty() {
            self.notes.push(format!("removed with {section} `{name}`: {}", with.join(", ")));
        }
        Ok(())
    }

    /// Cameras that go with a body stay where they are.
    fn stop_following(&mut self, name: &str) {
        let Some(cameras) = inner_mut(&mut self.document, "camera") else { return };
        for entry in cameras.entries_mut() {
            if let Value::Table(camera) = &mut entry.node.value
                && camera.get("follow").and_then(DocNode::as_text) == Some(name)
            {
                take(camera, "follow");
            }
        }
    }

    /// Pairs of contacts that speak of a body which is no more.
    fn forget_pairs(&mut self, body: &str) {
        let Some(contact) = inner_mut(&mut self.document, "contact") else { return };
        let names = |node: &DocNode| node.as_text().is_some_and(|t| t.split('.').next() == Some(body));
        if let Some(Value::List(list)) = contact.get_mut("ignore").map(|n| &mut n.value) {
            list.retain(|pair| !pair.as_list().is_some_and(|p| p.iter().any(names)));
        }
        if let Some(Value::List(list)) = contact.get_mut("pair").map(|n| &mut n.value) {
            list.retain(|pair| {
                !pair.as_table().is_some_and(|t| ["a", "b"].iter().any(|k| t.get(k).is_some_and(names)))
            });
        }
    }

    /// Take a joint or drive away.
    pub fn cut(&mut self, name: &str) -> Result<(), EditError> {
        let section = match self.scene.drives.iter().any(|l| &*l.name == name) {
            true => "drive",
            false => "joint",
        };
        self.own(section, name)?;
        self.remove_thing(section, name)
    }

    /// Make a weld of a joint, as its bodies stand.
    pub fn weld(&mut self, name: &str) -> Result<(), EditError> {
        let Some(link) = self.scene.joints.iter().find(|l| &*l.name == name) else {
            return Err(self.unknown_link("joint", name));
        };
        let id = self.now.model().joint(name).ok_or_else(|| self.unknown_link("joint", name))?;
        let at = self.now.model().constraint(id).attachments();
        let (a, b) = match at {
            [] => return Err(EditError::new(format!("joint `{name}` joins no two bodies and cannot be welded"))),
            [only] => (holonom::BodyId::GROUND, only.body),
            [first, ..] => (first.body, at.iter().map(|x| x.body).find(|x| *x != first.body).unwrap_or(first.body)),
        };
        if at.iter().any(|x| x.body != a && x.body != b) || a == b {
            return Err(EditError::new(format!(
                "joint `{name}` does not join exactly two bodies and cannot be welded"
            )));
        }
        let called = |id: holonom::BodyId| id.index().map_or("ground", |_| self.now.model().body_name(id)).to_string();
        let (a, b) = (called(a), called(b));
        if link.kind().name == joints::rigid_joint().name() {
            return Err(EditError::new(format!("joint `{name}` is a weld already")));
        }
        self.own("joint", name)?;
        // what drives or couples its coordinates has nothing left to act on
        let mut lost = Vec::new();
        for (section, list) in
            [("drive", &self.scene.drives), ("joint", &self.scene.joints), ("force", &self.scene.forces)]
        {
            let users = list.iter().filter(|l| needs(l, self.scene).contains(&(NamedThing::Joint, name)));
            lost.extend(users.map(|l| (section, l.name.to_string())));
        }
        for (section, user) in lost {
            self.own(section, &user)?;
            self.remove_thing(section, &user)?;
            self.notes.push(format!("removed with the freedom of joint `{name}`: {section} `{user}`"));
        }
        self.start_here(true)?;
        let as_drawn = self.drawn_here(&a) && self.drawn_here(&b);
        let there = self.pose(&b).ok_or_else(|| self.unknown_body(&b))?.position;
        let poses = [&a, &b].map(|n| self.pose(n).unwrap_or(holonom_scene::scene::Pose::IDENTITY));
        let table = thing_mut(&mut self.document, "joint", name).ok_or_else(|| EditError::new("it is gone"))?;
        let mut weld = DocTable::new();
        weld.put("kind", NO_SPAN, joints::rigid_joint().name());
        // where the points have met, they go on as those of the weld
        if as_drawn && joints::declaration(link.kind().name).is_some_and(|d| d.closes == Closes::Point) {
            for key in ["a", "b", "at"] {
                if let Some(entry) = table.entry(key) {
                    weld.push(key, NO_SPAN, entry.node.clone());
                }
            }
        } else {
            for ((key, body), pose) in [("a", &a), ("b", &b)].into_iter().zip(&poses) {
                let mut point = DocTable::new();
                point.put("body", NO_SPAN, body.as_str());
                point.push("at", NO_SPAN, super::document::triple(pose.local(there)));
                weld.put(key, NO_SPAN, point);
            }
        }
        if !as_drawn {
            for (pose, z, x) in [(&poses[0], "axis_a", "x_axis_a"), (&poses[1], "axis_b", "x_axis_b")] {
                let back = holonom::math::Mat3::from_quat(pose.rotation).transpose();
                weld.push(z, NO_SPAN, super::document::triple(back * Vec3::Z));
                weld.push(x, NO_SPAN, super::document::triple(back * Vec3::X));
            }
        }
        for key in ["break_force", "break_torque", "compliance", "collide"] {
            if let Some(entry) = table.entry(key) {
                weld.push(key, NO_SPAN, entry.node.clone());
            }
        }
        *table = weld;
        Ok(())
    }

    /// Another place for a body.
    pub fn move_body(&mut self, name: &str, at: Vec3, turn: Option<Quat>) -> Result<(), EditError> {
        let body = self.body(name).ok_or_else(|| self.unknown_body(name))?;
        let mut pose = self.pose(name).ok_or_else(|| self.unknown_body(name))?;
        if !at.is_finite() || turn.is_some_and(|q| !q.is_finite() || (q.length() - 1.0).abs() > 1e-3) {
            return Err(EditError::new(format!("`{name}` cannot be moved to a place that is not finite")));
        }
        self.start_here(false)?;
        pose.position = at;
        pose.rotation = turn.map_or(pose.rotation, |q| q.normalize());
        self.place(body, &pose, None)
    }

    /// A second body like this one. Its name.
    pub fn duplicate(&mut self, name: &str, by: Vec3) -> Result<String, EditError> {
        let body = self.body(name).ok_or_else(|| self.unknown_body(name))?;
        let mut pose = self.pose(name).ok_or_else(|| self.unknown_body(name))?;
        pose.position += by;
        let mut table = match thing(&self.document, "body", name) {
            Some(table) => table.clone(),
            None => record::body(body)?,
        };
        if body.record.kind.is_none_or(|k| k.name != "rotor") {
            redraw(&mut table, body, &pose);
        }
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit()).replace('/', "-");
        let copy = self.name("body", None, if base.is_empty() { "body" } else { &base })?;
        put(self.document.table_mut("body", NO_SPAN), &copy, table);
        Ok(copy)
    }
}

fn section_of(section: &str) -> &'static str {
    SECTIONS.iter().map(|s| s.0).find(|s| *s == section).unwrap_or("")
}

/// Put a value where a path leads; numbers in it count the elements of lists.
fn set_in(table: &mut DocTable, path: &[&str], value: Option<DocNode>, whole: &str) -> Result<(), EditError> {
    let lost = |at: &str| EditError::new(format!("`{whole}`: there is nothing of its own in `{at}`"));
    let Some((last, way)) = path.split_last() else { return Err(lost(whole)) };
    let mut table = table;
    let mut i = 0;
    while i < way.len() {
        let key = way[i];
        if table.get(key).is_some_and(|n| n.as_list().is_some()) {
            // into an element of a list: of tables, or the last of the path
            let Some(Value::List(list)) = table.get_mut(key).map(|n| &mut n.value) else { return Err(lost(key)) };
            let n = list.len();
            let number = way.get(i + 1).copied().unwrap_or(last);
            let item = number.parse::<usize>().ok().and_then(|k| list.get_mut(k));
            let item =
                item.ok_or_else(|| EditError::new(format!("`{whole}`: `{key}` has {n} elements, numbered from 0")))?;
            if i + 1 == way.len() {
                return match value {
                    Some(value) => {
                        *item = value;
                        Ok(())
                    }
                    None => Err(EditError::new(format!("`{whole}`: an element of a list cannot be taken away alone"))),
                };
            }
            let Value::Table(inner) = &mut item.value else { return Err(lost(number)) };
            table = inner;
            i += 2;
            continue;
        }
        match table.get(key) {
            Some(n) if n.as_table().is_none() => return Err(lost(key)),
            None if value.is_none() => return Ok(()),
            _ => {}
        }
        table = table.table_mut(key, NO_SPAN);
        i += 1;
    }
    match value {
        Some(value) => put(table, last, value.value),
        None => {
            if take(table, last).is_none() {
                let near = nearest(last, table.entries().iter().map(|e| e.key.as_str()));
                let near = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
                return Err(EditError::new(format!("`{whole}` is not said{near}")));
            }
        }
    }
    Ok(())
}
