//! Pages of shadow memory: heads of lines, and the arrays of their spread fields, allocated on demand.

use crate::races::epoch::{
    self, CellField, LINE, LineHead, PackedEpoch, SPREAD, WeakReads, WeakWrites, WholeField,
};
use crate::races::shadow_cell::ShadowCell;
use crate::races::strong_accesses::StrongAccesses;

/// Lines of a page.
pub(super) const PAGE: usize = 64;

/// The cells of a page.
#[derive(Clone, Default)]
pub(super) struct Page {
    pub(super) heads: Option<Box<[LineHead; PAGE]>>,
    pub(super) writes: Option<Box<[WeakWrites; PAGE]>>,
    pub(super) reads: Option<Box<[WeakReads; PAGE]>>,
    pub(super) strong: Option<Box<[[StrongAccesses; LINE]; PAGE]>>,
}

/// Allocates zeros in place: a page is too large for the stack.
#[cold]
#[inline(never)]
fn zeros<T: Clone, const N: usize>(zero: T) -> Box<[T; N]> {
    let zeros = vec![zero; N].into_boxed_slice();
    zeros.try_into().unwrap_or_else(|_| unreachable!("made of N elements"))
}

impl Page {
    #[inline(always)]
    pub(super) fn heads(&mut self) -> &mut [LineHead; PAGE] {
        self.heads.get_or_insert_with(|| zeros(LineHead::default()))
    }

    /// The head of a line, in a page that may be new.
    #[inline(always)]
    pub(super) fn head(&self, line: usize) -> LineHead {
        self.heads.as_ref().map_or(LineHead::default(), |heads| heads[line])
    }

    /// The writes of a line, one by one.
    #[inline(always)]
    pub(super) fn spread_writes(&mut self, line: usize) -> &mut WeakWrites {
        if !self.heads()[line].is_spread(CellField::Write) || self.writes.is_none() {
            self.store_writes(line);
        }
        &mut self.writes.get_or_insert_with(|| zeros([0; LINE]))[line]
    }

    #[inline(never)]
    fn store_writes(&mut self, line: usize) {
        let head = &mut self.heads()[line];
        let words = head.field(CellField::Write).words();
        head.set(CellField::Write, WholeField { start: 0, form: SPREAD });
        self.writes.get_or_insert_with(|| zeros([0; LINE]))[line] = words;
    }

    /// The reads of a line, one by one.
    #[inline(always)]
    pub(super) fn spread_reads(&mut self, line: usize) -> &mut WeakReads {
        let head = &self.heads()[line];
        let spread = head.is_spread(CellField::FirstRead) && head.is_spread(CellField::LastRead);
        if !spread || self.reads.is_none() {
            self.store_reads(line);
        }
        &mut self.reads.get_or_insert_with(|| zeros([[0; LINE]; 2]))[line]
    }

    #[inline(never)]
    fn store_reads(&mut self, line: usize) {
        let mut head = self.head(line);
        let reads = &mut self.reads.get_or_insert_with(|| zeros([[0; LINE]; 2]))[line];
        for (field, reads) in [CellField::FirstRead, CellField::LastRead].into_iter().zip(reads) {
            if !head.is_spread(field) {
                *reads = head.field(field).words();
                head.set(field, WholeField { start: 0, form: SPREAD });
            }
        }
        self.heads()[line] = head;
    }

    /// The writes of a line, in `room` if they are not spread; `None` without writes.
    #[inline(always)]
    pub(super) fn writes_of<'a>(
        &'a self,
        line: usize,
        room: &'a mut WeakWrites,
    ) -> Option<&'a WeakWrites> {
        let head = &self.heads.as_ref()?[line];
        if head.is_spread(CellField::Write) {
            return Some(&self.writes.as_ref()?[line]);
        }
        let field = head.field(CellField::Write);
        if field.start == 0 {
            return None;
        }
        *room = field.words();
        Some(room)
    }

    /// A field of one cell.
    #[inline(always)]
    pub(super) fn cell(&self, field: CellField, line: usize, i: usize) -> PackedEpoch {
        let Some(heads) = &self.heads else { return 0 };
        let head = &heads[line];
        if !head.is_spread(field) {
            return head.field(field).cell(i);
        }
        match (field, &self.writes, &self.reads) {
            (CellField::Write, Some(writes), _) => writes[line][i],
            (CellField::FirstRead, _, Some(reads)) => reads[line][0][i],
            (CellField::LastRead, _, Some(reads)) => reads[line][1][i],
            _ => 0,
        }
    }

    /// All fields of one cell.
    #[inline(always)]
    pub(super) fn all(&self, line: usize, i: usize) -> ShadowCell {
        let Some(heads) = &self.heads else { return ShadowCell::default() };
        let head = &heads[line];
        let mut cell =
            ShadowCell { write: self.cell(CellField::Write, line, i), ..ShadowCell::default() };
        if head.has_reads() {
            cell.first_read = self.cell(CellField::FirstRead, line, i);
            cell.last_read = self.cell(CellField::LastRead, line, i);
        }
        if let Some(strong) = &self.strong
            && head.latest != 0
        {
            cell.strong = strong[line][i];
        }
        cell
    }

    /// Whether a line has strong accesses since an epoch.
    #[inline(always)]
    pub(super) fn has_strong(&self, line: usize, base: u32) -> bool {
        self.heads.as_ref().is_some_and(|heads| heads[line].has_strong(base))
    }

    /// Sets the strong accesses of a cell.
    #[cold]
    pub(super) fn set_strong(&mut self, line: usize, i: usize, to: StrongAccesses) {
        let none = || zeros([StrongAccesses::default(); LINE]);
        let cells = &mut self.strong.get_or_insert_with(none)[line];
        cells[i] = to;
        let of =
            |cell: &StrongAccesses| cell.writes.into_iter().chain(cell.reads).chain([cell.polled]);
        let numbers = |cell: &StrongAccesses| of(cell).map(epoch::number).max().unwrap_or(0);
        let number = numbers(&to);
        // The other cells of the line may have none, or older ones.
        let others = if number == 0 { cells.iter().map(numbers).max().unwrap_or(0) } else { 0 };
        let latest = &mut self.heads()[line].latest;
        *latest = if number == 0 { others } else { number.max(*latest) };
    }
}
