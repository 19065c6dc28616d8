//! Baraff 1996: every figure of his section 9, and what he says of methods.

mod auxiliary;
pub mod coordinates;

use crate::Failed;
use crate::page::{Curve, Page, Picture, exponent, short, time, times};
use crate::program::{Evaluation, Program};
use holonom_plot::Scale;
use holonom_scene::{Loader, gallery};

/// A system of section 9: scene, what it is, his times in ms: all of it, and the entries of J.
struct System {
    scene: &'static str,
    what: &'static str,
    paper: f64,
    paper_jacobian: Option<f64>,
}

const SYSTEMS: &[System] = &[
    System { scene: "baraff-2d-108", what: "2-D, 54 joints, 108 multipliers", paper: 7.75, paper_jacobian: Some(2.75) },
    System {
        scene: "baraff-2d-loops",
        what: "the same re-connected: 96 primary + 12 auxiliary",
        paper: 24.75,
        paper_jacobian: None,
    },
    System {
        scene: "baraff-3d-contacts",
        what: "3-D, 96 multipliers + 3 frictionless contacts",
        paper: 18.0,
        paper_jacobian: Some(4.4),
    },
    System {
        scene: "baraff-tree-381",
        what: "3-D, 127 joints, 381 multipliers (his Figure 3)",
        paper: 44.6,
        paper_jacobian: Some(4.0),
    },
];

/// Scenes after the paper whose time by every method is given.
const SCENES: &[&str] = &[
    "figure-2",
    "star",
    "baraff-2d-108",
    "baraff-2d-loops",
    "baraff-3d-contacts",
    "baraff-tree-381",
    "surles-protein",
    "gearbox-nonholonomic",
    "two-chains-collide",
    "closed-figure",
    "straight-chain-both-ends",
    "assembly",
];

/// Methods by name, and what they are.
const METHODS: &[&str] = &["tree", "sparse", "baraff", "auxiliary", "banded", "dense", "dense-kkt", "cg"];

/// The systems of section 9, timed.
pub struct Measured {
    systems: Vec<Evaluation>,
    loops_by_auxiliary: Evaluation,
}

/// Time the systems of section 9.
pub fn measure(program: &Program) -> Result<Measured, Failed> {
    let systems = SYSTEMS.iter().map(|s| program.best(s.scene, None, &[])).collect::<Result<_, _>>()?;
    Ok(Measured { systems, loops_by_auxiliary: program.best("baraff-2d-loops", Some("auxiliary"), &[])? })
}

fn link(scene: &str) -> String {
    format!("[{scene}](../scenes/{scene}.toml)")
}

impl Measured {
    /// Lines of the short table.
    pub fn short(&self) -> Vec<Vec<String>> {
        let line = |(s, e): (&System, &Evaluation)| {
            vec![
                format!("Baraff: {} (`{}`)", s.what, s.scene),
                time(1e3 * s.paper),
                time(e.whole),
                times(1e3 * s.paper / e.whole),
            ]
        };
        SYSTEMS.iter().zip(&self.systems).map(line).collect()
    }

    /// The section on this paper.
    pub fn write(&self, page: &mut Page, program: &Program) -> Result<(), Failed> {
        page.heading(2, "Baraff 1996: linear time");
        page.scenes(&["star", "figure-2", "baraff-tree-381"]);
        page.scenes(&["baraff-2d-108", "baraff-2d-loops", "baraff-3d-contacts"]);
        page.scenes(&["surles-protein", "assembly", "two-chains-collide"]);
        page.text(
            "One evaluation: from positions and velocities to all multipliers and accelerations. His machine was an SGI Indigo² with a 250 MHz R4400. \
             His systems are described by their sizes only.",
        );
        page.heading(3, "The figures of his section 9");
        self.section_9(page);
        let chains = Growth::measure(program)?;
        page.heading(3, "His claims");
        self.claims(page, program, &chains)?;
        procedures(page, program)?;
        chains.write(page)?;
        by_method(page, program);
        surles(page, program)?;
        tolerance(page, program);
        auxiliary::write(page)?;
        coordinates::write(page)
    }

    fn section_9(&self, page: &mut Page) {
        let mut rows = Vec::new();
        for (s, e) in SYSTEMS.iter().zip(&self.systems) {
            let share = |j: f64, whole: f64| format!("{:.0} %", 100.0 * j / whole);
            rows.push(vec![
                format!("{}: {}", link(s.scene), s.what),
                time(1e3 * s.paper),
                time(e.whole),
                times(1e3 * s.paper / e.whole),
                s.paper_jacobian.map_or("–".into(), |j| format!("{} ({})", time(1e3 * j), share(j, s.paper))),
                format!("{} ({})", time(e.jacobian), share(e.jacobian, e.whole)),
            ]);
            if s.scene == "baraff-2d-loops" {
                let e = &self.loops_by_auxiliary;
                rows.push(vec![
                    "the same by his own method: 12 rows on top of the tree".into(),
                    time(1e3 * s.paper),
                    time(e.whole),
                    times(1e3 * s.paper / e.whole),
                    "–".into(),
                    format!("{} ({})", time(e.jacobian), share(e.jacobian, e.whole)),
                ]);
            }
        }
        page.table(&["system", "paper", "here", "ratio", "paper: entries of J", "here: bodies, forces, J"], &rows);
        let (flat, loops) = (self.systems[0].whole, self.systems[1].whole);
        page.text(&format!(
            "Loops were 17 ms more than the 7.75 ms without them. The default here is a direct factorisation around the loops instead (`sparse`): {} the time of the tree, where his method takes {}. With contacts \
             the time is that of the multipliers of joints and contacts together.",
            times(loops / flat),
            times(self.loops_by_auxiliary.whole / flat)
        ));
    }

    fn claims(&self, page: &mut Page, program: &Program, growth: &Growth) -> Result<(), Failed> {
        let [flat, loops, contacts, tree] = &self.systems[..] else { return Err("four systems".into()) };
        let dense = |scene| program.best(scene, Some("dense"), &[]);
        let (dense_99, dense_381) = (dense("baraff-3d-contacts")?, dense("baraff-tree-381")?);
        let cg = |scene, tolerance| program.best(scene, Some("cg"), &["--tolerance", tolerance]);
        let (cg_flat, cg_loops) = (cg("baraff-2d-108", "1e-3")?, cg("baraff-2d-loops", "1e-3")?);
        let ratio = |e: &Evaluation| e.factor / e.solve;
        let printed = |scene| program.best(scene, Some("baraff"), &[]);
        let (printed_flat, printed_tree) = (printed("baraff-2d-108")?, printed("baraff-tree-381")?);
        let exponents: Vec<(&str, f64)> =
            growth.families.iter().filter_map(|f| Some((f.name, f.exponent("sparse")?))).collect();
        let linear: Vec<String> = exponents.iter().map(|(name, e)| format!("{name} {e:.2}")).collect();
        let steepest = exponents.iter().fold(0.0f64, |m, e| m.max(e.1));
        let more = self.loops_by_auxiliary.whole - flat.whole;
        let rows = vec![
            vec![
                "time is linear in the number of bodies".into(),
                "O(n)".into(),
                format!("exponents of the time over n: {}", linear.join(", ")),
                if steepest < 1.15 { "confirmed, also with loops" } else { "not so for all of them" }.into(),
            ],
            vec![
                "factoring costs about four times solving".into(),
                "4".into(),
                format!(
                    "{} (2-D), {} (381); operations, counted: {} and {}",
                    short(ratio(flat)),
                    short(ratio(tree)),
                    short(counted("baraff-2d-108")?),
                    short(counted("baraff-tree-381")?)
                ),
                verdict(ratio(tree), 4.0),
            ],
            vec![
                "the same, by his procedures as printed (`baraff`)".into(),
                "4".into(),
                format!("{} (2-D), {} (381)", short(ratio(&printed_flat)), short(ratio(&printed_tree))),
                verdict(ratio(&printed_tree), 4.0),
            ],
            vec![
                "at 99 multipliers twice as fast as a dense method".into(),
                "2×".into(),
                times(dense_99.whole / contacts.whole),
                verdict(dense_99.whole / contacts.whole, 2.0),
            ],
            vec![
                "at 381 multipliers forty times as fast".into(),
                "40×".into(),
                times(dense_381.whole / tree.whole),
                verdict(dense_381.whole / tree.whole, 40.0),
            ],
            vec![
                "three times as fast as conjugate gradients at 108".into(),
                "3×".into(),
                format!("{} at a residual of 1e-3", times(cg_flat.whole / flat.whole)),
                verdict(cg_flat.whole / flat.whole, 3.0),
            ],
            vec![
                "with loops conjugate gradients are as fast".into(),
                "1×".into(),
                format!(
                    "{} against his auxiliary method, {} against `sparse`",
                    times(cg_loops.whole / self.loops_by_auxiliary.whole),
                    times(cg_loops.whole / loops.whole)
                ),
                as_fast(cg_loops.whole / self.loops_by_auxiliary.whole),
            ],
            vec![
                "twelve auxiliary multipliers cost about 2.2 times the tree without them".into(),
                "+17 ms on 7.75 ms".into(),
                format!("+{} on {}: {}", time(more), time(flat.whole), times(more / flat.whole)),
                verdict(more / flat.whole, 17.0 / 7.75),
            ],
        ];
        page.table(&["claim", "paper", "here", "verdict"], &rows);
        Ok(())
    }
}

/// Is a time the same as another? Within a quarter: two times that differ by 1.8 are not.
fn as_fast(ratio: f64) -> String {
    match ratio {
        r if r > 1.25 => format!("not quite: they take {} times as long", short(r)),
        r if r < 0.8 => format!("more than that: they take {} of the time", short(r)),
        _ => "confirmed".into(),
    }
}

/// Within a factor of two it is confirmed.
fn verdict(found: f64, said: f64) -> String {
    let words = match found / said {
        r if r > 2.0 => "more here",
        r if r < 0.5 => "less here",
        _ => "confirmed",
    };
    words.into()
}

/// His procedures as printed beside the plan: the same elimination, with other constants.
fn procedures(page: &mut Page, program: &Program) -> Result<(), Failed> {
    page.heading(3, "His procedures as printed");
    page.text(
        "The solver `baraff` is his appendix A line by line: dense blocks, an explicit inverse for every body and joint, one sweep up and one down. \
         `tree` eliminates in the same order, a body and the joint above it at once. Factor and solve of one evaluation; storing H counts as factoring.",
    );
    let mut rows = Vec::new();
    for (scene, what) in [
        ("baraff-2d-108", "2-D, 54 joints"),
        ("baraff-tree-381", "3-D, 127 joints"),
        ("a1024", "a chain of 1024 bodies on ball joints"),
        ("b1024", "a chain of 1024 bodies on hinges"),
    ] {
        let mut row = vec![format!("`{scene}`: {what}")];
        let (printed, plan) = (program.best(scene, Some("baraff"), &[])?, program.best(scene, Some("tree"), &[])?);
        for e in [&printed, &plan] {
            row.extend([time(e.factor), time(e.solve), short(e.factor / e.solve)]);
        }
        row.push(times((printed.factor + printed.solve) / (plan.factor + plan.solve)));
        rows.push(row);
    }
    let heading =
        ["system", "`baraff`: factor", "solve", "ratio", "`tree`: factor", "solve", "ratio", "`tree` is faster by"];
    page.table(&heading, &rows);
    Ok(())
}

/// Operations of factoring over those of solving, counted.
fn counted(scene: &str) -> Result<f64, Failed> {
    let entry = gallery::find(scene).ok_or_else(|| format!("no scene `{scene}`"))?;
    let loaded = Loader::new().load_text(&format!("{scene}.toml"), entry.text).map_err(|f| f.render())?;
    let cost = loaded.build().map_err(|f| f.render())?.cost();
    Ok(cost.factor_flops / cost.solve_flops)
}

/// Time of every method over the number of bodies.
struct Growth {
    families: Vec<Family>,
}

struct Family {
    name: &'static str,
    file: &'static str,
    /// Method, and (n, µs).
    methods: Vec<(&'static str, Vec<(f64, f64)>)>,
}

const FAMILIES: &[(&str, &str, &str)] = &[
    ("chain", "a", "growth-chain"),
    ("tree", "c", "growth-tree"),
    ("star", "d", "growth-star"),
    ("ring", "e", "growth-ring"),
];
const SIZES: &[usize] = &[8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096];
/// Slower than this, µs: larger sizes are left out.
const PATIENCE: f64 = 100_000.0;

impl Growth {
    fn measure(program: &Program) -> Result<Growth, Failed> {
        let mut families = Vec::new();
        for &(name, letter, file) in FAMILIES {
            let mut methods = Vec::new();
            for &method in METHODS {
                let mut points: Vec<(f64, f64)> = Vec::new();
                for n in SIZES {
                    if points.last().is_some_and(|p| p.1 > PATIENCE) {
                        break;
                    }
                    let Some(e) = program.evaluation(&format!("{letter}{n}"), Some(method), &[]) else { break };
                    points.push((e.n, e.whole));
                }
                if points.len() > 2 {
                    methods.push((method, points));
                }
            }
            families.push(Family { name, file, methods });
        }
        Ok(Growth { families })
    }

    fn write(&self, page: &mut Page) -> Result<(), Failed> {
        page.heading(3, "Growth over n, all methods");
        page.text("A chain, a binary tree, a star (his Figure 1b: J M⁻¹ Jᵀ is full) and a closed ring on ball joints. Exponents are those of the four largest sizes shown. From 512 bodies on the answer for the ring is refined more often, to keep its error at 1e-15: a step in its curve.");
        let mut rows = Vec::new();
        for &method in METHODS {
            let cell = |f: &Family| match (f.exponent(method), f.largest(method)) {
                (Some(e), Some((n, us))) => format!("{e:.2} ({} at {n})", time(us)),
                _ => "–".into(),
            };
            rows.push([vec![format!("`{method}`")], self.families.iter().map(cell).collect()].concat());
        }
        let heading: Vec<&str> = ["method"].into_iter().chain(self.families.iter().map(|f| f.name)).collect();
        page.table(&heading, &rows);
        for f in &self.families {
            let curves: Vec<Curve> = f
                .methods
                .iter()
                .map(|(m, points)| Curve {
                    name: m.to_string(),
                    unit: "µs",
                    x: points.iter().map(|p| p.0).collect(),
                    y: points.iter().map(|p| p.1).collect(),
                })
                .collect();
            let title = format!("One evaluation of a {} by every method", f.name);
            let picture = Picture {
                file: f.file,
                title: &title,
                subtitle: "time over the number of bodies; a straight line of slope 1 is linear time",
                along: ("bodies", ""),
                scales: (Scale::Log, Scale::Log),
            };
            page.picture(&picture, &curves)?;
        }
        Ok(())
    }
}

impl Family {
    fn points(&self, method: &str) -> Option<&[(f64, f64)]> {
        self.methods.iter().find(|m| m.0 == method).map(|m| &*m.1)
    }

    /// Of the four largest sizes, or as many as there are.
    fn exponent(&self, method: &str) -> Option<f64> {
        let points = self.points(method)?;
        Some(exponent(&points[points.len().saturating_sub(4)..]))
    }

    fn largest(&self, method: &str) -> Option<(f64, f64)> {
        self.points(method)?.last().copied()
    }
}

fn by_method(page: &mut Page, program: &Program) {
    page.heading(3, "His examples, by every method");
    page.text(
        "Where a method does not apply (a tree solver with loops, methods that refuse dependent rows) there is a dash.",
    );
    let mut rows = Vec::new();
    for scene in SCENES {
        let mut row = vec![link(scene)];
        let mut size = String::from("–");
        let mut cells = Vec::new();
        for method in METHODS {
            let e = program.evaluation(scene, Some(method), &[]);
            if let Some(e) = &e {
                size = format!("{} / {}", e.n, e.rows);
            }
            cells.push(e.map_or("–".into(), |e| time(e.whole)));
        }
        row.push(size);
        row.extend(cells);
        rows.push(row);
    }
    let heading: Vec<&str> = ["scene", "bodies / rows"].into_iter().chain(METHODS.iter().copied()).collect();
    page.table(&heading, &rows);
}

/// A band follows a backbone; a tree needs none.
fn surles(page: &mut Page, program: &Program) -> Result<(), Failed> {
    page.heading(3, "A band against a tree: Surles' proteins");
    page.text("Surles (1992) ordered chain-like molecules so that J M⁻¹ Jᵀ has a narrow band. The band grows with the side chains, and every row of it is worked through; the tree has no band.");
    let mut rows = Vec::new();
    let (mut band, mut tree) = (Vec::new(), Vec::new());
    for n in [6, 12, 24, 48, 96] {
        let set = format!("n={n}");
        let more = ["--set", set.as_str()];
        let (b, t) = (
            program.best("surles-protein", Some("banded"), &more)?,
            program.best("surles-protein", Some("tree"), &more)?,
        );
        band.push((b.n, b.whole));
        tree.push((t.n, t.whole));
        rows.push(vec![
            format!("{}", t.n),
            format!("{}", t.rows),
            time(t.whole),
            time(b.whole),
            times(b.whole / t.whole),
        ]);
    }
    page.table(&["bodies", "rows", "tree", "banded", "tree is faster by"], &rows);
    page.text(&format!(
        "Exponents of the time over n: tree {:.2}, banded {:.2}: both linear, as both papers say.",
        exponent(&tree[1..]),
        exponent(&band[1..])
    ));
    Ok(())
}

/// What the tolerance of conjugate gradients buys.
fn tolerance(page: &mut Page, program: &Program) {
    page.heading(3, "What the tolerance of conjugate gradients buys");
    page.text("Iterations and time of the matrix-free iteration on J M⁻¹ Jᵀ, beside the direct answer. *Error* is the residual of all equations, scaled.");
    let mut rows = Vec::new();
    for scene in ["baraff-2d-108", "baraff-2d-loops", "baraff-tree-381"] {
        let Some(direct) = program.evaluation(scene, None, &[]) else { continue };
        for tolerance in ["1e-1", "1e-2", "1e-3", "1e-6", "1e-9", "1e-12"] {
            let Some(e) = program.evaluation(scene, Some("cg"), &["--tolerance", tolerance]) else { continue };
            let iterations = e.iterations.map_or("–".into(), |n| n.to_string());
            rows.push(vec![
                link(scene),
                tolerance.into(),
                iterations,
                time(e.whole),
                format!("{:.0e}", e.error),
                times(e.whole / direct.whole),
            ]);
        }
        rows.push(vec![
            link(scene),
            "direct".into(),
            "–".into(),
            time(direct.whole),
            format!("{:.0e}", direct.error),
            "1×".into(),
        ]);
    }
    page.table(&["scene", "tolerance", "iterations", "time", "error", "against direct"], &rows);
}
