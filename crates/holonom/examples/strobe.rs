//! Watch for: nothing on the screen but the README's picture, as SVG on standard output: a chain released from horizontal.

use holonom::prelude::*;
use std::fmt::Write;

const LINKS: usize = 40;
const SCALE: f64 = 230.0; // pixels per metre; the chain is 2 m long

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let length = 2.0 / LINKS as f64;
    let mut m = ModelBuilder::new();
    let mut above = BodyId::GROUND.origin();
    let mut points = vec![above];
    for i in 0..LINKS {
        let shape = Rigid::cuboid(1.0, [length, 0.01, 0.01]).position([length * (i as f64 + 0.5), 0.0, 0.0]);
        let link = m.body(format!("link {i}"), shape);
        m.joint(format!("ball {i}"), Spherical::new(above, link.at([-0.5 * length, 0.0, 0.0])));
        above = link.at([0.5 * length, 0.0, 0.0]);
        points.push(above);
    }
    let mut sim = Simulation::build(m)?;

    let (mut poses, mut trace) = (String::new(), String::new());
    for k in 0..=480 {
        sim.run_until(0.0025 * k as f64)?;
        let place = |p: Marker| {
            let at = sim.point(p).0;
            format!("{:.1},{:.1} ", 500.0 + SCALE * at.x, 40.0 - SCALE * at.z)
        };
        trace += &place(above);
        if k % 12 == 0 {
            let chain: String = points.iter().map(|&p| place(p)).collect();
            writeln!(poses, r#"<polyline points="{}" stroke="{}"/>"#, chain.trim_end(), colour(k as f64 / 480.0))?;
        }
    }
    println!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1000 560" font-family="sans-serif" font-size="15">"##
    );
    println!(r##"<rect width="1000" height="560" rx="12" fill="#fbfaf7"/>"##);
    println!(r##"<polyline points="{}" fill="none" stroke="#b5afa2" stroke-width="1"/>"##, trace.trim_end());
    println!(r#"<g fill="none" stroke-width="2" stroke-linecap="round" stroke-linejoin="round">"#);
    print!("{poses}");
    println!(r##"</g><circle cx="500" cy="40" r="6" fill="#fbfaf7" stroke="#222" stroke-width="2"/>"##);
    println!(
        r##"<text x="24" y="536" fill="#555">Two metres of chain, 40 links on ball joints, drawn every 30 ms from release to 1.2 s</text>"##
    );
    println!("</svg>");
    Ok(())
}

/// From yellow over red to deep blue.
fn colour(s: f64) -> String {
    let stops = [[244.0, 193.0, 66.0], [226.0, 88.0, 62.0], [140.0, 41.0, 129.0], [28.0, 38.0, 102.0]];
    let (i, f) = ((3.0 * s).min(2.999) as usize, (3.0 * s).min(2.999).fract());
    let mix = |c: usize| (stops[i][c] + f * (stops[i + 1][c] - stops[i][c])).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}
