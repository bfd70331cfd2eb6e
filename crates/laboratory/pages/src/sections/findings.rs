//! Remarks from the profiles of all kernels, heaviest lines first.

use super::route;
use crate::format::percent;
use crate::record::{Kernel, Report};
use crate::words::{pair, remark, t};
use maud::{Markup, html};

/// Maximum number of findings in the summary, and the minimum share of a line.
const MOST: usize = 24;
const LIGHT: f64 = 0.01;

/// A remark with its location.
pub struct Finding<'a> {
    kernel: &'a Kernel,
    line: u32,
    code: &'a str,
    share: f64,
    text: &'a str,
}

/// The remarks of a kernel's lines.
pub fn of_kernel(kernel: &Kernel) -> Vec<Finding<'_>> {
    let lines = kernel.profile.iter().flat_map(|profile| &profile.lines);
    let of_line = |line| {
        let line: &crate::record::Line = line;
        let source = kernel.sources.iter().find(|source| Some(&source.file) == line.file.as_ref());
        let code =
            source.and_then(|source| source.text.lines().nth(line.line.checked_sub(1)? as usize));
        let code = code.map_or("", str::trim);
        line.remarks.iter().map(move |text| Finding {
            kernel,
            line: line.line,
            code,
            share: line.share,
            text,
        })
    };
    let mut found: Vec<Finding<'_>> = lines.flat_map(of_line).collect();
    found.sort_by(|a, b| b.share.total_cmp(&a.share));
    found
}

/// A table of findings; `named` adds the kernel to each.
pub fn table(found: &[Finding<'_>], named: bool) -> Markup {
    html! {
        div.scroll {
            table.findings {
                thead {
                    tr {
                        @if named { th scope="col" { (t("col:kernel")) } }
                        th scope="col" { (t("col:line")) }
                        th scope="col" { (t("col:share")) }
                        th scope="col" { (t("col:finding")) }
                    }
                }
                tbody {
                    @for one in found {
                        @let at = route::kernel(&one.kernel.ladder, &one.kernel.name);
                        tr {
                            @if named { th scope="row" { a href={ "#" (at) } { (one.kernel.ladder) @if !one.kernel.ladder.is_empty() { "/" } (one.kernel.name) } } }
                            td.number { a href={ "#" (at) } data-line=(one.line) { (one.line) } }
                            td { div.meter { i style=(format!("width:{:.1}%", 100.0 * one.share.min(1.0))) {} } span.number { (percent(one.share)) } }
                            td {
                                (pair(one.text, &remark(one.text)))
                                @if !one.code.is_empty() { code.small { (one.code) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The summary card: the heaviest findings of all kernels, with a filter field.
pub fn card(report: &Report) -> Markup {
    let mut all: Vec<Finding<'_>> = report.kernels.iter().flat_map(of_kernel).collect();
    all.sort_by(|a, b| b.share.total_cmp(&a.share));
    let kernels = report.kernels.iter().filter(|kernel| kernel.profile.is_some()).count();
    all.retain(|finding| finding.share >= LIGHT);
    all.truncate(MOST);
    html! {
        @if kernels > 0 {
            div.card data-filter="findings" {
                h2 { (t("summary:findings")) }
                p.note { (t("summary:findings-note")) }
                @if all.is_empty() { p { (t("summary:no-findings")) } } @else { (table(&all, true)) }
            }
        }
    }
}
