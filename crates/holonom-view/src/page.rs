//! The page, built from `web/` by the build script.

/// The page as one HTML file.
pub const HTML: &str = include_str!(concat!(env!("OUT_DIR"), "/page.html"));
