//! Identities. Newtypes in Rust, plain strings or numbers on the wire.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use ts_rs::TS;
use uuid::Uuid;

macro_rules! uuid_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
        #[serde(transparent)]
        #[ts(export, type = "string")]
        pub struct $name(pub Uuid);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}({})", stringify!($name), self.0)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;

            fn from_str(text: &str) -> Result<Self, Self::Err> {
                Uuid::parse_str(text).map(Self)
            }
        }
    };
}

macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS, JsonSchema)]
        #[serde(transparent)]
        #[ts(export, type = "string")]
        pub struct $name(pub String);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

uuid_id!(
    /// One turn: a UUIDv7 made when the person sends a message (T1).
    RequestId
);
uuid_id!(
    /// One conversation in a project.
    SessionId
);
uuid_id!(
    /// One folder the person opened.
    ProjectId
);

uuid_id!(
    /// One approval that a person keeps (A1).
    ApprovalId
);

uuid_id!(
    /// One message that waits to be sent (A9).
    QueuedId
);

/// The three ids that everything of a turn carries (T1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[ts(export)]
pub struct TurnIds {
    pub request_id: RequestId,
    pub session_id: SessionId,
    pub project_id: ProjectId,
}

/// The number of a tool phase in its turn, from 1.
pub type BatchId = u32;

text_id!(
    /// One tool call of a turn: the provider's id where it gave a usable, unused one, else one Orion made.
    CallId
);

text_id!(
    /// What a tool call asks for, whatever its id and the form of its arguments (D1): the tool's name and digits of a digest. Two calls with
    /// the same signature are the same call.
    Signature
);
