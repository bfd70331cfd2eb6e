//! `lanework new`: a project with a kernel, its reference on the host, a checked test and a benchmark.

use crate::args::NewArgs;
use lanework_terminal::failure::{Failure, Outcome};
use lanework_terminal::output::{print, write};
use std::fs;
use std::path::{Path, PathBuf};

/// The files of a project, by their paths.
const FILES: [(&str, &str); 6] = [
    ("Cargo.toml", include_str!("../../template/Cargo.toml.in")),
    (".gitignore", include_str!("../../template/gitignore")),
    ("src/lib.rs", include_str!("../../template/src/lib.rs.in")),
    ("src/main.rs", include_str!("../../template/src/main.rs.in")),
    ("tests/saxpy.rs", include_str!("../../template/tests/saxpy.rs.in")),
    ("benches/saxpy.rs", include_str!("../../template/benches/saxpy.rs.in")),
];

/// An empty workspace table, which keeps a project out of a surrounding workspace.
const ALONE: &str = "\n# This folder lies in another workspace, and is not part of it: only the root of a workspace may have profiles.\n[workspace]";

/// Writes a project.
///
/// # Errors
/// If the name cannot be a package's, the folder is not empty, or `--path` holds no checkout.
pub fn run(args: &NewArgs) -> Outcome {
    let folder = &args.folder;
    let name = name(args)?;
    if folder.exists() && fs::read_dir(folder).map_or(true, |mut entries| entries.next().is_some())
    {
        return Err(Failure::input(
            format_args!("{} exists, and is not an empty folder", folder.display()),
            "give a folder that does not exist yet",
        ));
    }
    let checkout = args.path.clone().or_else(|| built_in().filter(|_| !args.published));
    let dependency_on = |name| dependency(name, checkout.as_deref());
    let (library, bench) = (dependency_on("lanework")?, dependency_on("lanework-bench")?);
    let parent = std::path::absolute(folder)?;
    let inside = parent.ancestors().skip(1).any(|above| above.join("Cargo.toml").is_file());
    let workspace = if inside { ALONE } else { "" };
    for (path, text) in FILES {
        let path = folder.join(path);
        let text = text
            .replace("{name}", &name)
            .replace("{crate}", &name.replace('-', "_"))
            .replace("{dependency}", &library)
            .replace("{bench}", &bench)
            .replace("{workspace}", workspace);
        fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(|error| {
            let what = format!("{} cannot be written: {error}", folder.display());
            Failure::input(what, "choose a folder that you may write to")
        })?;
        write(&path, &(text.trim_end().to_owned() + "\n"))?;
    }
    let folder = folder.display();
    let quoted = shell_words(&args.folder);
    print(&format!(
        "{folder} has a kernel, its reference on the host, a checked test and a benchmark:\n  \
         cd {quoted}\n  \
         cargo check --tests                   the errors of the types, without building the emulator\n  \
         cargo test                            on the emulator, every access checked\n  \
         cargo run                             on a GPU, if there is one\n  \
         cargo bench                           times on a GPU, counts on the emulator\n  \
         lanework exec --profile -- cargo run  what every line costs\n"
    ))?;
    match (checkout, &args.path) {
        (Some(checkout), None) => {
            let checkout = checkout.display();
            print(&format!(
                "It depends on the checkout {checkout}; with --published, on the published version.\n"
            ))
        }
        (None, _) if !args.published => print(&format!(
            "It depends on the published version {}; --path FOLDER names a checkout instead.\n",
            env!("CARGO_PKG_VERSION")
        )),
        _ => Ok(()),
    }
}

/// The checkout whose target folder holds this command.
fn built_in() -> Option<PathBuf> {
    let command = std::env::current_exe().ok()?;
    let mut folders = command.ancestors().skip(1);
    folders
        .find(|folder| holds(&folder.join("crates/runtime/lanework"), "lanework"))
        .map(Path::to_owned)
}

/// Quotes a path for a shell, if it has characters other than letters, digits and plain punctuation.
fn shell_words(path: &Path) -> String {
    let text = path.display().to_string();
    let plain = |c: char| c.is_alphanumeric() || "/._-+@:\\~".contains(c);
    match text.chars().all(plain) {
        true => text,
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// Invalid package names: crates that the project uses, and keywords.
const TAKEN: &str = "lanework lanework-bench lanework_bench test core std alloc proc_macro proc-macro \
    as break const continue crate else enum extern false fn for if impl in let loop match mod move mut pub \
    ref return self static struct super trait true type unsafe use where while async await dyn abstract \
    become box do final gen macro override priv try typeof unsized virtual yield";

/// The name of the package; by default the folder's.
fn name(args: &NewArgs) -> Result<String, Failure> {
    // `.` and `..` end in no name; their absolute paths do.
    let whole = fs::canonicalize(&args.folder).unwrap_or_else(|_| args.folder.clone());
    let last = args.folder.file_name().or(whole.file_name());
    let of_folder = || Some(last?.to_str()?.to_owned());
    let name = args.name.clone().or_else(of_folder).unwrap_or_default();
    let letters = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    if TAKEN.split_whitespace().any(|word| word == name) {
        return Err(Failure::input(
            format_args!("`{name}` cannot be the name of a package: Rust or the project uses it"),
            "give another with --name",
        ));
    }
    match name.starts_with(first) && name.chars().all(letters) {
        true => Ok(name),
        false => Err(Failure::input(
            format_args!("`{name}` cannot be the name of a package"),
            "use letters, digits, - and _, a letter first; --name gives one that differs from the folder's",
        )),
    }
}

/// The line of the dependency on a crate of ours: this version, or a checkout.
fn dependency(name: &str, path: Option<&Path>) -> Result<String, Failure> {
    let Some(path) = path else {
        return Ok(format!("{name} = \"{}\"", env!("CARGO_PKG_VERSION")));
    };
    let candidates = [path.to_owned(), path.join("crates/runtime/lanework")];
    let lanework = candidates.into_iter().find(|folder| holds(folder, "lanework"));
    let lanework = lanework.map(fs::canonicalize).transpose()?;
    let found = lanework.as_deref().and_then(|lanework| folder_of(name, lanework));
    let Some(found) = found else {
        return Err(Failure::input(
            format_args!("{} is not a checkout of Lanework", path.display()),
            "give the folder that holds crates/runtime/lanework, or remove --path to use the published version",
        ));
    };
    // A literal string of TOML does not interpret backslashes.
    Ok(format!("{name} = {{ path = '{}' }}", found.display()))
}

/// The folder of one of our crates, in the checkout whose crate `lanework` is in this folder. Crates are grouped, each in a
/// folder with its name without the prefix.
fn folder_of(name: &str, lanework: &Path) -> Option<PathBuf> {
    let groups = fs::read_dir(lanework.parent()?.parent()?).ok()?;
    let short = name.strip_prefix("lanework-").unwrap_or(name);
    groups.flatten().map(|group| group.path().join(short)).find(|folder| holds(folder, name))
}

/// Whether the folder holds the crate of this name.
fn holds(folder: &Path, name: &str) -> bool {
    let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    manifest.lines().any(|line| line.trim() == format!("name = \"{name}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(folder: &str, name: Option<&str>) -> NewArgs {
        NewArgs {
            folder: folder.into(),
            name: name.map(str::to_owned),
            path: None,
            published: false,
        }
    }

    #[test]
    fn project_names_must_be_valid_package_names() {
        assert_eq!(name(&asked("a/my-kernels", None)).ok().as_deref(), Some("my-kernels"));
        assert_eq!(name(&asked("a/9", Some("nine"))).ok().as_deref(), Some("nine"));
        let here = std::env::current_dir().expect("a folder");
        assert_eq!(
            name(&asked(".", None)).ok().as_deref(),
            here.file_name().and_then(|n| n.to_str())
        );
        for bad in ["9", "a b", "lanework", "", "é", "-a", "test", "fn", "lanework-bench"] {
            assert!(name(&asked("x", Some(bad))).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_folder_is_quoted_where_a_shell_would_take_it_apart() {
        assert_eq!(shell_words(Path::new("../my-kernels")), "../my-kernels");
        assert_eq!(shell_words(Path::new("my kernels")), "'my kernels'");
        assert_eq!(shell_words(Path::new("it's")), r"'it'\''s'");
    }

    #[test]
    fn the_published_version_is_this_one() {
        let line = dependency("lanework", None).expect("a version");
        assert_eq!(line, format!("lanework = \"{}\"", env!("CARGO_PKG_VERSION")));
        assert!(dependency("lanework", Some(Path::new("/no/such/checkout"))).is_err());
    }
}
