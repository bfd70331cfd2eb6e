//! A table before layout: columns, cells, and the width to fit.

/// Treatment of text that is longer than its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    /// The column is as wide as its text.
    Stays,
    /// It wraps to the next line.
    Wraps,
    /// It is cut with an ellipsis, after a whole word if one fits.
    Ends,
}

/// A column: its header, and how it shrinks.
#[derive(Clone, Debug)]
pub struct Column {
    pub(super) header: String,
    pub(super) short: Option<String>,
    /// Headers before translation, which also identify the column.
    pub(super) formerly: Vec<String>,
    pub(super) right: bool,
    pub(super) flow: Flow,
    pub(super) rank: u8,
}

impl Column {
    /// The default rank.
    const RANK: u8 = 5;

    fn new(header: impl Into<String>) -> Column {
        let header = header.into();
        Column {
            header,
            short: None,
            formerly: Vec::new(),
            right: false,
            flow: Flow::Stays,
            rank: Self::RANK,
        }
    }

    /// A column of row names: left-aligned, never dropped.
    pub fn name(header: impl Into<String>) -> Column {
        Column { rank: 0, ..Column::new(header) }
    }

    /// A column of labels of a few words that stay together, left-aligned.
    pub fn label(header: impl Into<String>) -> Column {
        Column::new(header)
    }

    /// A column of numbers, right-aligned.
    pub fn number(header: impl Into<String>) -> Column {
        Column { right: true, ..Column::new(header) }
    }

    /// A column of text that may wrap at spaces, left-aligned.
    pub fn text(header: impl Into<String>) -> Column {
        Column { flow: Flow::Wraps, ..Column::new(header) }
    }

    /// A column of text that may be cut, such as lines of code, left-aligned.
    pub fn excerpt(header: impl Into<String>) -> Column {
        Column { flow: Flow::Ends, ..Column::new(header) }
    }

    /// Sets a shorter header.
    pub fn short(self, header: impl Into<String>) -> Column {
        Column { short: Some(header.into()), ..self }
    }

    /// Sets the rank: columns with the highest rank are dropped first, and from right to left within a
    /// rank; rank 0 is never dropped.
    pub fn rank(self, rank: u8) -> Column {
        Column { rank, ..self }
    }
}

/// The color of a cell, if colors are on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Good: green.
    Good,
    /// Wrong or in need of a fix: red.
    Bad,
    /// Unimportant: dim.
    Weak,
}

/// A cell: text of one or more lines, and a shorter form.
#[derive(Clone, Debug, Default)]
pub struct Cell {
    pub(super) text: String,
    pub(super) short: Option<String>,
    pub(super) tone: Option<Tone>,
}

impl Cell {
    /// Sets a shorter form for narrow tables.
    pub fn short(self, text: impl Into<String>) -> Cell {
        Cell { short: Some(text.into()), ..self }
    }

    /// Sets the color.
    pub fn tone(self, tone: Tone) -> Cell {
        Cell { tone: Some(tone), ..self }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell { text: text.into(), ..Cell::default() }
    }
}

/// A table: columns and rows.
#[derive(Clone, Debug)]
pub struct Table {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Creates a table without rows.
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Table {
        Table { columns: columns.into_iter().collect(), rows: Vec::new() }
    }

    /// Adds a row; missing cells are empty, extra cells are ignored.
    pub fn row<C: Into<Cell>>(&mut self, cells: impl IntoIterator<Item = C>) {
        let mut row: Vec<Cell> = cells.into_iter().map(Into::into).collect();
        row.resize_with(self.columns.len(), Cell::default);
        self.rows.push(row);
    }

    /// Translates the table: `say` translates headers and cells, and `keep` the cells of the first
    /// column, which are the row names. Excerpts stay unchanged.
    pub fn in_words(&self, say: impl Fn(&str) -> String, keep: impl Fn(&str) -> String) -> Table {
        let header = |column: &Column| Column {
            header: say(&column.header),
            short: column.short.as_deref().map(&say),
            formerly: std::iter::once(&column.header).chain(&column.short).cloned().collect(),
            ..column.clone()
        };
        let cell = |(index, cell): (usize, &Cell)| {
            let in_words = |say: &dyn Fn(&str) -> String| Cell {
                text: say(&cell.text),
                short: cell.short.as_deref().map(say),
                tone: cell.tone,
            };
            match self.columns.get(index).map(|column| column.flow) {
                Some(Flow::Ends) => cell.clone(),
                _ if index == 0 => in_words(&keep),
                _ => in_words(&say),
            }
        };
        let row = |row: &Vec<Cell>| row.iter().enumerate().map(cell).collect();
        Table {
            columns: self.columns.iter().map(header).collect(),
            rows: self.rows.iter().map(row).collect(),
        }
    }

    /// Whether the table has no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Whether the table has a column that `shown` names.
    pub fn has(&self, shown: &Shown) -> bool {
        self.columns.iter().any(|column| shown.names(column))
    }

    /// The headers of the columns.
    pub fn headers(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.header.as_str())
    }
}

/// The columns to show.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    /// The columns that fit.
    #[default]
    Fitting,
    /// All columns in full, however long the lines get.
    All,
    /// The columns with these headers, and those that are never dropped.
    Named(Vec<String>),
}

/// The space for a table.
#[derive(Clone, Debug, Default)]
pub struct Fit {
    /// Maximum width of a line; `None` for no limit, so that nothing is shortened or dropped.
    pub width: Option<usize>,
    /// The columns to show.
    pub shown: Shown,
    /// Whether to color cells with ANSI escape codes.
    pub color: bool,
}

impl Fit {
    /// Limits the width, without color.
    pub fn width(width: usize) -> Fit {
        Fit { width: Some(width), ..Fit::default() }
    }
}

impl Shown {
    /// Whether a column may be shown.
    pub(super) fn wants(&self, column: &Column) -> bool {
        column.rank == 0 || self.names(column)
    }

    /// Whether a column is named; ignores case, spaces and punctuation of its header.
    fn names(&self, column: &Column) -> bool {
        let Shown::Named(names) = self else { return true };
        let plain = |text: &str| -> String {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let own = [Some(&column.header), column.short.as_ref()].into_iter().flatten();
        let headers: Vec<String> = own.chain(&column.formerly).map(|text| plain(text)).collect();
        let is = |name: &String| headers.contains(&plain(name));
        names.iter().any(is)
    }
}
