//! Which file of a crate uses which, and the cycles among them.
//!
//! Names are resolved through children, `use`, re-exports and globs to the file that defines them, so a
//! re-export by a parent is not a separate edge. A re-export of another module's names by a glob is an edge.
//! Cycles are strongly connected components (Tarjan, "Depth-first search and linear graph algorithms", SIAM J.
//! Comput. 1972), each shown by its shortest cycle.
//!
//! Files alone do not show every cycle: if `a/x.rs` uses `b.rs` and `b.rs` uses `a/y.rs`, no file
//! depends on itself, but the folder `a` does. So the entries of every folder are checked as well,
//! each with everything below it.
//!
//! Not seen: methods that one file implements for another's type, since a call `x.f()` names no
//! module.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use super::source::{self, Module, Use};

/// How deep aliases may refer to aliases.
const ALIASES: usize = 16;

/// The modules of one crate.
pub struct Graph {
    files: Vec<PathBuf>,
    /// By path from the root: the file, and the module's contents.
    modules: BTreeMap<Vec<String>, (usize, Module)>,
}

/// Files, or entries of one folder, that use each other.
pub struct Knot {
    /// The folder below `src`; empty for files.
    pub folder: String,
    /// The number of files or entries.
    pub entries: usize,
    /// The entries and the shortest cycle.
    pub message: String,
}

/// For each file, the files it uses, with the line and the path that says so.
type Edges = Vec<BTreeMap<usize, (usize, String)>>;

impl Graph {
    /// The graph of a crate's files, each given by its path below `src` and its text.
    pub fn new(sources: &[(PathBuf, String)]) -> Graph {
        let mut graph = Graph { files: Vec::new(), modules: BTreeMap::new() };
        for (file, text) in sources {
            let base = module_path(file);
            for (inner, module) in source::modules(text) {
                graph.modules.insert([base.clone(), inner].concat(), (graph.files.len(), module));
            }
            graph.files.push(file.clone());
        }
        let tests = |path: &Vec<String>| {
            (0..path.len()).any(|parent| {
                let declared = graph.modules.get(&path[..parent]);
                declared.is_some_and(|(_, module)| module.test_children.contains(&path[parent]))
            })
        };
        let tests: Vec<_> = graph.modules.keys().filter(|path| tests(path)).cloned().collect();
        for path in tests {
            graph.modules.remove(&path);
        }
        graph
    }

    /// The knots of files that use each other.
    pub fn file_knots(&self) -> Vec<Knot> {
        let edges = self.edges();
        let knots = components(&edges).into_iter().filter(|knot| knot.len() > 1);
        let knots = knots.map(|knot| Knot {
            folder: String::new(),
            entries: knot.len(),
            message: self.describe(&knot, &edges),
        });
        knots.collect()
    }

    /// The knots among the entries of every folder, each entry with all files below it.
    pub fn folder_knots(&self) -> Vec<Knot> {
        let edges = self.edges();
        let paths: Vec<Vec<String>> = self.files.iter().map(|file| module_path(file)).collect();
        let folders: BTreeSet<&[String]> =
            paths.iter().flat_map(|path| (0..path.len()).map(|length| &path[..length])).collect();
        let knots = folders.into_iter().flat_map(|folder| {
            // A file inside the folder belongs to the entry of its first component below it; the
            // folder's own `mod.rs` is an entry without a name.
            let entry = |file: usize| {
                paths[file].strip_prefix(folder).map(|below| below.first().map(String::as_str))
            };
            let entries: BTreeSet<_> = (0..paths.len()).filter_map(entry).collect();
            let entries: Vec<Option<&str>> = entries.into_iter().collect();
            let number = |file: usize| entry(file).and_then(|it| entries.binary_search(&it).ok());
            let mut between: Edges = vec![BTreeMap::new(); entries.len()];
            let mut steps = BTreeMap::new();
            for (from, used) in edges.iter().enumerate() {
                for (to, (line, path)) in used {
                    if let (Some(a), Some(b)) = (number(from), number(*to))
                        && a != b
                    {
                        between[a].entry(b).or_insert((*line, path.clone()));
                        steps.entry((a, b)).or_insert((from, *to));
                    }
                }
            }
            let knots = components(&between).into_iter().filter(|knot| knot.len() > 1);
            let knots: Vec<Knot> = knots
                .map(|knot| {
                    let names: Vec<&str> =
                        knot.iter().map(|at| entries[*at].unwrap_or("mod.rs")).collect();
                    let cycle = shortest(&knot, &between);
                    let cycle = pairs(&cycle).map(|(a, b)| {
                        let (from, to) = steps[&(a, b)];
                        self.step(from, to, &edges)
                    });
                    let cycle: String = cycle.collect();
                    Knot {
                        folder: folder.join("/"),
                        entries: knot.len(),
                        message: format!("{} use each other:{cycle}", names.join(", ")),
                    }
                })
                .collect();
            knots
        });
        knots.collect()
    }

    /// The shortest cycle of a knot, and all of its files.
    fn describe(&self, knot: &BTreeSet<usize>, edges: &Edges) -> String {
        let cycle = shortest(knot, edges);
        let steps: String = pairs(&cycle).map(|(from, to)| self.step(from, to, edges)).collect();
        let names: Vec<String> =
            knot.iter().map(|file| self.files[*file].display().to_string()).collect();
        format!(
            "{} files use each other, the shortest cycle:{steps}\n  all: {}",
            knot.len(),
            names.join(", ")
        )
    }

    /// One line: which file uses which, and where.
    fn step(&self, from: usize, to: usize, edges: &Edges) -> String {
        let (line, path) = &edges[from][&to];
        let (from, to) = (self.files[from].display(), self.files[to].display());
        format!("\n  {from}:{line} uses {to} (`{path}`)")
    }

    fn edges(&self) -> Edges {
        let mut edges: Edges = vec![BTreeMap::new(); self.files.len()];
        for (path, (file, module)) in &self.modules {
            let mut add = |target: Option<Target>, line: usize, text: String| {
                if let Some(Target::Item(to)) = target
                    && to != *file
                {
                    edges[*file].entry(to).or_insert((line, text));
                }
            };
            for mention in &module.mentions {
                let target = self.resolve(path, &mention.path, ALIASES);
                let target = target.map(|target| self.file_of(target));
                add(target, mention.line, mention.path.join("::"));
            }
            for leaf in &module.uses {
                let Some(name) = &leaf.name else {
                    let Some(from) = self.glob_target(path, leaf, ALIASES) else { continue };
                    if leaf.public && !self.is_below(path, &leaf.path) {
                        let file = Target::Item(self.modules[&from].0);
                        add(Some(file), leaf.line, format!("{}::*", leaf.path.join("::")));
                    }
                    for (word, line) in &module.words {
                        if !module.items.contains(word) {
                            let text = format!("{}::{word}", leaf.path.join("::"));
                            add(self.find(&from, word, ALIASES), *line, text);
                        }
                    }
                    continue;
                };
                let target = self.resolve(path, &leaf.path, ALIASES);
                // A module imported by name counts where the code names something in it.
                let reexport = leaf.public && self.is_below(path, &leaf.path);
                if !reexport || module.words.contains_key(name) {
                    add(target, leaf.line, leaf.path.join("::"));
                }
            }
        }
        edges
    }

    /// Whether `used`, a path written in `module`, leads to one of the module's own descendants.
    fn is_below(&self, module: &[String], used: &[String]) -> bool {
        match used.first().map(String::as_str) {
            Some("self") => true,
            Some("crate") => used[1..].starts_with(module),
            Some(first) => self.modules.contains_key(&[module, &[first.to_owned()]].concat()),
            None => false,
        }
    }

    fn file_of(&self, target: Target) -> Target {
        match target {
            Target::Module(path) => Target::Item(self.modules[&path].0),
            item => item,
        }
    }

    /// Resolves `path`, written in `module`; `None` if it leaves the crate.
    fn resolve(&self, module: &[String], path: &[String], aliases: usize) -> Option<Target> {
        let (mut target, mut rest) = match path.first()?.as_str() {
            "crate" => (Target::Module(Vec::new()), &path[1..]),
            "self" => (Target::Module(module.to_vec()), &path[1..]),
            "super" => {
                let ups = path.iter().take_while(|part| *part == "super").count();
                let parent = module[..module.len().checked_sub(ups)?].to_vec();
                (Target::Module(parent), &path[ups..])
            }
            first => (self.find(module, first, aliases)?, &path[1..]),
        };
        while let (Target::Module(at), Some((next, tail))) = (&target, rest.split_first()) {
            target = self.find(at, next, aliases).map_or_else(|| self.unknown(at, next), Some)?;
            rest = tail;
        }
        Some(target)
    }

    /// Resolves `name` in `module`: a child, an item, or a name imported by `use`.
    fn find(&self, module: &[String], name: &str, aliases: usize) -> Option<Target> {
        let (file, here) = self.modules.get(module)?;
        let child = [module, &[name.to_owned()]].concat();
        if self.modules.contains_key(&child) {
            return Some(Target::Module(child));
        }
        if here.items.contains(name) {
            return Some(Target::Item(*file));
        }
        let aliases = aliases.checked_sub(1)?;
        // A `use name;` for a macro of the same file adds no information.
        let is_named = |leaf: &&Use| leaf.name.as_deref() == Some(name) && leaf.path[0] != name;
        if let Some(leaf) = here.uses.iter().find(is_named) {
            return Some(self.resolve(module, &leaf.path, aliases).unwrap_or(Target::Outside));
        }
        let globs = here.uses.iter().filter(|leaf| leaf.name.is_none());
        globs
            .filter_map(|leaf| self.glob_target(module, leaf, aliases))
            .filter(|from| from != module)
            .find_map(|from| self.find(&from, name, aliases))
    }

    /// The module that a glob of `module` imports from. Its path must start with a keyword or a child, because a
    /// search for its first name in other globs would not end.
    fn glob_target(&self, module: &[String], glob: &Use, aliases: usize) -> Option<Vec<String>> {
        let first = glob.path.first()?;
        let child = [module, std::slice::from_ref(first)].concat();
        let local = matches!(first.as_str(), "crate" | "self" | "super");
        if !local && !self.modules.contains_key(&child) {
            return None;
        }
        match self.resolve(module, &glob.path, aliases)? {
            Target::Module(from) => Some(from),
            Target::Item(_) | Target::Outside => None,
        }
    }

    /// A name that no file seems to define, looked up in `module`: an exported macro, something from a glob of
    /// another crate, or an item that a macro of the module's own file writes.
    fn unknown(&self, module: &[String], name: &str) -> Option<Target> {
        let (file, here) = self.modules.get(module)?;
        if let Some(file) = module.is_empty().then(|| self.exported_macro(name)).flatten() {
            return Some(Target::Item(file));
        }
        let mut globs = here.uses.iter().filter(|leaf| leaf.name.is_none());
        let outside = globs.any(|leaf| self.glob_target(module, leaf, ALIASES).is_none());
        Some(if outside { Target::Outside } else { Target::Item(*file) })
    }

    /// The file with `macro_rules! name`, which `#[macro_export]` puts at the root.
    fn exported_macro(&self, name: &str) -> Option<usize> {
        let defines = |module: &Module| {
            module.words.contains_key("macro_export") && module.items.contains(name)
        };
        self.modules.values().find(|(_, module)| defines(module)).map(|(file, _)| *file)
    }
}

/// The target of a path.
enum Target {
    /// Something that this file defines.
    Item(usize),
    /// A module as such.
    Module(Vec<String>),
    /// Something of another crate.
    Outside,
}

/// `a/b.rs` and `a/b/mod.rs` are `a::b`; `lib.rs` and `main.rs` are the root.
fn module_path(file: &Path) -> Vec<String> {
    let mut path: Vec<String> = file
        .with_extension("")
        .components()
        .map(|part| part.as_os_str().to_string_lossy().into_owned())
        .collect();
    let last = path.last().map(String::as_str);
    if last == Some("mod") || (path.len() == 1 && matches!(last, Some("lib" | "main"))) {
        path.pop();
    }
    path
}

/// The strongly connected components: Tarjan's algorithm.
fn components(edges: &Edges) -> Vec<BTreeSet<usize>> {
    struct Search<'a> {
        edges: &'a Edges,
        index: Vec<Option<usize>>,
        low: Vec<usize>,
        stack: Vec<usize>,
        visited: usize,
        found: Vec<BTreeSet<usize>>,
    }
    impl Search<'_> {
        fn visit(&mut self, node: usize) {
            let index = self.visited;
            self.visited += 1;
            (self.index[node], self.low[node]) = (Some(index), index);
            self.stack.push(node);
            for next in self.edges[node].keys() {
                match self.index[*next] {
                    None => {
                        self.visit(*next);
                        self.low[node] = self.low[node].min(self.low[*next]);
                    }
                    Some(other) if self.stack.contains(next) => {
                        self.low[node] = self.low[node].min(other);
                    }
                    Some(_) => {}
                }
            }
            if self.low[node] == index {
                let start = self.stack.iter().position(|other| *other == node).expect("pushed");
                self.found.push(self.stack.split_off(start).into_iter().collect());
            }
        }
    }
    let (index, low) = (vec![None; edges.len()], vec![0; edges.len()]);
    let mut search = Search { edges, index, low, stack: Vec::new(), visited: 0, found: Vec::new() };
    for node in 0..edges.len() {
        if search.index[node].is_none() {
            search.visit(node);
        }
    }
    search.found
}

/// The shortest cycle within a knot.
fn shortest(knot: &BTreeSet<usize>, edges: &Edges) -> Vec<usize> {
    let cycles = knot.iter().filter_map(|start| shortest_cycle(*start, knot, edges));
    cycles.min_by_key(Vec::len).unwrap_or_default()
}

/// The steps of a cycle: each element with the next, the last with the first.
fn pairs(cycle: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    (0..cycle.len()).map(move |at| (cycle[at], cycle[(at + 1) % cycle.len()]))
}

/// The shortest cycle through `start` within `knot`, by breadth-first search.
fn shortest_cycle(start: usize, knot: &BTreeSet<usize>, edges: &Edges) -> Option<Vec<usize>> {
    let mut queue = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(path) = queue.pop_front() {
        for next in edges[*path.last()?].keys() {
            if *next == start {
                return Some(path);
            }
            if knot.contains(next) && seen.insert(*next) {
                queue.push_back([&path[..], &[*next]].concat());
            }
        }
    }
    None
}
