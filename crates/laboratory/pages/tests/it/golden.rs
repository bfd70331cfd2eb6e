//! Checks required and forbidden contents of the file, without a browser.

use crate::sample;

#[test]
fn the_page_is_self_contained_and_escapes_its_input() {
    let (report, _) = sample::report();
    let html = report.html();
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</html>"));
    assert!(html.len() < 5_000_000, "{} bytes", html.len());
    for never in [
        "<script>alert",
        "<title>a",
        "a <title>",
        "<b>own",
        "http:",
        "https:",
        "src=",
        "@import",
        "url(\"",
    ] {
        assert!(!html.contains(never), "{never}");
    }
    assert!(html.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    // Two scripts: the texts and the program.
    assert_eq!(html.matches("<script").count(), 2);
    assert!(!html.contains("NaN") && !html.contains("inf%"), "a figure that is none");
}

#[test]
fn pages_contain_both_languages() {
    let (report, _) = sample::report();
    let html = report.html();
    assert_eq!(html.matches("class=\"en\"").count(), html.matches("class=\"zh\"").count());
    assert!(html.contains("<span class=\"zh\" lang=\"zh\">每次共享读 32.0 个 wavefront"));
    assert!(
        html.contains(
            "<span class=\"en\">Summary</span><span class=\"zh\" lang=\"zh\">概览</span>"
        )
    );
}

#[test]
fn times_and_counts_are_never_in_one_chart() {
    let (report, _) = sample::report();
    let html = report.html();
    let cards = html.split("<div class=\"card climb\"").skip(1);
    let mut seen = [0, 0];
    for card in cards {
        let card = card.split("<div class=\"card\">").next().unwrap_or_default();
        let emulator = card.contains("data-device=\"emulator\"");
        seen[usize::from(emulator)] += 1;
        assert!(!(emulator && card.contains("µs</b>")), "an emulator's card holds a time");
        assert!(emulator || !card.contains("count:sectors"), "a GPU's card holds counts");
    }
    assert_eq!(seen, [6, 2]);
}

#[test]
fn an_empty_report_is_a_page_too() {
    let html = lanework_pages::Report::default().html();
    assert!(html.contains("id=\"summary\"") && !html.contains("NaN"));
}

#[test]
fn listings_are_cut_before_the_file_is_too_large() {
    let (mut report, _) = sample::report();
    let line = "\tld.global.u32 %r1, [%rd1+4];\n";
    for index in 0..60 {
        let mut kernel = report.kernels[0].clone();
        kernel.name = format!("k{index}");
        let ptx = kernel.ptx.as_mut().expect("PTX");
        ptx.text = line.repeat(1500);
        report.kernels.push(kernel);
    }
    let html = report.html();
    assert!(html.len() < 5_000_000, "{} bytes", html.len());
    assert!(html.contains("of 1500 lines are shown"));
}
