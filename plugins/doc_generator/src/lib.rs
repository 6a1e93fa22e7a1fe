//! Word and HTML documents from Markdown, for WinClaw.
