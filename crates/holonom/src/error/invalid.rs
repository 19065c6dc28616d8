//! What is wrong with a parameter, and with which.

use std::fmt;

/// A parameter that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The field it speaks of, as in the declaration: `radius`; inside a table `curve.radius`, inside a list of tables
    /// `terms.1.factor`. Empty where it is the whole that is wrong.
    pub field: Box<str>,
    /// Which parameter, its value, what is allowed.
    pub reason: Box<str>,
    /// What sort of fault it is.
    pub fault: Fault,
    /// What stands at the place of the field: the value and what it must be. Empty where `reason` says it.
    pub label: Box<str>,
    /// What to do about it; empty where that is plain.
    pub help: Box<str>,
}

/// Sorts of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A parameter does not suit the others, or the kind as a whole.
    Unusable,
    /// A number is out of its range.
    Range,
    /// A list has the wrong number of elements.
    Length,
    /// Something is missing.
    Missing,
    /// Two things exclude each other.
    Exclusive,
    /// Both sides are one body.
    SameBody,
    /// A coordinate does not fit.
    Coordinate,
    /// A function, curve or surface does not fit.
    Function,
    /// A direction has no length.
    Direction,
}

impl Invalid {
    /// A parameter and what is wrong with it.
    pub fn new(field: impl Into<Box<str>>, reason: impl Into<Box<str>>) -> Self {
        let (label, help) = Default::default();
        Invalid { field: field.into(), reason: reason.into(), fault: Fault::Unusable, label, help }
    }

    /// Something is missing.
    pub fn missing(field: &str, reason: impl Into<Box<str>>) -> Self {
        Invalid { fault: Fault::Missing, ..Self::new(field, reason) }
    }

    /// The field itself is missing.
    pub fn not_given(field: &str) -> Self {
        Self::missing(field, format!("`{field}` is missing"))
    }

    /// Neither of two fields is there.
    pub fn neither(first: &str, second: &str) -> Self {
        Self::missing(first, format!("neither `{first}` nor `{second}` is given")).help("give at least one of them")
    }

    /// One field needs another.
    pub fn without(field: &str, other: &str) -> Self {
        Self::missing(field, format!("`{field}` without `{other}`"))
    }

    /// Two fields exclude each other; the first is the one to complain of.
    pub fn exclusive(field: &str, other: &str) -> Self {
        Self::new(field, format!("`{field}` and `{other}` exclude each other")).fault(Fault::Exclusive)
    }

    /// A number is out of its range; the label says which it is and what it must be.
    pub fn range(field: &str, label: impl Into<Box<str>>) -> Self {
        Self::new(field, format!("`{field}` is out of range")).fault(Fault::Range).label(label)
    }

    /// A list is too short.
    pub fn too_few(field: &str, n: usize, least: usize) -> Self {
        let invalid = Self::new(field, format!("`{field}` has too few elements")).fault(Fault::Length);
        invalid.label(format!("{n}, must be at least {least}"))
    }

    /// A list has the wrong number of elements.
    pub fn count(field: &str, n: usize, wanted: impl fmt::Display) -> Self {
        let invalid = Self::new(field, format!("`{field}` must have {wanted} elements")).fault(Fault::Length);
        invalid.label(format!("{n} elements"))
    }

    /// Of this sort.
    pub fn fault(self, fault: Fault) -> Self {
        Invalid { fault, ..self }
    }

    /// With these words at the place of the field.
    pub fn label(self, label: impl Into<Box<str>>) -> Self {
        Invalid { label: label.into(), ..self }
    }

    /// With this advice.
    pub fn help(self, help: impl Into<Box<str>>) -> Self {
        Invalid { help: help.into(), ..self }
    }

    /// The same, said of the table that stands in `field`.
    pub fn within(self, field: &str) -> Self {
        let inner = if self.field.is_empty() { field.to_string() } else { format!("{field}.{}", self.field) };
        Invalid { field: inner.into(), ..self }
    }

    /// The same with words in front of the reason.
    pub fn prefixed(self, words: &str) -> Self {
        Invalid { reason: format!("{words}{}", self.reason).into(), ..self }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Invalid {}

/// What is wrong with the whole.
impl From<String> for Invalid {
    fn from(reason: String) -> Self {
        Invalid::new("", reason)
    }
}

impl From<&str> for Invalid {
    fn from(reason: &str) -> Self {
        Invalid::new("", reason)
    }
}

/// `Err` of an [`Invalid`]: the field, and a reason as in `format!`.
macro_rules! refuse {
    ($field:expr, $($reason:tt)+) => {
        Err($crate::error::Invalid::new($field, format!($($reason)+)))
    };
}
pub(crate) use refuse;
