//! Kernel entry points for true FP32 products: one block per tile, or one cluster per tile.

use super::form::Form;
use super::product::product;
use crate::gemm::finish::Finish;
use lanework::prelude::*;

macro_rules! kernels {
    ($($(#[$doc:meta])* $name:ident of $form:ident: #[kernel($($attribute:tt)*)];)*) => {$(
        $(#[$doc])*
        #[kernel($($attribute)*)]
        pub(super) fn $name(
            a: &[f32],
            b: &[f32],
            map_a: &TensorMap<f32, 3>,
            map_b: &TensorMap<f32, 3>,
            c: &mut [f32],
            bias: &[f32],
            scale: &[f32],
            extents: [u32; 4],
            strides_a: [u32; 2],
            strides_b: [u32; 2],
            strides_c: [u32; 3],
            parts: [u32; 3],
            alpha: f32,
            beta: f32,
            #[constant] finish: Finish,
            #[constant] $form: Form,
        ) {
            product(
                &a, &b, map_a, map_b, c, &bias, &scale, extents, strides_a, strides_b, strides_c, parts, alpha, beta,
                finish, $form,
            );
        }
    )*};
}

kernels! {
    /// One block per tile.
    whole of form: #[kernel(block = form.threads(), min_blocks = form.blocks)];
    /// One cluster per tile; its blocks share the k steps.
    split of form: #[kernel(block = form.threads(), min_blocks = form.blocks, cluster = form.splits)];
}
