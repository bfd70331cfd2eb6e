//! The story of a climb: each rung's idea, its largest changes in words, and its time; and one rung with its counts before
//! and after.

use lanework::Counters;
use lanework::time::predict::decides;
use lanework_lab::{ClimbRecord, RungRecord, Step};
use lanework_ladders::Header;
use lanework_terminal::output::{duration, short_count};
use lanework_terminal::table::{Column, Table, listed, prose, shown};
use lanework_terminal::words;

/// The lines of each rung, and the command that explains one.
pub fn steps(record: &ClimbRecord) -> String {
    let widest = record.rungs.iter().map(|rung| rung.name.len()).max().unwrap_or(0);
    let mut text: String = record.rungs.iter().map(|rung| step(record, rung, widest)).collect();
    if let Some(rung) = record.rungs.iter().rev().find(|rung| rung.since.is_some()) {
        text.push_str(&prose(&format!(
            "\nlanework climb {0} --explain {1} shows a rung's source, picture and counts; docs/src/en/{0}.md has every rung.",
            record.ladder, rung.name
        )));
    }
    text
}

/// The lines of one rung.
fn step(record: &ClimbRecord, rung: &RungRecord, widest: usize) -> String {
    let label = format!("  {:<widest$}  ", rung.name);
    let indent = " ".repeat(label.len());
    if let Some(why) = &rung.skipped {
        return listed(&label, &format!("skipped: {why}"));
    }
    let header = header(record.ladder, rung.name);
    let mut lines = vec![first_sentence(&header.idea).to_owned()];
    let Some((before, changes)) = &rung.since else { return listed(&label, &lines[0]) };
    match (changes.is_empty(), rung.step) {
        (false, _) => {
            // Each phrase is translated on its own.
            let told: Vec<_> = changes.iter().map(|change| words::say(change)).collect();
            lines.push(told.join("; "));
        }
        (true, Some(_)) => lines.push("no counter changed".to_owned()),
        (true, None) => {}
    }
    if let Some(same) = rung.same_as {
        lines.push(format!("runs the kernel of {same} at this size"));
    }
    lines.extend(times(record, rung, before));
    if rung.step.is_some_and(|step| !step.gains()) && !header.costs.is_empty() {
        lines.push(format!("costs: {}", header.costs));
    }
    let labels = std::iter::once(&label).chain(std::iter::repeat(&indent));
    labels.zip(&lines).map(|(label, line)| listed(label, line)).collect()
}

/// The measured time, else the predicted one, and its ratio to the rung before.
fn times(record: &ClimbRecord, rung: &RungRecord, before: &str) -> Option<String> {
    let earlier = record.rungs.iter().find(|known| known.name == before)?;
    if let (Some(then), Some(now)) = (&earlier.time, &rung.time) {
        let ratio = then.median_ns / now.median_ns;
        let time = duration(now.median_ns);
        return Some(match rung.step {
            Some(Step::Faster) => format!("{time}: {ratio:.2}x faster than {before}"),
            Some(Step::Slower) => {
                format!("{time}: NOT faster: {:.2}x the time of {before}", 1.0 / ratio)
            }
            _ => format!("{time}: NOT faster: as fast as {before} within the 95 % intervals"),
        });
    }
    let now = rung.predicted.as_ref()?;
    let time = duration(now.predicted_ns);
    let Some(then) = &earlier.predicted else { return Some(format!("predicted {time}")) };
    let ratio = then.predicted_ns / now.predicted_ns;
    let decided = decides([then, now].map(|one| (one.predicted_ns, one.interval_ns[1])));
    Some(match (decided, ratio > 1.0) {
        (true, true) => format!("predicted {time}: {ratio:.2}x faster than {before}"),
        (true, false) => format!("predicted {time}: {:.2}x slower than {before}", 1.0 / ratio),
        (false, _) if (0.95..1.05).contains(&ratio) => {
            format!("predicted {time}: about the same as {before}")
        }
        (false, true) => format!(
            "predicted {time}: perhaps {ratio:.2}x faster than {before} (the intervals overlap)"
        ),
        (false, false) => format!(
            "predicted {time}: perhaps {:.2}x slower than {before} (the intervals overlap)",
            1.0 / ratio
        ),
    })
}

/// The header of a rung's file.
fn header(ladder: &str, rung: &str) -> Header {
    let ladders = lanework_ladders::ladders();
    let ladder = ladders.iter().find(|known| known.name == ladder);
    let info = ladder.and_then(|ladder| ladder.rungs.iter().find(|known| known.name == rung));
    info.map(|info| info.header(words::of_kernels())).unwrap_or_default()
}

/// A text up to its first full stop.
fn first_sentence(text: &str) -> &str {
    let ends =
        [". ", ": ", "。"].iter().filter_map(|end| Some(text.find(end)? + end.trim_end().len()));
    ends.min().map_or(text, |end| text[..end].trim_end_matches(':'))
}

/// A rung in full: what it does, its source, and the counts of the rung before and its own.
pub fn explained(record: &ClimbRecord, before: Option<&RungRecord>, rung: &RungRecord) -> String {
    let header = header(record.ladder, rung.name);
    let mut text = prose(&format!("{}/{}", record.ladder, rung.name));
    for (name, of) in
        [("idea", &header.idea), ("predicts", &header.predicts), ("costs", &header.costs)]
    {
        if !of.is_empty() {
            text.push_str(&listed(&format!("  {name:<9} "), of));
        }
    }
    let Some(now) = &rung.counters else { return text };
    let none = Counters::default();
    let then = before.and_then(|before| before.counters.as_ref());
    let mut columns = vec![Column::name("count")];
    columns.extend(before.map(|before| Column::number(before.name)));
    columns.push(Column::number(rung.name));
    let mut table = Table::new(columns);
    // Counts of a sample of blocks are scaled to all blocks.
    let whole = |rung: &RungRecord| {
        rung.sampled.map_or(1.0, |part| part.blocks as f64 / part.blocks_counted.max(1) as f64)
    };
    let pairs = now.each().into_iter().zip(then.unwrap_or(&none).each());
    for ((counter, own), (_, earlier)) in pairs.filter(|((_, own), (_, earlier))| own + earlier > 0)
    {
        let mut row = vec![counter.name()];
        row.extend(before.map(|before| short_count(earlier as f64 * whole(before))));
        row.push(short_count(own as f64 * whole(rung)));
        table.row(row);
    }
    let time = |rung: &RungRecord| {
        rung.predicted.as_ref().map_or(String::new(), |found| duration(found.predicted_ns))
    };
    let mut row = vec!["predicted time".to_owned()];
    row.extend(before.map(time));
    row.push(time(rung));
    table.row(row);
    text + &shown(&table)
}

/// The code of a rung's file, without the header.
pub fn source(ladder: &str, rung: &str) -> Option<String> {
    let ladders = lanework_ladders::ladders();
    let ladder = ladders.iter().find(|known| known.name == ladder)?;
    let info = ladder.rungs.iter().find(|known| known.name == rung)?;
    let lines = info.source.lines().skip_while(|line| line.starts_with("//!") || line.is_empty());
    Some(lines.map(|line| format!("{line}\n")).collect())
}

#[cfg(test)]
mod tests {
    use super::first_sentence;

    #[test]
    fn the_first_sentence_ends_at_its_full_stop() {
        assert_eq!(first_sentence("one column. It costs 4 B."), "one column.");
        assert_eq!(first_sentence("2.5 words each"), "2.5 words each");
        assert_eq!(first_sentence("一列。另一列。"), "一列。");
    }
}
