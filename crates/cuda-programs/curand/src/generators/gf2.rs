//! Square matrices over GF(2), stored as columns, to skip a linear generator ahead.

/// 32-bit words of a vector.
pub const WORDS: usize = 5;
const BITS: usize = 32 * WORDS;

/// A vector of 160 bits.
pub type Vector = [u32; WORDS];

/// A matrix of 160 by 160 bits.
#[derive(Clone)]
pub struct Matrix(Vec<Vector>);

impl Matrix {
    /// The matrix of a linear function.
    pub fn of(function: impl Fn(Vector) -> Vector) -> Matrix {
        let unit = |bit: usize| {
            let mut vector = [0; WORDS];
            vector[bit / 32] = 1 << (bit % 32);
            vector
        };
        Matrix((0..BITS).map(|bit| function(unit(bit))).collect())
    }

    /// The product with a vector.
    pub fn apply(&self, to: &Vector) -> Vector {
        let mut sum = [0; WORDS];
        for (columns, word) in self.0.chunks(32).zip(to) {
            for (bit, column) in columns.iter().enumerate() {
                let mask = (word >> bit & 1).wrapping_neg();
                for (sum, part) in sum.iter_mut().zip(column) {
                    *sum ^= part & mask;
                }
            }
        }
        sum
    }

    /// The product that applies `first`, then this.
    fn after(&self, first: &Matrix) -> Matrix {
        Matrix(first.0.iter().map(|column| self.apply(column)).collect())
    }

    /// The matrix squared `doublings` times: its power 2^`doublings`.
    pub fn doubled(mut self, doublings: u32) -> Matrix {
        for _ in 0..doublings {
            self = self.after(&self);
        }
        self
    }

    /// A power, by repeated squaring.
    pub fn power(mut self, mut exponent: u64) -> Matrix {
        let mut product = Matrix::of(|vector| vector);
        while exponent != 0 {
            if exponent & 1 == 1 {
                product = self.after(&product);
            }
            exponent >>= 1;
            if exponent != 0 {
                self = self.after(&self);
            }
        }
        product
    }
}
