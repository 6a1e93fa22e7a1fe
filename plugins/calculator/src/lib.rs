//! A calculator with units for WinClaw.
