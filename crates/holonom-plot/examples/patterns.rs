//! Matrices of mechanisms, to be looked at: `cargo run -p holonom-plot --example patterns -- FOLDER`.

use holonom::pattern::{Matrix, Part, Pattern};
use holonom::prelude::*;
use holonom_plot::{EntryKind, MatrixBlock, SketchOptions, SpyPlot};

fn spy(title: &str, subtitle: &str, pattern: &Pattern) -> SpyPlot {
    let blocks =
        |parts: &[Part]| parts.iter().map(|p| MatrixBlock { name: p.name.clone(), range: p.range.clone() }).collect();
    let kind = |fill: bool| if fill { EntryKind::Fill } else { EntryKind::Entry };
    SpyPlot {
        title: title.into(),
        subtitle: subtitle.into(),
        rows: pattern.n_rows,
        columns: pattern.n_columns,
        entries: pattern.entries.iter().map(|e| (e.row, e.column, kind(e.fill))).collect(),
        row_blocks: blocks(&pattern.rows),
        column_blocks: blocks(&pattern.columns),
    }
}

fn link(m: &mut ModelBuilder, i: usize, at: [f64; 3]) -> BodyId {
    m.body(format!("link {i}"), Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position(at))
}

fn hinge(m: &mut ModelBuilder, i: usize, a: Marker, b: Marker) {
    m.joint(format!("hinge {i}"), Revolute::new(a.along([0.0, 1.0, 0.0]), b.along([0.0, 1.0, 0.0])));
}

fn chain(n: usize) -> Result<Model, ModelError> {
    let mut m = ModelBuilder::new();
    let mut last = BodyId::GROUND.origin();
    for i in 0..n {
        let body = link(&mut m, i, [i as f64 + 0.5, 0.0, 0.0]);
        hinge(&mut m, i, last, body.at([-0.5, 0.0, 0.0]));
        last = body.at([0.5, 0.0, 0.0]);
    }
    m.build()
}

fn star(n: usize) -> Result<Model, ModelError> {
    let mut m = ModelBuilder::new();
    let hub = m.body("hub", Rigid::cuboid(1.0, [1.0, 1.0, 0.1]));
    for i in 0..n {
        let (s, c) = libm::sincos(i as f64);
        let body = link(&mut m, i, [c + 0.5, s, 0.0]);
        m.joint(format!("ball {i}"), Spherical::new(hub.at([c, s, 0.0]), body.at([-0.5, 0.0, 0.0])));
    }
    m.build()
}

/// Links on a circle, ball to ball.
fn ring(n: usize) -> Result<Model, ModelError> {
    let mut m = ModelBuilder::new();
    let radius = n as f64 / 3.0;
    let corner = |i: usize| {
        let (s, c) = libm::sincos(std::f64::consts::TAU * i as f64 / n as f64);
        vec3(radius * c, radius * s, 0.0)
    };
    let mut bodies = Vec::new();
    for i in 0..n {
        let (p, q) = (corner(i), corner(i + 1));
        let middle = 0.5 * (p + q);
        let body = m.body(format!("link {i}"), Rigid::cuboid(1.0, [0.5, 0.5, 0.1]).position(middle.to_array()));
        bodies.push((body.at((p - middle).to_array()), body.at((q - middle).to_array())));
    }
    for i in 0..n {
        m.joint(format!("ball {i}"), Spherical::new(bodies[i].1, bodies[(i + 1) % n].0));
    }
    m.build()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: patterns FOLDER")?;
    let save = |name: &str, spy: &SpyPlot| -> Result<(), Box<dyn std::error::Error>> {
        let (svg, png) = (spy.to_svg()?, spy.to_png(2.0)?);
        println!("{name}: svg {} bytes, png {} bytes", svg.len(), png.len());
        std::fs::write(format!("{folder}/{name}.svg"), svg)?;
        std::fs::write(format!("{folder}/{name}.png"), png)?;
        Ok(())
    };
    let model = chain(5)?;
    for matrix in Matrix::ALL {
        let pattern = model.pattern_at(matrix, model.initial_state())?;
        save(&format!("chain_{}", matrix.name()), &spy(matrix.name(), "a chain of 5 hinged links", &pattern))?;
    }
    let star = star(12)?;
    save("star_A", &spy("A", "12 links on one hub, ball joints", &star.pattern(Matrix::A)?))?;
    for n in [8, 60, 3000] {
        let pattern = ring(n)?.pattern(Matrix::L)?;
        let picture = spy("L", &format!("a ring of {n} links, ball joints"), &pattern);
        save(&format!("ring{n}_L"), &picture)?;
        print!("{}", picture.sketch(&SketchOptions { height: 24, ..SketchOptions::default() })?);
    }
    print!(
        "{}",
        spy("J", "a chain of 3", &chain(3)?.pattern_at(Matrix::J, chain(3)?.initial_state())?)
            .sketch(&SketchOptions::default())?
    );
    print!(
        "{}",
        spy("L", "a ring of 8", &ring(8)?.pattern(Matrix::L)?).sketch(&SketchOptions {
            ascii: true,
            height: 30,
            ..SketchOptions::default()
        })?
    );
    // nothing in common between neighbours: the worst there is
    let mut g = holonom::math::SplitMix(1);
    let noise = (0..100_000).map(|_| (g.below(20_000) as u32, g.below(20_000) as u32, EntryKind::Entry));
    let noise = SpyPlot {
        title: "noise".into(),
        rows: 20_000,
        columns: 20_000,
        entries: noise.collect(),
        ..SpyPlot::default()
    };
    save("noise", &noise)
}
