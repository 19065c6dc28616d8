//! When and on what the report was made.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

/// One sentence.
pub fn describe() -> String {
    format!(
        "Made on {} by `cargo xtask reproduction` on: {}, {} threads, {}; {}; load of the machine at the start {}.",
        date(),
        processor().unwrap_or_else(|| "a processor that does not say its name".into()),
        std::thread::available_parallelism().map_or(1, usize::from),
        std::env::consts::OS,
        compiler().unwrap_or_else(|| "a compiler that does not say its version".into()),
        load().unwrap_or_else(|| "unknown".into()),
    )
}

fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let line = text.lines().find(|l| l.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim().to_string())
}

fn compiler() -> Option<String> {
    let out = Command::new("rustc").arg("--version").output().ok()?;
    Some(String::from_utf8(out.stdout).ok()?.trim().to_string())
}

fn load() -> Option<String> {
    Some(std::fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.to_string())
}

/// Today (UTC) as year-month-day.
fn date() -> String {
    let days = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_secs() / 86_400);
    let (y, m, d) = civil(days as i64);
    format!("{y}-{m:02}-{d:02}")
}

/// The date that many days after 1970-01-01. Years are counted from 1 March, so that the odd day comes last.
fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468; // since 0000-03-01
    let era = days.div_euclid(146_097);
    let in_era = days.rem_euclid(146_097);
    let year = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year + year / 4 - year / 100);
    let month = (5 * in_year + 2) / 153;
    let day = in_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    #[test]
    fn days_become_dates() {
        assert_eq!(super::civil(0), (1970, 1, 1));
        assert_eq!(super::civil(11_016), (2000, 2, 29));
        assert_eq!(super::civil(11_017), (2000, 3, 1));
        assert_eq!(super::civil(20_773), (2026, 11, 16));
    }
}
