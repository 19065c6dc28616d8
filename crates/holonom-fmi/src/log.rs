//! Messages to the importing tool.

use std::ffi::{CString, c_char, c_int, c_void};

/// What a call came to, as both versions of the standard number it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum Status {
    /// All is well.
    Ok = 0,
    /// Some numbers could not be computed.
    Warning = 1,
    /// Refused for now.
    Discard = 2,
    /// Refused, or the unit cannot go on.
    Error = 3,
}

/// The logger of version 3.0.
pub type Logger3 = unsafe extern "C" fn(*mut c_void, c_int, *const c_char, *const c_char);
/// The logger of version 2.0: the message is a format, as of `printf`.
pub type Logger2 = unsafe extern "C" fn(*mut c_void, *const c_char, c_int, *const c_char, *const c_char, ...);

/// Where messages go.
pub enum Logger {
    /// To a tool of version 3.0.
    Three(Option<Logger3>, *mut c_void),
    /// To a tool of version 2.0, under the name of the instance.
    Two(Option<Logger2>, *mut c_void, CString),
}

/// Texts of the importing tool hold no zeros.
pub fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

/// A message as a format without arguments. It is not the argument of `%s`, because some tools show formats as they
/// are. In formats of the standard, `#` begins the name of a variable.
fn format_of(message: &str) -> CString {
    c_text(&message.replace('%', "%%").replace('#', "##"))
}

impl Logger {
    /// Say something. The category is one of those of the model description.
    pub fn say(&self, status: Status, category: &str, message: &str) {
        let category = c_text(category);
        match self {
            // SAFETY: the importing tool gave this function, of this type, with this environment, and the texts end in
            // zeros
            Logger::Three(Some(f), environment) => unsafe {
                f(*environment, status as c_int, category.as_ptr(), c_text(message).as_ptr());
            },
            // SAFETY: as above; nothing in the message is read as a place for arguments, of which there are none
            Logger::Two(Some(f), environment, name) => unsafe {
                f(*environment, name.as_ptr(), status as c_int, category.as_ptr(), format_of(message).as_ptr());
            },
            Logger::Three(None, _) | Logger::Two(None, ..) => {}
        }
    }
}
