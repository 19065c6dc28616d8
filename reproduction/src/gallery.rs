//! Every scene of the gallery, run as it says: what the doctor finds, how well joints stay closed, where the energy goes, how long it takes.

use crate::Failed;
use crate::page::{Page, short, time};
use crate::program::Program;
use serde_json::Value;

pub fn write(page: &mut Page, program: &Program) -> Result<(), Failed> {
    page.heading(2, "Every scene of the gallery");
    page.text(
        "Run by `holonom run NAME` to its own end. *Gap* is the largest violation of a joint after any step, m or rad (of `assembly`, whose joints start open, at the start); *overlap* that of shapes and stops; *energy* what \
         is unaccounted for after all work is booked, as a part of what was moved. With impacts and steps of first order (`stepping`) it is the error of the rule.",
    );
    let list = program.ask(&["scenes", "--json"])?;
    let scenes = list.as_array().ok_or("scenes --json: no list")?;
    let mut group = String::new();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let heading = [
        "scene",
        "bodies",
        "rows",
        "redundant",
        "mobility",
        "method",
        "gap",
        "overlap",
        "energy",
        "real time ×",
        "a step",
    ];
    for scene in scenes.iter().filter(|s| s["verification"] == false) {
        let name = scene["name"].as_str().ok_or("a scene without a name")?;
        let here = scene["group"].as_str().unwrap_or_default();
        if here != group {
            if !rows.is_empty() {
                page.table(&heading, &rows);
            }
            rows.clear();
            group = here.to_string();
            page.heading(3, &group);
        }
        rows.push(row(name, program)?);
    }
    page.table(&heading, &rows);
    Ok(())
}

fn row(name: &str, program: &Program) -> Result<Vec<String>, Failed> {
    let (check, run) = (program.check(name, &[])?, program.run(name, &[])?);
    let number = |v: &Value| v.as_f64().unwrap_or(f64::NAN);
    let redundant = number(&check["rows"]) - number(&check["rank"]);
    let method = match run["dt"].as_f64() {
        Some(dt) => format!("{}, {} ms", run["integrator"].as_str().unwrap_or_default(), short(1e3 * dt)),
        None => run["integrator"].as_str().unwrap_or_default().to_string(),
    };
    let touching = number(&check["shapes"]) > 0.0 || number(&check["one_sided"]) > 0.0;
    Ok(vec![
        format!("[{name}](../scenes/{name}.toml)"),
        check["bodies"].to_string(),
        check["rows"].to_string(),
        format!("{redundant}"),
        check["mobility"].to_string(),
        method,
        format!("{:.0e}", number(&run["max_gap"])),
        if touching { format!("{:.0e}", number(&run["max_penetration"])) } else { "–".into() },
        format!("{:.0e}", number(&run["energy_drift"])),
        short(number(&run["real_time_factor"])),
        time(number(&run["us_per_step"])),
    ])
}
