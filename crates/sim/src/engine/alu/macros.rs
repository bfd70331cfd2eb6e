//! Macros of the handler tables.

/// Handlers with one for affine operands added.
macro_rules! with_affine {
    ($pure:expr, $affine:expr) => {{
        static PURE: std::sync::OnceLock<$crate::engine::pure::Pure> = std::sync::OnceLock::new();
        PURE.get_or_init(|| {
            let base = $pure;
            $crate::engine::pure::Pure { affine: Some($affine), ..*base }
        })
    }};
}
