//! Scenes in several files, and values changed from outside.

use holonom_scene::diagnostic::Class;
use holonom_scene::{LoadError, Loaded, Loader};
use std::path::PathBuf;

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Folder {
        let path = std::env::temp_dir().join(format!("holonom-include-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        for (file, text) in files {
            let file = path.join(file);
            std::fs::create_dir_all(file.parent().expect("folder")).expect("made");
            std::fs::write(file, text).expect("written");
        }
        Folder(path)
    }

    fn load(&self) -> Result<Loaded, LoadError> {
        Loader::new().load(&self.0.join("main.toml"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Code and place (`file:line:column`, only the end of the file's name) of every mistake.
fn mistakes(failed: &LoadError) -> Vec<String> {
    let one = |d: &holonom_scene::Diagnostic| {
        let span = d.span.expect("a place");
        let place = failed.sources.place(span).expect("a place");
        let file = failed.sources.file(span.file).expect("a file").name.clone();
        let file = file.rsplit("holonom-include").next().and_then(|f| f.split_once('/')).map_or(file.as_str(), |f| f.1);
        format!("{} {file}:{}:{}", d.code, place.line, place.column)
    };
    failed.report.all().iter().map(one).collect()
}

const BODY: &str = "mass = 1\ninertia = [1, 1, 1]\n";

#[test]
fn contents_are_added_and_parameters_overridden() {
    let folder = Folder::new(
        "added",
        &[
            ("main.toml", &format!("include = [\"parts/a.toml\", \"b.toml\"]\n[params]\nL = 2\n[body.own]\n{BODY}")),
            (
                "parts/a.toml",
                &format!(
                    "title = \"a\"\ninclude = \"c.toml\"\n[params]\nL = 1\nM = \"${{3*L}}\"\n[body.a]\nat = [\"${{M}}\", 0, 0]\n{BODY}[ground]\npoints.A = [1, 0, 0]\n"
                ),
            ),
            ("parts/c.toml", &format!("[body.c]\n{BODY}[run]\ntime = 3\n")),
            ("b.toml", &format!("include = [\"parts/c.toml\"]\n[body.b]\n{BODY}[ground]\npoints.B = [2, 0, 0]\n")),
        ],
    );
    let loaded = folder.load().unwrap_or_else(|f| panic!("{}", f.render()));
    let names: Vec<&str> = loaded.scene.bodies.iter().map(|b| &*b.name).collect();
    assert_eq!(names, ["c", "a", "b", "own"], "included ones first, each file once");
    assert_eq!(loaded.scene.bodies[1].pose.position.x, 6.0, "M = 3 L with the L of the file that includes");
    assert_eq!(loaded.scene.ground_points.len(), 2);
    assert_eq!((loaded.scene.title.as_str(), loaded.scene.run.time), ("a", Some(3.0)));
    assert!(loaded.document.get("include").is_none(), "the document holds everything itself");
}

#[test]
fn the_same_name_twice_is_shown_at_both_places() {
    let folder = Folder::new(
        "twice",
        &[
            ("main.toml", &format!("include = [\"a.toml\", \"b.toml\"]\n[body.x]\n{BODY}")),
            ("a.toml", &format!("[body.x]\n{BODY}[params]\nk = 1\n")),
            ("b.toml", "[params]\nk = 2\n"),
        ],
    );
    let failed = folder.load().map(|_| ()).expect_err("twice");
    assert_eq!(
        mistakes(&failed),
        ["E0209 a.toml:5:1", "E0209 b.toml:2:1", "E0209 a.toml:1:7", "E0209 main.toml:2:7"],
        "{}",
        failed.render()
    );
    assert!(failed.render().contains("the other one stands at"), "{}", failed.render());
}

#[test]
fn circles_and_missing_files_are_refused() {
    let folder = Folder::new(
        "circle",
        &[
            ("main.toml", "include = [\"a.toml\", \"nowhere.toml\", 3]\n"),
            ("a.toml", "\ninclude = [\n  \"./b.toml\",\n]\n"),
            ("b.toml", "include = [\"a.toml\", \"main.toml\"]\n"),
        ],
    );
    let failed = folder.load().map(|_| ()).expect_err("circle");
    let found = mistakes(&failed);
    for expected in ["E0113 ./b.toml:1:12", "E0113 ./b.toml:1:22", "E0104 main.toml:1:22", "E0203 main.toml:1:38"] {
        assert!(found.contains(&expected.to_string()), "{expected} in {found:?}");
    }
    let own = Folder::new("self", &[("main.toml", "include = [\"main.toml\"]\n")]);
    assert_eq!(mistakes(&own.load().map(|_| ()).expect_err("itself")), ["E0113 main.toml:1:12"]);
}

#[test]
fn mistakes_in_included_files_are_shown_there() {
    let folder = Folder::new(
        "inside",
        &[
            ("main.toml", "include = [\"a.toml\", \"b.toml\"]\n"),
            ("a.toml", "[body.x]\nmass = -1\n"),
            ("b.toml", "x = [\n"),
        ],
    );
    let failed = folder.load().map(|_| ()).expect_err("syntax");
    assert!(mistakes(&failed).iter().all(|m| m.starts_with("E0101 b.toml:")), "{}", failed.render());
    std::fs::write(folder.0.join("b.toml"), "").expect("written");
    assert_eq!(mistakes(&folder.load().map(|_| ()).expect_err("range")), ["E0205 a.toml:2:8"]);
}

#[test]
fn files_are_counted() {
    let names: Vec<String> = (0..150).map(|i| format!("f{i}.toml")).collect();
    let texts: Vec<String> = (0..150).map(|i| format!("include = \"f{}.toml\"\n", i + 1)).collect();
    let mut files: Vec<(&str, &str)> = names.iter().map(String::as_str).zip(texts.iter().map(String::as_str)).collect();
    files.push(("main.toml", "include = \"f0.toml\"\n"));
    files.push(("f150.toml", ""));
    let folder = Folder::new("deep", &files);
    let failed = folder.load().map(|_| ()).expect_err("too deep");
    assert_eq!(mistakes(&failed), ["E0505 f99.toml:1:11"]);
    assert_eq!(failed.report.class(), Class::Limit);
    let mut loader = Loader::new();
    loader.limits.files = 3;
    let failed = loader.load(&folder.0.join("main.toml")).map(|_| ()).expect_err("too many");
    assert_eq!(mistakes(&failed), ["E0505 f1.toml:1:11"]);
}

const SCENE: &str = "[params]\nL = 1\n[body.rod]\nmass = 1\ninertia = [1, 1, 1]\nat = [\"${L}\", 0, 0]\n\
                     [joint.pin]\nkind = \"revolute\"\nb = \"rod\"\n\
                     [chain.rope]\ncount = 2\nlength = 1\nlink = { mass = 1, inertia = [1, 1, 1] }\n";

fn set(settings: &[&str]) -> Result<Loaded, LoadError> {
    let loader = Loader { settings: settings.iter().map(|s| s.to_string()).collect(), ..Loader::new() };
    loader.load_text("s.toml", SCENE)
}

#[test]
fn settings_change_the_scene() {
    let at = |settings: &[&str]| set(settings).unwrap_or_else(|f| panic!("{}", f.render())).scene;
    assert_eq!(at(&["L=2"]).bodies[0].pose.position.x, 2.0);
    assert_eq!(at(&["params.L=2", "L = 3.5"]).bodies[0].pose.position.x, 3.5, "the last one counts");
    assert_eq!(at(&["params.L=${1/4}"]).bodies[0].pose.position.x, 0.25);
    assert_eq!(at(&["body.rod.mass=3"]).bodies[0].mass.map(|m| m.mass), Some(3.0));
    assert_eq!(at(&["joint.pin.axis=[0, 1, 0]"]).joints[0].record.vector("axis"), Some(holonom::math::Vec3::Y));
    assert_eq!(at(&["run.time=5", "run.integrator=rk4"]).run.integrator.as_deref(), Some("rk4"));
    assert_eq!(at(&["chain.rope.count=100"]).bodies.len(), 101);
    assert_eq!(at(&["chain.rope.link.mass=7"]).bodies[1].mass.map(|m| m.mass), Some(7.0));
    assert_eq!(at(&["gravity=[0,0,-1.62]"]).gravity.z, -1.62);
    assert_eq!(at(&["title=a rod = 1 m"]).title, "a rod = 1 m");
    assert_eq!(at(&["ground.points.A=[1,2,3]"]).ground_points[0].pose.position.y, 2.0);
}

#[test]
fn settings_that_name_nothing_are_refused() {
    for (setting, code, column, says) in [
        ("l=2", "E0224", 1, "did you mean `L`"),
        ("mu=2", "E0224", 1, "parameters: L"),
        ("params.K=2", "E0224", 8, "did you mean `L`"),
        ("bdoy.rod.mass=3", "E0224", 1, "did you mean `body`"),
        ("body.rdo.mass=3", "E0224", 6, "did you mean `rod`"),
        ("body.rod=3", "E0224", 6, "name a field"),
        ("body=3", "E0224", 1, "section"),
        ("body.rod.mas=3", "E0201", 10, "did you mean `mass`"),
        ("body.rod.mass=-3", "E0205", 15, "must be greater than 0"),
        ("body.rod.mass=heavy", "E0203", 15, "this is text"),
        ("body.rod.mass=nan", "E0206", 15, "finite"),
        ("body.rod.mass.x=3", "E0224", 10, "not a table"),
        ("body.rod.at=[1, 2]", "E0207", 13, "3 elements"),
        ("body.rod.at=[1, 2, 'x']", "E0203", 20, "number"),
        ("include=['x']", "E0224", 1, "section"),
        ("L", "E0224", 1, "no `=`"),
        ("", "E0224", 1, "no `=`"),
        ("=", "E0224", 1, "no parameter"),
        (".=1", "E0224", 1, "no section"),
        ("chain.rope.count=1e18", "E0504", 18, "limit"),
        ("chain.rope.count=${1/0}", "E0222", 18, "no finite value"),
    ] {
        let failed = set(&["L=1", setting]).map(|_| ()).expect_err(setting);
        assert_eq!(mistakes(&failed)[0], format!("{code} --set:2:{column}"), "{setting}: {}", failed.render());
        assert!(failed.render().contains(says), "{setting}: {}", failed.render());
    }
    let failed = set(&["body.rod.mas=3"]).map(|_| ()).expect_err("field");
    let text = failed.render();
    assert!(text.starts_with("error[E0201]: `rod` has no field `mas`\n --> --set:1:10\n  |\n1 | body.rod.mas=3\n  |          ^^^ did you mean `mass`?\n"), "{text}");
}

#[test]
fn parts_of_the_gallery_come_with_the_program() {
    let (name, text) = holonom_scene::gallery::PARTS[0];
    let bodies = |loaded: Result<Loaded, LoadError>| {
        let scene = loaded.unwrap_or_else(|f| panic!("{}", f.render())).scene;
        scene.bodies.iter().map(|b| b.name.to_string()).collect::<Vec<_>>()
    };
    let main = format!("include = [\"{name}\"]\n");
    let from_memory = bodies(Loader::new().load_text("main.toml", main.as_str()));
    assert!(!from_memory.is_empty());
    // beside a file that has no such file next to it, too; and a file that is there goes before
    let folder = Folder::new("parts", &[("main.toml", &main)]);
    assert_eq!(bodies(folder.load()), from_memory);
    let folder = Folder::new("own-parts", &[("main.toml", &main), (name, &format!("[body.own]\n{BODY}"))]);
    assert_eq!(bodies(folder.load()), ["own"]);
    // a mistake in it is shown there
    let failed = Loader::new().load_text("main.toml", format!("{main}[body.{}]\n{BODY}", from_memory[0]));
    let failed = failed.expect_err("twice the same name");
    assert!(failed.render().contains(name), "{}", failed.render());
    assert!(text.contains("[body."));
}
