//! The page itself: one HTML file without any other, built from `web/` by the build script and carried in the program.
//!
//! Its scripts and styles stand in the file; the server names their hashes in the Content-Security-Policy, so that they
//! run and nothing else does.

include!(concat!(env!("OUT_DIR"), "/page_facts.rs"));

/// The page as one HTML file.
pub const HTML: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));

/// What to tell people whose build has no page: one sentence and a help.
pub const MISSING: (&str, &str) = (
    "this build carries no page: Node.js or the network was missing when it was made",
    "install Node.js 20 or newer with npm and build again; the build says in its warnings what it lacks",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_script_and_style_has_its_hash() {
        assert_eq!(HTML.matches("<style").count(), STYLES.len());
        assert!(!COMPLETE || !SCRIPTS.is_empty(), "the page does nothing");
        for hash in SCRIPTS.iter().chain(STYLES) {
            assert!(hash.starts_with("sha256-") && hash.len() == 7 + 44, "{hash}");
        }
    }

    #[test]
    fn nothing_comes_from_elsewhere() {
        for link in HTML.split("<link").skip(1) {
            assert!(link.split('>').next().is_some_and(|tag| tag.contains("href=\"data:")), "a file of its own");
        }
        for word in [" src=\"http", " href=\"http", "@import"] {
            assert!(!HTML.contains(word), "{word}");
        }
    }
}
