use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use winclaw_tool::{Text, ToolSpec};

use crate::names::wire_name;
use crate::{ChatRequest, NativeTools, Profile, SetAside, schema};

/// Most tools whose compiled schemas are remembered.
const MAX_REMEMBERED: usize = 8192;

/// Compiles schemas for one profile, and remembers what it made of tools it has seen: those of an epoch come with every
/// request, and the rest of a request is quickly written.
#[derive(Debug, Default)]
pub(crate) struct Compiler(Mutex<HashMap<usize, Remembered>>);

/// The tool is kept, so that no other can come to lie at its address.
type Remembered = (Arc<ToolSpec>, Result<Arc<Value>, Text>);

impl Compiler {
    fn compile(&self, spec: &Arc<ToolSpec>, profile: &Profile) -> Result<Arc<Value>, Text> {
        let place = Arc::as_ptr(spec) as usize;
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, compiled)) = seen.get(&place) {
            return compiled.clone();
        }
        if seen.len() >= MAX_REMEMBERED {
            seen.clear();
        }
        let compiled = compile(spec, profile);
        seen.insert(place, (Arc::clone(spec), compiled.clone()));
        compiled
    }
}

fn compile(spec: &ToolSpec, profile: &Profile) -> Result<Arc<Value>, Text> {
    schema::compile(&spec.parameters, &profile.schema).map(Arc::new)
}

/// What of a request goes on the wire, and how its tools are named and described there.
///
/// A tool's name and schema depend on the tool and the profile alone, so the bytes of an epoch stay the same; which tools
/// are left out depends on their order as well, where two would have one name or there are too many.
pub(crate) struct Plan<'a> {
    pub(crate) tools: Vec<Planned<'a>>,
    /// Whole tools that the vendor holds back; empty where it cannot.
    pub(crate) deferred: Vec<Planned<'a>>,
    pub(crate) set_aside: Vec<SetAside>,
    pub(crate) native: Option<NativeTools>,
    request: &'a ChatRequest,
    profile: &'a Profile,
    compiler: Option<&'a Compiler>,
    /// Wire names that are taken, and the names they stand for.
    taken: BTreeMap<Cow<'a, str>, &'a str>,
}

/// A tool as it is sent.
pub(crate) struct Planned<'a> {
    pub(crate) spec: &'a ToolSpec,
    pub(crate) name: Cow<'a, str>,
    pub(crate) parameters: Arc<Value>,
}

impl Planned<'_> {
    /// Name, description, and the schema under the word the format has for it.
    pub(crate) fn fields(&self, schema: &str) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("name".into(), self.name.as_ref().into());
        fields.insert("description".into(), self.spec.description.as_str().into());
        fields.insert(schema.into(), Value::clone(&self.parameters));
        fields
    }
}

impl<'a> Plan<'a> {
    pub(crate) fn of(request: &'a ChatRequest, model: &str, profile: &'a Profile) -> Self {
        Plan::with(request, model, profile, None)
    }

    /// As [`Plan::of`], with what was compiled before.
    pub(crate) fn with(
        request: &'a ChatRequest,
        model: &str,
        profile: &'a Profile,
        compiler: Option<&'a Compiler>,
    ) -> Self {
        let native = profile.native_of(model).filter(|native| profile.format.can(*native));
        let (tools, deferred, set_aside, taken) = Default::default();
        let mut plan = Plan { tools, deferred, set_aside, native, request, profile, compiler, taken };
        plan.tools = request.tools.iter().filter_map(|spec| plan.admit(spec)).collect();
        if native == Some(NativeTools::References) {
            plan.deferred = request.deferred.iter().filter_map(|spec| plan.admit(spec)).collect();
        }
        plan
    }

    /// Every tool in the order of the array on the wire.
    pub(crate) fn sent(&self) -> impl Iterator<Item = &Planned<'a>> {
        self.tools.iter().chain(&self.deferred)
    }

    /// A tool that a result reveals, if it may be sent.
    pub(crate) fn revealed<'b>(&self, spec: &'b ToolSpec) -> Option<Planned<'b>> {
        if self.request.without.contains(&spec.name) {
            return None;
        }
        let parameters = compile(spec, self.profile).ok()?;
        Some(Planned { spec, name: wire_name(&spec.name, &self.profile.names), parameters })
    }

    /// The tool as it is sent, or a reason why not; none when it stands there already or was set aside before.
    fn admit(&mut self, spec: &'a Arc<ToolSpec>) -> Option<Planned<'a>> {
        if self.request.without.contains(&spec.name) {
            return None;
        }
        let name = wire_name(&spec.name, &self.profile.names);
        match self.taken.get(&name) {
            Some(same) if *same == spec.name => return None,
            Some(other) => {
                let (en, zh) =
                    (format!("its name cannot be told from that of `{other}`"), format!("名称与“{other}”无法区分"));
                return self.leave(spec, Text::new(en, zh));
            }
            None => {}
        }
        let most = self.profile.max_tools;
        if self.taken.len() >= most {
            let (en, zh) = (format!("this vendor takes at most {most} tools"), format!("该服务最多接受 {most} 个工具"));
            return self.leave(spec, Text::new(en, zh));
        }
        let compiled = match self.compiler {
            Some(compiler) => compiler.compile(spec, self.profile),
            None => compile(spec, self.profile),
        };
        match compiled {
            Err(why) => self.leave(spec, why),
            Ok(parameters) => {
                self.taken.insert(name.clone(), &spec.name);
                Some(Planned { spec, name, parameters })
            }
        }
    }

    fn leave(&mut self, spec: &ToolSpec, why: Text) -> Option<Planned<'a>> {
        self.set_aside.push(SetAside { tool: spec.name.clone(), why });
        None
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn spec(name: &str, parameters: Value) -> std::sync::Arc<ToolSpec> {
        ToolSpec { name: name.into(), description: "d".into(), parameters }.into()
    }

    fn profile(provider: &str) -> &'static Profile {
        Profile::of(provider).expect("a profile")
    }

    fn names(plan: &Plan<'_>) -> Vec<String> {
        plan.sent().map(|tool| tool.name.to_string()).collect()
    }

    #[test]
    fn one_illegal_tool_costs_that_tool_and_has_one_reason() {
        let bad = json!({"anyOf": [{"type": "string"}]});
        let tools = vec![spec("a", json!({})), spec("b", bad), spec("c", json!({"properties": {"城": {}}}))];
        let request = ChatRequest { tools, ..ChatRequest::default() };
        let plan = Plan::of(&request, "m", profile("anthropic"));
        assert_eq!(names(&plan), ["a"]);
        let left: Vec<&str> = plan.set_aside.iter().map(|left| left.tool.as_str()).collect();
        assert_eq!(left, ["b", "c"]);
        assert!(plan.set_aside.iter().all(|left| !left.why.en.is_empty() && !left.why.zh.is_empty()));
    }

    #[test]
    fn what_was_compiled_before_makes_no_difference() {
        let tools = vec![spec("a", json!({"anyOf": [{"properties": {"x": {}}}]})), spec("b", json!(7))];
        let request = ChatRequest { tools, ..ChatRequest::default() };
        let (compiler, plain) = (Compiler::default(), Plan::of(&request, "m", profile("gemini")));
        for _ in 0..2 {
            let plan = Plan::with(&request, "m", profile("gemini"), Some(&compiler));
            assert_eq!(plan.tools[0].parameters, plain.tools[0].parameters);
            assert_eq!(plan.set_aside, plain.set_aside);
        }
    }

    #[test]
    fn d14_more_tools_than_the_vendor_takes_are_never_sent() {
        let tools = (0..174).map(|n| spec(&format!("t{n}"), json!({}))).collect();
        let request = ChatRequest { tools, ..ChatRequest::default() };
        let plan = Plan::of(&request, "m", profile("openai"));
        assert_eq!((plan.tools.len(), plan.set_aside.len()), (128, 46));
        assert!(plan.set_aside[0].why.en.contains("128"));
    }

    #[test]
    fn what_was_set_aside_before_is_not_sent_and_not_named_again() {
        let tools = vec![spec("a", json!({})), spec("b", json!(7)), spec("a", json!({}))];
        let without = ["b".to_owned()].into();
        let request = ChatRequest { tools, without, ..ChatRequest::default() };
        let plan = Plan::of(&request, "m", profile("openai"));
        assert_eq!((names(&plan), plan.set_aside.len()), (vec!["a".to_owned()], 0));
    }

    #[test]
    fn d10_tools_keep_their_wire_names_whatever_stands_beside_them() {
        let odd = ["admin.tools.list", "Docker file scanner", "北京天气"];
        let alone = |name: &str| {
            let request = ChatRequest { tools: vec![spec(name, json!({}))], ..ChatRequest::default() };
            names(&Plan::of(&request, "m", profile("gemini"))).remove(0)
        };
        let tools = odd.iter().chain(["sky"].iter()).map(|name| spec(name, json!({}))).collect();
        let request = ChatRequest { tools, ..ChatRequest::default() };
        let together = names(&Plan::of(&request, "m", profile("gemini")));
        assert_eq!(together, [alone(odd[0]), alone(odd[1]), alone(odd[2]), "sky".to_owned()]);
    }

    #[test]
    fn only_models_that_can_hold_tools_back_are_sent_deferred_ones() {
        let deferred = vec![spec("d", json!({}))];
        let request = ChatRequest { tools: vec![spec("a", json!({}))], deferred, ..ChatRequest::default() };
        let count = |provider, model| Plan::of(&request, model, profile(provider)).deferred.len();
        assert_eq!((count("anthropic", "claude-sonnet-5-5"), count("anthropic", "claude-3-haiku")), (1, 0));
        assert_eq!((count("openai-responses", "m"), count("openai", "m")), (0, 0));
    }
}
