//! Building by hand: what is built can be saved and runs the same; what is undone is as it was; what cannot be built changes nothing and says why.

use holonom::{IntegratorKind, Simulation, Vec3};
use holonom_scene::gallery::GALLERY;
use holonom_scene::scene::InteractionRecord;
use holonom_scene::{Loaded, Loader};
use holonom_view::catalogue::{CoordinateMeasure, catalogue};
use holonom_view::edit::{AssemblyProgress, ChangedScene, Edit, EditError, EditOutcome, PointAssembly, SceneEditor};
use serde_json::{Value, json};
use std::sync::Arc;

/// An editor and the mechanism in it, as a session would keep them.
struct Bench {
    bench: SceneEditor,
    sim: Simulation,
}

/// What the page is told of a thing.
fn details(editor: &SceneEditor, path: &str) -> Result<Value, EditError> {
    holonom_view::edit::details(editor, path).map(|d| serde_json::to_value(d).expect("JSON"))
}

impl Bench {
    fn empty() -> Self {
        let (bench, _, model) = SceneEditor::empty();
        Bench { bench, sim: Simulation::new(model) }
    }

    fn open(name: &str, text: &str) -> Self {
        let loader = Loader::new();
        let loaded = loader.load_text(&format!("{name}.toml"), text).unwrap_or_else(|e| panic!("{}", e.render()));
        let model = loaded.build().unwrap_or_else(|e| panic!("{}", e.render()));
        let mut sim = Simulation::new(model);
        sim.set_drift(loaded.scene.run.drift());
        Bench { bench: SceneEditor::new(&loader, &loaded), sim }
    }

    fn take(&mut self, changed: ChangedScene) -> ChangedScene {
        self.sim = Simulation::new(changed.model.clone());
        self.sim.set_drift(self.bench.scene().run.drift());
        if let Some(state) = &changed.state {
            self.sim.set_state(state.clone());
        }
        changed
    }

    fn try_edit(&mut self, edit: Value) -> Result<ChangedScene, EditError> {
        let edit: Edit = serde_json::from_value(edit).expect("a well-formed edit");
        match self.bench.apply(&edit, &self.sim)? {
            EditOutcome::Changed(changed) => Ok(self.take(*changed)),
            EditOutcome::Assemble(assembly) => self.assemble(*assembly),
        }
    }

    fn assemble(&mut self, mut assembly: PointAssembly) -> Result<ChangedScene, EditError> {
        let progress = loop {
            match assembly.step(&mut self.sim, 1.0 / 60.0).expect("a kinematic step") {
                AssemblyProgress::Closing(_) => {}
                done => break done,
            }
        };
        let changed = self.bench.join(&assembly, progress, &self.sim)?;
        Ok(self.take(changed))
    }

    fn edit(&mut self, edit: Value) -> ChangedScene {
        let shown = edit.to_string();
        self.try_edit(edit).unwrap_or_else(|t| panic!("{shown}: {}\n{}", t.message, t.details.unwrap_or_default()))
    }

    fn run(&mut self, seconds: f64) {
        let end = self.sim.time() + seconds;
        self.sim.set_integrator(IntegratorKind::RungeKutta4);
        while self.sim.time() < end - 1e-9 {
            self.sim.step(0.005).expect("a step");
        }
    }

    fn reload(&self) -> (Loaded, Simulation) {
        let text = self.bench.scene_text();
        let loaded =
            Loader::new().load_text("saved.toml", text.clone()).unwrap_or_else(|e| panic!("{}\n{text}", e.render()));
        let model = loaded.build().unwrap_or_else(|e| panic!("{}\n{text}", e.render()));
        (loaded, Simulation::new(model))
    }
}

fn rod(from: [f64; 3], to: [f64; 3]) -> Value {
    json!({ "shape": { "kind": "rod", "radius": 0.015 }, "from": from, "to": to, "density": 7800 })
}

/// A four-bar from nothing, as the page makes it: three rods drawn from point to point, and a motor.
fn four_bar() -> Bench {
    let mut b = Bench::empty();
    let (y, hinge) = ([0.0, 1.0, 0.0], "revolute");
    let tie = |point: [f64; 3], body: &str, at: [f64; 3]| json!({ "joint": hinge, "point": point, "to": { "body": body, "point": at }, "axis": y });
    let length = (0.45f64 * 0.45 + 0.18 * 0.18).sqrt();
    b.edit(json!({ "kind": "add-body", "name": "crank", "body": rod([0.0; 3], [0.0, 0.0, 0.2]), "joints": [tie([0.0; 3], "ground", [0.0; 3])] }));
    b.edit(json!({ "kind": "add-body", "name": "coupler", "body": rod([0.0, 0.0, 0.2], [0.45, 0.0, 0.38]),
        "joints": [tie([0.0; 3], "crank", [0.2, 0.0, 0.0])] }));
    b.edit(json!({ "kind": "add-body", "name": "rocker", "body": rod([0.6, 0.0, 0.0], [0.45, 0.0, 0.38]),
        "joints": [tie([0.0; 3], "ground", [0.6, 0.0, 0.0]), tie([(0.15f64 * 0.15 + 0.38 * 0.38).sqrt(), 0.0, 0.0], "coupler", [length, 0.0, 0.0])] }));
    b.edit(
        json!({ "kind": "add-drive", "drive": "speed", "on": "revolute1", "fields": { "value": std::f64::consts::TAU } }),
    );
    b
}

#[test]
fn a_four_bar_from_nothing_runs_the_same_when_saved() {
    let mut built = four_bar();
    let (loaded, mut saved) = built.reload();
    assert_eq!((loaded.scene.bodies.len(), loaded.scene.joints.len(), loaded.scene.drives.len()), (3, 4, 1));
    // the gallery has the same one
    let entry = GALLERY.iter().find(|e| e.name == "four-bar").expect("it is there");
    let mut known = Bench::open("four-bar", entry.text);
    saved.set_integrator(IntegratorKind::RungeKutta4);
    built.run(0.5);
    known.run(0.5);
    while saved.time() < 0.5 - 1e-9 {
        saved.step(0.005).expect("a step");
    }
    assert_eq!(built.sim.state().hash(), saved.state().hash());
    for name in ["crank", "coupler", "rocker"] {
        let at = |sim: &Simulation| sim.centre(sim.model().body(name).expect("it is there"));
        assert!((at(&built.sim) - at(&known.sim)).length() < 1e-9, "{name}");
    }
    let text = built.bench.scene_text();
    assert!(text.lines().count() < 60 && text.contains("crank.to") && !text.contains("[start"), "{text}");
}

#[test]
fn undone_changes_leave_the_former_text_and_redone_ones_the_later() {
    let mut b = four_bar();
    let edits = [
        json!({ "kind": "set", "path": "body.crank.mass", "value": 2.5 }),
        json!({ "kind": "set", "path": "body.crank.shape.radius", "value": 0.02 }),
        json!({ "kind": "rename", "path": "body.crank", "name": "drum" }),
        json!({ "kind": "rename", "path": "joint.revolute1", "name": "A" }),
        // a motor without a limit cannot keep its speed in a linkage that is jammed: that is refused
        json!({ "kind": "set", "path": "drive.motor1.effort", "value": 5 }),
        json!({ "kind": "weld", "joint": "revolute2" }),
        json!({ "kind": "add-ground-point", "at": [1, 2, 3] }),
        json!({ "kind": "duplicate", "body": "rocker", "by": [0, 0.5, 0] }),
        json!({ "kind": "move-body", "body": "rocker1", "at": [1, 1, 1] }),
        json!({ "kind": "cut", "joint": "revolute3" }),
        json!({ "kind": "remove", "path": "body.coupler" }),
    ];
    let mut texts = vec![b.bench.scene_text()];
    for (i, edit) in edits.into_iter().enumerate() {
        // some of them while it runs
        if i % 3 == 1 {
            b.run(0.05);
        }
        b.edit(edit);
        texts.push(b.bench.scene_text());
        b.reload();
    }
    for text in texts.iter().rev().skip(1) {
        let changed = b.bench.undo(&b.sim).unwrap_or_else(|t| panic!("{}", t.message));
        b.take(changed);
        assert_eq!(&b.bench.scene_text(), text);
    }
    assert!(b.bench.can_undo(), "the building of the four-bar itself");
    for text in &texts[1..] {
        let changed = b.bench.redo(&b.sim).unwrap_or_else(|t| panic!("{}", t.message));
        b.take(changed);
        assert_eq!(&b.bench.scene_text(), text);
    }
    assert!(!b.bench.can_redo());
    // references follow a name
    assert!(texts[3].contains("drum.to") && !texts[3].contains("crank"), "{}", texts[3]);
    assert!(texts[4].contains("joint = \"A\""), "{}", texts[4]);
}

#[test]
fn a_change_of_a_mass_does_not_disturb_the_motion() {
    let mut b = four_bar();
    b.run(0.3);
    let (t, q, v) = (b.sim.time(), b.sim.state().q.clone(), b.sim.state().v.clone());
    let start = b.bench.scene_text();
    b.edit(json!({ "kind": "set", "path": "body.rocker.density", "value": 2700 }));
    assert_eq!(b.sim.time(), t);
    let largest = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(largest(&q, &b.sim.state().q) < 1e-9 && largest(&v, &b.sim.state().v) < 1e-7);
    // and the scene starts where it started
    assert_eq!(b.bench.scene_text(), start.replace(&rocker(&start), &rocker(&start).replace("7800", "2700")));
    // nor does one that moves the centre of mass: it is the body that stays
    let tip = |b: &Bench| b.sim.point(b.bench.scene().marker("rocker.to").expect("it has ends"));
    let before = tip(&b);
    b.edit(json!({ "kind": "set", "path": "body.rocker.com", "value": [0.1, 0, 0] }));
    let after = tip(&b);
    assert!((before.0 - after.0).length() < 1e-9 && (before.1 - after.1).length() < 1e-7, "{before:?} {after:?}");
}

fn rocker(text: &str) -> String {
    let from = text.find("[body.rocker]").expect("it is there");
    text[from..][..text[from..].find("\n\n").expect("it ends")].to_string()
}

#[test]
fn what_hands_have_done_to_the_model_does_not_matter() {
    let entry = GALLERY.iter().find(|e| e.name == "double-pendulum").expect("it is there");
    let mut b = Bench::open("double-pendulum", entry.text);
    b.run(0.2);
    // whoever takes hold and lets go leaves a model that starts where he let go
    let joint = b.sim.model().joints().next().expect("it has joints");
    b.sim.break_joint(joint).expect("it breaks");
    b.sim.mend_joint(joint).expect("it mends");
    let (t, q) = (b.sim.time(), b.sim.state().q.clone());
    let body = b.bench.scene().bodies[0].name.to_string();
    b.edit(json!({ "kind": "set", "path": format!("body.{body}.colour"), "value": [1, 0, 0] }));
    assert_eq!(b.sim.time(), t);
    let largest = q.iter().zip(&b.sim.state().q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(largest < 1e-9, "{largest}");
}

#[test]
fn a_joint_that_is_cut_in_motion_lets_go_from_there() {
    let mut b = four_bar();
    b.run(0.2);
    let before = b.sim.state().clone();
    b.edit(json!({ "kind": "cut", "joint": "revolute4" }));
    assert_eq!(b.sim.state().t, before.t);
    let largest = before.q.iter().zip(&b.sim.state().q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(largest < 1e-9, "{largest}");
    b.run(0.2);
    let ends = ["rocker.to", "coupler.to"].map(|n| b.sim.point(b.bench.scene().marker(n).expect("it has ends")).0);
    assert!((ends[0] - ends[1]).length() > 0.05);
}

#[test]
fn a_weld_in_motion_holds_what_it_found_and_can_be_saved() {
    let mut b = four_bar();
    b.edit(json!({ "kind": "remove", "path": "drive.motor1" }));
    b.edit(json!({ "kind": "set", "path": "body.crank.spin", "value": [0, 3, 0] }));
    b.run(0.3);
    let between = |sim: &Simulation| {
        let axes = |n: &str| sim.axes(sim.model().body(n).expect("it is there")).expect("it has axes");
        axes("crank").transpose() * axes("coupler")
    };
    let found = between(&b.sim);
    b.edit(json!({ "kind": "weld", "joint": "revolute2" }));
    assert!(between(&b.sim).abs_diff_eq(found, 1e-8));
    let (_, saved) = b.reload();
    assert!(between(&saved).abs_diff_eq(found, 1e-8));
    assert!(b.bench.scene_text().contains("[start.crank]"));
}

#[test]
fn points_that_are_apart_come_together() {
    let mut b = Bench::empty();
    b.edit(json!({ "kind": "add-body", "name": "post", "body": rod([0.0; 3], [0.0, 0.0, 0.5]),
        "joints": [{ "joint": "revolute", "point": [0, 0, 0], "to": { "body": "ground", "point": [0, 0, 0] }, "axis": [0, 1, 0] }] }));
    b.edit(json!({ "kind": "add-body", "name": "arm", "body": rod([0.3, 0.2, 0.9], [0.7, 0.1, 1.0]) }));
    let joint = json!({ "kind": "add-joint", "joint": "spherical", "a": { "body": "post", "point": [0.5, 0, 0] }, "b": { "body": "arm", "point": [0, 0, 0] } });
    let edit: Edit = serde_json::from_value(joint).expect("well-formed");
    let EditOutcome::Assemble(mut assembly) = b.bench.apply(&edit, &b.sim).unwrap_or_else(|t| panic!("{}", t.message))
    else {
        panic!("they are apart")
    };
    let text = b.bench.scene_text();
    // the gap closes steadily, all joints kept
    let mut gaps = vec![assembly.gap()];
    let progress = loop {
        match assembly.step(&mut b.sim, 1.0 / 60.0).expect("a step") {
            AssemblyProgress::Closing(gap) => {
                assert!(gap < gaps[gaps.len() - 1] && b.sim.violation().0 < 1e-9, "{gaps:?}");
                gaps.push(gap);
            }
            done => break done,
        }
        assert_eq!(b.bench.scene_text(), text);
    };
    assert_eq!(progress, AssemblyProgress::Closed);
    assert!(gaps.len() > 20 && gaps.len() < 120, "visible, and not too long: {} frames", gaps.len());
    let changed = b.bench.join(&assembly, progress, &b.sim).unwrap_or_else(|t| panic!("{}", t.message));
    b.take(changed);
    let met = |sim: &Simulation, b: &Bench| {
        ["post.to", "arm.from"].map(|n| sim.point(b.bench.scene().marker(n).expect("a point")).0)
    };
    let [p, q] = met(&b.sim, &b);
    assert!((p - q).length() < 1e-9);
    let (_, saved) = b.reload();
    assert_eq!(saved.state().hash(), b.sim.state().hash());
    // and back: as it was before anything moved
    let changed = b.bench.undo(&b.sim).unwrap_or_else(|t| panic!("{}", t.message));
    b.take(changed);
    assert_eq!(b.bench.scene_text(), text);
    let [p, q] = met(&b.sim, &b);
    assert!(((p - q).length() - gaps[0]).abs() < 1e-9);
}

#[test]
fn a_motor_lets_go_while_points_are_joined_and_holds_again() {
    let mut b = four_bar();
    b.edit(json!({ "kind": "add-body", "name": "arm", "body": rod([0.8, 0.0, 0.6], [1.0, 0.0, 0.6]) }));
    let joint = json!({ "kind": "add-joint", "joint": "revolute", "axis": [0, 1, 0],
        "a": { "body": "rocker", "point": [0.1, 0, 0] }, "b": { "body": "arm", "point": [0, 0, 0] } });
    let edit: Edit = serde_json::from_value(joint).expect("well-formed");
    let crank = |sim: &Simulation| sim.axes(sim.model().body("crank").expect("it is there")).expect("it has axes");
    let start = crank(&b.sim);
    let begin = b.sim.state().hash();
    let EditOutcome::Assemble(mut assembly) = b.bench.apply(&edit, &b.sim).unwrap_or_else(|t| panic!("{}", t.message))
    else {
        panic!("they are apart")
    };
    for _ in 0..5 {
        assembly.step(&mut b.sim, 1.0 / 60.0).expect("a step");
    }
    // at a turn a second it would have turned by half a radian, and more before it is done
    assert!(crank(&b.sim).abs_diff_eq(start, 0.3) && b.sim.time() == 0.0);
    // given up half-way: as if nothing had been
    assembly.put_back(&mut b.sim);
    assert_eq!(b.sim.state().hash(), begin);
    let moving = |sim: &mut Simulation| {
        sim.set_integrator(IntegratorKind::RungeKutta4);
        sim.step(0.01).expect("a step");
        sim.spin(sim.model().body("crank").expect("it is there")).expect("it turns").y
    };
    assert!((moving(&mut b.sim) - std::f64::consts::TAU).abs() < 1e-9);
    assembly.put_back(&mut b.sim);
    let EditOutcome::Assemble(assembly) = b.bench.apply(&edit, &b.sim).unwrap_or_else(|t| panic!("{}", t.message))
    else {
        panic!("they are apart")
    };
    b.assemble(*assembly).unwrap_or_else(|t| panic!("{}", t.message));
    assert!((moving(&mut b.sim) - std::f64::consts::TAU).abs() < 1e-9);
}

#[test]
fn points_that_cannot_meet_say_how_near_they_came() {
    let mut b = Bench::empty();
    let pin = |at: [f64; 3]| json!([{ "joint": "revolute", "point": [0, 0, 0], "to": { "body": "ground", "point": at }, "axis": [0, 1, 0] }]);
    b.edit(
        json!({ "kind": "add-body", "name": "left", "body": rod([0.0; 3], [0.3, 0.0, 0.1]), "joints": pin([0.0; 3]) }),
    );
    b.edit(json!({ "kind": "add-body", "name": "right", "body": rod([1.0, 0.0, 0.0], [0.8, 0.0, 0.2]), "joints": pin([1.0, 0.0, 0.0]) }));
    let text = b.bench.scene_text();
    let length = (0.3f64 * 0.3 + 0.1 * 0.1).sqrt();
    let reach = (0.2f64 * 0.2 + 0.2 * 0.2).sqrt();
    let refused = b.try_edit(json!({ "kind": "add-joint", "joint": "revolute", "axis": [0, 1, 0],
        "a": { "body": "left", "point": [length, 0, 0] }, "b": { "body": "right", "point": [reach, 0, 0] } }));
    let message = refused.err().expect("too short").message;
    let expected = 1e3 * (1.0 - length - reach);
    let said: f64 = message.split_whitespace().rev().nth(1).and_then(|x| x.parse().ok()).expect("a number");
    assert!((said - expected).abs() < 0.02 * expected, "{message}, geometry says {expected} mm");
    assert_eq!(b.bench.scene_text(), text);
}

/// What every edit of a gallery scene must leave: a text that loads and builds, and the former one when it is undone.
fn try_all(name: &str, text: &str, seconds: f64) {
    let mut b = Bench::open(name, text);
    if seconds > 0.0 {
        let dt = b.bench.scene().run.dt.unwrap_or(0.001);
        let method = match b.bench.scene().run.integrator.as_deref() {
            Some("stepping") => IntegratorKind::Stepping,
            _ => IntegratorKind::RungeKutta4,
        };
        b.sim.set_integrator(method);
        while b.sim.time() < seconds {
            b.sim.step(dt).expect("a step");
        }
    }
    let scene = b.bench.scene().clone();
    let last = scene.bodies.last().expect("every scene has bodies").name.to_string();
    let at = b.sim.centre(b.sim.model().body(&last).expect("it is there"));
    let origin = b.sim.point(b.sim.model().body(&last).expect("it is there").origin()).0;
    let before = b.bench.scene_text();
    // what includes others is saved as one file that can stand alone
    let alone = text.contains("\ninclude = ");
    assert!(
        before == text || (alone && !before.contains("include")),
        "{name}: what was not changed is saved as it was"
    );

    let n = scene.bodies.len();
    let place = (at + Vec3::new(0.0, 5.0, 0.0)).to_array();
    b.edit(json!({ "kind": "add-body", "name": "new ball", "body": { "shape": { "kind": "sphere", "radius": 0.05 }, "at": place, "density": 1000 } }));
    b.edit(json!({ "kind": "add-body", "name": "new rod", "body": rod(origin.to_array(), (origin + Vec3::new(0.0, 4.0, 0.0)).to_array()),
        "joints": [{ "joint": "spherical", "point": [0, 0, 0], "to": { "body": last, "point": [0, 0, 0] } }] }));
    let (loaded, _) = b.reload();
    assert_eq!(loaded.scene.bodies.len(), n + 2, "{name}");
    b.edit(json!({ "kind": "set", "path": format!("body.{last}.mass"), "value": 3.25 }));
    let (loaded, _) = b.reload();
    let set = loaded.scene.bodies.iter().find(|x| *x.name == *last).and_then(|x| x.mass).expect("it has a mass");
    assert!((set.mass - 3.25).abs() < 1e-12, "{name}");
    // the others weigh what they did
    for body in scene.bodies.iter().filter(|x| *x.name != *last) {
        let now =
            loaded.scene.bodies.iter().find(|x| x.name == body.name).unwrap_or_else(|| panic!("{name}: {}", body.name));
        let (was, is) = (body.mass.map_or(0.0, |m| m.mass), now.mass.map_or(0.0, |m| m.mass));
        assert!((was - is).abs() <= 1e-12 * was, "{name}: {} {was} {is}", body.name);
    }
    let mut changes = 3;
    // not of a wheel between the teeth of a differential and its wire: without its bearing it need not come together again
    let hinge = |j: &&InteractionRecord| ["revolute", "spherical", "prismatic"].contains(&j.kind().name);
    if let Some(joint) = scene.joints.iter().filter(|j| !j.name.ends_with("-bearing")).find(hinge) {
        b.edit(json!({ "kind": "weld", "joint": &*joint.name }));
        b.reload();
        b.edit(json!({ "kind": "cut", "joint": &*joint.name }));
        let (loaded, _) = b.reload();
        assert!(loaded.scene.joints.iter().all(|j| j.name != joint.name));
        changes += 2;
    }
    if let Some(joint) = scene.joints.last() {
        let still = b.bench.scene().joints.iter().any(|j| j.name == joint.name);
        if still {
            b.edit(json!({ "kind": "remove", "path": format!("joint.{}", joint.name) }));
            changes += 1;
        }
    }
    b.edit(json!({ "kind": "remove", "path": format!("body.{}", scene.bodies[0].name) }));
    let (loaded, _) = b.reload();
    assert!(loaded.scene.bodies.iter().all(|x| x.name != scene.bodies[0].name));
    for _ in 0..=changes {
        let changed = b.bench.undo(&b.sim).unwrap_or_else(|t| panic!("{name}: {}", t.message));
        b.take(changed);
    }
    assert!(!b.bench.can_undo());
    assert_eq!(b.bench.scene_text(), before, "{name}");
    if seconds > 0.0 {
        assert!(
            (b.sim.time() - seconds).abs() < 0.02,
            "{name}: undone to the moment before the first change that began anew"
        );
    }
}

#[test]
fn scenes_of_the_gallery_can_be_changed_at_their_start() {
    for entry in GALLERY {
        try_all(entry.name, entry.text, 0.0);
    }
}

#[test]
fn scenes_of_the_gallery_can_be_changed_while_they_run() {
    for entry in GALLERY {
        try_all(entry.name, entry.text, 0.1);
    }
}

#[test]
fn what_is_written_out_moves_as_what_was_generated() {
    for entry in GALLERY {
        let mut before = Bench::open(entry.name, entry.text);
        let mut after = Bench::open(entry.name, entry.text);
        // changes that change nothing of the motion, until nothing of a generator is left, or enough of it is not
        let names: Vec<String> = after.bench.scene().bodies.iter().map(|b| b.name.to_string()).collect();
        let joints: Vec<String> = after.bench.scene().joints.iter().map(|b| b.name.to_string()).collect();
        let generated = |b: &Bench, path: &str| details(&b.bench, path).is_ok_and(|d| d["generated"] == true);
        for _ in 0..5 {
            let Some(name) = names.iter().rev().find(|n| generated(&after, &format!("body.{n}"))) else { break };
            after.edit(json!({ "kind": "set", "path": format!("body.{name}.colour"), "value": [0.5, 0.5, 0.5] }));
            assert!(!generated(&after, &format!("body.{name}")));
        }
        for _ in 0..5 {
            let Some(name) = joints.iter().rev().find(|n| generated(&after, &format!("joint.{n}"))) else { break };
            after.edit(json!({ "kind": "set", "path": format!("joint.{name}.compliance"), "value": [1e-9, 1e-9] }));
            assert!(!generated(&after, &format!("joint.{name}")));
        }
        assert_eq!(after.bench.scene().bodies.len(), names.len());
        assert_eq!(after.bench.scene().joints.len(), joints.len());
        let method = match before.bench.scene().run.integrator.as_deref() {
            Some("stepping") => IntegratorKind::Stepping,
            _ => IntegratorKind::RungeKutta4,
        };
        for b in [&mut before, &mut after] {
            b.sim.set_integrator(method);
            for _ in 0..if names.len() > 1000 { 2 } else { 20 } {
                b.sim.step(0.001).expect("a step");
            }
        }
        for name in &names {
            let at = |b: &Bench| b.sim.centre(b.sim.model().body(name).expect("it is there"));
            assert!((at(&before) - at(&after)).length() < 1e-9, "{}: {name}", entry.name);
        }
    }
}

#[test]
fn bad_changes_change_nothing_and_say_what_is_wrong() {
    let mut b = four_bar();
    let text = b.bench.scene_text();
    let hash = b.sim.state().hash();
    let ground = json!({ "body": "ground", "point": [0, 0, 0] });
    for (edit, says) in [
        (json!({ "kind": "set", "path": "body.crnk.mass", "value": 1 }), "did you mean `crank`"),
        (json!({ "kind": "set", "path": "bodi.crank.mass", "value": 1 }), "did you mean `body`"),
        (json!({ "kind": "set", "path": "body.crank", "value": 1 }), "which field"),
        (json!({ "kind": "set", "path": "body.crank.mass", "value": -1 }), "must be greater than 0"),
        (json!({ "kind": "set", "path": "body.crank.mass", "value": "heavy" }), "must be a number"),
        (json!({ "kind": "set", "path": "body.crank.mas", "value": 1 }), "did you mean `mass`"),
        (json!({ "kind": "set", "path": "body.crank.shape.radius", "value": null }), "has no `radius`"),
        (json!({ "kind": "set", "path": "params.L", "value": 1 }), "no parameter `L`"),
        (json!({ "kind": "set", "path": "", "value": 1 }), "no section"),
        (json!({ "kind": "rename", "path": "body.crank", "name": "rocker" }), "already"),
        (json!({ "kind": "rename", "path": "body.crank", "name": "a.b" }), "no dots"),
        (json!({ "kind": "rename", "path": "body.crank", "name": "a*b" }), "not allowed"),
        (json!({ "kind": "remove", "path": "joint.nobody" }), "there is no joint `nobody`"),
        (json!({ "kind": "remove", "path": "ground.points.g1" }), "holds `revolute1`"),
        (json!({ "kind": "cut", "joint": "nobody" }), "there is no joint `nobody`"),
        (json!({ "kind": "weld", "joint": "motor1" }), "there is no joint `motor1`"),
        (
            json!({ "kind": "add-joint", "joint": "revolute", "a": { "body": "crank", "point": [0, 0, 0] }, "b": { "body": "crank", "point": [0.1, 0, 0] } }),
            "to itself",
        ),
        (
            json!({ "kind": "add-joint", "joint": "hinge", "a": ground, "b": { "body": "crank", "point": [0, 0, 0] } }),
            "no joint of kind `hinge`",
        ),
        (
            json!({ "kind": "add-joint", "joint": "revolute", "a": ground, "b": { "body": "crunk", "point": [0, 0, 0] } }),
            "did you mean `crank`",
        ),
        (
            json!({ "kind": "add-joint", "joint": "revolute", "a": ground, "axis": [0, 0, 0], "b": { "body": "crank", "point": [0, 0, 0] } }),
            "no direction",
        ),
        (
            json!({ "kind": "add-joint", "name": "revolute2", "joint": "spherical", "a": ground, "b": { "body": "crank", "point": [0, 0, 0] } }),
            "already",
        ),
        (
            json!({ "kind": "add-drive", "drive": "speed", "on": "revolute9", "fields": { "value": 1 } }),
            "no joint `revolute9`",
        ),
        (json!({ "kind": "add-drive", "drive": "speed", "on": "revolute1" }), "has no `value`"),
        (json!({ "kind": "add-drive", "drive": "speed", "on": "revolute1", "fields": { "value": "sin(" } }), ""),
        (json!({ "kind": "add-body", "body": { "shape": { "kind": "sphere" } } }), "has no `radius`"),
        (
            json!({ "kind": "add-body", "body": { "shape": { "kind": "sphere", "radius": 0.1 } } }),
            "mass of body `sphere1` is not known",
        ),
        (json!({ "kind": "add-body", "body": { "at": "here" } }), "must be a list"),
        (json!({ "kind": "move-body", "body": "nobody", "at": [0, 0, 0] }), "no body `nobody`"),
        (json!({ "kind": "duplicate", "body": "nobody", "by": [0, 0, 0] }), "no body `nobody`"),
    ] {
        let shown = edit.to_string();
        let refused = b.try_edit(edit).err().unwrap_or_else(|| panic!("{shown} was taken"));
        assert!(refused.message.contains(says), "{shown}: {}", refused.message);
        assert_eq!(b.bench.scene_text(), text, "{shown}");
        assert_eq!(b.sim.state().hash(), hash, "{shown}");
    }
    assert_eq!(serde_json::from_value::<Edit>(json!({ "kind": "explode" })).ok(), None);
}

#[test]
fn details_and_the_palette_come_from_the_declarations() {
    let b = four_bar();
    let body = details(&b.bench, "body.crank").unwrap_or_else(|t| panic!("{}", t.message));
    let field = |of: &Value, name: &str| {
        of["fields"].as_array().and_then(|f| f.iter().find(|f| f["name"] == name)).cloned().expect("the field")
    };
    let density = field(&body, "density");
    assert_eq!(
        (&density["value"], &density["unit"], &density["allowed"]),
        (&json!(7800), &json!("kg/m^3"), &json!("greater than 0"))
    );
    assert_eq!(field(&field(&body, "shape"), "radius")["path"], "body.crank.shape.radius");
    assert!(body["facts"][0]["value"][0].as_f64().expect("a mass") > 1.0);
    let limits = field(&details(&b.bench, "joint.revolute1").unwrap_or_else(|t| panic!("{}", t.message)), "limits");
    assert_eq!((&limits["value"], &limits["type"]), (&Value::Null, &json!("intervals")));
    assert!(
        details(&b.bench, "joint.nobody").is_err()
            && details(&b.bench, "").is_err()
            && details(&b.bench, "body").is_err()
    );
    // an expression is shown with its value, a piece of a generator as what it is
    let crane = GALLERY.iter().find(|e| e.name == "crane").expect("it is there");
    let load =
        details(&Bench::open("crane", crane.text).bench, "body.load").unwrap_or_else(|t| panic!("{}", t.message));
    assert_eq!(
        (&field(&load, "mass")["value"], &field(&load, "mass")["expression"]),
        (&json!(500.0), &json!("${load}"))
    );
    let rope = GALLERY.iter().find(|e| e.name == "rope").expect("it is there");
    let rope = Bench::open("rope", rope.text);
    let piece = details(&rope.bench, "body.rope/3").unwrap_or_else(|t| panic!("{}", t.message));
    assert_eq!((&piece["generated"], &field(&piece, "mass")["value"]), (&json!(true), &json!(0.02)));
    let joint = details(&rope.bench, "joint.rope/3").unwrap_or_else(|t| panic!("{}", t.message));
    assert_eq!(joint["kind"], "spherical");

    let palette = serde_json::to_value(catalogue()).expect("JSON");
    let names = |list: &str| {
        palette[list]
            .as_array()
            .expect("a list")
            .iter()
            .map(|k| k["kind"].as_str().unwrap_or("").to_string())
            .collect::<Vec<_>>()
    };
    for kind in holonom_scene::kinds::JOINTS.kinds() {
        assert!(names("joints").iter().any(|n| n == kind.name));
    }
    // every piece can be built as it is offered
    for piece in palette["pieces"].as_array().expect("a list") {
        let mut b = Bench::empty();
        let mut table = piece["sizes"].clone();
        table["kind"] = piece["shape"].clone();
        let mut body = json!({ "shape": table, "kind": piece["body"] });
        body[if piece["body"].is_null() { "density" } else { "mass" }] = json!(1000);
        match piece["between"].as_bool() {
            Some(true) => (body["from"], body["to"]) = (json!([0, 0, 0]), json!([0.3, 0, 0.1])),
            _ => body["at"] = json!([0, 0, 1]),
        }
        b.edit(json!({ "kind": "add-body", "body": body }));
    }
    for shape in ["box", "sphere", "ellipsoid", "cylinder", "capsule", "cone", "tube", "torus", "rod", "beam"] {
        assert!(palette["pieces"].as_array().expect("a list").iter().any(|p| p["shape"] == shape), "{shape}");
    }
    // and every joint that is made without further questions joins two boxes
    for joint in
        palette["joints"].as_array().expect("a list").iter().filter(|j| j["sides"] == true && j["asks"] == false)
    {
        let mut b = Bench::empty();
        for (name, x) in [("p", 0.0), ("q", 0.5)] {
            b.edit(json!({ "kind": "add-body", "name": name, "body": { "shape": { "kind": "box", "size": [0.2, 0.2, 0.2] }, "at": [x, 0, 0], "density": 500 } }));
        }
        let x = if joint["closes"] == true { [0.25, -0.25] } else { [0.1, -0.1] };
        let made = b.try_edit(json!({ "kind": "add-joint", "joint": joint["kind"], "axis": [0, 0, 1],
            "a": { "body": "p", "point": [x[0], 0, 0] }, "b": { "body": "q", "point": [x[1], 0, 0] } }));
        match made {
            Ok(_) => {
                let (_, sim) = b.reload();
                let id = sim.model().joints().last().expect("the joint");
                let kinds = sim.model().coordinate_kinds(id).iter().map(|k| CoordinateMeasure::from(*k));
                let kinds = serde_json::to_value(kinds.collect::<Vec<_>>()).expect("JSON");
                assert_eq!(joint["coordinates"], kinds, "coordinates of {}", joint["kind"]);
            }
            // some ask for more than their declarations can say
            Err(t) => assert!(t.details.is_some(), "{}: {}", joint["kind"], t.message),
        }
    }
}

#[test]
fn an_empty_scene_can_be_built_and_saved() {
    let b = Bench::empty();
    let (loaded, sim) = b.reload();
    assert_eq!((loaded.scene.bodies.len(), sim.model().n_bodies()), (0, 0));
    let _ = Arc::clone(sim.model());
}

#[test]
fn a_motor_fits_the_coordinate_that_it_drives() {
    let speed = catalogue().drives.iter().find(|d| d.entry.kind == "speed").expect("a motor");
    let preset = |m: CoordinateMeasure| match m {
        CoordinateMeasure::Length => speed.length.as_ref(),
        CoordinateMeasure::Angle => speed.angle.as_ref(),
    };
    // the first coordinate of a cylindrical joint is the way along its axis, the second the angle about it
    for (on, index, rate) in [("slide", 0, 0.1), ("slide.1", 1, 2.0 * std::f64::consts::PI)] {
        let mut b = Bench::empty();
        b.edit(json!({ "kind": "add-body", "name": "p", "body": { "shape": { "kind": "box", "size": [0.2, 0.2, 0.2] }, "at": [0, 0, 0], "density": 500 } }));
        b.edit(json!({ "kind": "add-joint", "name": "slide", "joint": "cylindrical", "axis": [1, 0, 0],
            "a": { "body": "ground", "point": [0, 0, 0] }, "b": { "body": "p", "point": [0, 0, 0] } }));
        let joint = b.sim.model().joint("slide").expect("the joint");
        let measure = CoordinateMeasure::from(b.sim.model().coordinate_kinds(joint)[index]);
        let value = &preset(measure).expect("a button").value;
        b.edit(json!({ "kind": "add-drive", "drive": "speed", "on": on, "fields": { "value": value } }));
        b.sim.project().expect("it moves");
        let joint = b.sim.model().joint("slide").expect("the joint");
        let (_, seen) = b.sim.coordinate(joint, index).expect("a coordinate");
        assert!((seen - rate).abs() < 1e-12, "{on}: {seen}");
    }
}
