//! Which files may be opened: one function, so that there is one place to look.
//!
//! A scene may name files in its own folder and below. The name is refused as text if it is absolute, holds a scheme
//! (`file://`) or a NUL; then the path is made canonical (symbolic links followed) and must still lie inside an allowed
//! folder; then it must be an ordinary file, looked at by its metadata and never opened. Only after that is it read, by
//! the caller, and never more of it than the limit.

use crate::codes;
use crate::diagnostic::Diagnostic;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// The folders from which files may be read.
#[derive(Clone, Debug, Default)]
pub struct Confinement {
    root: Option<PathBuf>,
    allowed: Vec<PathBuf>,
    packages: Vec<PathBuf>,
}

/// What marks a folder as a package of ROS.
const PACKAGE: &str = "package.xml";
/// So many levels above a file its package is looked for.
const PACKAGE_ABOVE: usize = 12;
/// So many levels below a folder of packages, and so many folders altogether, a package is looked for.
const PACKAGE_BELOW: (usize, usize) = (4, 10_000);

impl Confinement {
    /// The folder of a scene file. Nothing may be read where there is none (a scene from memory).
    pub fn to_folder_of(file: &Path) -> Self {
        let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let root = folder.canonicalize().ok();
        // a file of a package may name the others: that is the folder it was handed on in
        let above = root.iter().flat_map(|r| r.ancestors()).take(PACKAGE_ABOVE);
        let own = above.filter(|f| f.parent().is_some()).find(|f| f.join(PACKAGE).is_file()).map(Path::to_path_buf);
        let allowed = own.filter(|own| root.as_ref() != Some(own)).into_iter().collect();
        Confinement { root, allowed, packages: Vec::new() }
    }

    /// No file may be read.
    pub fn none() -> Self {
        Self::default()
    }

    /// Allow another folder, and all below it.
    pub fn allow(&mut self, folder: &Path) -> std::io::Result<()> {
        self.allowed.push(folder.canonicalize()?);
        Ok(())
    }

    /// Allow the packages below a folder, as the entries of `ROS_PACKAGE_PATH` do.
    pub fn allow_packages(&mut self, folder: &Path) -> std::io::Result<()> {
        let folder = folder.canonicalize()?;
        self.packages.push(folder.clone());
        self.allowed.push(folder);
        Ok(())
    }

    /// The folder of a package of that name below the folders of packages: the nearest that is called so and has a
    /// `package.xml`. Symbolic links are not followed, and packages are not searched for others inside them.
    pub fn package(&self, name: &str) -> Option<PathBuf> {
        let (levels, mut left) = PACKAGE_BELOW;
        for root in &self.packages {
            let mut level = vec![root.clone()];
            for _ in 0..=levels {
                let mut below = Vec::new();
                for folder in std::mem::take(&mut level) {
                    left = left.checked_sub(1)?;
                    if folder.join(PACKAGE).is_file() {
                        if folder.file_name().is_some_and(|n| n == name) {
                            return Some(folder);
                        }
                        continue;
                    }
                    let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
                    let folders = entries.filter(|e| e.file_type().is_ok_and(|t| t.is_dir())).map(|e| e.path());
                    below.extend(folders);
                }
                // the same order on every machine
                below.sort();
                level = below;
            }
        }
        None
    }

    /// The folders that were allowed besides.
    pub fn allowed(&self) -> &[PathBuf] {
        &self.allowed
    }

    /// The canonical path of a file that may be read, named relative to `folder` (the folder of the file that names
    /// it).
    pub fn resolve(&self, name: &str, folder: &Path) -> Result<PathBuf, Box<Diagnostic>> {
        let refused = |why: &str| {
            Box::new(
                Diagnostic::error(codes::PATH_REFUSED, format!("the path `{}` {why}", shown(name)))
                    .label("not opened")
                    .help("put the file beside the scene, or allow its folder with --allow-path DIR"),
            )
        };
        if name.contains('\0') {
            return Err(refused("contains a NUL character"));
        }
        if name.contains("://") {
            return Err(refused("is an address, not a path"));
        }
        let given = Path::new(name);
        if given.has_root() && self.allowed.is_empty() {
            return Err(refused("is absolute, must lie in the scene's folder"));
        }
        let missing = || {
            Box::new(Diagnostic::error(codes::NO_SUCH_FILE, format!("no file `{}`", shown(name))).label("not found"))
        };
        // a name that leads out is refused the same way whether the file exists or not
        let (mut depth, mut lowest) = (0i32, 0);
        for part in given.components() {
            match part {
                std::path::Component::ParentDir => depth -= 1,
                std::path::Component::Normal(_) => depth += 1,
                _ => {}
            }
            lowest = lowest.min(depth);
        }
        let inside = |path: &Path| self.root.iter().chain(&self.allowed).any(|root| path.starts_with(root));
        let path = match folder.join(given).canonicalize() {
            Ok(path) => path,
            Err(_) if lowest < 0 && self.allowed.is_empty() && self.root.as_deref() == Some(folder) => {
                return Err(refused("leads out of the scene's folder"));
            }
            Err(_) => return Err(missing()),
        };
        if !inside(&path) {
            return Err(refused("leads out of the scene's folder"));
        }
        let kind = std::fs::metadata(&path).map_err(|_| missing())?.file_type();
        if !kind.is_file() {
            return Err(Box::new(
                Diagnostic::error(codes::NOT_A_FILE, format!("`{}` is not an ordinary file", shown(name)))
                    .label("not opened"),
            ));
        }
        Ok(path)
    }
}

/// The bytes of a file, if it is an ordinary one of at most `limit` bytes.
pub fn read_bytes(path: &Path, name: &str, limit: u64) -> Result<Vec<u8>, Box<Diagnostic>> {
    let cannot = |e: std::io::Error| {
        let code = if e.kind() == std::io::ErrorKind::NotFound { codes::NO_SUCH_FILE } else { codes::CANNOT_READ };
        Box::new(Diagnostic::error(code, format!("`{}` cannot be read: {e}", shown(name))))
    };
    let meta = std::fs::metadata(path).map_err(cannot)?;
    if !meta.file_type().is_file() {
        return Err(Box::new(Diagnostic::error(
            codes::NOT_A_FILE,
            format!("`{}` is not an ordinary file", shown(name)),
        )));
    }
    let too_large = |n: u64| {
        Box::new(
            Diagnostic::error(
                codes::FILE_TOO_LARGE,
                format!("`{}` has {n} bytes, more than the limit of {limit}", shown(name)),
            )
            .help(format!("--limit file={n} allows it")),
        )
    };
    if meta.len() > limit {
        return Err(too_large(meta.len()));
    }
    let mut bytes = Vec::with_capacity(meta.len() as usize);
    let file = std::fs::File::open(path).map_err(cannot)?;
    // it may grow while it is read
    file.take(limit + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > limit {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}

/// A name as it may be shown: no control characters, not endless.
pub fn shown(name: &str) -> String {
    let clean: String = name.chars().take(200).map(|c| if c.is_control() { '?' } else { c }).collect();
    if name.chars().count() > 200 { clean + "..." } else { clean }
}
