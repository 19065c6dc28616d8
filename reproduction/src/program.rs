//! The command `holonom`, asked for figures.

use crate::Failed;
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// The command.
pub struct Program {
    path: PathBuf,
    /// For recordings.
    scratch: PathBuf,
}

/// One evaluation, timed. Microseconds.
#[derive(Clone, Copy, Debug)]
pub struct Evaluation {
    /// All of it.
    pub whole: f64,
    /// Bodies, forces, constraints.
    pub jacobian: f64,
    /// L D L^T.
    pub factor: f64,
    /// Forwards and backwards.
    pub solve: f64,
    /// Bodies.
    pub n: f64,
    /// Multipliers.
    pub rows: f64,
    /// Residual or deviation.
    pub error: f64,
    /// Of an iterative solver.
    pub iterations: Option<u64>,
}

/// A whole step, timed.
#[derive(Clone, Debug)]
pub struct Steps {
    /// Microseconds.
    pub us: f64,
    /// Largest gap, m or rad.
    pub gap: f64,
}

/// Columns of a recording.
pub struct Recording {
    names: Vec<String>,
    columns: Vec<Vec<f64>>,
}

impl Program {
    /// The one that was built with this.
    pub fn beside_this() -> Result<Program, Failed> {
        let here = std::env::current_exe().map_err(|e| e.to_string())?;
        let path = here.with_file_name(format!("holonom{}", std::env::consts::EXE_SUFFIX));
        if !path.exists() {
            return Err(format!("there is no {}: run `cargo xtask reproduction`", path.display()));
        }
        let scratch = std::env::temp_dir().join(format!("holonom-reproduction-{}", std::process::id()));
        std::fs::create_dir_all(&scratch).map_err(|e| e.to_string())?;
        Ok(Program { path, scratch })
    }

    /// Where the command is.
    pub fn path(&self) -> &std::path::Path {
        &self.path
    }

    /// What it answers in JSON, or what it complains of.
    pub fn ask(&self, arguments: &[&str]) -> Result<Value, Failed> {
        eprintln!("holonom {}", arguments.join(" "));
        let out = Command::new(&self.path).args(arguments).output().map_err(|e| e.to_string())?;
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        let failed = |why: &str| format!("holonom {}: {why}\n{said}", arguments.join(" "));
        if !out.status.success() {
            return Err(failed(&String::from_utf8_lossy(&out.stderr)));
        }
        let last = said.lines().last().unwrap_or_default();
        serde_json::from_str(last).map_err(|e| failed(&e.to_string()))
    }

    /// One evaluation of a case or a scene. None where the solver does not apply, or is not right to 1e-6 with its usual tolerance.
    pub fn evaluation(&self, case: &str, solver: Option<&str>, more: &[&str]) -> Option<Evaluation> {
        let mut arguments = vec!["bench", case, "--json"];
        if let Some(solver) = solver {
            arguments.extend(["--solver", solver]);
        }
        arguments.extend(more);
        let answer = self.ask(&arguments).ok()?;
        let v = &answer["cases"][0];
        let evaluation = Evaluation {
            whole: v["us_min"].as_f64()?,
            jacobian: v["us_jacobian"].as_f64()?,
            factor: v["us_factor"].as_f64()?,
            solve: v["us_solve"].as_f64()?,
            n: v["n"].as_f64()?,
            rows: v["rows"].as_f64()?,
            error: v["error"].as_f64()?,
            iterations: v["iterations"].as_u64(),
        };
        (evaluation.error < 1e-6 || more.contains(&"--tolerance")).then_some(evaluation)
    }

    /// The same, where it must be there. The best of three, because other programs may run beside.
    pub fn best(&self, case: &str, solver: Option<&str>, more: &[&str]) -> Result<Evaluation, Failed> {
        let all = (0..3).filter_map(|_| self.evaluation(case, solver, more));
        let better = |a: Evaluation, b: Evaluation| Evaluation {
            whole: a.whole.min(b.whole),
            jacobian: a.jacobian.min(b.jacobian),
            factor: a.factor.min(b.factor),
            solve: a.solve.min(b.solve),
            ..a
        };
        all.reduce(better).ok_or_else(|| format!("`{case}` could not be timed (solver {solver:?}, {more:?})"))
    }

    /// Whole steps of a scene, the best of three.
    pub fn steps(&self, scene: &str, more: &[&str]) -> Result<Steps, Failed> {
        let mut best: Option<Steps> = None;
        for _ in 0..3 {
            let arguments: Vec<&str> =
                ["bench", scene, "--steps", "--json"].into_iter().chain(more.iter().copied()).collect();
            let answer = self.ask(&arguments)?;
            let v = &answer["scene_steps"][0];
            let missing = || format!("bench --steps {scene}: {answer}");
            let steps =
                Steps { us: v["us_min"].as_f64().ok_or_else(missing)?, gap: v["gap"].as_f64().ok_or_else(missing)? };
            best = Some(best.filter(|b| b.us <= steps.us).unwrap_or(steps));
        }
        best.ok_or_else(|| scene.to_string())
    }

    /// What the doctor says.
    pub fn check(&self, scene: &str, more: &[&str]) -> Result<Value, Failed> {
        let arguments: Vec<&str> = ["check", scene, "--json"].into_iter().chain(more.iter().copied()).collect();
        self.ask(&arguments)
    }

    /// Run a scene: its summary.
    pub fn run(&self, scene: &str, more: &[&str]) -> Result<Value, Failed> {
        let arguments: Vec<&str> = ["run", scene, "--json"].into_iter().chain(more.iter().copied()).collect();
        self.ask(&arguments)
    }

    /// Draw the pattern of a matrix of a scene.
    pub fn matrix(&self, scene: &str, matrix: &str, to: &std::path::Path) -> Result<(), Failed> {
        eprintln!("holonom plot {scene} --matrix {matrix}");
        let arguments = ["plot", scene, "--matrix", matrix, "-o"];
        let out = Command::new(&self.path).args(arguments).arg(to).output().map_err(|e| e.to_string())?;
        if out.status.success() { Ok(()) } else { Err(String::from_utf8_lossy(&out.stderr).into_owned()) }
    }

    /// Run a scene and record it.
    pub fn record(&self, scene: &str, more: &[&str]) -> Result<(Value, Recording), Failed> {
        let file = self.scratch.join("run.csv");
        let name = file.display().to_string();
        let arguments: Vec<&str> = ["--out", &name].into_iter().chain(more.iter().copied()).collect();
        let summary = self.run(scene, &arguments)?;
        let text = std::fs::read_to_string(&file).map_err(|e| e.to_string())?;
        std::fs::remove_file(&file).map_err(|e| e.to_string())?;
        Ok((summary, Recording::parse(&text)))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // a folder left behind is not worth a complaint
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

impl Recording {
    fn parse(text: &str) -> Recording {
        let mut lines = text.lines().filter(|l| !l.starts_with('#'));
        let names: Vec<String> = lines.next().unwrap_or_default().split(',').map(str::to_string).collect();
        let mut columns = vec![Vec::new(); names.len()];
        for line in lines {
            for (column, cell) in columns.iter_mut().zip(line.split(',')) {
                column.push(cell.parse().unwrap_or(f64::NAN));
            }
        }
        Recording { names, columns }
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Result<&[f64], Failed> {
        let at = self.names.iter().position(|n| n == name);
        at.map(|i| &*self.columns[i])
            .ok_or_else(|| format!("the recording has no `{name}`, but {}", self.names.join(", ")))
    }
}
