//! The elements of an array or behind a pointer, each with its expression.

use lanework_debug::data::evaluate::located;
use lanework_debug::data::types::DataType;
use lanework_debug::session::Session;
use lanework_engine::event::Space;

/// Whether a value of a type has elements in memory.
pub fn has_elements(ty: &DataType) -> bool {
    matches!(ty, DataType::Array(..) | DataType::Pointer(_))
}

/// The elements of an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Elements {
    /// The expression of the array or pointer.
    base: String,
    /// The type of an element.
    pub ty: DataType,
    /// Their number.
    pub count: u64,
    /// The extents of the array's dimensions after the first.
    inner: Vec<u64>,
    /// Whether the expression is the only element.
    is_single: bool,
}

impl Elements {
    /// The elements of an expression: of all dimensions of an array; up to the end of the allocation behind a pointer.
    ///
    /// # Errors
    /// If the expression has no value here.
    pub fn of(base: &str, session: &Session<'_>) -> Result<Elements, String> {
        let value = session.evaluate(base)?;
        let (first, count) = match &value.ty {
            DataType::Array(element, count) => (element, *count),
            DataType::Pointer(element) => {
                let mut bytes = [0; 8];
                bytes.copy_from_slice(value.bytes.get(..8).ok_or("a pointer has eight bytes")?);
                let left = bytes_from(u64::from_le_bytes(bytes), session);
                (element, left / element.bytes().max(1))
            }
            ty => {
                let (base, ty) = (base.to_owned(), ty.clone());
                return Ok(Elements { base, ty, count: 1, inner: Vec::new(), is_single: true });
            }
        };
        let (mut ty, mut inner) = ((**first).clone(), Vec::new());
        while let DataType::Array(element, extent) = &ty {
            inner.push(*extent);
            ty = (**element).clone();
        }
        let per_first: u64 = inner.iter().product();
        let count = count.saturating_mul(per_first);
        Ok(Elements { base: parenthesized(base), ty, count, inner, is_single: false })
    }

    /// The expression of an element.
    pub fn name(&self, index: u64) -> String {
        if self.is_single {
            return self.base.clone();
        }
        let mut name = self.base.clone();
        let (mut index, mut per_first) = (index, self.inner.iter().product::<u64>().max(1));
        for extent in std::iter::once(None).chain(self.inner.iter().map(Some)) {
            per_first /= extent.copied().unwrap_or(1).max(1);
            name.push_str(&format!("[{}]", index / per_first.max(1)));
            index %= per_first.max(1);
        }
        name
    }
}

/// An expression that an index can follow.
fn parenthesized(base: &str) -> String {
    let simple = |letter: char| letter.is_alphanumeric() || "_.[]%".contains(letter);
    if base.chars().all(simple) { base.to_owned() } else { format!("({base})") }
}

/// The bytes from an address to the end of its memory.
fn bytes_from(address: u64, session: &Session<'_>) -> u64 {
    let place = located(address);
    let shared = || {
        let moment = session.moment()?;
        Some(moment.block(session.focus().0)?.shared.len() as u64)
    };
    match place.space {
        Space::Global | Space::Constant => {
            let memory = session.timeline().target().emulator.memory();
            let holds = memory
                .live()
                .find(|(start, allocation)| address.wrapping_sub(*start) < allocation.bytes);
            holds.map_or(0, |(start, allocation)| start + allocation.bytes - address)
        }
        Space::Shared => shared().unwrap_or(0).saturating_sub(place.address),
        Space::Local => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_matrices_have_an_index_for_each_dimension() {
        let (base, ty) = ("tile".to_owned(), DataType::U32);
        let elements = Elements { base, ty, count: 24, inner: vec![3, 4], is_single: false };
        assert_eq!(elements.name(0), "tile[0][0][0]");
        assert_eq!(elements.name(17), "tile[1][1][1]");
        assert_eq!(elements.name(23), "tile[1][2][3]");
        assert_eq!(parenthesized("p->x"), "(p->x)");
        assert_eq!(parenthesized("tile[2]"), "tile[2]");
    }
}
