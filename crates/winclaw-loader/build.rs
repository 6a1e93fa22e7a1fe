//! Hands the target triple of the build to the crate, which looks for it in packages.

fn main() {
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=WINCLAW_TARGET={target}");
    println!("cargo::rerun-if-changed=build.rs");
}
