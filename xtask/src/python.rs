//! The Python package, as its users get it: `pip install .` into a fresh virtual environment, then its tests. What that needs besides Rust is installed where that can be
//! done without asking anybody, and named exactly where it cannot.
//!
//! The same environment has the programs in which what the command writes for others is tried: FMPy for units of co-simulation, readers of USD and MCAP.
//!
//! The wheel is compiled with the options of the tests, into the same folder: what the tests have built is not built again.

use crate::page::{install, run};
use crate::steps;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where the package's tests are, and what they need.
const TESTS: &str = "crates/holonom-py/tests";

/// The tests of the units that `holonom fmu` writes, in FMPy.
const UNITS: &str = "crates/holonom-fmi/tests";

/// The tests of the motions that `holonom export` writes.
const EXPORTS: &str = "crates/holonom-export/tests";

/// The oldest Python that the wheel is for.
const OLDEST: (u32, u32) = (3, 10);

/// What the study by Ray needs besides; too large for every day.
const RAY: &str = "ray==2.60.0";

/// Build the wheel, install it, and run its tests; `words` are given to pytest.
pub fn test(root: &Path, words: &[&str]) -> Result<(), String> {
    test_with(root, words, &[])
}

/// The same for studies by Ray alone.
pub fn ray(root: &Path) -> Result<(), String> {
    test_with(root, &[&format!("{TESTS}/ray_study.py")], &[RAY])
}

fn test_with(root: &Path, words: &[&str], more: &[&str]) -> Result<(), String> {
    let environment = environment(root)?;
    let python = environment.join("bin/python");
    let pip = |arguments: &[&str]| {
        let mut pip = Command::new(&python);
        pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(arguments).current_dir(root);
        // dev is the profile of that name for maturin; with this it is that of the tests
        pip.env("MATURIN_PEP517_ARGS", "--profile dev").env("CARGO_PROFILE_DEV_OPT_LEVEL", "2");
        pip
    };
    let offline =
        "the packages of Python could not be installed: pip needs a network, or an index named by PIP_INDEX_URL";
    let requirements = format!("{TESTS}/requirements.txt");
    run(&mut pip(&[&["--requirement", &requirements], more].concat()), offline)?;
    run(&mut pip(&["."]), "pip install .")?;
    let command = steps::build_command(root)?;
    let library = steps::build_unit_library(root)?;
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]);
    match words {
        [] => pytest.args([TESTS, UNITS, EXPORTS]),
        words => pytest.args(words),
    };
    pytest
        .current_dir(root)
        .env("HOLONOM", command)
        .env("HOLONOM_FMI_LIB", library)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    run(&mut pytest, "the tests of the Python package")
}

/// A virtual environment with nothing in it.
fn environment(root: &Path) -> Result<PathBuf, String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = target.join("python-environment");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let make = |python: &str| {
        let out = Command::new(python).args(["-m", "venv"]).arg(&folder).output();
        out.is_ok_and(|o| o.status.success()) && folder.join("bin/pip").exists()
    };
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    if version(&python).is_none() || !make(&python) {
        install("python3 python3-venv");
    }
    let missing = "Python or its module venv is missing, with which the Python package is tried; install both with\n\n\
                   sudo apt-get install python3 python3-venv\n\nor name one that is there: PYTHON=/path/to/python3 cargo xtask test\n";
    match version(&python) {
        None => Err(missing.into()),
        Some(found) if found < OLDEST => {
            Err(format!("`{python}` is Python {}.{}, the package needs {}.{}", found.0, found.1, OLDEST.0, OLDEST.1))
        }
        Some(_) if folder.join("bin/pip").exists() || make(&python) => Ok(folder),
        Some(_) => Err(missing.into()),
    }
}

/// Major and minor number of a Python, if it is there.
fn version(python: &str) -> Option<(u32, u32)> {
    let code = "import sys; print(sys.version_info[0], sys.version_info[1])";
    let out = Command::new(python).args(["-c", code]).output().ok().filter(|o| o.status.success())?;
    let text = String::from_utf8(out.stdout).ok()?;
    let (major, minor) = text.trim().split_once(' ')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}
