//! XML from people who mean harm: refused with the right class, within two seconds; arbitrary text never makes the reader panic.

use holonom_scene::diagnostic::Class;
use holonom_scene::source::Span;
use holonom_scene::xml::{Document, Element, Unread};
use holonom_scene::{Limits, Loader, Report};
use proptest::prelude::*;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Do it in a thread with a small stack, within two seconds. On a busy machine the clock is not the work: the best of three counts.
fn in_time<T: Send + 'static>(work: impl Fn() -> T + Send + Sync + 'static) -> T {
    let work = move || {
        let mut best = Duration::MAX;
        for _ in 0..3 {
            let start = Instant::now();
            let out = work();
            best = best.min(start.elapsed());
            if best < Duration::from_secs(2) {
                return out;
            }
        }
        panic!("took {best:?}");
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap()
}

/// Load a text as URDF; its class and first code.
fn refused(text: String) -> (Class, &'static str) {
    in_time(move || {
        let failed = Loader::new().load_text("hostile.urdf", text.clone()).map(|_| ()).unwrap_err();
        let first = failed.report.all().iter().find(|d| d.code.name().starts_with('E')).unwrap();
        (failed.report.class(), first.code.name())
    })
}

#[test]
fn deep_nesting() {
    let n = 1_000_000;
    assert_eq!(refused("<a>".repeat(n)), (Class::Limit, "E0502"));
    assert_eq!(refused(format!("{}{}", "<a>".repeat(n), "</a>".repeat(n))), (Class::Limit, "E0502"));
    // all that the limit allows is read and dropped in a small stack
    assert_eq!(refused(format!("{}{}", "<robot>".repeat(10_000), "</robot>".repeat(10_000))), (Class::Input, "E0402"));
}

#[test]
fn many_attributes() {
    let mut text = String::from("<robot");
    for i in 0..80_000 {
        let _ = write!(text, " a{i}='1'");
    }
    text += "/>";
    assert_eq!(refused(text.clone()), (Class::Limit, "E0503"));
    // whoever raises the limit still waits for no more than the sorting
    in_time(move || {
        let all = Limits { attributes: u64::MAX, ..Limits::default() };
        let doc = Document::parse(&text, 0, &all).unwrap();
        assert_eq!(doc.root().attributes().count(), 80_000);
        let d = Document::parse(&text.replace("a79999=", "a0="), 0, &all).unwrap_err();
        assert!(d.message.contains("given twice"));
    });
}

#[test]
fn entities_and_document_types() {
    let mut bomb = String::from("<?xml version=\"1.0\"?><!DOCTYPE robot [<!ENTITY a0 \"ha\">");
    for i in 1..40 {
        let _ = write!(bomb, "<!ENTITY a{i} \"&a{};&a{};\">", i - 1, i - 1);
    }
    bomb += "]><robot name=\"&a39;\"/>";
    assert_eq!(refused(bomb), (Class::Input, "E0106"));
    assert_eq!(refused("<!DOCTYPE r SYSTEM \"file:///etc/passwd\"><r/>".into()), (Class::Input, "E0106"));
    assert_eq!(refused("<robot name='&lol;'/>".into()), (Class::Input, "E0103"));
}

#[test]
fn sixty_four_mebibytes() {
    const SIZE: usize = 64 << 20;
    let filled = |head: &str, fill: &str, tail: &str| {
        let n = (SIZE - head.len() - tail.len()) / fill.len();
        format!("{head}{}{tail}", fill.repeat(n))
    };
    assert_eq!(refused(filled("<robot>", "<a/>", "</robot>")), (Class::Limit, "E0504"));
    assert_eq!(refused(filled("<robot>", "<link name='x'/>", "</robot>")), (Class::Limit, "E0504"));
    // no more elements than are allowed, none of them known
    let unknown = format!("<robot>{}</robot>", "<a/>".repeat(7_900_000));
    assert_eq!(refused(unknown), (Class::Input, "E0402"));
    assert_eq!(refused(filled("<robot name='", "&amp;", "'/>")), (Class::Input, "E0402"));
    assert_eq!(refused(filled("<robot><!--", "--<", "--></robot>")), (Class::Input, "E0402"));
    assert_eq!(refused(filled("<robot>", "text & ", "</robot>")), (Class::Input, "E0103"));
    assert_eq!(refused(filled("<robot ", " ", "/>")), (Class::Input, "E0402"));
    assert_eq!(refused(filled("<robot>", "a<b/>", "</robot>")), (Class::Limit, "E0504"));
    let over = Document::parse(&" ".repeat(SIZE + 1), 0, &Limits::default()).unwrap_err();
    assert_eq!((over.code.name(), over.code.class()), ("E0501", Class::Limit));
}

#[test]
fn a_long_chain_of_links_is_no_harm() {
    let n = 20_000;
    let mut text = String::from("<robot name='chain'><link name='world'/>");
    let inertial = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial>";
    for i in 0..n {
        let parent = if i == 0 { "world".to_string() } else { format!("l{}", i - 1) };
        let _ = write!(
            text,
            "<link name='l{i}'>{inertial}</link><joint name='j{i}' type='revolute'><origin xyz='0 0 -1'/>\
             <parent link='{parent}'/><child link='l{i}'/></joint>"
        );
    }
    text += "</robot>";
    let loaded = in_time(move || Loader::new().load_text("chain.urdf", text.clone()).map_err(|e| e.render()).unwrap());
    assert_eq!(loaded.scene.bodies.len(), n);
    assert_eq!(loaded.scene.bodies[n - 1].pose.position.z, -(n as f64));
}

/// Work that grows with the square of what the file holds would show here.
#[test]
fn fifty_thousand_mistakes_of_one_kind() {
    let n = 50_000;
    let of = |piece: &dyn Fn(usize) -> String| (0..n).map(piece).collect::<String>();
    let links = of(&|i| format!("<link name='l{i}'/>"));
    let joints = of(&|i| format!("<joint name='j{i}' type='fixed'><parent link='x{i}'/><child link='y{i}'/></joint>"));
    assert_eq!(refused(format!("<robot>{links}{joints}</robot>")), (Class::Input, "E0403"));
    // names that all become the same one
    let dotted = |i: usize| (0..17).map(|k| if i >> k & 1 == 0 { '.' } else { ',' }).collect::<String>();
    let same = of(&|i| format!("<link name='{}'/>", dotted(i)));
    let chain = of(&|i| match i {
        0 => String::new(),
        _ => format!(
            "<joint name='{0}' type='fixed'><parent link='{1}'/><child link='{0}'/></joint>",
            dotted(i),
            dotted(0)
        ),
    });
    let text = format!("<robot>{same}{chain}</robot>");
    let loaded = in_time(move || Loader::new().load_text("same.urdf", text.clone()).map_err(|e| e.render()).unwrap());
    assert_eq!(loaded.scene.ground_points.len(), n);
    let twins = "<link name='a'/>".repeat(n);
    assert_eq!(refused(format!("<robot>{twins}</robot>")), (Class::Input, "E0209"));
    let meshes = of(&|i| format!("<visual><geometry><mesh filename='package://p/{i}.stl'/></geometry></visual>"));
    let two = format!("<robot><link name='a'>{meshes}</link><link name='b'/></robot>");
    assert_eq!(refused(two), (Class::Input, "E0402"));
    let mimics = of(&|i| {
        format!(
            "<joint name='m{i}' type='prismatic'><parent link='l{i}'/><child link='l{}'/><mimic joint='z'/></joint>",
            i + 1
        )
    });
    let links = links + &format!("<link name='l{n}'/>");
    assert_eq!(refused(format!("<robot>{links}{mimics}</robot>")), (Class::Input, "E0403"));
}

fn inside(span: Span, text: &str) {
    let (start, end) = (span.start as usize, span.end as usize);
    assert!(start <= end && end <= text.len(), "{span:?}");
    assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{span:?}");
}

fn look(e: Element, text: &str) {
    inside(e.span(), text);
    assert!(text[e.span().start as usize..].starts_with('<'));
    for a in e.attributes() {
        inside(a.span, text);
        inside(a.name_span, text);
    }
    if let Some((_, span)) = e.text() {
        inside(span, text);
    }
    let _ = e.path();
}

/// Read, look at everything, report everything.
fn go_through(text: &str) {
    let limits = Limits { depth: 20, attributes: 5, bodies: 30, ..Limits::default() };
    match Document::parse(text, 0, &limits) {
        Ok(doc) => {
            let (mut stack, mut n) = (vec![doc.root()], 0);
            while let Some(e) = stack.pop() {
                n += 1;
                look(e, text);
                stack.extend(e.children());
            }
            assert_eq!(n, doc.len());
            for unread in doc.unread() {
                if let Unread::Text(_, span) = unread {
                    inside(span, text);
                }
            }
            doc.report_unread(&mut Report::new(), |_, _| None);
        }
        Err(d) => inside(d.span.unwrap(), text),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn arbitrary_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        go_through(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn arbitrary_pieces_of_xml(pieces in proptest::collection::vec(prop_oneof![
        Just("<a>"), Just("</a>"), Just("<b/>"), Just("<a x='1' "), Just("y=\"2\""), Just(">"), Just("/>"), Just("<"), Just("&amp;"), Just("&#x41;"),
        Just("&"), Just(";"), Just("'"), Just("\""), Just(" "), Just("\n"), Just("\r\n"), Just("<!--"), Just("-->"), Just("<![CDATA["), Just("]]>"),
        Just("<?x"), Just("?>"), Just("µ"), Just("text"), Just("="), Just("<!DOCTYPE"), Just("</"), Just("\0"), Just("\u{feff}"),
    ], 0..40)) {
        go_through(&pieces.concat());
    }

    #[test]
    fn well_formed_text_is_read(names in proptest::collection::vec("[a-z]{1,3}", 1..10), value in "[ -%'-;=?-~\u{e0}-\u{ff}]{0,20}") {
        let value = value.replace(['<', '&', '"'], "_");
        let mut text = String::new();
        for name in &names {
            let _ = write!(text, "<{name} v=\"{value}\">");
        }
        for name in names.iter().rev() {
            let _ = write!(text, "</{name}>");
        }
        let doc = Document::parse(&text, 0, &Limits::default()).unwrap();
        let mut e = Some(doc.root());
        for name in &names {
            let here = e.unwrap();
            prop_assert_eq!(here.name(), name.as_str());
            prop_assert_eq!(here.attr("v").unwrap().value, value.as_str());
            e = here.children().next();
        }
    }
}
