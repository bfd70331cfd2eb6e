//! The words in pictures, in English or Chinese.

use lanework_ladders::Language;

/// Chooses the words of a language.
#[derive(Clone, Copy)]
pub struct Words(pub Language);

impl Words {
    /// The words of this language.
    pub fn of<'a>(self, english: &'a str, chinese: &'a str) -> &'a str {
        match self.0 {
            Language::English => english,
            Language::Chinese => chinese,
        }
    }
}
