//! Where the mesh files of a robot are.
//!
//! URDF names them as `package://PACKAGE/rest`. No program of ROS is asked: the folder of the URDF and those above it,
//! the folders of packages (as in `ROS_PACKAGE_PATH`) and the allowed folders are tried in turn, and all of it goes
//! through the scene's confinement, so that no file outside the scene's folder, its package and the allowed folders is
//! ever opened.
//!
//! ```text
//! package://P/rest, model://P/rest     D/P/rest for D = the URDF's folder and those above;   D/rest where D is called P;
//!                                      F/rest for the folder F below those of packages that is called P and has a
//!                                      package.xml;   A/P/rest, A/rest for every allowed folder A
//! file:///path                         that path
//! anything else                        from the URDF's folder, then from the allowed folders
//! ```

use crate::confine::Confinement;
use crate::limits::Limits;
use crate::mesh::{self, Budget};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Finds files.
pub struct Files<'a> {
    confinement: &'a Confinement,
    folder: PathBuf,
    /// Where packages were found: the part in front of `rest`.
    packages: HashMap<String, String>,
    /// What was looked for, and what was found.
    known: HashMap<String, Result<String, String>>,
    /// So many different files may be looked for, of that size.
    limits: Limits,
    /// Materials of meshes that were looked into.
    materials: HashMap<String, Result<Vec<MeshMaterial>, String>>,
    triangles: u64,
}

/// A material of a mesh: its name in the file and its colour.
pub type MeshMaterial = (String, Option<[f64; 3]>);

impl<'a> Files<'a> {
    /// For a URDF in a folder.
    pub fn new(confinement: &'a Confinement, folder: PathBuf, limits: Limits) -> Self {
        let (packages, known, materials) = Default::default();
        Files { confinement, folder, packages, known, limits, materials, triangles: 0 }
    }

    /// The materials of a mesh that was found; none where its format has none.
    pub fn materials(&mut self, path: &str) -> Result<Vec<MeshMaterial>, String> {
        if !path.to_ascii_lowercase().ends_with(".dae") {
            return Ok(Vec::new());
        }
        if let Some(known) = self.materials.get(path) {
            return known.clone();
        }
        let mut budget = Budget { used: self.triangles, limit: self.limits.triangles };
        let parts = self
            .confinement
            .resolve(path, &self.folder)
            .and_then(|found| mesh::read_parts(&found, path, self.materials.len() as u64, &self.limits, &mut budget));
        self.triangles = budget.used;
        let materials = match parts {
            Ok(parts) => Ok(parts.into_iter().map(|p| (p.material, p.colour)).collect()),
            Err(d) => Err(if d.label.is_empty() { d.message } else { d.label }),
        };
        self.materials.insert(path.to_string(), materials.clone());
        materials
    }

    /// The path of a mesh as a scene file beside the URDF would name it, or why there is none.
    pub fn find(&mut self, name: &str) -> Result<String, String> {
        if let Some(known) = self.known.get(name) {
            return known.clone();
        }
        if self.known.len() as u64 >= self.limits.files {
            return Err(format!("more than {} mesh files: --limit files=N allows more", self.limits.files));
        }
        let found = self.look_for(name);
        self.known.insert(name.to_string(), found.clone());
        found
    }

    fn look_for(&mut self, name: &str) -> Result<String, String> {
        if !mesh::is_readable(name) {
            return Err("only .stl, .obj and .dae meshes are read".into());
        }
        if name.contains("${") {
            return Err("the name is a xacro expression".into());
        }
        let package = ["package://", "model://"].iter().find_map(|p| name.strip_prefix(p));
        let found = match package {
            Some(rest) => self.in_package(rest),
            None => {
                let plain = name.strip_prefix("file://").unwrap_or(name);
                let near = std::iter::once(plain.to_string());
                let far = self.confinement.allowed().iter().map(|a| a.join(plain).display().to_string());
                self.first(near.chain(far))
            }
        };
        let package = package.and_then(|rest| rest.split_once('/')).map(|(package, _)| crate::confine::shown(package));
        found.ok_or_else(|| match package {
            Some(p) => format!(
                "no such file in the robot's folder and package: --package-path DIR names a folder with the package `{p}`"
            ),
            None => "no such file in the scene's folder or in those allowed (--allow-path DIR)".into(),
        })
    }

    fn in_package(&mut self, rest: &str) -> Option<String> {
        let (package, rest) = rest.split_once('/')?;
        if let Some(front) = self.packages.get(package)
            && let Some(path) = self.first(std::iter::once(format!("{front}{rest}")))
        {
            return Some(path);
        }
        let mut fronts = Vec::new();
        let mut up = String::new();
        for folder in self.folder.ancestors() {
            fronts.push(format!("{up}{package}/"));
            if folder.file_name().is_some_and(|n| n.to_str() == Some(package)) {
                fronts.push(up.clone());
            }
            up.push_str("../");
        }
        fronts.extend(self.confinement.package(package).map(|found| format!("{}/", found.display())));
        for allowed in self.confinement.allowed() {
            fronts.push(format!("{}/{package}/", allowed.display()));
            fronts.push(format!("{}/", allowed.display()));
        }
        for front in fronts {
            if let Some(path) = self.first(std::iter::once(format!("{front}{rest}"))) {
                self.packages.insert(package.to_string(), front);
                return Some(path);
            }
        }
        None
    }

    /// The first of some names that is a file which may be read.
    fn first(&self, names: impl Iterator<Item = String>) -> Option<String> {
        names.filter_map(|n| self.confinement.resolve(&n, &self.folder).ok()).find_map(|path| self.written(&path))
    }

    /// As it is written in a scene beside the URDF: below its folder if it lies there, in full otherwise.
    fn written(&self, path: &Path) -> Option<String> {
        path.strip_prefix(&self.folder).unwrap_or(path).to_str().map(str::to_string)
    }
}
