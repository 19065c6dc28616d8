//! No file outside the folders that are allowed is read, whichever way a path comes in. Outside stands a canary: a file
//! that would be read if anything were, whose name and words then show.

mod common;
use common::{Folder, command, holonom, stderr, stdout};
use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

const CANARY: &str = "kanarienvogel";

/// A folder inside and one outside of what may be read, with canaries of every kind.
struct Place {
    inside: Folder,
    outside: Folder,
}

impl Place {
    fn new(name: &str) -> Place {
        let (inside, outside) = (Folder::new(&format!("{name}-in")), Folder::new(&format!("{name}-out")));
        let body = format!("[body.{CANARY}]\nmass = 1\ninertia = [1, 1, 1]\n");
        for (file, text) in [
            ("canary.toml", body.as_str()),
            ("canary.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"),
            (
                "canary.xml",
                "<mujoco><worldbody><body name=\"kanarienvogel\"><geom size=\"1\"/></body></worldbody></mujoco>",
            ),
        ] {
            std::fs::write(outside.file(file), text).expect("written");
        }
        Place { inside, outside }
    }

    /// All the ways in which a name can lead to the canary: by itself, upwards, by a link, a folder that is a link, an
    /// address.
    fn ways(&self, canary: &str) -> Vec<String> {
        let target = self.outside.0.join(canary);
        let name = self.outside.0.file_name().expect("a name").to_string_lossy().into_owned();
        #[cfg(unix)]
        {
            let _ = std::os::unix::fs::symlink(&target, self.inside.0.join(format!("link-{canary}")));
            let _ = std::os::unix::fs::symlink(&self.outside.0, self.inside.0.join("folder"));
        }
        vec![
            target.display().to_string(),
            format!("../{name}/{canary}"),
            format!("x/../../{name}/{canary}"),
            format!("link-{canary}"),
            format!("folder/{canary}"),
            format!("file://{}", target.display()),
        ]
    }
}

/// Refused in a moment, and nothing of the canary shows but its path.
fn refused(what: &str, out: &Output) {
    let said = format!("{}{}", stdout(out), stderr(out));
    assert!(matches!(out.status.code(), Some(2 | 5)), "{what}: exit {:?}: {said}", out.status.code());
    assert!(!said.contains(CANARY) && !said.contains("panicked"), "{what}: {said}");
}

/// The commands that read a scene, from inside the folder.
fn all_commands(place: &Place, scene: &str, what: &str) {
    let file = place.inside.file(scene);
    let toml = place.inside.file("converted.toml");
    for args in [vec!["check", &file], vec!["run", &file, "--time", "0.01"], vec!["convert", &file, &toml, "--force"]] {
        let out = within(&args, Duration::from_secs(20));
        refused(&format!("{what}, {}", args[0]), &out);
    }
}

/// The output of a command that must not wait for anything.
fn within(args: &[&str], most: Duration) -> Output {
    let mut child =
        command(args).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it starts");
    let begun = Instant::now();
    while child.try_wait().expect("it can be asked").is_none() {
        if begun.elapsed() > most {
            let _ = child.kill();
            panic!("{args:?} waits for something");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().expect("it has ended")
}

const BODY: &str = "[body.a]\nmass = 1\ninertia = [1, 1, 1]\n";

#[test]
fn includes() {
    let place = Place::new("include");
    for way in place.ways("canary.toml") {
        std::fs::write(place.inside.file("s.toml"), format!("include = [\"{way}\"]\n{BODY}")).expect("written");
        all_commands(&place, "s.toml", &way);
    }
    // an include inside a folder may not lead out of it either
    std::fs::create_dir_all(place.inside.0.join("sub")).expect("made");
    for way in place.ways("canary.toml").iter().filter(|way| way.starts_with("..")) {
        std::fs::write(place.inside.file("sub/part.toml"), format!("include = [\"../{way}\"]\n")).expect("written");
        std::fs::write(place.inside.file("s.toml"), format!("include = [\"sub/part.toml\"]\n{BODY}")).expect("written");
        all_commands(&place, "s.toml", way);
    }
}

#[test]
fn scenes_of_studies() {
    let place = Place::new("study");
    for way in place.ways("canary.toml") {
        let text = format!("scene = \"{way}\"\n[factor.mass]\nvalues = [1]\n[outcome]\nend = \"final(a.pos.z)\"\n");
        std::fs::write(place.inside.file("study.toml"), text).expect("written");
        let out = within(
            &["sweep", &place.inside.file("study.toml"), "-o", &place.inside.file("t")],
            Duration::from_secs(20),
        );
        refused(&way, &out);
    }
}

#[test]
fn meshes_of_scenes_and_of_robots() {
    let place = Place::new("mesh");
    for way in place.ways("canary.obj") {
        let toml = format!("{BODY}shape = {{ kind = \"mesh\", file = \"{way}\" }}\n");
        std::fs::write(place.inside.file("s.toml"), toml).expect("written");
        all_commands(&place, "s.toml", &way);
        let urdf = format!(
            "<robot name=\"r\"><link name=\"a\"><inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/>\
             </inertial><collision><geometry><mesh filename=\"{way}\"/></geometry></collision></link></robot>"
        );
        std::fs::write(place.inside.file("s.urdf"), urdf).expect("written");
        let mjcf = format!(
            "<mujoco><asset><mesh name=\"m\" file=\"{way}\"/></asset><worldbody><body><freejoint/><geom type=\"mesh\" mesh=\"m\" mass=\"1\"/>\
             </body></worldbody></mujoco>"
        );
        std::fs::write(place.inside.file("s.xml"), mjcf).expect("written");
        for scene in ["s.urdf", "s.xml"] {
            // what a robot only looks like may be missing; it is said, and not read
            let out = within(&["check", &place.inside.file(scene), "--strict"], Duration::from_secs(20));
            refused(&format!("{way} in {scene}"), &out);
        }
    }
    let place = Place::new("mesh-include");
    for way in place.ways("canary.xml") {
        let mjcf = format!("<mujoco><include file=\"{way}\"/></mujoco>");
        std::fs::write(place.inside.file("s.xml"), mjcf).expect("written");
        let out = within(&["check", &place.inside.file("s.xml"), "--strict"], Duration::from_secs(20));
        refused(&way, &out);
    }
}

/// Pipes and devices are never opened: they would wait for ever, or never end.
#[test]
#[cfg(unix)]
fn pipes_and_devices() {
    let place = Place::new("pipe");
    let pipe = place.inside.file("pipe.toml");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo is there");
    assert!(made.success());
    std::os::unix::fs::symlink("/dev/zero", place.inside.0.join("zero.toml")).expect("linked");
    std::os::unix::fs::symlink("/dev/zero", place.inside.0.join("zero.obj")).expect("linked");
    std::fs::rename(place.inside.0.join("pipe.toml"), place.inside.0.join("pipe.obj")).expect("renamed");
    for file in ["pipe.obj", "zero.obj"] {
        let toml = format!("{BODY}shape = {{ kind = \"mesh\", file = \"{file}\" }}\n");
        std::fs::write(place.inside.file("s.toml"), toml).expect("written");
        all_commands(&place, "s.toml", file);
        std::fs::write(place.inside.file("s.toml"), format!("include = [\"{file}\"]\n{BODY}")).expect("written");
        all_commands(&place, "s.toml", file);
    }
    // nor as what is asked for itself
    for args in [
        vec!["info", "pipe.obj"],
        vec!["recover", "pipe.obj"],
        vec!["plot", "pipe.obj", "--y", "time"],
        vec!["replay", "pipe.obj"],
        vec!["run", "pendulum", "--from", "pipe.obj"],
        vec!["info", "/dev/zero"],
        vec!["replay", "/dev/zero"],
        vec!["run", "pendulum", "--from", "/dev/zero"],
        vec!["run", "zero.toml"],
        vec!["check", "zero.toml"],
    ] {
        let full: Vec<String> = args
            .iter()
            .map(|a| if a.contains('.') && !a.starts_with('/') { place.inside.file(a) } else { a.to_string() })
            .collect();
        let full: Vec<&str> = full.iter().map(String::as_str).collect();
        refused(&format!("{args:?}"), &within(&full, Duration::from_secs(20)));
    }
}

/// A recording holds the scene it is of; looked at elsewhere, that scene reads no more than where the recording lies.
#[test]
fn scenes_inside_recordings() {
    let place = Place::new("recording");
    std::fs::copy(place.outside.file("canary.toml"), place.inside.file("part.toml")).expect("copied");
    std::fs::write(place.inside.file("s.toml"), format!("include = [\"part.toml\"]\n{BODY}")).expect("written");
    let run = place.inside.file("run.hrec");
    let out = holonom(&["run", &place.inside.file("s.toml"), "--time", "0.05", "--out", &run, "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    // the same recording with a scene that names the canary, carried to another folder
    let bytes = std::fs::read(&run).expect("there");
    let elsewhere = Folder::new("recording-else");
    std::fs::write(elsewhere.file("run.hrec"), &bytes).expect("written");
    for args in [vec!["info"], vec!["plot", "--y", "energy.kinetic", "-o", "p.svg"]] {
        let mut full: Vec<String> = vec![args[0].into(), elsewhere.file("run.hrec")];
        full.extend(args[1..].iter().map(|a| if a.ends_with("svg") { elsewhere.file(a) } else { a.to_string() }));
        let full: Vec<&str> = full.iter().map(String::as_str).collect();
        let out = within(&full, Duration::from_secs(20));
        assert!(matches!(out.status.code(), Some(0 | 2)), "{full:?}: {}", stderr(&out));
    }
}
