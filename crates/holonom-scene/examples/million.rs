//! How long a scene of a million bodies takes from text to ten steps, and the most memory it needed.
//!
//! ```text
//! cargo run --release -p holonom-scene --example million [COUNT] [chain|free|repeat] [INTEGRATOR]
//! ```

use holonom::Simulation;
use holonom_scene::Loader;
use std::time::Instant;

fn scene(form: &str, n: usize) -> String {
    match form {
        // a tree: one row, hung from the ground
        "chain" => format!(
            "[chain.link]\ncount = {n}\nlength = 1\nfirst = 'ground'\njoint = {{ kind = 'spherical' }}\n\
             link = {{ mass = 1, shape = {{ kind = 'box', size = [1, 0.2, 0.2], at = [0.5, 0, 0] }} }}\n"
        ),
        // flat: nothing is joined
        "free" => format!(
            "[chain.link]\ncount = {n}\nstep = [1, 0, 0]\nlink = {{ mass = 1, shape = {{ kind = 'box', size = [0.5, 0.5, 0.5] }} }}\n"
        ),
        // flat: every body on a hinge of its own
        _ => format!(
            "[repeat.flap]\ncount = {n}\n[repeat.flap.body.'flap/${{i}}']\nfrom = ['${{i}}', 0, 0]\nto = ['${{i}}', 1, 0]\n\
             shape = {{ kind = 'rod', radius = 0.1 }}\ndensity = 1000\n\
             [repeat.flap.joint.'hinge/${{i}}']\nkind = 'revolute'\nb = 'flap/${{i}}.from'\naxis = [1, 0, 0]\n"
        ),
    }
}

/// Largest amount of memory so far, MiB; none where the system does not say.
fn peak() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|l| l.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<f64>().ok()? / 1024.0)
}

fn main() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let n = arguments.next().and_then(|n| n.parse().ok()).unwrap_or(1_000_000);
    let form = arguments.next().unwrap_or_else(|| "chain".into());
    let start = Instant::now();
    let mut last = start.elapsed().as_secs_f64();
    let mut say = |what: &str| {
        let now = start.elapsed().as_secs_f64();
        println!("{what:<8} {:8.2} s   peak {:7.0} MiB", now - last, peak().unwrap_or(f64::NAN));
        last = now;
    };
    let loaded = Loader::new().load_text("million.toml", scene(&form, n)).map_err(|f| f.render())?;
    say("read");
    let model = loaded.build().map_err(|f| f.render())?;
    say("build");
    let mut sim = Simulation::new(model);
    if let Some(name) = arguments.next() {
        let kind = holonom::IntegratorKind::from_name(&name);
        sim.set_integrator(kind.ok_or_else(|| format!("no integrator `{name}`"))?);
    }
    say("start");
    for _ in 0..10 {
        sim.step(1e-3).map_err(|e| e.to_string())?;
    }
    say("10 steps");
    let (gap, rate) = sim.violation();
    println!("{form} of {n}: {} bodies, gap {gap:.1e} m, rate {rate:.1e} m/s", loaded.scene.bodies.len());
    println!("total    {:8.2} s", start.elapsed().as_secs_f64());
    Ok(())
}
