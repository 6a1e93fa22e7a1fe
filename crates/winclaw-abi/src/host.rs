use std::sync::Arc;

use abi_stable::StableAbi;
use abi_stable::std_types::{ROption, RStr, RString};

use crate::guard::{borrowed, guarded, owned};
use crate::{CompletionV1, DROPPED_BY_HOST, HostServices, LogLevel};

/// What a plugin may ask of its host during one call. Cheap to clone, and usable from any thread.
///
/// Layout is frozen.
#[repr(C)]
#[derive(StableAbi)]
pub struct HostV1 {
    pub(crate) context: *const (),
    pub(crate) table: &'static HostTableV1,
}

/// The functions behind a [`HostV1`]; each is given the context first. Layout is frozen.
#[repr(C)]
#[derive(StableAbi)]
pub struct HostTableV1 {
    pub(crate) clone: extern "C" fn(context: *const ()) -> *const (),
    pub(crate) drop: extern "C" fn(context: *const ()),
    pub(crate) log: extern "C" fn(context: *const (), level: u8, text: RStr<'_>),
    pub(crate) progress: extern "C" fn(context: *const (), fraction: f64, text: RStr<'_>),
    pub(crate) partial: extern "C" fn(context: *const (), text: RStr<'_>),
    pub(crate) cancelled: extern "C" fn(context: *const ()) -> bool,
    pub(crate) http: extern "C" fn(context: *const (), request: RString, done: CompletionV1),
    pub(crate) secret: extern "C" fn(context: *const (), name: RStr<'_>) -> ROption<RString>,
    pub(crate) scratch: extern "C" fn(context: *const ()) -> ROption<RString>,
    pub(crate) kv_get: extern "C" fn(context: *const (), key: RStr<'_>) -> ROption<RString>,
    pub(crate) kv_set: extern "C" fn(context: *const (), key: RStr<'_>, value: ROption<RStr<'_>>) -> ROption<RString>,
    pub(crate) query: extern "C" fn(context: *const (), name: RStr<'_>, input: RStr<'_>) -> ROption<RString>,
}

// SAFETY: `context` is a leaked `Box<Arc<dyn HostServices>>`, and `HostServices` is `Send + Sync`.
unsafe impl Send for HostV1 {}
// SAFETY: as above; the table's functions only ever take shared references to it.
unsafe impl Sync for HostV1 {}

type Services = Arc<dyn HostServices>;

/// Called by the host: wrapping.
impl HostV1 {
    /// Puts `services` across the boundary.
    pub fn new(services: Arc<dyn HostServices>) -> Self {
        HostV1 { context: leak(services), table: &TABLE }
    }
}

/// Called by the plugin: asking. The meaning of each is that of the [`HostServices`] method of the same name.
impl HostV1 {
    /// One line for the log.
    pub fn log(&self, level: LogLevel, text: &str) {
        (self.table.log)(self.context, level as u8, text.into());
    }

    /// How far the call is. Fractions outside `0.0..=1.0` are cut to it.
    pub fn progress(&self, fraction: Option<f64>, text: &str) {
        (self.table.progress)(self.context, fraction.unwrap_or(f64::NAN), text.into());
    }

    /// A piece of the result that can be shown before the call is done.
    pub fn partial(&self, text: &str) {
        (self.table.partial)(self.context, text.into());
    }

    /// Whether the host no longer wants the result.
    pub fn cancelled(&self) -> bool {
        (self.table.cancelled)(self.context)
    }

    /// Makes an HTTP request; `done` is given the answer exactly once, from any thread.
    pub fn http(&self, request: String, done: Box<dyn FnOnce(String) + Send>) {
        (self.table.http)(self.context, request.into(), CompletionV1::with_dropped(done, DROPPED_BY_HOST));
    }

    /// A declared secret.
    pub fn secret(&self, name: &str) -> Option<String> {
        option((self.table.secret)(self.context, name.into()))
    }

    /// The plugin's own folder.
    pub fn scratch(&self) -> Option<String> {
        option((self.table.scratch)(self.context))
    }

    /// A stored value.
    pub fn kv_get(&self, key: &str) -> Option<String> {
        option((self.table.kv_get)(self.context, key.into()))
    }

    /// Stores or, without a value, removes. The error is a `Failure` as JSON.
    pub fn kv_set(&self, key: &str, value: Option<&str>) -> Result<(), String> {
        let value = value.map(RStr::from).into();
        match option((self.table.kv_set)(self.context, key.into(), value)) {
            None => Ok(()),
            Some(failure) => Err(failure),
        }
    }

    /// Answers a question by name.
    pub fn query(&self, name: &str, input: &str) -> Option<String> {
        option((self.table.query)(self.context, name.into(), input.into()))
    }
}

impl Clone for HostV1 {
    fn clone(&self) -> Self {
        HostV1 { context: (self.table.clone)(self.context), table: self.table }
    }
}

impl Drop for HostV1 {
    fn drop(&mut self) {
        (self.table.drop)(self.context);
    }
}

impl std::fmt::Debug for HostV1 {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("HostV1")
    }
}

static TABLE: HostTableV1 =
    HostTableV1 { clone, drop, log, progress, partial, cancelled, http, secret, scratch, kv_get, kv_set, query };

const FAILED_KV_SET: &str =
    r#"{"code":"crashed","message":"the host failed while it stored the value","retryable":true}"#;

fn option(text: ROption<RString>) -> Option<String> {
    text.into_option().map(owned)
}

fn leak(services: Services) -> *const () {
    Box::into_raw(Box::new(services)).cast_const().cast()
}

fn services<'a>(context: *const ()) -> &'a dyn HostServices {
    // SAFETY: `context` came from `leak`, and the `HostV1` that holds it is alive while a function of its table runs.
    unsafe { &**context.cast::<Services>() }
}

extern "C" fn clone(context: *const ()) -> *const () {
    // SAFETY: as in `services`.
    leak(Arc::clone(unsafe { &*context.cast::<Services>() }))
}

extern "C" fn drop(context: *const ()) {
    // SAFETY: `context` came from `leak` and its owner is being dropped, so this runs once for it.
    let services = unsafe { Box::from_raw(context.cast_mut().cast::<Services>()) };
    guarded((), move || std::mem::drop(services));
}

extern "C" fn log(context: *const (), level: u8, text: RStr<'_>) {
    guarded((), || services(context).log(LogLevel::from_u8(level), &borrowed(text)));
}

extern "C" fn progress(context: *const (), fraction: f64, text: RStr<'_>) {
    let fraction = (!fraction.is_nan()).then(|| fraction.clamp(0.0, 1.0));
    guarded((), || services(context).progress(fraction, &borrowed(text)));
}

extern "C" fn partial(context: *const (), text: RStr<'_>) {
    guarded((), || services(context).partial(&borrowed(text)));
}

extern "C" fn cancelled(context: *const ()) -> bool {
    guarded(false, || services(context).cancelled())
}

extern "C" fn http(context: *const (), request: RString, done: CompletionV1) {
    guarded((), || services(context).http(owned(request), Box::new(move |json| done.complete(json))));
}

extern "C" fn secret(context: *const (), name: RStr<'_>) -> ROption<RString> {
    answer(|| services(context).secret(&borrowed(name)))
}

extern "C" fn scratch(context: *const ()) -> ROption<RString> {
    answer(|| services(context).scratch())
}

extern "C" fn kv_get(context: *const (), key: RStr<'_>) -> ROption<RString> {
    answer(|| services(context).kv_get(&borrowed(key)))
}

extern "C" fn kv_set(context: *const (), key: RStr<'_>, value: ROption<RStr<'_>>) -> ROption<RString> {
    let value = value.into_option().map(borrowed);
    let store = || services(context).kv_set(&borrowed(key), value.as_deref()).err();
    guarded(Some(FAILED_KV_SET.to_owned()), store).map(RString::from).into()
}

extern "C" fn query(context: *const (), name: RStr<'_>, input: RStr<'_>) -> ROption<RString> {
    answer(|| services(context).query(&borrowed(name), &borrowed(input)))
}

fn answer(body: impl FnOnce() -> Option<String>) -> ROption<RString> {
    guarded(None, body).map(RString::from).into()
}
