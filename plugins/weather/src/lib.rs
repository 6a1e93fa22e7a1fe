//! Weather for WinClaw, from Open-Meteo.
