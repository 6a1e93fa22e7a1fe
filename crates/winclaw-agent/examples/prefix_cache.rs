//! Prints what share of each request of a long conversation a prefix cache would serve: fifty model calls, twenty
//! tools revealed on the way, and three changes of the list of tools.
//!
//! `cargo run -p winclaw-agent --example prefix_cache`

#[expect(dead_code, reason = "tests use all of it")]
#[path = "../tests/agent/stage.rs"]
mod stage;

#[path = "../tests/agent/toys.rs"]
mod toys;

#[path = "../tests/agent/long.rs"]
mod long;

use long::{Served, conversation};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let played = conversation().await;
    say("call      bytes  from the cache");
    for (at, pair) in played.bodies.windows(2).enumerate() {
        let common = pair[0].iter().zip(&pair[1]).take_while(|(a, b)| a == b).count();
        say(&format!("{:>4} {:>10} {:>14.1} %", at + 2, pair[1].len(), 100.0 * common as f64 / pair[1].len() as f64));
    }
    let served = Served::of(&played.bodies);
    let (bytes, tokens) = served.shares();
    say(&format!(
        "of all {} requests: {:.2} % of {} bytes, {:.2} % of {} estimated tokens",
        played.bodies.len(),
        100.0 * bytes,
        served.bytes.0,
        100.0 * tokens,
        served.tokens.0
    ));
}

#[expect(clippy::print_stdout, reason = "an example prints its figures")]
fn say(line: &str) {
    println!("{line}");
}
