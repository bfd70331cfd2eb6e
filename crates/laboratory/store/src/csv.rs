//! CSV per RFC 4180: lines end with CR LF; a field with a comma, a quote or a line end is quoted, and quotes in it
//! are doubled.

/// Appends a line with these fields.
pub fn line<T: AsRef<str>>(text: &mut String, fields: impl IntoIterator<Item = T>) {
    let mut first = true;
    for field in fields {
        if !std::mem::take(&mut first) {
            text.push(',');
        }
        let field = field.as_ref();
        if field.contains(['"', ',', '\r', '\n']) {
            text.push('"');
            text.push_str(&field.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(field);
        }
    }
    text.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_comes_back_through_a_parser() {
        let lines = [
            ["plain", "with, comma", "with \"quotes\""],
            ["two\r\nlines", "", "\""],
            [",", " spaces ", "中文"],
        ];
        let mut text = String::new();
        lines.iter().for_each(|fields| line(&mut text, fields));
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let found: Vec<Vec<String>> = reader.deserialize().map(|row| row.expect("a row")).collect();
        assert_eq!(found, lines.map(|fields| fields.map(str::to_owned).to_vec()));
    }
}
