//! Loading a module again, in this process and in another one. Entries are decoded on first use.

use crate::common::{allocate, context, download, launch, load};
use std::ffi::{CString, c_char, c_void};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A module larger than 16 KiB, the minimum size for caching. One of its entries is not supported.
fn text() -> String {
    let filling = "// what a compiler says\n".repeat(1000);
    format!(
        "{filling}.version 7.0\n.target sm_70\n.address_size 64\n\
         .visible .entry put(.param .u64 at) {{ .reg .b64 %a; ld.param.u64 %a, [at]; st.global.u32 [%a], 7; ret; }}\n\
         .visible .entry ask(.param .u64 at) {{ .reg .b64 %a; .reg .b32 %v; ld.param.u64 %a, [at]; \
         txq.channel_order.b32 %v, [%a]; ret; }}\n\0"
    )
}

#[test]
fn an_unsupported_entry_fails_only_its_own_launch() {
    context();
    let memory = allocate(4);
    let (module, put) = load(&text(), "put");
    let mut ask = 0u64;
    let name = CString::new("ask").expect("a name");
    let code = call!("cuModuleGetFunction"(&mut ask => *mut u64, module => u64, name.as_ptr() => *const c_char));
    assert_eq!(code, 0);
    assert_eq!(launch(ask, 1, &[memory]), 801);
    assert_eq!(launch(put, 1, &[memory]), 0);
    assert_eq!(download::<u32>(memory, 1), [7]);
}

#[test]
fn modules_of_one_text_have_variables_of_their_own() {
    context();
    let text = ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .u32 count = 5;\n\
                .visible .entry more() { .reg .b32 %v; ld.global.u32 %v, [count]; add.u32 %v, %v, 1; st.global.u32 [count], %v; ret; }\n\0";
    let loaded = [load(text, "more"), load(text, "more")];
    let count = |module: u64| {
        let (mut at, mut bytes) = (0u64, 0usize);
        let code = call!("cuModuleGetGlobal"(
            &mut at => *mut u64, &mut bytes => *mut usize, module => u64, c"count".as_ptr() => *const c_char
        ));
        assert_eq!((code, bytes), (0, 4));
        download::<u32>(at, 1)[0]
    };
    assert_eq!(launch(loaded[0].1, 1, &[]), 0);
    assert_eq!((count(loaded[0].0), count(loaded[1].0)), (6, 5));
    assert_eq!(call!("cuModuleUnload"(loaded[0].0 => u64)), 0);
    assert_eq!(launch(loaded[1].1, 1, &[]), 0);
    assert_eq!(count(loaded[1].0), 6);
}

/// The variable that marks the child process.
const OTHER: &str = "LANEWORK_TEST_OTHER";

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

#[test]
fn another_process_finds_only_checked_texts() {
    if std::env::var_os(OTHER).is_some() {
        context();
        let memory = allocate(4);
        assert_eq!(launch(load(&text(), "put").1, 1, &[memory]), 0);
        assert_eq!(download::<u32>(memory, 1), [7]);
        // An invalid text is refused, regardless of the cache.
        let (wrong, mut module) = (text().replace("ret; }", "bar.nowhere; }"), 0u64);
        let code = call!("cuModuleLoadData"(&mut module => *mut u64, wrong.as_ptr().cast() => *const c_void));
        assert_eq!(code, 218);
        return;
    }
    let folder = std::env::temp_dir().join(format!("lanework-again-{}", std::process::id()));
    let run = |cache: &Path| {
        let ended = Command::new(std::env::current_exe().expect("a program"))
            .args(["loaded_again::another_process_finds_only_checked_texts", "--exact"])
            .env(OTHER, "1")
            .env("LANEWORK_CACHE_DIR", cache)
            .output()
            .expect("it starts");
        assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stdout));
    };
    run(Path::new("off"));
    assert!(!Path::new("off").exists() && files(&folder).is_empty());
    run(&folder);
    let kept = files(&folder);
    assert_eq!(kept.len(), 1, "{kept:?}");
    let whole = std::fs::read(&kept[0]).expect("a file");
    run(&folder);
    // A truncated cache file is ignored and rewritten.
    std::fs::write(&kept[0], &whole[..whole.len() / 2]).expect("written");
    run(&folder);
    assert_eq!(std::fs::read(&kept[0]).expect("a file"), whole);
    // An unusable cache folder is ignored.
    run(&kept[0].join("below"));
    std::fs::remove_dir_all(folder).expect("it was there");
}
