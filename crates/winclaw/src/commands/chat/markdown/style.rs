/// How a character is set off: a set of attributes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Style(u8);

impl Style {
    pub(super) const PLAIN: Style = Style(0);
    pub(super) const BOLD: Style = Style(1);
    pub(super) const DIM: Style = Style(2);
    pub(super) const ITALIC: Style = Style(4);
    pub(super) const UNDERLINE: Style = Style(8);
    pub(super) const STRIKE: Style = Style(16);
    pub(super) const CODE: Style = Style(32);

    /// Both together.
    pub(super) fn with(self, other: Style) -> Style {
        Style(self.0 | other.0)
    }

    /// The escape sequence that sets exactly this, whatever was set before.
    pub(super) fn sequence(self) -> String {
        let codes = [
            (Style::BOLD, ";1"),
            (Style::DIM, ";2"),
            (Style::ITALIC, ";3"),
            (Style::UNDERLINE, ";4"),
            (Style::STRIKE, ";9"),
            (Style::CODE, ";36"),
        ];
        let set = codes.iter().filter(|(style, _)| self.0 & style.0 != 0).map(|(_, code)| *code);
        format!("\u{1b}[0{}m", set.collect::<String>())
    }
}
