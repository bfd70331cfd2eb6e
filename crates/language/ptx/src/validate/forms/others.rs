//! Instructions whose forms are not listed one by one: textures and surfaces, video, the stack. Their names are checked here, and the rest by what runs them.

use crate::validate::row::Row;

#[rustfmt::skip] // a table is read by its columns
pub(super) const ROWS: &[Row] = &[
    ("alloca", "u32|u64", "d a io"),
    ("stacksave", "u32|u64", "d"),
    ("stackrestore", "u32|u64", "r"),
    ("applypriority createpolicy discard", "...", "*"),
    ("clusterlaunchcontrol multimem tensormap", "...", "*"),
    ("istypep", "texref|samplerref|surfref", "q av:b64"),
    ("suld suq sured sust tex tld4 txq", "...", "*"),
    ("movmatrix", "sync aligned m8n8 trans b16", "d:b32 r:b32"),
    ("wgmma", "...", "*"),
    ("vabsdiff vadd vmad vmax vmin vset vshl vshr vsub", "...", "*"),
    ("vabsdiff2 vadd2 vavrg2 vmax2 vmin2 vset2 vsub2", "...", "*"),
    ("vabsdiff4 vadd4 vavrg4 vmax4 vmin4 vset4 vsub4", "...", "*"),
];
