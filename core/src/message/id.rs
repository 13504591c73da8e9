//! Names of things. Four types, so that a call's id is never taken for a record's.

use alloc::sync::Arc;
use core::fmt;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Takes the id as it is spelt.
            pub fn new(id: impl Into<Arc<str>>) -> Self {
                Self(id.into())
            }

            /// The id as it is spelt.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl From<&str> for $name {
            fn from(id: &str) -> Self {
                Self(Arc::from(id))
            }
        }
    };
}

id! {
    /// A record's id in the transcript (`uuid`).
    MessageId
}
id! {
    /// A tool call's id (`toolu_…`, `call_…`), which its result repeats.
    CallId
}
id! {
    /// A model response's id (`msg_…`, `chatcmpl-…`). All parts of one response share it.
    ResponseId
}
