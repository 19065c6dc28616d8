//! A man on a bike rides over a misplaced stone.

use crate::Failed;
use crate::page::Page;
use crate::program::Program;

pub fn write(_page: &mut Page, _program: &Program) -> Result<(), Failed> {
    Ok(())
}
