//! What a tokeniser sees of a text, one character at a time.
//!
//! ```text
//! "  let userId = 42;\n"
//!    │   │   └ starts a hump         each character names a few features of itself and of
//!    │   └ 2nd letter of a word      the characters to its LEFT: what it opens or continues,
//!    └ starts a word after a space   how far into the run it is, which n-gram it completes
//! ```
//!
//! Features look to the left only, and each has a weight that is never negative ([`super::weights`]). So a text's
//! cost can only grow as it is appended to, and two texts joined cost what they cost apart but for the few
//! characters at the seam (invariant A7).
//!
//! The runs are those that byte-pair tokenisers cut a text into before merging: a word with the space before it, a
//! hump of a camelCase name, up to three digits, a run of punctuation, a run of blanks, a line end.

/// Features by kind of character, place in its run and what opened it.
pub(super) const FIXED: usize = 192;
/// Buckets of hashed n-grams of Latin letters, punctuation and blanks.
const LATIN: usize = 4096;
/// Buckets of hashed n-grams of other scripts and symbols.
const OTHER: usize = 2048;
/// All n-gram buckets; their features follow the fixed ones.
pub(super) const BUCKETS: usize = LATIN + OTHER;

// Fixed features: the first of each group.
const WORD_START: usize = 0; // × Opening × (lower, upper)
const WORD_LETTER: usize = 8; // × place in the word, from the second letter
const WORD_UPPER: usize = 24; // an upper-case letter within a word
const WORD_ACCENTED: usize = 25; // a Latin letter beyond ASCII
const DIGIT: usize = 28; // × place in the group of three × after a blank
const PUNCT_START: usize = 36; // × Opening
const PUNCT_MORE: usize = 40; // × place in the run
const PUNCT_SAME: usize = 48; // × place in the run, same as the character before
const BLANK: usize = 56; // × place in the run
const INDENT: usize = 72; // × place in the run, at a line's start
const TAB: usize = 88; // × (first, more)
const NEWLINE: usize = 90; // × (after text, after a blank, first after a line end, more)
const LETTER_START: usize = 96; // × Script × (after a blank, otherwise)
const LETTER_MORE: usize = 136; // × Script
const SYMBOL: usize = 160; // × Symbols × (first, same again)

/// Letters other than ASCII, grouped as tokenisers' vocabularies treat them alike.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Script {
    Greek,
    Cyrillic,
    Caucasian,
    Hebrew,
    Arabic,
    Devanagari,
    Indic,
    Thai,
    Asian,
    Hiragana,
    Katakana,
    Han,
    Hangul,
    Mark,
    Rare,
}

/// Characters that are neither letters, digits, blanks nor ASCII punctuation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Symbols {
    Latin,
    General,
    Numeric,
    Arrow,
    Mathematical,
    Drawing,
    Dingbat,
    Technical,
    Cjk,
    FullWidth,
    Emoji,
    Flag,
    Joiner,
    Other,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Lower,
    Upper,
    Accented,
    Digit,
    Punct,
    Space,
    Tab,
    Newline,
    Letter(Script),
    Symbol(Symbols),
}

/// What stands before the first character of a run.
#[derive(Clone, Copy)]
enum Opening {
    Bare,
    Blank,
    Punct,
    Word,
}

/// Calls `pay` with every feature of a text, each below [`FIXED`] + [`BUCKETS`].
pub(super) fn scan(text: &str, mut pay: impl FnMut(usize)) {
    let mut left = Left { class: Class::Newline, one: '\n', two: '\n', place: 0, line_start: true };
    for character in text.chars() {
        left.step(character, &mut pay);
    }
}

/// What is remembered of the characters to the left.
struct Left {
    class: Class,
    /// The character before.
    one: char,
    /// The character before that.
    two: char,
    /// How many characters of the present run came before.
    place: usize,
    /// Only blanks so far on this line.
    line_start: bool,
}

impl Left {
    fn step(&mut self, character: char, pay: &mut impl FnMut(usize)) {
        let class = classify(character);
        self.place = if self.continues(class) { self.place + 1 } else { 0 };
        let place = self.place;
        match class {
            Class::Lower | Class::Upper | Class::Accented => {
                if place == 0 {
                    pay(WORD_START + 2 * self.opening() as usize + usize::from(class == Class::Upper));
                } else {
                    pay(WORD_LETTER + place.min(15));
                    if class == Class::Upper {
                        pay(WORD_UPPER);
                    }
                }
                if class == Class::Accented {
                    pay(WORD_ACCENTED);
                    pay(self.other(character));
                }
                pay(self.latin(character));
            }
            Class::Digit => {
                self.place %= 3;
                pay(DIGIT + 2 * self.place + usize::from(place == 0 && self.after_blank()));
            }
            Class::Punct => {
                if place == 0 {
                    pay(PUNCT_START + self.opening() as usize);
                } else if character == self.one {
                    pay(PUNCT_SAME + place.min(7));
                } else {
                    pay(PUNCT_MORE + place.min(7));
                }
                pay(self.latin(character));
            }
            Class::Space => pay(if self.line_start { INDENT } else { BLANK } + place.min(15)),
            Class::Tab => pay(TAB + usize::from(place > 0)),
            Class::Newline => pay(NEWLINE
                + if self.after_blank() {
                    1
                } else if place > 0 {
                    1 + place.min(2)
                } else {
                    0
                }),
            Class::Letter(script) => {
                if place == 0 {
                    pay(LETTER_START + 2 * script as usize + usize::from(self.after_blank()));
                } else {
                    pay(LETTER_MORE + script as usize);
                }
                pay(self.other(character));
            }
            Class::Symbol(symbols) => {
                pay(SYMBOL + 2 * symbols as usize + usize::from(character == self.one));
                pay(self.other(character));
            }
        }
        self.line_start =
            class == Class::Newline || self.line_start && matches!(class, Class::Space | Class::Tab);
        self.class = class;
        self.two = self.one;
        self.one = character;
    }

    /// True when a character of `class` belongs to the run on the left.
    fn continues(&self, class: Class) -> bool {
        match (self.class, class) {
            (Class::Lower, Class::Upper) => false,
            (a, b) => a.is_letter() && b.is_letter() || a == b,
        }
    }

    fn after_blank(&self) -> bool {
        matches!(self.class, Class::Space | Class::Tab)
    }

    fn opening(&self) -> Opening {
        match self.class {
            Class::Space | Class::Tab => Opening::Blank,
            Class::Punct => Opening::Punct,
            Class::Newline | Class::Digit | Class::Symbol(_) => Opening::Bare,
            _ => Opening::Word,
        }
    }

    /// The bucket of the three characters that end here.
    fn latin(&self, character: char) -> usize {
        let two = if self.place == 0 { '\0' } else { self.two };
        FIXED + bucket([two, self.one, character], LATIN)
    }

    /// The bucket of the two characters that end here.
    fn other(&self, character: char) -> usize {
        let one = if self.place == 0 { '\0' } else { self.one };
        FIXED + LATIN + bucket(['\0', one, character], OTHER)
    }
}

/// Multiplicative hashing to one of `buckets`, a power of two.
fn bucket(gram: [char; 3], buckets: usize) -> usize {
    let mixed = gram
        .into_iter()
        .fold(0_u32, |hash, c| (hash ^ u32::from(c)).wrapping_mul(0x9E37_79B1).rotate_left(11));
    (mixed >> 8) as usize % buckets
}

impl Class {
    fn is_letter(self) -> bool {
        matches!(self, Self::Lower | Self::Upper | Self::Accented | Self::Letter(_))
    }
}

fn classify(character: char) -> Class {
    match character {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        ' ' => Class::Space,
        '\t' => Class::Tab,
        '\n' | '\r' => Class::Newline,
        '\0'..='\x7F' => Class::Punct,
        'À'..='Ö' | 'Ø'..='ö' | 'ø'..='\u{2AF}' | '\u{1E00}'..='\u{1EFF}' => Class::Accented,
        _ => wide(character),
    }
}

fn wide(character: char) -> Class {
    use Class::{Letter, Symbol};
    match character {
        '\u{80}'..='\u{BF}' | '×' | '÷' => Symbol(Symbols::Latin),
        '\u{370}'..='\u{3FF}' | '\u{1F00}'..='\u{1FFF}' => Letter(Script::Greek),
        '\u{400}'..='\u{52F}' => Letter(Script::Cyrillic),
        '\u{530}'..='\u{58F}' | '\u{10A0}'..='\u{10FF}' => Letter(Script::Caucasian),
        '\u{590}'..='\u{5FF}' => Letter(Script::Hebrew),
        '\u{600}'..='\u{8FF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}' => Letter(Script::Arabic),
        '\u{900}'..='\u{97F}' => Letter(Script::Devanagari),
        '\u{980}'..='\u{DFF}' => Letter(Script::Indic),
        '\u{E00}'..='\u{EFF}' => Letter(Script::Thai),
        '\u{F00}'..='\u{109F}' | '\u{1200}'..='\u{1DBF}' => Letter(Script::Asian),
        '\u{300}'..='\u{36F}' | '\u{1DC0}'..='\u{1DFF}' => Letter(Script::Mark),
        '\u{200B}'..='\u{200F}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}' => Symbol(Symbols::Joiner),
        '\u{2000}'..='\u{206F}' => Symbol(Symbols::General),
        '\u{2070}'..='\u{218F}' => Symbol(Symbols::Numeric),
        '\u{2190}'..='\u{21FF}' => Symbol(Symbols::Arrow),
        '\u{2200}'..='\u{22FF}' => Symbol(Symbols::Mathematical),
        '\u{2300}'..='\u{24FF}' | '\u{27C0}'..='\u{2BFF}' => Symbol(Symbols::Technical),
        '\u{2500}'..='\u{25FF}' => Symbol(Symbols::Drawing),
        '\u{2600}'..='\u{27BF}' => Symbol(Symbols::Dingbat),
        '\u{3000}'..='\u{303F}' => Symbol(Symbols::Cjk),
        '\u{3040}'..='\u{309F}' => Letter(Script::Hiragana),
        '\u{30A0}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' => Letter(Script::Katakana),
        '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' => Letter(Script::Han),
        '\u{1100}'..='\u{11FF}' | '\u{3130}'..='\u{318F}' | '\u{AC00}'..='\u{D7FF}' => Letter(Script::Hangul),
        '\u{FF00}'..='\u{FFEF}' => Symbol(Symbols::FullWidth),
        '\u{1F1E6}'..='\u{1F1FF}' => Symbol(Symbols::Flag),
        '\u{1F000}'..='\u{1FAFF}' => Symbol(Symbols::Emoji),
        '\u{2C00}'..='\u{2FFF}' | '\u{3100}'..='\u{33FF}' | '\u{E000}'..='\u{F8FF}' => Symbol(Symbols::Other),
        _ => Letter(Script::Rare),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::string::String;
    use std::vec::Vec;

    use super::*;

    #[test]
    fn every_feature_is_in_range() {
        for code in 0..0x11_0000 {
            let Some(character) = char::from_u32(code) else { continue };
            for before in ["", "a", " ", "\n", "漢"] {
                let mut text = String::from(before);
                text.push(character);
                scan(&text, |feature| assert!(feature < FIXED + BUCKETS, "{text:?}"));
            }
        }
    }

    /// Not a test: writes the features of texts for the fitting (see FITTING.md). `FIT_TEXTS` names a file of one
    /// JSON string a line, `FIT_FEATURES` the output: for each text a count and its features, 16-bit little-endian
    /// but for the count, which has 32.
    #[test]
    #[ignore = "a tool of the fitting, not a test"]
    fn dump_features() {
        let texts = std::fs::read_to_string(std::env::var("FIT_TEXTS").unwrap()).unwrap();
        let mut out =
            std::io::BufWriter::new(std::fs::File::create(std::env::var("FIT_FEATURES").unwrap()).unwrap());
        for line in texts.lines() {
            let text: String = serde_json::from_str(line).unwrap();
            let mut features = Vec::new();
            scan(&text, |feature| features.extend_from_slice(&u16::try_from(feature).unwrap().to_le_bytes()));
            let count = u32::try_from(features.len() / 2).unwrap();
            out.write_all(&count.to_le_bytes()).unwrap();
            out.write_all(&features).unwrap();
        }
    }
}
