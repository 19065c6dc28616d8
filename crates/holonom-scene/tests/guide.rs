//! Every scene in the guide can be built, and every part of one is TOML.

use holonom_scene::{Limits, Loader, Report};

#[test]
fn the_scenes_of_the_guide_can_be_built() {
    let guide = include_str!("../../../docs/scenes.md");
    let mut whole = 0;
    for block in guide.split("\n```toml").skip(1) {
        let (label, rest) = block.split_once('\n').expect("a block");
        let text = rest.split("\n```").next().expect("the end of a block");
        if label.trim() == "part" {
            let mut report = Report::new();
            holonom_scene::node::parse_toml(text, 0, &Limits::default(), &mut report);
            assert!(!report.has_errors(), "{text}");
            continue;
        }
        let loaded = Loader::new().load_text("guide.toml", text).unwrap_or_else(|f| panic!("{}", f.render()));
        assert!(loaded.report.all().is_empty(), "{}", loaded.report.render(&loaded.sources));
        loaded.build().unwrap_or_else(|f| panic!("{}", f.render()));
        assert_eq!(holonom_scene::write::formatted(text).as_deref().ok(), Some(format!("{text}\n").as_str()));
        whole += 1;
    }
    assert!(whole >= 7, "{whole} scenes found");
}
