//! A product in tensor memory (`tcgen05`): each thread writes a row of A, and reads its row of the product.

use crate::verdicts::scene::{Host, Piece, Scope};
use crate::verdicts::text::{Need, Text};
use lanework_emulator::sanitize::ReportKind::*;

/// Number of threads, one per row of A.
pub const ROWS: u32 = 128;
/// Number of rows of B, and of allocated columns of tensor memory.
const COLUMNS: u32 = 16;
const ALLOCATED: u32 = 32;

/// A has 128 rows of 16 halves, all zero except the first of each row. B selects that column, so the product's first column is
/// A's.
pub struct TensorProduct {
    pub id: usize,
}

/// The descriptor of a tile without a swizzle, in which 8 rows of 16 bytes are contiguous; lacks the address.
fn descriptor(rows: u32) -> u64 {
    let (leading, stride) = (u64::from(rows) * 16, 128);
    ((leading >> 4) << 16) | ((stride >> 4) << 32) | (1 << 46)
}

impl Piece for TensorProduct {
    fn emit(&self, t: &mut Text, _: &Scope) {
        t.tensor = true;
        let (a, chunk) = (0, ROWS * 16);
        let (b, b_chunk) = (2 * chunk, COLUMNS * 16);
        let [tile, slot, done] = [2 * chunk + 2 * b_chunk, 16, 16].map(|bytes| t.shared(bytes));
        let parity = t.register("r");
        t.prologue.push(format!("mov.u32 {parity}, 0;"));
        let first = t.register("p");
        t.prologue.push(format!(
            "setp.eq.u32 {first}, %tid, 0; @{first} mbarrier.init.shared::cta.b64 [{done}], 1;"
        ));
        t.prologue_barrier = true;
        let [row, zero, half, base, form, column] = [(); 6].map(|()| t.register("r"));
        let [one, other, at] = [(); 3].map(|()| t.register("rd"));
        let [p, sums] = [(); 2].map(|()| t.register("p"));
        let sync =
            "tcgen05.fence::before_thread_sync; bar.sync 0; tcgen05.fence::after_thread_sync;";
        let label = t.label();
        t.line(format!("setp.ne.u32 {p}, %warp, 0; @{p} bra {label};"));
        t.line(format!(
            "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [{slot}], {ALLOCATED};"
        ));
        t.line(format!("{label}: {sync}"));
        t.line(format!("ld.shared.u32 {base}, [{slot}]; mov.u32 {row}, {tile}; mad.lo.u32 {row}, %tid, 16, {row};"));
        t.line(format!("mov.u32 {zero}, 0; and.b32 {half}, %v, 7; cvt.rn.f32.u32 {half}, {half}; cvt.rn.f16x2.f32 {half}, {zero}, {half};"));
        let mut writes = vec![
            t.line(format!("st.shared.v4.b32 [{row}+{a}], {{{half}, {zero}, {zero}, {zero}}};")),
            t.line(format!(
                "st.shared.v4.b32 [{row}+{chunk}], {{{zero}, {zero}, {zero}, {zero}}};"
            )),
        ];
        let label = t.label();
        t.line(format!(
            "setp.ge.u32 {p}, %tid, {COLUMNS}; @{p} bra {label}; mov.u32 {half}, 0x3c00;"
        ));
        writes.push(
            t.line(format!("st.shared.v4.b32 [{row}+{b}], {{{half}, {zero}, {zero}, {zero}}};")),
        );
        writes.push(t.line(format!(
            "st.shared.v4.b32 [{row}+{}], {{{zero}, {zero}, {zero}, {zero}}};",
            b + b_chunk
        )));
        t.line(format!("{label}:"));
        let unfenced = t.plant(self.id, "operands with no fence between the proxies", Need::Thread);
        let early = t.plant(self.id, "no barrier before the product", Need::Threads);
        let summed = t.plant(self.id, "a sum onto columns that nothing has written", Need::Thread);
        let rushed = t.plant(self.id, "an operand written before the wait", Need::Thread);
        t.line(if unfenced { "" } else { "fence.proxy.async.shared::cta;" });
        t.line(if early { "" } else { sync });
        let label = t.label();
        t.line(format!("setp.ne.u32 {p}, %tid, 0; @{p} bra {label};"));
        t.line(format!("cvt.u64.u32 {at}, {row}; shr.u64 {at}, {at}, 4; add.u64 {one}, {at}, {:#x}; add.u64 {other}, {at}, {:#x};",
            descriptor(ROWS), descriptor(COLUMNS) + u64::from(b >> 4)));
        let shape = (1 << 4) | ((COLUMNS / 8) << 17) | ((ROWS / 16) << 24);
        let test = if summed { "eq" } else { "ne" };
        t.line(format!("mov.u32 {form}, {shape:#x}; setp.{test}.u32 {sums}, {form}, {form};"));
        let product = t.line(format!(
            "tcgen05.mma.cta_group::1.kind::f16 [{base}], {one}, {other}, {form}, {sums};"
        ));
        t.line(format!(
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [{done}];"
        ));
        t.line(format!("{label}:"));
        let write =
            t.line(if rushed { format!("st.shared.u32 [{row}+{a}], %v;") } else { String::new() });
        t.wait_for_phase("", &done, &parity);
        t.line(format!("xor.b32 {parity}, {parity}, 1; tcgen05.fence::after_thread_sync;"));
        t.line(format!("shl.b32 {column}, %warp, 21; add.u32 {column}, {column}, {base};"));
        t.line(format!("tcgen05.ld.sync.aligned.32x32b.x1.b32 {{{half}}}, [{column}]; tcgen05.wait::ld.sync.aligned;"));
        t.line(format!("cvt.rzi.u32.f32 {half}, {half}; add.u32 %v, %v, {half};"));
        let label = t.label();
        t.line(format!("{sync} setp.ne.u32 {p}, %warp, 0; @{p} bra {label};"));
        t.line(format!("tcgen05.dealloc.cta_group::1.sync.aligned.b32 {base}, {ALLOCATED};"));
        t.line(format!("{label}:"));
        writes.push(product);
        if unfenced {
            t.expect(&[AsyncOrder], &writes, &[]);
        }
        if early {
            t.expect(&[Race], &writes, &[AsyncOrder, Uninitialized]);
        }
        if summed {
            t.expect(&[Uninitialized], &[product], &[]);
        }
        if rushed {
            t.expect(&[Race, AsyncOrder], &[write, product], &[Race, AsyncOrder]);
        }
    }

    fn apply(&self, host: &mut Host, active: &[bool]) {
        host.note(self.id, active);
        host.update(active, |thread, v| v[thread].wrapping_add(v[thread] & 7));
    }
}
