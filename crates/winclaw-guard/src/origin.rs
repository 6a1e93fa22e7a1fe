/// Where what a call asks for may have come from. The default: nothing untrusted came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Origin<'a> {
    /// The tool whose untrusted content the model has read in this task, by id, if any.
    pub untrusted: Option<&'a str>,
}
