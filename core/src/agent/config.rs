//! What a session is made of.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::message::RawJson;
use crate::message::json::string;
use crate::unit::Tokens;
use crate::window::{Policy, PolicyError};

/// A tool the host runs.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name, as the model calls it.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// The JSON schema of its input.
    pub input_schema: RawJson,
    /// It changes nothing.
    pub read_only: bool,
    /// It may run beside others of its round; the default is one after another.
    pub concurrent: bool,
}

impl ToolSpec {
    /// The tool as it stands in a request.
    pub fn schema(&self) -> RawJson {
        RawJson::written(alloc::format!(
            r#"{{"name":{},"description":{},"input_schema":{}}}"#,
            string(&self.name),
            string(&self.description),
            self.input_schema.as_str()
        ))
    }
}

/// What a session starts with.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// When the tiers act, and all other numbers.
    pub policy: Policy,
    /// The model's name.
    pub model: String,
    /// The session's id, from the host: record ids are derived from it.
    pub session_id: String,
    /// Identity and environment, one block each.
    pub system: Vec<String>,
    /// The tools the host runs.
    pub tools: Vec<ToolSpec>,
    /// Instruction files (AGENTS.md, CLAUDE.md), prepended to every call and never stored.
    pub instructions: Option<String>,
    /// The memory index file.
    pub memory_index: Option<String>,
    /// The thinking budget; `None` turns thinking off.
    pub thinking: Option<Tokens>,
}

/// Why a session cannot start.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum ConfigError {
    /// Numbers of the policy that cannot work.
    Policy(Vec<PolicyError>),
    /// Two tools have one name.
    DuplicateTool(String),
    /// A tool's name that providers refuse.
    ToolName(String),
    /// No session id.
    NoSessionId,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Policy(errors) => {
                for (at, error) in errors.iter().enumerate() {
                    if at > 0 {
                        f.write_str("; ")?;
                    }
                    write!(f, "{error}")?;
                }
                Ok(())
            }
            Self::DuplicateTool(name) => write!(f, "two tools are named {name:?}; rename one"),
            Self::ToolName(name) => {
                write!(f, "tool name {name:?}: use 1 to 128 letters, digits, `_` or `-`")
            }
            Self::NoSessionId => f.write_str("the session id is empty; record ids are made from it"),
        }
    }
}

impl core::error::Error for ConfigError {}

impl Config {
    /// A session without tools, instructions or memory.
    pub fn new(session_id: &str, model: &str, policy: Policy) -> Self {
        Self {
            policy,
            model: model.into(),
            session_id: session_id.into(),
            system: Vec::new(),
            tools: Vec::new(),
            instructions: None,
            memory_index: None,
            thinking: None,
        }
    }

    /// Checks what can be checked before anything is sent.
    ///
    /// # Errors
    /// Names the field or tool.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.policy.validate().map_err(ConfigError::Policy)?;
        if self.session_id.trim().is_empty() {
            return Err(ConfigError::NoSessionId);
        }
        let mut names: Vec<&str> = Vec::new();
        for tool in &self.tools {
            let valid = tool.name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'));
            if tool.name.is_empty() || tool.name.len() > 128 || !valid {
                return Err(ConfigError::ToolName(tool.name.clone()));
            }
            if names.contains(&tool.name.as_str()) {
                return Err(ConfigError::DuplicateTool(tool.name.clone()));
            }
            names.push(&tool.name);
        }
        Ok(())
    }
}
