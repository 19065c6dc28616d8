//! The recording of a run: rows of the sampler ([`RowSampler`]) into a file, and contacts into another one.

use super::contacts::ContactStream;
use super::peaks::Peaks;
use crate::error::CliError;
use holonom::{Simulation, State, StepError, StepReport};
use holonom_record::{Finished, RecordingColumn, RecordingOutput, Schema};
use holonom_run::{RowSampler, RowSink, RunLoop};
use holonom_scene::Quantities;
use std::path::Path;

/// A recording in the making.
pub(crate) struct Recorder {
    files: Files,
    sampler: RowSampler,
}

/// Where its rows go.
struct Files {
    output: RecordingOutput,
    /// Contacts, one by one, where they are asked for.
    stream: Option<ContactStream>,
    peaks: Peaks,
}

/// A finished recording.
pub(crate) struct RecordingEnd {
    pub file: Finished,
    /// Rows in which some number could not be computed.
    pub incomplete: u64,
    /// The largest loads of its rows.
    pub peaks: Peaks,
}

impl Recorder {
    /// Open the file and write the first row, the state that the run begins with.
    pub fn begin(
        path: &Path,
        quantities: Quantities,
        stream: Option<ContactStream>,
        run: &RunLoop,
        first: &State,
        rate: f64,
        metadata: &serde_json::Value,
    ) -> Result<Recorder, CliError> {
        let columns = quantities.all().iter();
        let columns = columns.map(|q| RecordingColumn::new(&q.name, q.unit).with_note(&q.note)).collect();
        let schema = Schema::new(columns, metadata.to_string())?;
        let output = match path.as_os_str() == "-" {
            true => RecordingOutput::standard_output(&schema)?,
            false => RecordingOutput::create(path, &schema)?,
        };
        if let Some(left) = output.left_over() {
            crate::error::warn(&format!(
                "an earlier run of this name was not finished; what it recorded is now in `{}` (`holonom recover` reads it)",
                left.display()
            ));
        }
        let mut files = Files { output, stream, peaks: Peaks::new(&quantities) };
        let sampler = RowSampler::begin(quantities, run, first, rate, &mut files)?;
        Ok(Recorder { files, sampler })
    }

    /// Rows that belong to the step just taken.
    pub fn after_step(&mut self, run: &mut RunLoop, report: &StepReport) -> Result<(), CliError> {
        self.sampler.after_step(run, report, &mut self.files)?;
        self.files.output.tick()?;
        Ok(())
    }

    /// The last row, and the end of the file.
    pub fn finish(mut self, run: &RunLoop, reason: &str) -> Result<RecordingEnd, CliError> {
        self.sampler.push_present(run, &mut self.files)?;
        if let Some(stream) = &mut self.files.stream {
            stream.finish()?;
        }
        let Files { output, peaks, .. } = self.files;
        Ok(RecordingEnd { file: output.finish(reason)?, incomplete: self.sampler.incomplete(), peaks })
    }
}

impl RowSink for Files {
    type Error = CliError;

    fn row(&mut self, row: &[f64], probe: &mut Simulation) -> Result<Option<StepError>, CliError> {
        self.peaks.note(row);
        self.output.push(row)?;
        self.stream.as_mut().map_or(Ok(None), |stream| stream.push(probe))
    }

    fn unknown(&mut self, row: &[f64]) -> Result<(), CliError> {
        self.output.push(row)?;
        self.stream.as_mut().map_or(Ok(()), |stream| stream.push_unknown(row[0]))
    }

    fn first_incomplete(&mut self, why: &StepError) {
        crate::error::warn(&format!("{why}; what of the recording depends on it is NaN"));
    }
}
