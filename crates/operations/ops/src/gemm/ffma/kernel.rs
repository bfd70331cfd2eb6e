//! The kernels of true FP32 products: by a block for each tile, or by the blocks of a cluster.

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
    /// A block per tile.
    whole of form: #[kernel(block = form.threads(), min_blocks = form.blocks)];
    /// A cluster per tile, whose blocks share the steps along k.
    split of form: #[kernel(block = form.threads(), min_blocks = form.blocks, cluster = form.splits)];
}
