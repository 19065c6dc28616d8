//! The token: who knows it may use the page, nobody else may.
//!
//! 192 random bits, written as 48 hexadecimal digits. It stands in the address that the program prints, and from the
//! first visit on in a cookie.
//!
//! A token can be *kept* for a port: then a page that is open finds its program again after a restart. It lies in a
//! file that only its owner can read, `holonom/page-PORT.token` in the first of `$XDG_RUNTIME_DIR`, `$XDG_CACHE_HOME`,
//! `~/.cache`, `%LOCALAPPDATA%` that there is. A file that others could read or have put there is not used but
//! replaced. Where no file can be kept there is simply a new token.

use std::fmt;
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// Bytes of a token.
const BYTES: usize = 24;

/// A secret that opens the page.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new one, from the system's source of randomness.
    pub fn random() -> io::Result<Token> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes)
            .map_err(|e| io::Error::other(format!("the system gives no random numbers: {e}")))?;
        Ok(Token(bytes.iter().map(|b| format!("{b:02x}")).collect()))
    }

    /// The one kept for a port, or a new one that is kept from now on.
    pub fn kept(port: u16) -> io::Result<Token> {
        match folder() {
            Some(folder) => Token::kept_in(&folder, port),
            None => Token::random(),
        }
    }

    /// The same, in a folder of one's own choice.
    pub fn kept_in(folder: &Path, port: u16) -> io::Result<Token> {
        let path = folder.join(format!("page-{port}.token"));
        if let Some(token) = read(&path) {
            return Ok(token);
        }
        let token = Token::random()?;
        // a token that cannot be kept serves as well, until the program ends
        let _ = write(folder, &path, &token);
        Ok(token)
    }

    /// Its digits.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Is this it? Takes the same time wherever the first difference lies.
    pub fn matches(&self, given: &str) -> bool {
        let (a, b) = (self.0.as_bytes(), given.as_bytes());
        if a.len() != b.len() {
            return false;
        }
        let difference = a.iter().zip(b).fold(0, |d, (x, y)| std::hint::black_box(d | (x ^ y)));
        std::hint::black_box(difference) == 0
    }
}

/// A secret does not appear in messages.
impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

fn folder() -> Option<PathBuf> {
    let named = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute() && p.is_dir());
    let base = named("XDG_RUNTIME_DIR")
        .or_else(|| named("XDG_CACHE_HOME"))
        .or_else(|| named("HOME").map(|home| home.join(".cache")))
        .or_else(|| named("LOCALAPPDATA"))?;
    Some(base.join("holonom"))
}

/// A token from a file that is ours alone.
fn read(path: &Path) -> Option<Token> {
    let found = fs::symlink_metadata(path).ok()?;
    if !found.is_file() || !private(&found) {
        return None;
    }
    let mut text = String::new();
    fs::File::open(path).ok()?.take(2 * BYTES as u64 + 2).read_to_string(&mut text).ok()?;
    let text = text.trim_end();
    let sound = text.len() == 2 * BYTES && text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    sound.then(|| Token(text.to_string()))
}

/// Written whole and private under another name first, so that nobody ever reads half of it or opens it before it is
/// private.
fn write(folder: &Path, path: &Path, token: &Token) -> io::Result<()> {
    make_private_folder(folder)?;
    let draft = path.with_extension(format!("draft-{}", std::process::id()));
    let _ = fs::remove_file(&draft);
    let mut options = fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&draft)?;
    let written = file.write_all(token.0.as_bytes()).and_then(|()| file.sync_all());
    written.and_then(|()| fs::rename(&draft, path)).inspect_err(|_| {
        let _ = fs::remove_file(&draft);
    })
}

#[cfg(unix)]
fn private(found: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::mode(found) & 0o077 == 0
}

#[cfg(unix)]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// The user's own folders are private on other systems.
#[cfg(not(unix))]
fn private(_: &fs::Metadata) -> bool {
    true
}

#[cfg(not(unix))]
fn make_private_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("holonom-token-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn tokens_are_long_and_differ() {
        let (a, b) = (Token::random().expect("random"), Token::random().expect("random"));
        assert!(a.text().len() * 4 >= 128, "{} digits", a.text().len());
        assert_ne!(a.text(), b.text());
        assert!(a.matches(a.text()) && !a.matches(b.text()));
        assert!(!a.matches("") && !a.matches(&a.text()[..47]) && !a.matches(&format!("{}0", a.text())));
        assert!(!format!("{a:?}").contains(a.text()), "a secret is not shown");
    }

    #[test]
    fn a_kept_token_is_the_same_again_and_each_port_has_its_own() {
        let folder = scratch("kept");
        let first = Token::kept_in(&folder, 8080).expect("a token");
        assert_eq!(Token::kept_in(&folder, 8080).expect("a token"), first);
        assert_ne!(Token::kept_in(&folder, 8081).expect("a token"), first);
        let names: Vec<_> = fs::read_dir(&folder).expect("there").flatten().map(|e| e.file_name()).collect();
        assert_eq!(names.len(), 2, "no drafts are left: {names:?}");
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[cfg(unix)]
    #[test]
    fn a_token_that_others_could_know_is_replaced() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = scratch("open");
        let path = folder.join("page-1.token");
        let first = Token::kept_in(&folder, 1).expect("a token");
        let mode = |p: &Path| fs::metadata(p).expect("there").permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(&folder)), (0o600, 0o700));
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).expect("set");
        let second = Token::kept_in(&folder, 1).expect("a token");
        assert_ne!(second, first, "everybody could read it");
        assert_eq!(mode(&path), 0o600);
        // neither a link that somebody has put there, nor nonsense
        let elsewhere = folder.join("elsewhere");
        fs::rename(&path, &elsewhere).expect("moved");
        symlink(&elsewhere, &path).expect("linked");
        assert_ne!(Token::kept_in(&folder, 1).expect("a token"), second);
        assert_eq!(fs::read_to_string(&elsewhere).expect("there"), second.text(), "what it led to is untouched");
        for nonsense in ["", "abc", &"z".repeat(48), &"0".repeat(4000)] {
            fs::write(&path, nonsense).expect("written");
            let token = Token::kept_in(&folder, 1).expect("a token");
            assert!(token.text() != nonsense && token.text().len() == 48);
        }
        fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn where_nothing_can_be_kept_there_is_a_token_all_the_same() {
        let file = scratch("file");
        fs::write(&file, "").expect("written");
        let token = Token::kept_in(&file.join("below-a-file"), 1).expect("a token");
        assert_eq!(token.text().len(), 48);
        fs::remove_file(&file).expect("removed");
    }
}
