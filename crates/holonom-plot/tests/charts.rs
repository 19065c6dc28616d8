//! Charts as SVG, PNG and sketches: read back and held against the data.

use holonom_plot::{Axis, LineChart, Mark, PlotError, Scale, Series, SketchOptions};
use roxmltree::{Document, Node};

fn time(n: usize) -> Vec<f64> {
    (0..n).map(|i| 10.0 * i as f64 / (n - 1) as f64).collect()
}

fn chart<'a>(series: Vec<Series<'a>>) -> LineChart<'a> {
    LineChart { title: "a chart".into(), x: Axis::new("time", "s"), series, ..LineChart::default() }
}

fn texts<'d>(doc: &'d Document) -> Vec<&'d str> {
    doc.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect()
}

/// Curves: paths with round ends and a title.
fn curves<'d, 'i>(doc: &'d Document<'i>) -> Vec<(Node<'d, 'i>, &'d str)> {
    let titled = |n: Node<'d, 'i>| n.children().find(|c| c.has_tag_name("title"))?.text();
    let paths = doc.descendants().filter(|n| n.has_tag_name("path") && n.has_attribute("stroke-linejoin"));
    paths.filter_map(|n| Some((n, titled(n)?))).collect()
}

/// The points of a path of `M x y l dx dy dx dy ...`, piece by piece.
fn points(path: &Node) -> Vec<Vec<(f64, f64)>> {
    let d = path.attribute("d").expect("a path has points");
    let mut pieces = Vec::new();
    for piece in d.split('M').skip(1) {
        let spaced = piece.replace('-', " -").replace(['l', 'h'], " ");
        let numbers: Vec<f64> = spaced.split_whitespace().map(|x| x.parse().expect("a number")).collect();
        let mut at = (0.0, 0.0);
        let here = numbers.chunks_exact(2).map(|c| {
            at = (at.0 + c[0], at.1 + c[1]);
            at
        });
        pieces.push(here.collect());
    }
    pieces
}

#[test]
fn every_series_has_its_curve_name_and_unit() {
    let t = time(300);
    let y: Vec<Vec<f64>> = (0..8).map(|k| t.iter().map(|t| libm::sin(t + k as f64)).collect()).collect();
    let series = (0..8).map(|k| Series::new(format!("s{k}"), if k < 3 { "m" } else { "rad" }, &t, &y[k])).collect();
    let svg = chart(series).to_svg().unwrap();
    let doc = Document::parse(&svg).unwrap();
    let found = curves(&doc);
    let names: Vec<&str> = found.iter().map(|c| c.1).collect();
    assert_eq!(names, ["s0 (m)", "s1 (m)", "s2 (m)", "s3 (rad)", "s4 (rad)", "s5 (rad)", "s6 (rad)", "s7 (rad)"]);
    let texts = texts(&doc);
    for wanted in ["a chart", "time (s)", "m", "rad", "s0", "s7"] {
        assert!(texts.contains(&wanted), "{wanted}: {texts:?}");
    }
    // within a panel no two look alike
    let look = |n: &Node| (n.attribute("stroke").map(String::from), n.attribute("stroke-dasharray").map(String::from));
    let mut looks: Vec<_> = found[3..].iter().map(|c| look(&c.0)).collect();
    looks.sort();
    looks.dedup();
    assert_eq!(looks.len(), 5);
    // panels lie one below the other
    let lowest = |k: usize| points(&found[k].0).concat().iter().map(|p| p.1).fold(0.0, f64::max);
    let highest = |k: usize| points(&found[k].0).concat().iter().map(|p| p.1).fold(1e9, f64::min);
    assert!(lowest(0) < highest(3));
}

#[test]
fn the_same_data_give_the_same_bytes() {
    let t = time(500);
    let y: Vec<f64> = t.iter().map(|t| libm::exp(-t) * libm::cos(5.0 * t)).collect();
    let make = || chart(vec![Series::new("x", "m", &t, &y)]);
    assert_eq!(make().to_svg().unwrap(), make().to_svg().unwrap());
    assert_eq!(make().to_png(1.0).unwrap(), make().to_png(1.0).unwrap());
    assert_eq!(make().sketch(&SketchOptions::default()).unwrap(), make().sketch(&SketchOptions::default()).unwrap());
}

#[test]
fn curves_stand_where_the_data_are() {
    let (t, y) = (vec![0.0, 1.0, 2.0, 4.0], vec![0.0, 3.0, -1.0, 2.0]);
    let svg = chart(vec![Series::new("x", "m", &t, &y)]).to_svg().unwrap();
    let doc = Document::parse(&svg).unwrap();
    let p = points(&curves(&doc)[0].0).concat();
    assert_eq!(p.len(), 4);
    // affine in both directions
    let (dx, dy) = ((p[3].0 - p[0].0) / 4.0, (p[1].1 - p[0].1) / 3.0);
    assert!(dx > 0.0 && dy < 0.0, "right is later, up is more");
    for k in 0..4 {
        assert!((p[k].0 - p[0].0 - dx * t[k]).abs() < 0.02 && (p[k].1 - p[0].1 - dy * y[k]).abs() < 0.02, "{p:?}");
    }
}

#[test]
fn thousands_of_points_keep_their_extremes() {
    let t = time(100_000);
    let mut y: Vec<f64> = t.iter().map(|t| libm::sin(100.0 * t)).collect();
    (y[31_234], y[77_777]) = (20.0, -30.0);
    let svg = chart(vec![Series::new("x", "m", &t, &y)]).to_svg().unwrap();
    assert!(svg.len() < 120_000, "{}", svg.len());
    let doc = Document::parse(&svg).unwrap();
    let p = points(&curves(&doc)[0].0).concat();
    let ys: Vec<f64> = p.iter().map(|p| p.1).collect();
    let (top, bottom) = (ys.iter().copied().fold(1e9, f64::min), ys.iter().copied().fold(0.0, f64::max));
    let middle = ys[0]; // the sine of 0
    assert!(((bottom - middle) / (middle - top) - 1.5).abs() < 0.01, "{top} {middle} {bottom}");
}

#[test]
fn gaps_are_gaps_and_lone_points_are_dots() {
    let t = time(7);
    let y = [0.0, 1.0, f64::NAN, 2.0, f64::INFINITY, 1.0, 3.0];
    let svg = chart(vec![Series::new("x", "m", &t, &y)]).to_svg().unwrap();
    let doc = Document::parse(&svg).unwrap();
    let sizes: Vec<usize> = points(&curves(&doc)[0].0).iter().map(Vec::len).collect();
    assert_eq!(sizes, [2, 1, 2]);
    let none = [f64::NAN; 7];
    let svg = chart(vec![Series::new("x", "m", &t, &none)]).to_svg().unwrap();
    let doc = Document::parse(&svg).unwrap();
    assert!(texts(&doc).contains(&"no values that could be shown"));
    assert!(chart(vec![]).to_svg().is_ok() && chart(vec![]).to_png(1.0).is_ok());
}

#[test]
fn numbers_on_axes_differ_whatever_the_range() {
    let t = time(50);
    for (what, f) in [
        ("constant", (|_| 1.0) as fn(f64) -> f64),
        ("nearly constant", |t| 1.0 + 1e-13 * libm::sin(t)),
        ("zero", |_| 0.0),
        ("tiny", |t| 1e-200 * t),
        ("huge", |t| 1e280 * t),
        ("far off", |t| 1e9 + t),
        ("neighbours", |t| if t > 5.0 { 1.0 + f64::EPSILON } else { 1.0 }),
    ] {
        let y: Vec<f64> = t.iter().map(|t| f(*t)).collect();
        let svg = chart(vec![Series::new("x", "m", &t, &y)]).to_svg().unwrap();
        let doc = Document::parse(&svg).unwrap();
        // numbers of the vertical axis: those that end at it
        let ends = |n: &Node| n.attribute("text-anchor") == Some("end");
        let numbers: Vec<&str> =
            doc.descendants().filter(|n| n.has_tag_name("text") && ends(n)).filter_map(|n| n.text()).collect();
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert!(numbers.len() >= 3 && sorted.len() == numbers.len(), "{what}: {numbers:?}");
        assert!(numbers.iter().all(|n| n.chars().count() <= 8), "{what}: {numbers:?}");
        // steps are even
        let values: Vec<f64> = numbers.iter().map(|n| n.replace('−', "-").parse().unwrap()).collect();
        let step = values[1] - values[0];
        assert!(values.windows(2).all(|w| (w[1] - w[0] - step).abs() < 1e-9 * step.abs()), "{what}: {values:?}");
        // and round
        let digits = format!("{:.6e}", step.abs());
        assert!(["1.000000e", "2.000000e", "5.000000e"].iter().any(|d| digits.starts_with(d)), "{what}: {digits}");
        assert!(!curves(&doc).is_empty());
    }
}

#[test]
fn texts_cannot_become_markup() {
    let t = time(3);
    let nasty = "</text><script>alert('1 & 2')</script>\u{0}\u{b}\"";
    let mut c = chart(vec![Series::new(nasty, nasty, &t, &t), Series::new("b", nasty, &t, &t)]);
    (c.title, c.subtitle) = (nasty.into(), nasty.into());
    c.x = Axis::new(nasty, nasty);
    c.marks = vec![Mark { x: 1.0, label: nasty.into() }];
    let svg = c.to_svg().unwrap();
    let doc = Document::parse(&svg).unwrap();
    assert!(doc.descendants().all(|n| !n.has_tag_name("script")));
    assert!(texts(&doc).iter().any(|t| t.contains("alert('1 & 2')")));
    assert!(c.to_png(1.0).is_ok());
    for ascii in [false, true] {
        let sketch = c.sketch(&SketchOptions { ascii, ..SketchOptions::default() }).unwrap();
        assert!(sketch.chars().all(|c| c == '\n' || !c.is_control()), "{sketch:?}");
    }
    let long = "x".repeat(1_000_000);
    assert!(chart(vec![Series::new(&long, "m", &t, &t), Series::new("b", "m", &t, &t)]).to_png(1.0).is_ok());
}

#[test]
fn logarithms_leave_out_what_has_none() {
    let t = time(5);
    let y = [1e-9, 0.0, 1e-6, -1.0, 1e-3];
    let mut c = chart(vec![Series::new("gap", "m", &t, &y)]);
    c.y_scale = Scale::Log;
    let svg = c.to_svg().unwrap();
    let doc = Document::parse(&svg).unwrap();
    let p = points(&curves(&doc)[0].0);
    assert_eq!(p.len(), 3, "two gaps");
    let (a, b, c) = (p[0][0].1, p[1][0].1, p[2][0].1);
    assert!(((a - b) - (b - c)).abs() < 0.03 && a > b, "three decades each: {a} {b} {c}");
}

#[test]
fn marks_stand_at_their_time_in_every_panel() {
    let t = time(11);
    let mut c = chart(vec![Series::new("x", "m", &t, &t), Series::new("w", "rad", &t, &t)]);
    c.marks = ["first", "second", ""].map(|l| Mark { x: 5.0, label: l.into() }).to_vec();
    c.marks.push(Mark { x: 99.0, label: "never".into() });
    let svg = c.to_svg().unwrap();
    let doc = Document::parse(&svg).unwrap();
    let marks: Vec<Node> = doc.descendants().filter(|n| n.attribute("class") == Some("mark-line")).collect();
    assert_eq!(marks.len(), 3, "the last is out of sight");
    let middle = points(&curves(&doc)[0].0)[0][5].0;
    for mark in &marks {
        let p = points(mark);
        assert_eq!(p.len(), 2, "one piece per panel");
        assert!(p.iter().flatten().all(|p| (p.0 - middle).abs() < 0.02));
    }
    assert!(texts(&doc).contains(&"first") && texts(&doc).contains(&"second") && !texts(&doc).contains(&"never"));
}

#[test]
fn mistakes_are_told() {
    let (t, y) = (time(5), time(4));
    let c = chart(vec![Series::new("x", "m", &t, &y)]);
    let e = c.to_svg().unwrap_err();
    assert_eq!(e, PlotError::Lengths { name: "x".into(), x: 5, y: 4 });
    assert!(e.to_string().contains("5 values of x and 4 of y"));
    assert!(c.to_png(1.0).is_err() && c.sketch(&SketchOptions::default()).is_err());
    let c = chart(vec![Series::new("x", "m", &t, &t)]);
    for scale in [0.0, -1.0, f64::NAN, 1e9] {
        assert!(matches!(c.to_png(scale), Err(PlotError::Scale { .. })), "{scale}");
    }
    let many: Vec<Series> = (0..200).map(|k| Series::new("x", format!("unit {k}"), &t, &t)).collect();
    assert!(matches!(chart(many).to_png(20.0), Err(PlotError::TooLarge { .. })));
}

#[test]
fn pixels_show_the_curve_and_the_letters() {
    let (t, y) = (vec![0.0, 10.0], vec![0.0, 10.0]);
    let c = chart(vec![Series::new("x", "m", &t, &y)]);
    let bytes = c.to_png(2.0).unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let svg = c.to_svg().unwrap();
    let doc = Document::parse(&svg).unwrap();
    let size = |name: &str| doc.root_element().attribute(name).unwrap().parse::<u32>().unwrap();
    assert_eq!((info.width, info.height), (2 * size("width"), 2 * size("height")));
    let at = |x: f64, y: f64| {
        let k = 4 * ((2.0 * y) as usize * info.width as usize + (2.0 * x) as usize);
        [pixels[k], pixels[k + 1], pixels[k + 2]]
    };
    let p = points(&curves(&doc)[0].0).concat();
    let middle = (0.5 * (p[0].0 + p[1].0), 0.5 * (p[0].1 + p[1].1));
    assert_eq!(at(middle.0, middle.1), [0x00, 0x72, 0xb2], "blue on the line");
    assert_eq!(at(middle.0 + 20.0, middle.1), [255, 255, 255], "paper beside it");
    // the title: dark pixels where its text stands
    let title = doc.descendants().find(|n| n.text() == Some("a chart") && n.has_tag_name("text")).unwrap();
    let number = |n: &str| title.attribute(n).unwrap().parse::<f64>().unwrap();
    let (x, y) = (number("x"), number("y"));
    let dark =
        (0..50).flat_map(|i| (0..10).map(move |j| (i, j))).filter(|&(i, j)| at(x + i as f64, y - j as f64)[0] < 100);
    assert!(dark.count() > 40);
}

#[test]
fn sketches_fit_and_show_extremes() {
    let t = time(1000);
    let y: Vec<f64> = t.iter().map(|t| libm::sin(*t)).collect();
    let z: Vec<f64> = t.iter().map(|t| 0.5 * libm::cos(*t)).collect();
    let mut c = chart(vec![Series::new("sine", "m", &t, &y), Series::new("cosine", "m", &t, &z)]);
    c.series.push(Series::new("angle", "rad", &t, &t));
    for (width, height) in [(0, 0), (40, 8), (80, 20), (200, 60)] {
        for ascii in [false, true] {
            let look = SketchOptions { width, height, ascii, colour: false };
            let sketch = c.sketch(&look).unwrap();
            let widest = sketch.lines().map(|l| l.chars().count()).max().unwrap();
            assert!(widest <= width.max(20), "{width}: {widest}\n{sketch}");
            assert_eq!(sketch.is_ascii(), ascii);
            assert!(!sketch.contains('\u{1b}'));
        }
    }
    let look = SketchOptions { width: 70, height: 20, ascii: true, colour: false };
    let sketch = c.sketch(&look).unwrap();
    assert!(
        sketch.contains("* sine (m)  + cosine (m)") && sketch.contains("* angle (rad)") && sketch.contains("time (s)")
    );
    // the sine reaches both ends of its panel: first line marked 1, last line marked -1
    let rows: Vec<&str> = sketch.lines().filter(|l| l.contains('|')).collect();
    assert_eq!(rows.len(), 20);
    assert!(rows[0].trim_start().starts_with("1 |") && rows[0].contains('*'), "{sketch}");
    assert!(rows[9].trim_start().starts_with("-1 |") && rows[9].contains('*'), "{sketch}");
    let coloured = c.sketch(&SketchOptions { colour: true, ..SketchOptions::default() }).unwrap();
    assert!(coloured.contains("\u{1b}[34m") && coloured.contains("\u{1b}[33m"));
}
