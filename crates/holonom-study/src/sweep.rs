//! All runs of a study, on the cores of this machine: every finished one is a durable row at once.
//!
//! The journal (`NAME.sweep`) is the truth: a row is in it as soon as its run has ended, and a process that begins with
//! one makes the runs that are missing. Tables (`NAME.csv`, `NAME.parquet`) are written whole when all rows are there,
//! in the order of the runs, so that they do not depend on how many threads there were, or how often it was begun.

use crate::study::Study;
use holonom_record::{Cell, DataTable, RecordError, TableJournal};
use holonom_run::Failure;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};

/// What a journal may hold at most.
const BUDGET: u64 = 8 << 30;

/// Where a study is kept.
#[derive(Clone, Debug)]
pub struct SweepFiles {
    /// Rows as they come.
    pub journal: PathBuf,
    /// The table as text.
    pub csv: PathBuf,
    /// The table as columns.
    pub parquet: PathBuf,
}

impl SweepFiles {
    /// Beside each other, under one name; a suffix of that name does not count.
    pub fn named(base: &Path) -> SweepFiles {
        let known = base.extension().is_some_and(|e| e == "csv" || e == "parquet" || e == "sweep" || e == "toml");
        let base = if known { base.with_extension("") } else { base.to_path_buf() };
        let with = |suffix: &str| {
            let mut name = base.clone().into_os_string();
            name.push(suffix);
            PathBuf::from(name)
        };
        SweepFiles { journal: with(".sweep"), csv: with(".csv"), parquet: with(".parquet") }
    }
}

/// A study on its way.
pub struct Sweep {
    /// The study.
    pub study: Arc<Study>,
    files: SweepFiles,
    journal: TableJournal,
    done: Vec<bool>,
    /// Where the status of a run stands in its row.
    status: usize,
    /// Rows that were there when it began.
    pub resumed: u64,
    /// Bytes that a process which ended in the middle of a row left.
    pub lost: u64,
    /// Rows that are there.
    pub finished: u64,
    /// Those of runs that failed.
    pub failed: u64,
}

impl Sweep {
    /// Begin, or go on with what is there. What is there of another study is refused, unless all of it is to be made
    /// anew.
    pub fn begin(study: Arc<Study>, files: SweepFiles, anew: bool) -> Result<Sweep, Failure> {
        let like = study.empty_table();
        let found = if anew { None } else { TableJournal::go_on(&files.journal, BUDGET)? };
        let shown = files.journal.display().to_string();
        let mut done = vec![false; study.runs() as usize];
        let (mut finished, mut failed) = (0, 0);
        let (journal, resumed, lost) = match found {
            Some((journal, table, lost)) => {
                same(&table, &like, &shown)?;
                let (runs, status) = (table.column("run"), table.column("status"));
                let runs = runs.and_then(|c| c.as_numbers()).unwrap_or_default();
                let status = status.and_then(|c| c.as_texts()).unwrap_or_default();
                for (run, status) in runs.iter().zip(status) {
                    let slot = done.get_mut(*run as usize);
                    if let Some(slot) = slot.filter(|slot| !**slot) {
                        *slot = true;
                        finished += 1;
                        failed += u64::from(status == "failed");
                    }
                }
                (journal, finished, lost)
            }
            None => {
                if let Some(table) = [&files.csv, &files.parquet].into_iter().find(|t| !anew && t.exists()) {
                    let message = format!("`{}` is there already, and no journal of this study", table.display());
                    return Err(Failure::input(message).help("--force replaces it; -o gives the tables another name"));
                }
                (TableJournal::create(&files.journal, &like)?, 0, 0)
            }
        };
        let status = like.columns.iter().position(|c| c.name == "status").unwrap_or(usize::MAX);
        Ok(Sweep { study, files, journal, done, status, resumed, lost, finished, failed })
    }

    /// Where its rows are.
    pub fn files(&self) -> &SweepFiles {
        &self.files
    }

    /// The runs that are still to be made, in order.
    pub fn missing(&self) -> Vec<u64> {
        (0..self.study.runs()).filter(|run| !self.done[*run as usize]).collect()
    }

    /// A finished run. The same one again is passed over: it would have the same bits.
    pub fn take(&mut self, row: &[Cell]) -> Result<(), RecordError> {
        let Some(Cell::Number(run)) = row.first() else { return Ok(()) };
        let Some(slot) = self.done.get_mut(*run as usize) else { return Ok(()) };
        if *slot {
            return Ok(());
        }
        self.journal.append(row)?;
        *slot = true;
        self.finished += 1;
        self.failed += u64::from(row.get(self.status) == Some(&Cell::Text("failed".into())));
        Ok(())
    }

    /// Make all missing runs with so many threads; `progress` is told of every finished one. Ends early where `stop` is
    /// set: what is not finished then is not in the journal.
    pub fn run(&mut self, jobs: usize, stop: &AtomicBool, mut progress: impl FnMut(&Sweep)) -> Result<(), Failure> {
        let missing = self.missing();
        let study = self.study.clone();
        let (next, halt) = (AtomicUsize::new(0), AtomicBool::new(false));
        let stopped = || stop.load(Ordering::Relaxed) || halt.load(Ordering::Relaxed);
        let jobs = jobs.clamp(1, missing.len().max(1));
        std::thread::scope(|scope| {
            // bounded: a slow disk slows the runs down and does not fill the memory
            let (send, receive) = mpsc::sync_channel::<Vec<Cell>>(2 * jobs);
            for _ in 0..jobs {
                let (study, send, missing, next, stopped) = (&study, send.clone(), &missing, &next, &stopped);
                scope.spawn(move || {
                    while let Some(run) = missing.get(next.fetch_add(1, Ordering::Relaxed)) {
                        let Some(row) = study.row(*run, stopped) else { return };
                        if send.send(row).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(send);
            let mut failure = None;
            for row in receive {
                if failure.is_some() {
                    continue;
                }
                match self.take(&row) {
                    Ok(()) => progress(self),
                    Err(e) => {
                        // the others end their steps, and nothing waits for us
                        halt.store(true, Ordering::Relaxed);
                        failure = Some(e);
                    }
                }
            }
            failure.map_or(Ok(()), |e| {
                let kept = format!(
                    "{} of {} runs are kept in `{}`",
                    self.finished,
                    study.runs(),
                    self.files.journal.display()
                );
                Err(Failure::from(e).note("note", format!("{kept}: start it again to go on")))
            })
        })
    }

    /// All rows that are there, in the order of the runs.
    pub fn table(&mut self) -> Result<DataTable, Failure> {
        self.journal.sync()?;
        let mut table = DataTable::read(&self.files.journal, BUDGET)?;
        table.sort();
        Ok(table)
    }

    /// Write the tables.
    pub fn write(&mut self) -> Result<DataTable, Failure> {
        let table = self.table()?;
        table.write_csv(&self.files.csv)?;
        table.write_parquet(&self.files.parquet)?;
        Ok(table)
    }
}

/// Is a journal one of this study?
fn same(found: &DataTable, wanted: &DataTable, shown: &str) -> Result<(), Failure> {
    let of = |table: &DataTable, key: &str| {
        let value: serde_json::Value = serde_json::from_str(&table.metadata).unwrap_or_default();
        value.get(key).and_then(|v| v.as_str()).unwrap_or_default().to_string()
    };
    let refused = |why: &str| {
        Err(Failure::input(format!("`{shown}` has rows of {why}"))
            .help("--force begins anew and forgets them; -o gives this study another name"))
    };
    if of(found, "program") != of(wanted, "program") {
        return refused(&format!("another version, {}", of(found, "program")));
    }
    if of(found, "identity") != of(wanted, "identity") {
        let other = if of(found, "scene_hash") == of(wanted, "scene_hash") {
            "a study with other factors, samples or outcomes"
        } else {
            "another scene, or of this one before it was changed"
        };
        return refused(other);
    }
    Ok(())
}
