//! A trace file of any bytes: no panic, and what was read can be written and read again.
#![no_main]

use libfuzzer_sys::fuzz_target;
use winclaw_trace::{Analysis, Line, Record, read_bytes, redact};

fuzz_target!(|data: &[u8]| {
    let (lines, _problems) = read_bytes(data);
    let mut analysis = Analysis::new(10);
    analysis.task(lines.iter().cloned());
    let _ = serde_json::to_value(&analysis);
    for line in &lines {
        if matches!(line.record, Record::Unknown) {
            continue;
        }
        let value = serde_json::to_value(line).expect("a line that was read can be written");
        // That a second pass changes nothing is held for ordinary text by a property test, and not here: see known-gaps.
        let clean = redact(&value);
        let _ = redact(&clean);
        let again: Line = serde_json::from_value(value.clone()).expect("a line that was written can be read");
        assert_eq!(serde_json::to_value(&again).expect("written"), value);
    }
});
