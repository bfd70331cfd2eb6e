//! Instructions that communicate between the lanes of a warp, and branches and calls, which name a label or a function.

use super::row::{Row, load_only, text};

pub const BRANCHES: &[Row] = &[
    load_only("bra{,.uni}", "@ END;"),
    load_only("brx.idx{,.uni}", "{ TARGETS: .branchtargets END; @ %r0, TARGETS; }"),
    load_only("call{,.uni}", "@ callee;"),
];

pub const WARP: &[Row] = &[
    text(
        "shfl.sync{.up,.down,.bfly,.idx}.b32",
        "b32 pred",
        "b32 lane clamp",
        "@ $d|$q, $a, $b, $c, -1;",
    ),
    text(
        "shfl.sync{.up,.down,.bfly,.idx}.b32",
        "b32",
        "b32",
        "@ $d, $a, <1|5|16>, <0|31|0x1c1f>, -1;",
    ),
    text("vote.sync{.all,.any,.uni}.pred", "pred", "pred", "@ $d, <$a|!$a>, -1;"),
    text("vote.sync.ballot.b32", "b32", "pred", "@ $d, <$a|!$a>, -1;"),
    text("match.any.sync.b32", "b32", "lane", "@ $d, $a, -1;"),
    text("match.any.sync.b64", "b32", "b64", "@ $d, $a, -1;"),
    text("match.all.sync.b32", "b32 pred", "lane", "@ $d|$q, $a, -1;"),
    text("match.all.sync.b64", "b32 pred", "b64", "@ $d|$q, $a, -1;"),
    text("activemask.b32", "b32", "", "@ $d;"),
    text("redux.sync{.add,.min,.max}{.u32,.s32}", "b32", "b32", "@ $d, $a, -1;"),
    text("redux.sync{.and,.or,.xor}.b32", "b32", "b32", "@ $d, $a, -1;"),
    text("elect.sync", "pred", "", "{ .reg .b32 %x; @ %x|$d, -1; }"),
];
