//! `sparse.cu`: sparse matrices and graphs.

use crate::Case;
use crate::case::{args, bits, integer_floats, ints};
use std::collections::{BTreeSet, VecDeque};

const UNIT: &str = "sparse";

pub fn cases() -> Vec<Case> {
    let mut cases = vec![by_thread(), by_warp(), coordinates(), bfs_levels(), bfs_block()];
    cases.extend([components(), shortest_paths(), triangles()]);
    cases
}

/// Compressed rows of a random matrix.
struct Rows {
    start: Vec<i32>,
    column: Vec<i32>,
    value: Vec<f32>,
}

impl Rows {
    fn random(rows: usize, columns: usize) -> Rows {
        let (mut start, mut column) = (vec![0], Vec::new());
        for row in 0..rows {
            let length = (bits(1, row) % 70) as usize * usize::from(row % 5 != 2);
            column.extend((0..length).map(|i| (bits(2, row * 100 + i) % columns as u64) as i32));
            start.push(column.len() as i32);
        }
        let value = integer_floats(3, column.len(), 30);
        Rows { start, column, value }
    }

    fn times(&self, x: &[f32]) -> Vec<f32> {
        let row = |ends: &[i32]| {
            let places = ends[0] as usize..ends[1] as usize;
            places.fold(0.0, |sum, i| sum + self.value[i] * x[self.column[i] as usize])
        };
        self.start.windows(2).map(row).collect()
    }

    fn case(&self, name: &'static str, x: &[f32]) -> Case {
        Case::new(UNIT, name)
            .with("start", &self.start)
            .with("column", &self.column)
            .with("value", &self.value)
            .with("x", x)
            .with("y", &vec![f32::NAN; self.start.len() - 1])
            .expects("y", &self.times(x))
    }
}

fn by_thread() -> Case {
    let (rows, x) = (Rows::random(100, 80), integer_floats(4, 80, 30));
    rows.case("a thread per row", &x).run(
        "spmv_thread",
        2,
        64,
        args![100i32, "start", "column", "value", "x", "y"],
    )
}

fn by_warp() -> Case {
    let (rows, x) = (Rows::random(60, 90), integer_floats(5, 90, 30));
    rows.case("a warp per row", &x).run(
        "spmv_warp",
        16,
        128,
        args![60i32, "start", "column", "value", "x", "y"],
    )
}

fn coordinates() -> Case {
    let count = 700;
    let place = ints(6, 2 * count, 0, 39);
    let wide = |seed, n| ints(seed, n, -99, 99).iter().map(|&v| f64::from(v)).collect::<Vec<_>>();
    let (value, x) = (wide(7, count), wide(8, 40));
    let mut y = vec![0f64; 40];
    for (at, value) in place.chunks(2).zip(&value) {
        y[at[0] as usize] += value * x[at[1] as usize];
    }
    Case::new(UNIT, "coordinates")
        .with("place", &place)
        .with("value", &value)
        .with("x", &x)
        .with("y", &[0f64; 40])
        .run("spmv_coordinates", 6, 128, args![count as i32, "place", "value", "x", "y"])
        .expects("y", &y)
}

/// An undirected graph as sorted neighborhoods, with some isolated nodes.
struct Graph {
    nodes: usize,
    start: Vec<i32>,
    edge: Vec<i32>,
}

impl Graph {
    fn random(nodes: usize, edges: usize) -> Graph {
        let mut near = vec![BTreeSet::new(); nodes];
        let reached = nodes as u64 * 9 / 10;
        for i in 0..edges {
            let (a, b) = (bits(9, i) % reached, bits(10, i) % reached);
            if a != b {
                near[a as usize].insert(b as i32);
                near[b as usize].insert(a as i32);
            }
        }
        let mut start = vec![0];
        let mut edge = Vec::new();
        for near in &near {
            edge.extend(near);
            start.push(edge.len() as i32);
        }
        Graph { nodes, start, edge }
    }

    fn near(&self, node: usize) -> &[i32] {
        &self.edge[self.start[node] as usize..self.start[node + 1] as usize]
    }

    /// Edges as pairs of nodes, in both directions.
    fn pairs(&self) -> Vec<[i32; 2]> {
        let of = |a: usize| self.near(a).iter().map(move |&b| [a as i32, b]);
        (0..self.nodes).flat_map(of).collect()
    }

    /// Distance of every node from one; -1 without a path.
    fn depths(&self, from: usize) -> Vec<i32> {
        let mut depth = vec![-1; self.nodes];
        depth[from] = 0;
        let mut queue = VecDeque::from([from]);
        while let Some(node) = queue.pop_front() {
            for &next in self.near(node) {
                if depth[next as usize] == -1 {
                    depth[next as usize] = depth[node] + 1;
                    queue.push_back(next as usize);
                }
            }
        }
        depth
    }

    fn case(&self, name: &'static str) -> Case {
        Case::new(UNIT, name).with("start", &self.start).with("edge", &self.edge)
    }
}

fn depth_at_first(nodes: usize) -> Vec<i32> {
    (0..nodes).map(|node| if node == 0 { 0 } else { -1 }).collect()
}

fn bfs_levels() -> Case {
    let graph = Graph::random(200, 300);
    let depths = graph.depths(0);
    // A queue per level: the host knows how many nodes each holds.
    let near_zero = depths.iter().filter(|&&depth| depth == 1).count() as i32;
    let expected: Vec<i32> = depths.iter().map(|&d| if d > 2 { -1 } else { d }).collect();
    let second = depths.iter().filter(|&&depth| depth == 2).count() as i32;
    graph
        .case("breadth first, two levels")
        .with("depth", &depth_at_first(200))
        .with("queue", &[0i32; 200])
        .with("next", &[0i32; 200])
        .with("last", &[0i32; 200])
        .with("counts", &[0i32])
        .with("count", &[0i32])
        .run(
            "bfs_level",
            1,
            64,
            args!["start", "edge", "depth", 0i32, "queue", 1i32, "next", "counts"],
        )
        .run(
            "bfs_level",
            2,
            64,
            args!["start", "edge", "depth", 1i32, "next", near_zero, "last", "count"],
        )
        .expects("depth", &expected)
        .expects("counts", &[near_zero])
        .expects("count", &[second])
        .may_differ("next", "threads append in any order")
        .may_differ("last", "threads append in any order")
}

fn bfs_block() -> Case {
    let graph = Graph::random(300, 400);
    graph
        .case("breadth first, by a block")
        .with("depth", &depth_at_first(300))
        .run("bfs_block", 1, 128, args![300i32, "start", "edge", "depth"])
        .expects("depth", &graph.depths(0))
}

fn components() -> Case {
    let graph = Graph::random(400, 300);
    let pairs = graph.pairs();
    let mut least: Vec<i32> = vec![-1; 400];
    for from in 0..400 {
        if least[from] == -1 {
            let depths = graph.depths(from);
            (0..400).filter(|&node| depths[node] != -1).for_each(|node| least[node] = from as i32);
        }
    }
    let count = pairs.len() as i32;
    Case::new(UNIT, "components by union-find")
        .with("edge", &pairs.concat())
        .with("parent", &(0..400).collect::<Vec<i32>>())
        .run("components_hook", (count as u32).div_ceil(128), 128, args![count, "edge", "parent"])
        .run("components_flatten", 4, 128, args![400i32, "parent"])
        .expects("parent", &least)
}

fn shortest_paths() -> Case {
    let graph = Graph::random(100, 200);
    let pairs = graph.pairs();
    let weight: Vec<u32> = (0..pairs.len()).map(|i| (bits(11, i) % 100) as u32 + 1).collect();
    let mut distance = vec![u32::MAX; 100];
    distance[0] = 0;
    let first = distance.clone();
    for _ in 0..100 {
        for (pair, weight) in pairs.iter().zip(&weight) {
            let (from, to) = (distance[pair[0] as usize], &mut distance[pair[1] as usize]);
            *to = (*to).min(from.saturating_add(*weight));
        }
    }
    let count = pairs.len() as i32;
    let mut case = Case::new(UNIT, "shortest paths")
        .with("edge", &pairs.concat())
        .with("weight", &weight)
        .with("distance", &first)
        .with("changed", &[0i32])
        .expects("distance", &distance)
        .expects("changed", &[1i32]);
    for _ in 0..30 {
        let grid = (count as u32).div_ceil(64);
        case = case.run("relax", grid, 64, args![count, "edge", "weight", "distance", "changed"]);
    }
    case
}

fn triangles() -> Case {
    let graph = Graph::random(80, 600);
    let mut count = 0u64;
    for a in 0..80 {
        for &b in graph.near(a).iter().filter(|&&b| b > a as i32) {
            let both =
                graph.near(a).iter().filter(|c| **c > b && graph.near(b as usize).contains(c));
            count += both.count() as u64;
        }
    }
    graph
        .case("triangles")
        .with("count", &[0u64])
        .run("triangles", 3, 32, args![80i32, "start", "edge", "count"])
        .expects("count", &[count])
}
