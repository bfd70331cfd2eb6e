//! The PTX modules that compilers generated from `cuda/`, with the properties that their names encode.

/// One compiler's output for one unit.
#[derive(Clone, Copy, Debug)]
pub struct Variant {
    /// The file's name.
    pub file: &'static str,
    /// The source it comes from, without its ending.
    pub unit: &'static str,
    /// The target architecture, such as `sm_80`.
    pub target: &'static str,
    /// Whether it was compiled for debugging, without optimization.
    pub debug: bool,
    /// The text.
    pub text: &'static str,
}

/// Every module.
pub fn variants() -> Vec<Variant> {
    lanework_compiled_ptx::modules()
        .iter()
        .map(|module| {
            let (file, text) = (module.name, module.text());
            let mut parts = file.split('.');
            let unit = parts.next().unwrap_or_default();
            let target = parts.next().unwrap_or_default();
            let debug = parts.next().is_some_and(|how| how.ends_with("debug"));
            Variant { file, unit, target, debug, text }
        })
        .collect()
}

impl Variant {
    /// Whether a GPU of compute capability `(major, minor)` runs it: its own or an earlier target,
    /// only its own where the target's name ends in `a`.
    pub fn runs_on(&self, (major, minor): (u32, u32)) -> bool {
        let number = self.target.trim_start_matches("sm_");
        let own = number.strip_suffix('a');
        let Ok(needs) = own.unwrap_or(number).parse::<u32>() else { return false };
        let has = major * 10 + minor;
        if own.is_some() { has == needs } else { has >= needs }
    }
}
