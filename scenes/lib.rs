//! The scenes that come with holonom, as texts: the gallery, and the problems of the verification manual. The files lie
//! beside this one, so that a package holds them and a program needs no other file.

#![forbid(unsafe_code)]

/// A scene that comes with the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GalleryScene {
    /// Its name: that of its file.
    pub name: &'static str,
    /// What it belongs to.
    pub group: &'static str,
    /// The file's text.
    pub text: &'static str,
}

macro_rules! scenes {
    ($folder:literal: $($group:literal { $($name:literal)* })*) => {
        &[$($(GalleryScene {
            name: $name,
            group: $group,
            text: include_str!(concat!("./", $folder, $name, ".toml")),
        },)*)*]
    };
}

macro_rules! parts {
    ($($name:literal)*) => { &[$(($name, include_str!(concat!("./", $name)))),*] };
}

/// The gallery, group by group.
pub static GALLERY: &[GalleryScene] = scenes!["":
    "First mechanisms" {
        "pendulum" "double-pendulum" "door-3-hinges" "four-bar" "slider-crank" "gear-train" "rope" "crane"
        "parallelogram"
    }

    "Constrained particles: Witkin 1997" {
        "bead" "tinkertoys"
    }

    "Linear time: Baraff 1996" {
        "figure-2" "star" "baraff-2d-108" "baraff-2d-loops" "baraff-3d-contacts" "baraff-tree-381"
        "surles-protein" "gearbox-nonholonomic" "assembly" "two-chains-collide" "closed-figure"
        "straight-chain-both-ends"
    }

    "Prototyping: Tasora 2001" {
        "ring-20" "ring-40" "prosthetic-shoulder" "prosthetic-shoulder-worm" "prosthetic-arm"
        "prosthetic-arm-book" "prosthetic-arm-bottle" "prosthetic-arm-line" "bike-rider" "bike-rider-redundant"
    }

    "Machines and toys" {
        "strandbeest" "excavator" "whipple-bicycle" "rolling-coin" "dzhanibekov" "newtons-cradle" "rope-2t-ball"
        "ragdoll-stairs" "humanoid"
    }

    "Contact and large models" {
        "bouncing-ball" "wall-100" "tower-1000" "cable-200" "tree-128" "boxes-10000"
    }
];

/// What several scenes have in common: files that they include, under the name by which they do.
pub static PARTS: &[(&str, &str)] = parts![
    "parts/prosthetic-shoulder.toml"
    "parts/prosthetic-arm.toml"
    "parts/bike-rider.toml"
];

/// Problems with known answers, by the name of the problem; `holonom verify` runs them.
pub static VERIFICATION: &[GalleryScene] = scenes!["verification/":
    "Problems with known answers" {
        "p01-pendulum" "p01-pendulum-rod" "p02-four-bars" "p03-squeezer" "p04-governor" "p04-governor-particles"
        "p05-slider-crank" "p06-double-pendulum" "p06-dumb-bells" "p07-dumb-bell" "p07-spherical-pendulum"
        "p08-free-top" "p09-flip" "p10-heavy-top" "p11-slider-crank" "p11-slider-crank-led"
        "p11-slider-crank-led-space" "p11-slider-crank-space" "p12-peaucellier" "p12-peaucellier-space"
        "p13-rolling-disc" "p14-chaplygin-sleigh" "p14-chaplygin-sleigh-rigid" "p15-skate" "p15-skate-rigid"
        "p16-whipple-bicycle" "p17-block" "p17-box-under-balls" "p17-platform" "p17-tall-box" "p18-ball"
        "p19-bouncing-ball" "p19-cradle" "p19-rod" "p20-oscillator" "p20-slide" "p21-ball-on-sphere"
        "p21-ladder" "p21-particle-on-sphere" "p22-bead-on-wire" "p22-rod-and-plane" "p22-turning-hoop"
        "p23-ball-on-turntable" "p23-ball-on-turntable-speed" "p24-cardan-hinges" "p24-cardan-self-aligning"
        "p24-cardan-two-joints" "p25-atwood" "p25-bevel-differential" "p25-gear-pair" "p25-helical-gear"
        "p25-movable-pulley" "p25-planetary" "p25-rack" "p25-screw" "p26-chain-balls" "p26-chain-plane"
        "p26-hanging" "p26-string" "p27-affine-body" "p28-elastica"
    }
];

/// The text of a part.
pub fn part(name: &str) -> Option<&'static str> {
    PARTS.iter().find(|p| p.0 == name).map(|p| p.1)
}

/// A scene by its name.
pub fn find(name: &str) -> Option<&'static GalleryScene> {
    GALLERY.iter().chain(VERIFICATION).find(|e| e.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_listed() {
        let folder = env!("CARGO_MANIFEST_DIR");
        for (sub, list) in [("", GALLERY), ("verification", VERIFICATION)] {
            let files = std::fs::read_dir(format!("{folder}/{sub}")).expect("folder of scenes");
            let mut names: Vec<String> =
                files.filter_map(|f| Some(f.ok()?.file_name().to_str()?.strip_suffix(".toml")?.to_string())).collect();
            names.retain(|name| name != "Cargo");
            names.sort();
            let mut listed: Vec<&str> = list.iter().map(|e| e.name).collect();
            listed.sort();
            assert_eq!(names, listed, "folder `{sub}`");
        }
    }

    #[test]
    fn every_part_is_listed() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/");
        let mut names: Vec<String> = match std::fs::read_dir(format!("{folder}parts")) {
            Ok(files) => files.filter_map(|f| Some(format!("parts/{}", f.ok()?.file_name().to_str()?))).collect(),
            Err(_) => Vec::new(),
        };
        names.sort();
        let mut listed: Vec<&str> = PARTS.iter().map(|p| p.0).collect();
        listed.sort();
        assert_eq!(names, listed);
        for (name, text) in PARTS {
            assert_eq!(*text, std::fs::read_to_string(format!("{folder}{name}")).expect("a file"), "{name}");
        }
    }
}
