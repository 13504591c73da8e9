//! Session files: whole, or in pieces as they are read.

use palimpsest_core::inspect::Inspection;
use palimpsest_core::tokens::{Estimator, Profile};
use palimpsest_core::transcript::{Log, Reader, Session};
use palimpsest_core::unit::Tokens;
use palimpsest_core::window::Policy;
use wasm_bindgen::prelude::*;

use crate::convert::{Members, to_js};
use crate::error::{self, Result};
use crate::policy::chosen;

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r#"
/** How a file is to be inspected. */
export interface InspectOptions {
    /** The model's window in tokens; assumed from the file when it is not given. */
    window?: number | null;
    /** The policy whose lines are drawn: a name or an object. Default `palimpsest`. */
    policy?: string | Policy | null;
}
"#;

/// What the options come to.
#[derive(Debug)]
struct Frame {
    policy: Policy,
    window: Option<Tokens>,
}

impl Frame {
    fn of(options: &JsValue) -> Result<Self> {
        if options.is_undefined() || options.is_null() {
            return Ok(Self { policy: Policy::default(), window: None });
        }
        let options = Members::of(options, "bad-argument", "options")?.only(&["window", "policy"])?;
        let policy = chosen(options.get("policy").unwrap_or_default())?;
        Ok(Self { policy, window: options.maybe_tokens("window")? })
    }

    fn inspect(&self, log: &Log) -> Result<JsValue> {
        to_js(&Inspection::of(log, &Session::load(log), &self.policy, self.window))
    }
}

/// Adds up a session file given as one piece.
///
/// # Errors
/// `empty-file` and `not-a-session` say what is wrong with the bytes; `bad-argument`, `bad-policy` and
/// `unknown-policy` name the option.
#[wasm_bindgen(unchecked_return_type = "Inspection")]
pub fn inspect(
    bytes: &[u8],
    #[wasm_bindgen(unchecked_optional_param_type = "InspectOptions | null")] options: &JsValue,
) -> Result<JsValue> {
    let frame = Frame::of(options)?;
    frame.inspect(&Log::read(bytes).map_err(|found| error::read(&found))?)
}

/// Adds up a session file given piece by piece, so that a large one never has to be in memory twice.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Inspector {
    reader: Reader,
    frame: Frame,
}

#[wasm_bindgen]
impl Inspector {
    /// An inspector at the start of a file.
    ///
    /// # Errors
    /// As `inspect`, for the options.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "InspectOptions | null")] options: &JsValue,
    ) -> Result<Inspector> {
        Ok(Self { reader: Reader::new(), frame: Frame::of(options)? })
    }

    /// Takes the next bytes; a line or a character may be split between two pieces.
    pub fn push(&mut self, bytes: &[u8]) {
        self.reader.push(bytes);
    }

    /// How many bytes were taken in so far.
    #[wasm_bindgen(getter)]
    #[expect(clippy::cast_precision_loss, reason = "a file of 2^53 bytes is no session")]
    pub fn bytes(&self) -> f64 {
        self.reader.bytes().get() as f64
    }

    /// How many records were found so far.
    #[wasm_bindgen(getter)]
    pub fn records(&self) -> usize {
        self.reader.records()
    }

    /// Ends the file and adds it up. The inspector is used up.
    ///
    /// # Errors
    /// As `inspect`, for the bytes.
    #[wasm_bindgen(unchecked_return_type = "Inspection")]
    pub fn finish(self) -> Result<JsValue> {
        let log = self.reader.finish().map_err(|found| error::read(&found))?;
        self.frame.inspect(&log)
    }
}

/// About how many tokens a text costs, by `claude`'s weights or those of `o200k`.
///
/// # Errors
/// `bad-argument` for another profile.
#[wasm_bindgen(js_name = countTokens)]
#[expect(clippy::cast_precision_loss, reason = "a text has fewer than 2^53 tokens")]
pub fn count_tokens(
    text: &str,
    #[wasm_bindgen(unchecked_optional_param_type = "Profile | null")] profile: Option<String>,
) -> Result<f64> {
    let profile = match profile.as_deref() {
        None | Some("claude") => Profile::Claude,
        Some("o200k") => Profile::O200k,
        Some(other) => {
            let message = format!("profile {other:?}: there are claude and o200k");
            return Err(error::error("bad-argument", &message));
        }
    };
    Ok(Estimator::new(profile).text(text).get() as f64)
}
