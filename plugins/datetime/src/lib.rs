//! Dates, times and zones for WinClaw.
