//! The prompt for a command: editing and earlier commands.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// A command that is typed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompt {
    /// The text.
    pub text: Vec<char>,
    /// The cursor, in characters.
    pub cursor: usize,
    /// How far back in the earlier commands the text comes from; 0 for a new command.
    back: usize,
}

/// The effect of a key on the prompt.
pub enum Edited {
    /// The text or the cursor changed.
    Open,
    /// The prompt closes.
    Cancelled,
    /// The command is complete.
    Done(String),
}

impl Prompt {
    /// A prompt that starts with a text.
    pub fn with(text: &str) -> Prompt {
        let text: Vec<char> = text.chars().collect();
        Prompt { cursor: text.len(), text, back: 0 }
    }

    /// Edits by a key. `earlier` are the commands so far, oldest first.
    pub fn edit(&mut self, key: KeyEvent, earlier: &[String]) -> Edited {
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c' | 'g') if control => return Edited::Cancelled,
            KeyCode::Char('u') if control => *self = Prompt::default(),
            KeyCode::Char('a') if control => self.cursor = 0,
            KeyCode::Char('e') if control => self.cursor = self.text.len(),
            KeyCode::Char(_) if control || key.modifiers.contains(KeyModifiers::ALT) => {}
            KeyCode::Esc => return Edited::Cancelled,
            KeyCode::Enter => return Edited::Done(self.text.iter().collect()),
            KeyCode::Backspace if self.text.is_empty() => return Edited::Cancelled,
            KeyCode::Backspace if self.cursor > 0 => {
                self.cursor -= 1;
                self.text.remove(self.cursor);
            }
            KeyCode::Delete if self.cursor < self.text.len() => {
                self.text.remove(self.cursor);
            }
            KeyCode::Left => self.cursor = self.cursor.saturating_sub(1),
            KeyCode::Right => self.cursor = (self.cursor + 1).min(self.text.len()),
            KeyCode::Home => self.cursor = 0,
            KeyCode::End => self.cursor = self.text.len(),
            KeyCode::Up if self.back < earlier.len() => self.recall(earlier, self.back + 1),
            KeyCode::Down if self.back > 0 => self.recall(earlier, self.back - 1),
            KeyCode::Char(letter) => {
                self.text.insert(self.cursor, letter);
                self.cursor += 1;
            }
            _ => {}
        }
        Edited::Open
    }

    fn recall(&mut self, earlier: &[String], back: usize) {
        let text = earlier.len().checked_sub(back).and_then(|at| earlier.get(at));
        *self = Prompt { back, ..Prompt::with(text.map_or("", String::as_str)) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn typed(keys: &[KeyCode], earlier: &[&str]) -> Prompt {
        let earlier: Vec<String> = earlier.iter().map(|one| (*one).to_owned()).collect();
        let mut prompt = Prompt::default();
        for key in keys {
            prompt.edit(KeyEvent::from(*key), &earlier);
        }
        prompt
    }

    #[test]
    fn a_command_is_edited_in_its_middle() {
        use KeyCode::{Backspace, Char, Left};
        let prompt = typed(&[Char('a'), Char('c'), Left, Char('b'), Char('x'), Backspace], &[]);
        assert_eq!(prompt.text, ['a', 'b', 'c']);
        assert_eq!(prompt.cursor, 2);
    }

    #[test]
    fn earlier_commands_come_back() {
        use KeyCode::{Down, Up};
        let text = |keys: &[KeyCode]| typed(keys, &["one", "two"]).text.iter().collect::<String>();
        assert_eq!(text(&[Up]), "two");
        assert_eq!(text(&[Up, Up, Up]), "one");
        assert_eq!(text(&[Up, Up, Down]), "two");
        assert_eq!(text(&[Up, Down]), "");
    }
}
