//! A force law given as a function.

use super::{Force, Push};
use crate::catalogue::attach::{Attachment, View};

type Law = dyn Fn(&View, f64, &mut Push) + Send + Sync;

/// Your own force: a function of what is attached, and of time.
pub struct UserForce {
    attachments: Vec<Attachment>,
    law: Box<Law>,
}

impl UserForce {
    /// `law(attached, t, push)` is called once per evaluation; it pushes with [`Push::on`].
    pub fn new(
        attachments: impl Into<Vec<Attachment>>,
        law: impl Fn(&View, f64, &mut Push) + Send + Sync + 'static,
    ) -> Self {
        UserForce { attachments: attachments.into(), law: Box::new(law) }
    }
}

impl Force for UserForce {
    fn kind(&self) -> &'static str {
        "user force"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn apply(&self, a: &View, t: f64, push: &mut Push) {
        (self.law)(a, t, push);
    }
}
