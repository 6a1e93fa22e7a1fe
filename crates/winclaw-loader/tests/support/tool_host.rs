//! The child of this crate's tests, as the winclaw binary is that of the product.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let code = match arguments.split_first() {
        Some((first, rest)) if first == "tool-host" => winclaw_loader::tool_host_main(rest),
        _ => 2,
    };
    ExitCode::from(u8::try_from(code).unwrap_or(1))
}
