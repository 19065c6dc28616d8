//! Markdown as the documents of this repository are written in it, turned into HTML: headings, paragraphs, lists, tables, fenced code, quotes, images, links, emphasis. Every
//! heading has the anchor that it has on the usual hosts, and no markup of the text passes through: what looks like a tag is shown as text.

use std::collections::HashMap;

/// What a page wants to be asked about: where links lead, and what fenced blocks of its own become.
pub trait Links {
    /// The address that a link of the text leads to; `None` where it leads to nothing that a reader of the site has.
    fn link(&mut self, target: &str) -> Option<String>;
    /// The address of a picture.
    fn image(&mut self, target: &str) -> String;
    /// The HTML of a fenced block, where it is not just code: what stands behind the fence, and its text.
    fn block(&mut self, info: &str, text: &str) -> Option<String>;
}

/// Text for HTML, in attributes too.
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// The anchor of a heading: lower case, words joined by hyphens.
pub fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The anchors of all headings of a text, and of lines that begin with a name of their own, in order; a heading that comes again is numbered.
pub fn anchors(text: &str) -> Vec<String> {
    let mut seen = HashMap::new();
    let mut code = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            code = !code;
        } else if let (false, Some((_, title))) = (code, heading(line)) {
            found.push(numbered(anchor(&plain(title)), &mut seen));
        } else if let (false, Some((name, _))) = (code, named_place(line)) {
            found.push(name.into());
        }
    }
    found
}

fn numbered(name: String, seen: &mut HashMap<String, usize>) -> String {
    let count = seen.entry(name.clone()).or_insert(0);
    *count += 1;
    if *count == 1 { name } else { format!("{name}-{}", *count - 1) }
}

/// Level and text of a heading.
pub fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let title = line[level..].strip_prefix(' ')?;
    (1..=6).contains(&level).then_some((level, title.trim()))
}

/// Text without the signs of links, code and emphasis.
pub fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(open) = rest.find('[') {
        let Some((label, _, after)) = link_at(&rest[open..]) else { break };
        out.push_str(&rest[..open]);
        out.push_str(label);
        rest = after;
    }
    out.push_str(rest);
    out.replace(['`', '*'], "")
}

/// A whole text as HTML.
pub fn html(text: &str, links: &mut dyn Links) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut writer = Writer { links, seen: HashMap::new(), out: String::new() };
    writer.blocks(&lines);
    writer.out
}

struct Writer<'a> {
    links: &'a mut dyn Links,
    seen: HashMap<String, usize>,
    out: String,
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// How far the text of an item of a list stands in, and whether items are numbered.
fn item(line: &str) -> Option<(usize, bool)> {
    let text = line.trim_start_matches(' ');
    let sign = if text.starts_with("- ") || text.starts_with("* ") {
        1
    } else {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        if !(1..=3).contains(&digits) || !text[digits..].starts_with(". ") {
            return None;
        }
        digits + 1
    };
    let space = text[sign..].len() - text[sign..].trim_start_matches(' ').len();
    Some((indent(line) + sign + space, sign > 1))
}

fn divider(line: &str) -> bool {
    line.contains("--") && line.trim().chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// Does a line begin something that is not a paragraph?
fn begins(line: &str) -> bool {
    line.trim_start().starts_with("```")
        || heading(line).is_some()
        || item(line).is_some()
        || line.starts_with('|')
        || line.starts_with('>')
}

impl Writer<'_> {
    fn blocks(&mut self, lines: &[&str]) {
        let mut k = 0;
        while k < lines.len() {
            let line = lines[k];
            k += if line.trim().is_empty() {
                1
            } else if line.trim_start().starts_with("```") {
                self.fence(&lines[k..])
            } else if let Some((level, title)) = heading(line) {
                let name = numbered(anchor(&plain(title)), &mut self.seen);
                let title = self.inline(title);
                self.out.push_str(&format!("<h{level} id=\"{name}\">{title}</h{level}>\n"));
                1
            } else if line.starts_with("<!--") {
                1 + lines[k..].iter().position(|l| l.contains("-->")).unwrap_or(0)
            } else if line.starts_with('|') && lines.get(k + 1).is_some_and(|l| divider(l)) {
                self.table(&lines[k..])
            } else if line.starts_with('>') {
                self.quote(&lines[k..])
            } else if item(line).is_some() {
                self.list(&lines[k..])
            } else if line.starts_with("    ") {
                self.indented(&lines[k..])
            } else if line.trim() == "---" {
                self.out.push_str("<hr>\n");
                1
            } else {
                self.paragraph(&lines[k..])
            };
        }
    }

    fn fence(&mut self, lines: &[&str]) -> usize {
        let inset = indent(lines[0]);
        let info = lines[0].trim_start().trim_start_matches('`').trim();
        let end = lines[1..].iter().position(|l| l.trim_start().starts_with("```")).map_or(lines.len(), |n| n + 1);
        let body: Vec<&str> = lines[1..end].iter().map(|l| &l[inset.min(indent(l))..]).collect();
        if let Some(made) = self.links.block(info, &body.join("\n")) {
            self.out.push_str(&made);
            return end + 1;
        }
        // what begins with `# ` in a program is for the compiler, not for readers
        let rust = info.starts_with("rust");
        let shown: Vec<&str> = body.into_iter().filter(|l| !(rust && (l.starts_with("# ") || *l == "#"))).collect();
        let language = info.split([' ', ',']).next().unwrap_or("");
        let text = escape(&shown.join("\n"));
        self.out.push_str(&format!("<pre tabindex=\"0\"><code class=\"{}\">{text}</code></pre>\n", escape(language)));
        end + 1
    }

    fn indented(&mut self, lines: &[&str]) -> usize {
        let n = lines.iter().position(|l| !l.starts_with("    ")).unwrap_or(lines.len());
        let text: Vec<&str> = lines[..n].iter().map(|l| &l[4..]).collect();
        self.out.push_str(&format!("<pre tabindex=\"0\"><code>{}</code></pre>\n", escape(&text.join("\n"))));
        n
    }

    fn quote(&mut self, lines: &[&str]) -> usize {
        let n = lines.iter().position(|l| !l.starts_with('>')).unwrap_or(lines.len());
        let inner: Vec<&str> = lines[..n].iter().map(|l| l[1..].strip_prefix(' ').unwrap_or(&l[1..])).collect();
        self.out.push_str("<aside class=\"note\">\n");
        self.blocks(&inner);
        self.out.push_str("</aside>\n");
        n
    }

    fn list(&mut self, lines: &[&str]) -> usize {
        let Some((_, ordered)) = item(lines[0]) else { return 1 };
        let base = indent(lines[0]);
        let tag = if ordered { "ol" } else { "ul" };
        self.out.push_str(&format!("<{tag}>\n"));
        let mut k = 0;
        while k < lines.len() && indent(lines[k]) == base && item(lines[k]).is_some_and(|(_, o)| o == ordered) {
            let (inset, _) = item(lines[k]).unwrap_or((base + 2, ordered));
            let mut inner = vec![&lines[k][inset..]];
            k += 1;
            while k < lines.len() {
                let blank = lines[k].trim().is_empty();
                let goes_on =
                    indent(lines[k]) > base || (!blank && !lines[k - 1].trim().is_empty() && !begins(lines[k]));
                // a blank line belongs to the item if what comes after it does
                let kept = if blank { lines.get(k + 1).is_some_and(|l| indent(l) > base) } else { goes_on };
                if !kept {
                    break;
                }
                inner.push(&lines[k][inset.min(indent(lines[k]))..]);
                k += 1;
            }
            self.out.push_str("<li>");
            let paragraphs = inner.iter().any(|l| l.trim().is_empty());
            let at = self.out.len();
            self.blocks(&inner);
            if !paragraphs && self.out[at..].starts_with("<p>") {
                let made = self.out.split_off(at);
                self.out.push_str(&made.replacen("<p>", "", 1).replacen("</p>", "", 1));
            }
            self.out.push_str("</li>\n");
            // items may stand apart
            if k + 1 < lines.len()
                && lines[k].trim().is_empty()
                && item(lines[k + 1]).is_some_and(|(_, o)| o == ordered)
            {
                k += 1;
            }
        }
        self.out.push_str(&format!("</{tag}>\n"));
        k.max(1)
    }

    fn table(&mut self, lines: &[&str]) -> usize {
        let n = lines.iter().position(|l| !l.starts_with('|')).unwrap_or(lines.len());
        let right: Vec<bool> = cells(lines[1]).iter().map(|c| c.ends_with(':')).collect();
        let row = |writer: &mut Self, line: &str, tag: &str| {
            writer.out.push_str("<tr>");
            for (k, cell) in cells(line).iter().enumerate() {
                let align = if right.get(k) == Some(&true) { " class=\"right\"" } else { "" };
                let text = writer.inline(cell);
                writer.out.push_str(&format!("<{tag}{align}>{text}</{tag}>"));
            }
            writer.out.push_str("</tr>\n");
        };
        self.out.push_str("<div class=\"table\" tabindex=\"0\"><table>\n");
        if cells(lines[0]).iter().any(|c| !c.is_empty()) {
            self.out.push_str("<thead>");
            row(self, lines[0], "th");
            self.out.push_str("</thead>");
        }
        self.out.push_str("<tbody>\n");
        for line in &lines[2..n] {
            row(self, line, "td");
        }
        self.out.push_str("</tbody></table></div>\n");
        n
    }

    fn paragraph(&mut self, lines: &[&str]) -> usize {
        let n = 1 + lines[1..].iter().position(|l| l.trim().is_empty() || begins(l)).unwrap_or(lines.len() - 1);
        let text: Vec<&str> = lines[..n].iter().map(|l| l.trim()).collect();
        let text = self.inline(&text.join("\n"));
        self.out.push_str(&format!("<p>{text}</p>\n"));
        n
    }

    fn inline(&mut self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        let mut open: Vec<&str> = Vec::new();
        while let Some(c) = rest.chars().next() {
            if c == '`' {
                let ticks = rest.bytes().take_while(|b| *b == b'`').count();
                let fence = &rest[..ticks];
                if let Some(end) = rest[ticks..].find(fence) {
                    out.push_str(&format!("<code>{}</code>", escape(rest[ticks..ticks + end].trim())));
                    rest = &rest[2 * ticks + end..];
                    continue;
                }
            }
            // the two tags that Markdown has no sign for
            if let Some(after) = rest.strip_prefix("<br>") {
                out.push_str("<br>");
                rest = after;
                continue;
            }
            if let Some((name, after)) = named_place(rest) {
                out.push_str(&format!("<a id=\"{}\"></a>", escape(name)));
                rest = after;
                continue;
            }
            if let Some((label, target, after)) = rest.strip_prefix('!').and_then(link_at) {
                let (address, label) = (escape(&self.links.image(target)), escape(label));
                out.push_str(&format!("<img src=\"{address}\" alt=\"{label}\" loading=\"lazy\">"));
                rest = after;
                continue;
            }
            if let Some((label, target, after)) = link_at(rest) {
                let shown = self.inline(label);
                match self.links.link(target) {
                    Some(address) => out.push_str(&format!("<a href=\"{}\">{shown}</a>", escape(&address))),
                    None => out.push_str(&shown),
                }
                rest = after;
                continue;
            }
            if let Some((sign, tag)) =
                [("**", "strong"), ("*", "em")].into_iter().find(|(sign, _)| rest.starts_with(sign))
            {
                let after = &rest[sign.len()..];
                if open.last() == Some(&sign) {
                    open.pop();
                    out.push_str(&format!("</{tag}>"));
                    rest = after;
                    continue;
                }
                let begins = after.chars().next().is_some_and(|c| !c.is_whitespace()) && after.contains(sign);
                let alone = out.chars().last().is_none_or(|c| !c.is_alphanumeric());
                if begins && alone && !open.contains(&sign) {
                    open.push(sign);
                    out.push_str(&format!("<{tag}>"));
                    rest = after;
                    continue;
                }
            }
            if let Some(escaped) =
                rest.strip_prefix('\\').and_then(|r| r.chars().next()).filter(char::is_ascii_punctuation)
            {
                out.push_str(&escape(&escaped.to_string()));
                rest = &rest[2..];
                continue;
            }
            out.push_str(&escape(&rest[..c.len_utf8()]));
            rest = &rest[c.len_utf8()..];
        }
        for sign in open.iter().rev() {
            out.push_str(if *sign == "*" { "</em>" } else { "</strong>" });
        }
        out
    }
}

/// A place with a name of its own, `<a id="name"></a>`: the name, and what comes after it.
fn named_place(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix("<a id=\"")?.split_once("\"></a>").filter(|(name, _)| !name.contains('"'))
}

/// Cells of a row: bars in code and behind a backslash are text.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|');
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let (mut found, mut cell, mut code) = (Vec::new(), String::new(), false);
    let mut letters = inner.chars().peekable();
    while let Some(c) = letters.next() {
        match c {
            '\\' if letters.peek() == Some(&'|') => {
                cell.push('|');
                letters.next();
            }
            '|' if !code => found.push(std::mem::take(&mut cell).trim().to_string()),
            c => {
                code ^= c == '`';
                cell.push(c);
            }
        }
    }
    found.push(cell.trim().to_string());
    found
}

/// The link that a text begins with: its label, its target, and what comes after it.
fn link_at(text: &str) -> Option<(&str, &str, &str)> {
    let inner = text.strip_prefix('[')?;
    let (mut depth, mut code) = (1, false);
    let end = inner.char_indices().find_map(|(k, c)| {
        code ^= c == '`';
        depth += if code { 0 } else { i32::from(c == '[') - i32::from(c == ']') };
        (depth == 0).then_some(k)
    })?;
    let target = inner[end + 1..].strip_prefix('(')?;
    let close = target.find(')')?;
    Some((&inner[..end], target[..close].trim(), &target[close + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Plain;

    impl Links for Plain {
        fn link(&mut self, target: &str) -> Option<String> {
            (target != "gone").then(|| target.replace(".md", ".html"))
        }
        fn image(&mut self, target: &str) -> String {
            target.into()
        }
        fn block(&mut self, info: &str, text: &str) -> Option<String> {
            (info == "live").then(|| format!("<live>{text}</live>\n"))
        }
    }

    fn made(text: &str) -> String {
        html(text, &mut Plain)
    }

    #[test]
    fn words() {
        assert_eq!(made("a *b* **c** `d<e` f"), "<p>a <em>b</em> <strong>c</strong> <code>d&lt;e</code> f</p>\n");
        assert_eq!(made("2 * 3 * 4 and x_i"), "<p>2 * 3 * 4 and x_i</p>\n");
        assert_eq!(
            made("see [the `x` page](a.md#b), [no](gone)"),
            "<p>see <a href=\"a.html#b\">the <code>x</code> page</a>, no</p>\n"
        );
        assert_eq!(made("<script>alert(1)</script>"), "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n");
        assert_eq!(made("![a \"b\"](c.png)"), "<p><img src=\"c.png\" alt=\"a &quot;b&quot;\" loading=\"lazy\"></p>\n");
    }

    #[test]
    fn blocks() {
        assert_eq!(
            made("# A b\n\ntext\nmore\n## A b"),
            "<h1 id=\"a-b\">A b</h1>\n<p>text\nmore</p>\n<h2 id=\"a-b-1\">A b</h2>\n"
        );
        assert_eq!(
            made("- one\n  two\n- three\n  - four\n\nfive"),
            "<ul>\n<li>one\ntwo\n</li>\n<li>three\n<ul>\n<li>four\n</li>\n</ul>\n</li>\n</ul>\n<p>five</p>\n"
        );
        assert_eq!(made("1. a\n\n2. b"), "<ol>\n<li>a\n</li>\n<li>b\n</li>\n</ol>\n");
        let table = made("| a | b |\n|---|--:|\n| `x|y` | 1 |");
        assert!(table.contains("<td><code>x|y</code></td><td class=\"right\">1</td>"), "{table}");
        assert!(made("```rust\n# hidden\nshown();\n```").contains("<code class=\"rust\">shown();</code>"));
        assert_eq!(made("```live\nx\n```\n"), "<live>x</live>\n");
        assert_eq!(made("```text\n# not a heading\n```").matches("<h1").count(), 0);
    }

    #[test]
    fn anchors_are_those_of_the_headings() {
        assert_eq!(
            anchors("# `holonom run`\n## Modes, [ik](x.md)\n```\n# no\n```\n# `holonom run`"),
            ["holonom-run", "modes-ik", "holonom-run-1"]
        );
    }
}
