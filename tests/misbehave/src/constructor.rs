//! Code that runs while the library is mapped.

/// Leaves its trace beside the library, so that a test can tell whether, and how often, it was mapped.
#[cfg(target_os = "linux")]
extern "C" fn leave_trace() {
    use std::io::Write as _;
    let place = own_path()
        .and_then(|library| std::fs::File::options().create(true).append(true).open(format!("{library}.loaded")).ok());
    if let Some(mut file) = place {
        // A test that looks for the line says more than a panic here could.
        let _ = writeln!(file, "{}", std::process::id());
    }
}

/// The path of the file that holds this function.
#[cfg(target_os = "linux")]
fn own_path() -> Option<String> {
    let here = leave_trace as *const () as usize;
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let holds = |line: &&str| {
        let bounds = line.split_whitespace().next().and_then(|range| range.split_once('-'));
        bounds.is_some_and(|(low, high)| (hex(low)..hex(high)).contains(&here))
    };
    maps.lines().find(holds)?.split_whitespace().nth(5).map(str::to_owned)
}

#[cfg(target_os = "linux")]
fn hex(text: &str) -> usize {
    usize::from_str_radix(text, 16).unwrap_or(0)
}

#[cfg(target_os = "linux")]
#[used]
// SAFETY: the loader calls each entry of this section once, as a C function; the function takes no arguments it needs.
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = leave_trace;
