//! Bad scenes, each with the code it must get and the place it must be shown at, marked by `§` in its text. Some of the messages in full, as they were
//! read and found good.

use holonom_scene::{LoadError, Loader};

/// Good bodies to go wrong with.
const BODIES: &str = "\
[ground]\npoints.A = [0, 0, 1]\n\
[body.rod]\nfrom = [0, 0, 0]\nto = [1, 0, 0]\nshape = { kind = \"rod\", radius = 0.1 }\ndensity = 1000\n\
[body.ball]\nat = [2, 0, 0]\nmass = 2\ninertia = [1, 1, 1]\npoints.eye = [0, 0, 0.5]\n\
[joint.pin]\nkind = \"revolute\"\nb = \"rod.from\"\n";

/// Code, and the text with its place marked. A text that begins with `+` follows the good bodies.
const BAD: &[(&str, &str)] = &[
    // not TOML
    ("E0101", "gravity §[0, 0, 1]"),
    ("E0101", "title = §\"a pendulum\n[body.x]\nmass = 1"),
    ("E0101", "[body.x]\nshape = §{ kind = \"box\", size = [1, 1, 1]\nmass = 1"),
    ("E0101", "[body.x]\nat = §[0, 0, 1\nmass = 1"),
    ("E0101", "[body.x]\nmass = 1\nat = [0, 0, §${L}]"),
    ("E0101", "§[body.x\nmass = 1"),
    ("E0101", "[body.x]\nmass = 1\n§mass = 2"),
    ("E0101", "[body.x]\nmass = 1\n[body.§x]\nmass = 2"),
    ("E0101", "[body.x]\nmass §: 1"),
    ("E0101", "[body.x]\nmass = 1§,5"),
    ("E0101", "[body.x]\nmass = §"),
    ("E0101", "[body.x]\nmass = §heavy"),
    ("E0101", "title = \"a \\§q b\""),
    ("E0502", "x = [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[§["),
    // sections and fields
    ("E0201", "§bodies = 3"),
    ("E0201", "[§jiont.x]\nkind = \"weld\""),
    ("E0201", "[body.x]\n§mas = 1"),
    ("E0201", "[body.x]\nmass = 1\nshape = { kind = \"sphere\", §raduis = 1 }"),
    ("E0201", "+[joint.j]\nkind = \"weld\"\nb = \"ball\"\n§limit = 3"),
    ("E0201", "+[joint.j]\n§knid = \"weld\"\nb = \"ball\""),
    ("E0201", "[run]\n§tiem = 3"),
    ("E0202", "+§[joint.j]\nkind = \"weld\""),
    ("E0202", "+§[joint.j]\nb = \"ball\""),
    ("E0202", "[body.x]\nmass = 1\nshape = §{ kind = \"sphere\" }"),
    ("E0202", "§[body.x]\nmass = 1\nfrom = [0, 0, 0]"),
    ("E0202", "§[camera.c]\nlook_at = [0, 0, 0]"),
    ("E0203", "body = §3"),
    ("E0203", "[body.x]\nmass = §\"heavy\""),
    ("E0203", "[body.x]\nmass = §\"2.5\""),
    ("E0203", "[body.x]\nmass = §[1]"),
    ("E0203", "[body.x]\nmass = 1\nat = §3"),
    ("E0203", "[body.x]\nmass = 1\nat = [0, §true, 0]"),
    ("E0203", "[body.x]\nmass = 1\nshape = §\"box\""),
    ("E0203", "title = §3"),
    ("E0203", "[body.x]\nmass = 1\nrotation = §{ axis = [0, 0, 1] }"),
    ("E0203", "[chain.x]\ncount = §2.5\nlength = 1\nlink = { mass = 1 }"),
    ("E0204", "+[joint.j]\nkind = §\"revolut\"\nb = \"ball\""),
    ("E0204", "[body.x]\nmass = 1\nshape = { kind = §\"cube\", size = [1, 1, 1] }"),
    ("E0204", "[body.x]\nkind = §\"rigd\"\nmass = 1"),
    ("E0205", "[body.x]\nmass = §-1"),
    ("E0205", "[body.x]\nmass = §0"),
    ("E0205", "[body.x]\nmass = 1\nshape = { kind = \"box\", size = §[1, 0, 1] }"),
    ("E0205", "[body.x]\nmass = 1\nshape = { kind = \"sphere\", radius = 1, colour = §[0, 2, 0] }"),
    ("E0205", "[ring.x]\ncount = §2\nradius = 1\nlink = { mass = 1 }\njoint = { kind = \"weld\" }"),
    ("E0205", "[run]\ndt = §0"),
    ("E0206", "[body.x]\nmass = §inf"),
    ("E0206", "[body.x]\nmass = 1\nat = [0, §nan, 0]"),
    ("E0206", "gravity = [0, 0, §-1e999]"),
    ("E0207", "[body.x]\nmass = 1\nat = §[0, 0]"),
    ("E0207", "[body.x]\nmass = 1\nrotation = §[1, 0, 0]"),
    ("E0207", "[body.x]\nmass = 1\ninertia = §[1, 2]"),
    ("E0208", "[body.§\"a.b\"]\nmass = 1"),
    ("E0208", "[body.§ground]\nmass = 1"),
    ("E0208", "[body.§\"\"]\nmass = 1"),
    ("E0208", "[params]\n§\"2x\" = 1"),
    ("E0208", "[body.x]\nmass = 1\npoints.§\"a b \" = [0, 0, 0]"),
    ("E0209", "+[drive.§pin]\nkind = \"speed\"\njoint = \"pin\"\nvalue = 1"),
    ("E0210", "+[joint.j]\nkind = \"weld\"\na = §\"rode\"\nb = \"ball\""),
    ("E0210", "+[joint.j]\nkind = \"weld\"\nb = §\"house\""),
    ("E0210", "+[force.f]\nkind = \"spring\"\na = §\"bal\"\nb = \"rod\"\nstiffness = 1"),
    (
        "E0210",
        "+[chain.rope]\ncount = 2\nlength = 1\nlink = { mass = 1, inertia = [1, 1, 1] }\njoint = { kind = \"spherical\" }\nfirst = §\"beam\"",
    ),
    ("E0211", "+[joint.j]\nkind = \"weld\"\na = \"rod.to\"\nb = §\"ball.ey\""),
    ("E0211", "+[joint.j]\nkind = \"weld\"\na = §\"ground.B\"\nb = \"ball\""),
    ("E0212", "+[drive.d]\nkind = \"speed\"\njoint = §\"pim\"\nvalue = 1"),
    ("E0213", "+[drive.d]\nkind = \"speed\"\njoint = §\"pin.1\"\nvalue = 1"),
    ("E0213", "+[drive.d]\nkind = \"speed\"\njoint = §\"pin.angle\"\nvalue = 1"),
    ("E0214", "+[joint.j]\nkind = \"revolute\"\nb = \"ball\"\naxis = §[0.0, 0.0, 0.0]"),
    ("E0214", "[body.x]\nmass = 1\nfrom = [1, 0, 0]\nto = §[1, 0, 0]"),
    ("E0215", "[body.x]\nmass = 1\nfrom = [0, 0, 0]\nto = [1, 0, 0]\nat = §[0, 0, 0]"),
    ("E0215", "+[joint.j]\nkind = \"weld\"\nb = \"ball.eye\"\nat = §[0, 0, 0]"),
    ("E0216", "§[body.x]\nat = [0, 0, 0]"),
    ("E0216", "§[body.x]\nshape = { kind = \"sphere\", radius = 1 }"),
    ("E0217", "[body.x]\nmass = 1\ninertia = §[1, 1, 3]"),
    ("E0217", "[body.x]\nmass = 1\ninertia = §[1, 1, -1]"),
    ("E0218", "[body.x]\nmass = 1\nrotation = §[2, 0, 0, 0]"),
    ("E0218", "[body.x]\nmass = 1\nrotation = §{ x = [0, 0, 1], z = [0, 0, 2] }"),
    ("E0220", "[params]\nlength = 2\n[body.x]\nmass = \"${2 * §lenght}\""),
    ("E0220", "[params]\na = \"${§b + 1}\""),
    ("E0221", "[body.x]\nmass = \"${2 *§ }\""),
    ("E0221", "[body.x]\nmass = \"${§(1 + 2}\""),
    ("E0221", "[body.x]\nmass = \"${1 §2}\""),
    ("E0221", "[body.x]\nmass = \"${§sin}\""),
    ("E0222", "[body.x]\nmass = §\"${1/0}\""),
    ("E0222", "[body.x]\nmass = §\"${sqrt(-1)}\""),
    ("E0223", "[params]\na = §\"${b}\"\nb = \"${a}\""),
    ("E0225", "+[joint.j]\nkind = \"weld\"\na = \"ball\"\nb = §\"ball\""),
    (
        "E0205",
        "+[drive.d]\nkind = \"speed\"\njoint = \"pin\"\nvalue = { kind = \"smooth-step\", to = 1, start = 2, end = §1 }",
    ),
    ("E0228", "[run]\nintegrator = §\"rk5\""),
    (
        "E0302",
        "+[joint.§far]\nkind = \"distance\"\na = \"ground.A\"\nb = \"rod.to\"\nlength = 9\n[joint.weld]\nkind = \"weld\"\nb = \"rod\"",
    ),
    ("E0504", "[chain.x]\ncount = §1e18\nlength = 1\nlink = { mass = 1 }"),
    ("E0507", "[body.x]\nmass = §\"${LONG}\""),
];

fn text_of(marked: &str) -> String {
    let text = match marked.strip_prefix('+') {
        Some(rest) => format!("{BODIES}{rest}\n"),
        None => format!("{marked}\n"),
    };
    text.replace("LONG", &"1+".repeat(10_000))
}

fn refusal(text: &str) -> Option<LoadError> {
    match Loader::new().load_text("bad.toml", text) {
        Err(failed) => Some(failed),
        Ok(loaded) => loaded.build().err(),
    }
}

#[test]
fn bad_scenes_are_refused_at_their_place() {
    assert!(BAD.len() >= 60, "{}", BAD.len());
    let mut wrong = 0;
    for (code, marked) in BAD {
        let text = text_of(marked);
        let before = &text[..text.find('§').expect("a mark")];
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let text = text.replace('§', "");
        let Some(failed) = refusal(&text) else {
            println!("NOT REFUSED {code}: {marked}\n");
            wrong += 1;
            continue;
        };
        let first = &failed.report.all()[0];
        let place = first.span.and_then(|s| failed.sources.place(s)).map(|p| (p.line, p.column));
        if first.code.name() != *code || place != Some((line, column)) {
            println!("EXPECTED {code} at {line}:{column}\n{}\n", failed.render().chars().take(900).collect::<String>());
            wrong += 1;
        }
    }
    println!("{} bad scenes, {wrong} not as expected", BAD.len());
    assert_eq!(wrong, 0);
}

/// The message about a marked text, in full.
fn message(marked: &str) -> String {
    refusal(&text_of(marked)).expect("refused").render()
}

#[test]
fn messages_in_full() {
    assert_eq!(
        message("[body.x]\nmass = 1\nshape = { kind = \"box\", size = [1, 1, 1]\n[joint.j]\nkind = \"weld\""),
        "\
error[E0101]: a table is not closed
 --> bad.toml:3:9
  |
3 | shape = { kind = \"box\", size = [1, 1, 1]
  |         ^ opened here
  = help: add the closing `}`

"
    );
    assert_eq!(
        message("[body.x]\nat = [0, 0, ${L/2}]"),
        "\
error[E0101]: an expression must stand in quotes
 --> bad.toml:2:13
  |
2 | at = [0, 0, ${L/2}]
  |             ^
  = help: write it as  \"${L/2}\"

"
    );
    assert_eq!(
        message("[body.x]\nmass = 1,5"),
        "\
error[E0101]: there is something after the value
 --> bad.toml:2:9
  |
2 | mass = 1,5
  |         ^
  = help: a decimal point is a dot:  1.5

"
    );
    assert_eq!(
        message("+[joint.j]\nkind = \"revolute\"\nb = \"ball\"\naxis = [0.0, 0.0, 0.0]"),
        "\
error[E0214]: `axis` has zero length
  --> bad.toml:19:8
   |
19 | axis = [0.0, 0.0, 0.0]
   |        ^^^^^^^^^^^^^^^ length 0, must be greater than 1e-12
   = in: joint/j
   = help: for the vertical write  axis = [0, 0, 1]

"
    );
    assert_eq!(
        message("+[joint.j]\nkind = \"weld\"\na = \"rode\"\nb = \"ball\""),
        "\
error[E0210]: there is no body `rode`
  --> bad.toml:18:5
   |
18 | a = \"rode\"
   |     ^^^^^^ did you mean `rod`?
   = in: joint/j

"
    );
    assert_eq!(
        message("[chain.x]\ncount = 1e18\nlength = 1\nlink = { mass = 1 }"),
        "\
error[E0504]: bodies: 1000000000000000000 exceeds the limit of 2000000
 --> bad.toml:2:9
  |
2 | count = 1e18
  |         ^^^^ 1000000000000000000, the limit is 2000000
  = in: chain/x
  = help: --limit bodies=1000000000000000000 allows it

"
    );
    assert_eq!(
        message("+[joint.far]\nkind = \"distance\"\na = \"ground.A\"\nb = \"rod.to\"\nlength = 9"),
        "\
error[E0302]: the loop cannot be closed
  --> bad.toml:16:8
   |
16 | [joint.far]
   |        ^^^ joint `far`
   = in: joint/far
   = smallest reachable gap: 7.585786 (m or rad, limit 1e-9)
   = it contradicts: `pin`
   = help: check lengths and axes; if there is a pose that fits, start nearer to it

"
    );
    assert_eq!(
        message("[params]\nlength = 2\n[body.x]\nmass = \"${2 * lenght}\""),
        "\
error[E0220]: there is no parameter `lenght`
 --> bad.toml:4:15
  |
4 | mass = \"${2 * lenght}\"
  |               ^^^^^^ did you mean `length`?
  = in: body/x

"
    );
}
