//! From values to types: calls a generic function for the element type and the number of axes of an array.

/// Evaluates an expression with `$T` as the Rust type of an element type, or refuses one that is not in the list.
macro_rules! of_type {
    ($element:expr, $what:expr, $T:ident in [$($name:ident $type:ty),*] => $body:expr) => {
        match $element {
            $($crate::ElementType::$name => {
                type $T = $type;
                $body
            })*
            other => {
                let known = [$($crate::ElementType::$name.name()),*].join(", ");
                $crate::array::refused(
                    format!("{} of {}", $what, other.name()),
                    &format!("it takes elements of {known}: convert the array"),
                )
            }
        }
    };
}

/// Evaluates an expression with `$R` as the number of axes, 1 to 6.
macro_rules! of_axes {
    ($axes:expr, $R:ident => $body:expr) => {{
        macro_rules! with {
            ($number:literal) => {{
                const $R: usize = $number;
                $body
            }};
        }
        match $axes {
            1 => with!(1),
            2 => with!(2),
            3 => with!(3),
            4 => with!(4),
            5 => with!(5),
            // An array has six axes at most.
            _ => with!(6),
        }
    }};
}

pub(crate) use {of_axes, of_type};
