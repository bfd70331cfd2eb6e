//! Where the warps of a cluster are, in words.

use lanework_engine::cluster_view::{ClusterView, Progress};

/// Groups of warps told apart.
const MOST_GROUPS: usize = 8;

/// Where all warps are, to be added to a message.
pub fn whereabouts(cluster: &dyn ClusterView) -> String {
    let several = cluster.blocks() > 1;
    let mut all = Vec::new();
    for rank in 0..cluster.blocks() {
        let whose = if several { format!(" of the block of rank {rank}") } else { String::new() };
        all.extend(of_block(cluster, rank, &whose));
    }
    if all.len() > MOST_GROUPS {
        all.truncate(MOST_GROUPS);
        all.push("; and others".to_owned());
    }
    all.concat()
}

/// Where the warps of a block are, in words; `whose` says of which block.
fn of_block(cluster: &dyn ClusterView, rank: usize, whose: &str) -> Vec<String> {
    let mut groups: Vec<(String, Vec<usize>)> = Vec::new();
    for w in 0..cluster.warps() {
        let does = match cluster.progress(rank, w) {
            Progress::Done => continue,
            Progress::Ready => "",
            Progress::Blocked => " waiting at a barrier",
            Progress::Polling => " waiting",
        };
        let origin = cluster.kernel().origins.get(cluster.instruction(rank, w) as usize);
        let place = match origin {
            Some(o) => match &o.location {
                Some(location) => format!("{does} at {location}"),
                None => format!("{does} at line {} of the PTX text", o.text_line),
            },
            None => does.to_owned(),
        };
        match groups.iter_mut().find(|(known, _)| *known == place) {
            Some((_, warps)) => warps.push(w),
            None => groups.push((place, vec![w])),
        }
    }
    groups.into_iter().map(|(place, warps)| format!("; {}{whose}{place}", listed(&warps))).collect()
}

/// `warp 3`, `warps 0-3, 7`.
fn listed(warps: &[usize]) -> String {
    let mut runs: Vec<[usize; 2]> = Vec::new();
    for &w in warps {
        match runs.last_mut() {
            Some(run) if run[1] + 1 == w => run[1] = w,
            _ => runs.push([w, w]),
        }
    }
    let shown = runs.iter().map(|[a, b]| if a == b { a.to_string() } else { format!("{a}-{b}") });
    let word = if warps.len() == 1 { "warp" } else { "warps" };
    format!("{word} {}", shown.collect::<Vec<_>>().join(", "))
}
