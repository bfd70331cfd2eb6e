//! The modules of one source file: its children, its `use` trees, the items it defines and the paths
//! in its code. A scan over tokens, not a parser of Rust.
//!
//! Ignored: comments, literals, and items under `#[cfg(test)]`. Limit: a name that a macro pastes
//! together is not seen.

use std::collections::{BTreeMap, BTreeSet};

use super::tokens::{Token, tokens};

/// One leaf of a `use` tree.
#[derive(Clone, Debug)]
pub struct Use {
    /// The segments, without the name after `as`; without the `*` of a glob.
    pub path: Vec<String>,
    /// The name it has here: none for a glob.
    pub name: Option<String>,
    /// Whether it is a re-export (`pub`, `pub(crate)`, ...).
    pub public: bool,
    pub line: usize,
}

/// A path in code, as `a::b::c` or, where its tail is not an identifier, `a`.
#[derive(Clone, Debug)]
pub struct Mention {
    pub path: Vec<String>,
    pub line: usize,
}

/// One module: a file, or a block `mod name { .. }` in one.
#[derive(Default, Debug)]
pub struct Module {
    pub uses: Vec<Use>,
    pub mentions: Vec<Mention>,
    /// Names of the items at the top of the module.
    pub items: BTreeSet<String>,
    /// Every identifier outside `use`, with its first line.
    pub words: BTreeMap<String, usize>,
    /// Children declared under `#[cfg(test)]`.
    pub test_children: BTreeSet<String>,
}

/// The modules of a file: the file itself under the empty path, and its inline modules.
pub fn modules(text: &str) -> BTreeMap<Vec<String>, Module> {
    let mut scan = Scan { tokens: tokens(text), at: 0, found: BTreeMap::new() };
    scan.module(&[]);
    scan.found
}

struct Scan {
    tokens: Vec<(Token, usize)>,
    at: usize,
    found: BTreeMap<Vec<String>, Module>,
}

impl Scan {
    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead).map(|(token, _)| token)
    }

    fn is_mark(&self, ahead: usize, mark: char) -> bool {
        self.peek(ahead) == Some(&Token::Mark(mark))
    }

    fn word(&self, ahead: usize) -> Option<&str> {
        match self.peek(ahead) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn line(&self) -> usize {
        self.tokens.get(self.at).map_or(0, |(_, line)| *line)
    }

    /// Reads a module up to the end of the file or the brace that closes it.
    fn module(&mut self, path: &[String]) {
        let mut module = Module::default();
        let mut depth = 0;
        while let Some(token) = self.peek(0).cloned() {
            match token {
                Token::Mark('#') if self.is_test_attribute() => {
                    let declared = self.skip_item();
                    module.test_children.extend(declared);
                    continue;
                }
                Token::Mark('{') => depth += 1,
                Token::Mark('}') if depth == 0 => break,
                Token::Mark('}') => depth -= 1,
                Token::Word(word) if word == "use" => {
                    let public = self.at > 0 && self.follows_visibility();
                    let line = self.line();
                    self.at += 1;
                    self.use_tree(&[], public, line, &mut module.uses);
                    continue;
                }
                Token::Word(word) if word == "mod" && self.is_mark(2, '{') => {
                    let name = self.word(1).unwrap_or_default().to_owned();
                    self.at += 3;
                    self.module(&[path, &[name]].concat());
                }
                Token::Word(word) if word == "mod" && self.is_mark(2, ';') => self.at += 2,
                Token::Word(word) => {
                    if depth == 0 {
                        module.items.extend(self.item_after(&word));
                    }
                    self.mention(word, &mut module);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
        self.found.insert(path.to_vec(), module);
    }

    /// Whether the next attribute is `#[cfg(test)]` or a similar one.
    fn is_test_attribute(&self) -> bool {
        let words: Vec<&str> = (0..)
            .take_while(|ahead| self.peek(*ahead).is_some() && !self.is_mark(*ahead, ']'))
            .filter_map(|ahead| self.word(ahead))
            .collect();
        words.first() == Some(&"cfg") && words.contains(&"test") && !words.contains(&"not")
    }

    /// Skips an item with its attributes; returns the child's name if the item was `mod name;`.
    fn skip_item(&mut self) -> Option<String> {
        let (mut depth, mut child) = (0, None);
        while let Some(token) = self.peek(0).cloned() {
            if depth == 0 && self.word(0) == Some("mod") {
                child = self.word(1).map(str::to_owned);
            }
            self.at += 1;
            match token {
                Token::Mark('{' | '(' | '[') => depth += 1,
                Token::Mark(')' | ']') => depth -= 1,
                Token::Mark('}') => {
                    depth -= 1;
                    if depth == 0 {
                        return None;
                    }
                }
                Token::Mark(';') if depth == 0 => return child,
                _ => {}
            }
        }
        None
    }

    /// Whether the token before is `pub` or closes `pub(..)`.
    fn follows_visibility(&self) -> bool {
        let before = |back: usize| self.at.checked_sub(back).map(|at| &self.tokens[at].0);
        let is_pub = |token: Option<&Token>| token == Some(&Token::Word("pub".to_owned()));
        is_pub(before(1)) || (before(1) == Some(&Token::Mark(')')) && is_pub(before(4)))
    }

    /// Reads a `use` tree after `prefix` and stops behind it.
    fn use_tree(&mut self, prefix: &[String], public: bool, line: usize, uses: &mut Vec<Use>) {
        let mut path = prefix.to_vec();
        while let Some(token) = self.peek(0).cloned() {
            match token {
                Token::Word(word) if word == "as" => {
                    let name = self.word(1).map(str::to_owned);
                    self.at += 2;
                    uses.push(Use { path, name, public, line });
                    return;
                }
                Token::Word(word) => path.push(word),
                Token::Colons => {}
                // `$name` in a macro stands for names that are not known here, as a glob does.
                Token::Mark('*' | '$') => {
                    self.at += 1;
                    uses.push(Use { path, name: None, public, line });
                    return;
                }
                Token::Mark('{') => {
                    self.at += 1;
                    while self.peek(0).is_some() && !self.is_mark(0, '}') {
                        self.use_tree(&path, public, line, uses);
                        // Past the comma, or past a token that no `use` has.
                        self.at += usize::from(!self.is_mark(0, '}'));
                    }
                    self.at += 1;
                    return;
                }
                _ => break,
            }
            self.at += 1;
        }
        if path.len() > prefix.len() {
            if path.len() > 1 && path.last().is_some_and(|last| last == "self") {
                path.pop();
            }
            uses.push(Use { name: path.last().cloned(), path, public, line });
        }
    }

    /// The name of the item that the current keyword defines.
    fn item_after(&self, keyword: &str) -> Option<String> {
        let ahead = match keyword {
            "fn" | "struct" | "enum" | "union" | "trait" | "type" | "const" => 1,
            "static" if self.word(1) == Some("mut") => 2,
            "static" => 1,
            "macro_rules" => 2,
            _ => return None,
        };
        self.word(ahead).filter(|name| *name != "fn").map(str::to_owned)
    }

    /// Records the current word, and the path that starts with it.
    fn mention(&mut self, word: String, module: &mut Module) {
        let line = self.line();
        self.at += 1;
        module.words.entry(word.clone()).or_insert(line);
        if self.peek(0) != Some(&Token::Colons) {
            return;
        }
        let mut path = vec![word];
        while self.peek(0) == Some(&Token::Colons) {
            self.at += 1;
            let Some(next) = self.word(0).map(str::to_owned) else { break };
            path.push(next);
            self.at += 1;
        }
        module.mentions.push(Mention { path, line });
    }
}
