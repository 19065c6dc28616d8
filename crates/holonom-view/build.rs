//! Builds the page.

fn main() {
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(format!("{out}/page.html"), "<!doctype html>").expect("OUT_DIR can be written to");
}
