//! `--arg struct:PART,PART`: structs that a kernel takes by value, laid out as C does: each part at a multiple of its
//! size, the whole a multiple of the largest.

use crate::kernel_file::argument::Argument;

/// A struct: its parts, and its bytes in all.
pub struct Struct {
    parts: Vec<Part>,
    /// The bytes of the whole.
    pub size: u64,
}

struct Part {
    offset: u64,
    value: Value,
}

enum Value {
    /// A scalar.
    Bytes(Vec<u8>),
    /// The address of the memory at this place of the arguments.
    Memory(usize),
}

impl Struct {
    /// The structs among the arguments, in their order. Their memory is appended to the arguments.
    pub fn all(arguments: &mut Vec<Argument>) -> Vec<Struct> {
        let mut found = Vec::new();
        for index in 0..arguments.len() {
            let Argument::Struct(fields) = &mut arguments[index] else { continue };
            let (mut parts, mut end, mut align) = (Vec::new(), 0u64, 1);
            for field in std::mem::take(fields) {
                let value = match field {
                    Argument::Scalar(_, bytes) => Value::Bytes(bytes),
                    memory => {
                        arguments.push(memory);
                        Value::Memory(arguments.len() - 1)
                    }
                };
                let size = match &value {
                    Value::Bytes(bytes) => bytes.len() as u64,
                    Value::Memory(_) => 8,
                };
                let offset = end.next_multiple_of(size);
                (end, align) = (offset + size, align.max(size));
                parts.push(Part { offset, value });
            }
            found.push(Struct { parts, size: end.next_multiple_of(align) });
        }
        found
    }

    /// Its bytes, with the address of each of its memories.
    pub fn bytes(&self, address: impl Fn(usize) -> u64) -> Vec<u8> {
        let mut bytes = vec![0; self.size as usize];
        for part in &self.parts {
            let value = match &part.value {
                Value::Bytes(scalar) => scalar.clone(),
                Value::Memory(place) => address(*place).to_le_bytes().to_vec(),
            };
            bytes[part.offset as usize..][..value.len()].copy_from_slice(&value);
        }
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel_file::argument::parse;

    #[test]
    fn parts_lie_where_c_puts_them() {
        let of = ["u32:9", "struct:u8:1,f32:2,zeros:f32:4,u16:7", "struct:f16:1,f16:2"];
        let mut arguments: Vec<_> = of.iter().map(|text| parse(text).unwrap()).collect();
        let found = Struct::all(&mut arguments);
        assert_eq!((arguments.len(), found.len()), (4, 2));
        let first = &found[0];
        assert_eq!(first.size, 24);
        let bytes = first.bytes(|place| 0x1000 + place as u64);
        let expected = [&[1, 0, 0, 0][..], &2f32.to_le_bytes(), &0x1003u64.to_le_bytes()].concat();
        assert_eq!((&bytes[..16], &bytes[16..18]), (&expected[..], &[7, 0][..]));
        assert_eq!(found[1].size, 4);
    }
}
