//! The bytes that cross the DLL boundary and the handshake that guards it.
