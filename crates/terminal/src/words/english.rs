//! English words in a text that should be Chinese, for tests.

/// Names that Chinese texts use untranslated, too.
const NAMES: &str = include_str!("../../words/zh/names.txt");

/// Whether the word is such a name.
pub fn is_name(word: &str) -> bool {
    NAMES.split_whitespace().any(|name| name == word)
}

/// Whether the text has two English words in a row, apart from names, quotes and commands.
pub fn english_in(text: &str) -> bool {
    if ["lanework ", "lanework-lab ", "cargo ", "--"]
        .iter()
        .any(|command| text.trim_start().starts_with(command))
    {
        return false;
    }
    let mut quoted = false;
    let mut run = 0;
    let unquoted = |c: char| {
        quoted ^= c == '`';
        if quoted { '`' } else { c }
    };
    let text: String = text.chars().map(unquoted).collect();
    for word in text.split(' ') {
        let marks = [',', ';', ':', '.', '(', ')', '"', '\'', '?', '!'];
        let bare = word.trim_matches(marks);
        let lower = |c: char| c.is_ascii_lowercase() || c == '\'' || c == '-';
        let is_word = bare.len() > 1
            && bare.chars().skip(1).all(lower)
            && bare.starts_with(|c: char| c.is_ascii_alphabetic());
        run = if (is_word || bare == "a") && !is_name(bare) { run + 1 } else { 0 };
        if run == 2 {
            return true;
        }
        if word.ends_with([',', ';', ':', '.', ')']) {
            run = 0;
        }
    }
    false
}
