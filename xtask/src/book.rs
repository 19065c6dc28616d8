//! The book of the site: the chapters in `docs/book` and the guides in `docs`, as pages with mechanisms in them that can be pulled. Fenced blocks that the chapters have beyond
//! usual Markdown:
//!
//! ```text
//! ```live NAME [SHOWN ...]      a scene of the gallery, live; the text is its caption; what is drawn besides: `reactions`, `labels`, ...
//! ```toml live NAME [SHOWN ...] a scene written out, which the reader may change and run
//! ```exercise NAME              a question about the live scene of this name on the same page, a field a line:
//!     ask: How many ...?           the question
//!     answer: doctor.mobility      what the engine is asked for the right number,   or
//!     check: doctor.mobility == 1  what must hold of the scene as the reader has made it (once or more)
//!     unit: N
//!     within: 2 %                  how far off an answer may be; otherwise 1 %
//!     known: 1                     the number that the tests enter and that the page must accept
//!     solution: size = 1 => size = 2   the change of the text that solves it, which the tests make (once or more)
//!     hint: ...
//!     because: ...                 what is said once it is solved
//! ```
//!
//! What can be asked for is told in `web/src/book/ask.ts`.

use crate::documents::{files, names, read};
use crate::markdown::{self, Links, escape};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The list of chapters, in their order.
const CONTENTS: &str = "docs/book/README.md";
const DOCS: &str = "docs";

/// One page of the book.
struct Chapter {
    /// From the root of the repository: `docs/book/joints.md`.
    source: String,
    /// From the folder of the book: `joints.html`, `guides/loops.html`.
    place: String,
    title: String,
    text: String,
    /// Part of the book that it stands in.
    part: String,
}

/// Everything that is to be written.
pub struct Book {
    chapters: Vec<Chapter>,
    scenes: BTreeSet<String>,
    /// Pictures of live scenes: `docs/images/gallery/crane.jpg`.
    posters: BTreeSet<String>,
}

/// Where a document is in the book.
fn place_of(source: &str) -> Option<String> {
    let inner = source.strip_prefix("docs/")?.strip_suffix(".md")?;
    Some(match inner.strip_prefix("book/") {
        Some("README") => "index.html".into(),
        Some(name) => format!("{name}.html"),
        None if inner == "README" => "guides/index.html".into(),
        None if inner.contains('/') => format!("{inner}.html"),
        None => format!("guides/{inner}.html"),
    })
}

fn title_of(text: &str) -> String {
    let first = text.lines().find_map(markdown::heading).map_or("", |(_, title)| title);
    markdown::plain(first)
}

/// Read all documents, those of the contents first.
pub fn load(root: &Path) -> Result<Book, String> {
    let contents = read(&root.join(CONTENTS))?;
    let mut chapters: Vec<Chapter> = Vec::new();
    let mut add = |source: String, part: &str| -> Result<(), String> {
        let text = read(&root.join(&source))?;
        let place = place_of(&source).ok_or_else(|| format!("{source} is no document of the book"))?;
        chapters.push(Chapter { title: title_of(&text), place, text, part: part.into(), source });
        Ok(())
    };
    add(CONTENTS.into(), "")?;
    let mut part = String::new();
    for line in contents.lines() {
        if let Some((2, title)) = markdown::heading(line) {
            part = title.into();
        }
        let listed = line.split("](").skip(1).filter_map(|l| l.split([')', '#']).next());
        for name in listed.filter(|name| name.ends_with(".md") && !name.contains('/')) {
            add(format!("docs/book/{name}"), &part)?;
        }
    }
    add(format!("{DOCS}/README.md"), "Guides and references")?;
    for path in files(&root.join(DOCS), "md")? {
        let source = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        if source.starts_with("docs/book/") || source == "docs/README.md" {
            continue;
        }
        add(source, "Guides and references")?;
    }
    let unlisted = names(&root.join("docs/book"))?.into_iter().filter(|n| n.ends_with(".md") && n != "README.md");
    let unlisted: Vec<String> =
        unlisted.filter(|n| chapters.iter().filter(|c| c.source == format!("docs/book/{n}")).count() != 1).collect();
    if !unlisted.is_empty() {
        return Err(format!("{CONTENTS} must list once: {}", unlisted.join(", ")));
    }
    let scenes =
        names(&root.join("scenes"))?.into_iter().filter_map(|n| Some(n.strip_suffix(".toml")?.to_string())).collect();
    let mut posters = BTreeSet::new();
    for folder in ["docs/images/gallery", "docs/images/book"] {
        posters.extend(names(&root.join(folder))?.into_iter().map(|name| format!("{folder}/{name}")));
    }
    Ok(Book { chapters, scenes, posters })
}

/// A path without `.` and `..`.
fn resolved(folder: &str, target: &str) -> String {
    let mut parts: Vec<String> = folder.split('/').filter(|p| !p.is_empty()).map(String::from).collect();
    for part in Path::new(target).components() {
        match part {
            Component::Normal(name) => parts.push(name.to_string_lossy().into_owned()),
            Component::ParentDir => {
                parts.pop();
            }
            _ => {}
        }
    }
    parts.join("/")
}

fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// What one page needs to know while it is written.
struct Page<'a> {
    book: &'a Book,
    chapter: &'a Chapter,
    anchors: &'a BTreeMap<String, Vec<String>>,
    /// Back to the folder of the book: empty or `../`.
    up: &'static str,
    images: BTreeSet<String>,
    /// Live scenes of this page.
    live: Vec<String>,
    errors: Vec<String>,
}

impl Page<'_> {
    fn complain(&mut self, what: &str) {
        self.errors.push(format!("{}: {what}", self.chapter.source));
    }

    /// A field of an exercise, said at most once; `check` may come again.
    fn exercise(&mut self, scene: &str, text: &str) -> String {
        let mut fields: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for line in text.lines().filter(|l| !l.trim().is_empty()) {
            match line.split_once(':') {
                Some((name, value)) => fields.entry(name.trim()).or_default().push(value.trim()),
                None => self.complain(&format!("an exercise with the line “{line}”")),
            }
        }
        const NAMES: [&str; 9] = ["ask", "answer", "check", "unit", "within", "known", "solution", "hint", "because"];
        for (name, values) in &fields {
            if !NAMES.contains(name) || (!["check", "solution"].contains(name) && values.len() > 1) {
                self.complain(&format!("an exercise with the field “{name}”"));
            }
        }
        if !self.live.iter().any(|l| l == scene) {
            self.complain(&format!("an exercise about “{scene}”, which is not live above it"));
        }
        let first = |name: &str| fields.get(name).map_or("", |v| v[0]);
        let number = !first("answer").is_empty();
        let proof = if number { first("known") } else { first("solution") };
        if first("ask").is_empty() || number == fields.contains_key("check") || proof.is_empty() {
            self.complain("an exercise needs `ask`, either `answer` with `known` or `check` with `solution`");
        }
        let question = markdown::html(first("ask"), self);
        let because = markdown::html(first("because"), self);
        let hint = if first("hint").is_empty() {
            String::new()
        } else {
            format!(
                "<details class=\"hint\"><summary>A hint</summary>{}</details>",
                markdown::html(first("hint"), self)
            )
        };
        let data: String = ["answer", "check", "unit", "within", "known", "solution"]
            .iter()
            .filter_map(|name| Some(format!(" data-{name}=\"{}\"", escape(&fields.get(name)?.join("\n")))))
            .collect();
        let unit = if first("unit").is_empty() {
            String::new()
        } else {
            format!("<span class=\"unit\">{}</span>", escape(first("unit")))
        };
        let entry = if number {
            format!(
                "<label class=\"entry\"><span class=\"visually-hidden\">Your answer</span><input inputmode=\"decimal\" autocomplete=\"off\" name=\"answer\">{unit}</label>"
            )
        } else {
            String::new()
        };
        let press = if number { "Check" } else { "Check the scene" };
        format!(
            "<form class=\"exercise\" data-scene=\"{}\"{data}><div class=\"ask\">{question}</div><div class=\"row\">{entry}<button class=\"button primary\">{press}</button>\
             <output aria-live=\"polite\"></output></div>{hint}<div class=\"because\" hidden>{because}</div></form>\n",
            escape(scene)
        )
    }

    /// A scene with room for a view of it; `text` where it is written out here.
    fn live_scene(&mut self, name: &str, shown: &[&str], text: Option<&str>, caption: &str) -> String {
        const SHOWN: [&str; 10] = [
            "reactions",
            "figures",
            "torques",
            "applied",
            "contacts",
            "velocities",
            "labels",
            "structure",
            "trails",
            "joints",
        ];
        if let Some(unknown) = shown.iter().find(|s| !SHOWN.contains(s)) {
            self.complain(&format!("nothing called “{unknown}” can be drawn"));
        }
        if self.live.iter().any(|l| l == name) {
            self.complain(&format!("“{name}” is live twice"));
        }
        self.live.push(name.into());
        if text.is_none() && !self.book.scenes.contains(name) {
            self.complain(&format!("no scene of the gallery is called “{name}”"));
        }
        let poster = if text.is_none() {
            format!("docs/images/gallery/{name}.jpg")
        } else {
            format!("docs/images/book/{name}.jpg")
        };
        let own = text.map(|t| format!("<details class=\"source\" open><summary>The scene; change it and press Run</summary><textarea spellcheck=\"false\" autocapitalize=\"off\" aria-label=\"Text of the scene {0}\" rows=\"{1}\">{2}</textarea><div class=\"row\"><button type=\"button\" class=\"button run\">Run</button><button type=\"button\" class=\"button restore\">As it was</button><output class=\"trouble\" aria-live=\"polite\"></output></div></details>", escape(name), t.lines().count().clamp(4, 22), escape(t)));
        let caption = markdown::html(caption, self);
        let poster = if self.book.posters.contains(&poster) {
            format!("<img class=\"poster\" src=\"{}\" alt=\"\" loading=\"lazy\">", escape(&self.image_at(&poster)))
        } else {
            String::new()
        };
        format!(
            "<figure class=\"live\" data-scene=\"{0}\" data-show=\"{4}\"{1}><div class=\"stage\">{2}<button type=\"button\" class=\"start\" aria-label=\"Start the mechanism {0}\">\
             <svg viewBox=\"0 0 16 16\" aria-hidden=\"true\"><path d=\"M4.5 2.8v10.4L13 8z\"/></svg></button></div><figcaption>{caption}</figcaption>{3}</figure>\n",
            escape(name),
            if text.is_some() { " data-own" } else { "" },
            poster,
            own.unwrap_or_default(),
            shown.join(" "),
        )
    }

    fn image_at(&mut self, source: &str) -> String {
        self.images.insert(source.to_string());
        format!("{}{}", self.up, source.trim_start_matches("docs/"))
    }
}

impl Links for Page<'_> {
    fn link(&mut self, target: &str) -> Option<String> {
        if target.contains("://") {
            return Some(target.into());
        }
        let (path, mark) = target.split_once('#').map_or((target, None), |(path, mark)| (path, Some(mark)));
        let source =
            if path.is_empty() { self.chapter.source.clone() } else { resolved(folder_of(&self.chapter.source), path) };
        // the page itself, opened on a scene
        if let Some(name) = source.strip_prefix("scenes/").and_then(|n| n.strip_suffix(".toml")) {
            return self.book.scenes.contains(name).then(|| format!("{}../index.html#scene={name}", self.up));
        }
        let Some(chapter) = self.book.chapters.iter().find(|c| c.source == source) else {
            if source.starts_with("docs/") && source.ends_with(".md") {
                self.complain(&format!("a link to {target}"));
            }
            return None;
        };
        if let Some(mark) = mark
            && !self.anchors[&chapter.source].iter().any(|a| a == mark)
        {
            self.complain(&format!("a link to {target}: there is no such heading"));
        }
        let mark = mark.map_or(String::new(), |mark| format!("#{mark}"));
        Some(if path.is_empty() { mark } else { format!("{}{}{mark}", self.up, chapter.place) })
    }

    fn image(&mut self, target: &str) -> String {
        let source = resolved(folder_of(&self.chapter.source), target);
        self.image_at(&source)
    }

    fn block(&mut self, info: &str, text: &str) -> Option<String> {
        match info.split_whitespace().collect::<Vec<_>>()[..] {
            ["live", name, ref shown @ ..] => Some(self.live_scene(name, shown, None, text)),
            ["toml", "live", name, ref shown @ ..] => Some(self.live_scene(name, shown, Some(text), "")),
            ["exercise", scene] => Some(self.exercise(scene, text)),
            _ => None,
        }
    }
}

/// The list of all chapters, beside each page.
fn contents(book: &Book, chapter: &Chapter, up: &str) -> String {
    let mut out = String::new();
    let mut part = "";
    for c in &book.chapters {
        if c.part != part {
            if !part.is_empty() {
                out.push_str("</ol>");
            }
            part = &c.part;
            out.push_str(&format!("<h2>{}</h2><ol>", escape(part)));
        }
        let here = if c.place == chapter.place { " aria-current=\"page\"" } else { "" };
        if part.is_empty() {
            out.push_str(&format!("<a class=\"home\" href=\"{up}{}\"{here}>The book</a>", c.place));
        } else {
            out.push_str(&format!("<li><a href=\"{up}{}\"{here}>{}</a></li>", c.place, escape(&c.title)));
        }
    }
    out + "</ol>"
}

fn page_html(book: &Book, number: usize, body: &str, up: &str) -> String {
    let chapter = &book.chapters[number];
    let title = escape(&chapter.title);
    let beside = |k: Option<usize>, class: &str, word: &str| {
        let c = k.and_then(|k| book.chapters.get(k)).filter(|c| !c.part.starts_with("Guides"));
        c.map_or(String::new(), |c| {
            format!("<a class=\"{class}\" href=\"{up}{}\"><small>{word}</small>{}</a>", c.place, escape(&c.title))
        })
    };
    let course = !chapter.part.starts_with("Guides");
    let turn = if course {
        beside(number.checked_sub(1), "before", "Before") + &beside(Some(number + 1), "next", "Next")
    } else {
        String::new()
    };
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; frame-src 'self'; connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'\">\n\
         <title>{title} · holonom</title>\n<link rel=\"icon\" href=\"data:,\">\n<link rel=\"stylesheet\" href=\"{up}book.css\">\n<script src=\"{up}book.js\" defer></script>\n</head>\n<body data-up=\"{up}../\">\n\
         <header class=\"bar\"><a class=\"word\" href=\"{up}../index.html\">holonom</a><details class=\"menu\"><summary>Contents</summary><nav aria-label=\"Contents, unfolded\">{0}</nav></details>\
         <a class=\"button\" href=\"{up}../index.html\">Workbench</a><button type=\"button\" class=\"button theme\" aria-label=\"Light or dark\">◐</button></header>\n\
         <nav class=\"contents\" aria-label=\"Contents\">{0}</nav>\n<main>\n{body}<nav class=\"turn\" aria-label=\"Chapters\">{turn}</nav></main>\n</body>\n</html>\n",
        contents(book, chapter, up),
    )
}

/// Write all pages and their pictures into a folder; the paths of all that was written, and of each page its live scenes. Every link, heading, scene and picture that a page
/// names must be there.
pub fn write(root: &Path, book: &Book, folder: &Path) -> Result<Vec<String>, String> {
    let anchors: BTreeMap<String, Vec<String>> =
        book.chapters.iter().map(|c| (c.source.clone(), markdown::anchors(&c.text))).collect();
    let (mut errors, mut images, mut written) = (Vec::new(), BTreeSet::new(), Vec::new());
    let put = |path: PathBuf, content: &[u8]| -> Result<(), String> {
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&path, content))
            .map_err(|e| format!("{}: {e}", path.display()))
    };
    for (number, chapter) in book.chapters.iter().enumerate() {
        let up = if chapter.place.contains('/') { "../" } else { "" };
        let mut page = Page {
            book,
            chapter,
            anchors: &anchors,
            up,
            images: BTreeSet::new(),
            live: Vec::new(),
            errors: Vec::new(),
        };
        let body = markdown::html(&chapter.text, &mut page);
        errors.append(&mut page.errors);
        images.append(&mut page.images);
        put(folder.join(&chapter.place), page_html(book, number, &body, up).as_bytes())?;
        written.push(chapter.place.clone());
    }
    for image in images {
        match fs::read(root.join(&image)) {
            Ok(bytes) => {
                let place = image.trim_start_matches("docs/").to_string();
                put(folder.join(&place), &bytes)?;
                written.push(place);
            }
            Err(e) => errors.push(format!("{image}: {e}")),
        }
    }
    if errors.is_empty() { Ok(written) } else { Err(errors.join("\n")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
    }

    #[test]
    fn places() {
        assert_eq!(place_of("docs/book/README.md").as_deref(), Some("index.html"));
        assert_eq!(place_of("docs/book/faq.md").as_deref(), Some("faq.html"));
        assert_eq!(place_of("docs/loops.md").as_deref(), Some("guides/loops.html"));
        assert_eq!(place_of("docs/derivations/loops.md").as_deref(), Some("derivations/loops.html"));
        assert_eq!(place_of("README.md"), None);
        assert_eq!(resolved("docs/book", "../../scenes/crane.toml"), "scenes/crane.toml");
    }

    /// Every link, anchor, scene and picture of the book is there, and no page is left out of the contents.
    #[test]
    fn all_of_it_can_be_written() {
        let book = load(&root()).unwrap();
        let folder = std::env::temp_dir().join(format!("holonom-book-{}", std::process::id()));
        let written = write(&root(), &book, &folder).unwrap();
        assert!(
            written.iter().any(|w| w == "first-mechanism.html") && written.iter().any(|w| w == "guides/loops.html")
        );
        for page in written.iter().filter(|w| w.ends_with(".html")) {
            let html = fs::read_to_string(folder.join(page)).unwrap();
            for address in html.split("href=\"").chain(html.split("src=\"")).skip(1).filter_map(|l| l.split('"').next())
            {
                let path = address.split('#').next().unwrap_or("");
                let up = path.trim_start_matches("../");
                let elsewhere = path.is_empty()
                    || address.contains("://")
                    || address.starts_with("data:")
                    || up == "index.html"
                    || up == "book.css"
                    || up == "book.js";
                if elsewhere || path.starts_with('<') {
                    continue;
                }
                let there = folder.join(resolved(folder_of(page), path));
                assert!(there.exists(), "{page}: {address}");
            }
        }
        fs::remove_dir_all(&folder).unwrap();
    }

    /// What an author gets wrong is told, with the name of the page.
    #[test]
    fn mistakes_are_told() {
        let chapter = |text: &str| Chapter {
            source: "docs/book/a.md".into(),
            place: "a.html".into(),
            title: "A".into(),
            text: text.into(),
            part: "P".into(),
        };
        let told = |text: &str| {
            let book =
                Book { chapters: vec![chapter(text)], scenes: ["crane".to_string()].into(), posters: BTreeSet::new() };
            let folder = std::env::temp_dir().join(format!("holonom-book-bad-{}", std::process::id()));
            let result = write(&root(), &book, &folder);
            let _ = fs::remove_dir_all(&folder);
            result.err().unwrap_or_default()
        };
        assert_eq!(told("# A\n\n[x](../../scenes/crane.toml) [y](#a)"), "");
        assert!(told("[x](b.md)").contains("docs/book/a.md: a link to b.md"));
        assert!(told("# A\n\n[x](#b)").contains("no such heading"));
        assert!(told("```live crne\n```").contains("no scene of the gallery"));
        assert!(told("```exercise crane\nask: ?\nanswer: doctor.mobility\nknown: 1\n```").contains("not live"));
        assert!(told("```toml live a\n```\n```exercise a\nask: ?\nanswer: x\n```").contains("needs `ask`"));
        assert!(told("![x](../images/none.png)").contains("docs/images/none.png"));
    }
}
