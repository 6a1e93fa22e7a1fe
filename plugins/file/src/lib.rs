//! Files inside the allowed folders, for WinClaw.
