use serde_json::Value;
use winclaw_catalog::{Resolution, ToolIx};
use winclaw_exposure::Signal;
use winclaw_exposure::meta::{self, MetaCall};
use winclaw_intent::Query;
use winclaw_tool::Failure;

use crate::calls::Asked;
use crate::task::Task;

impl Task<'_> {
    /// The call as a meta tool's, if its name is one's.
    pub(crate) fn as_meta(&self, asked: &Asked<'_>) -> Option<Result<MetaCall, Failure>> {
        if !meta::is_meta(asked.name) {
            return None;
        }
        match winclaw_guard::parse_arguments(asked.arguments, asked.cut_off) {
            Ok(arguments) => self.exposure.parse_meta(asked.name, &arguments),
            Err(failure) => Some(Err(failure)),
        }
    }

    /// The answer to a meta tool; like any call it runs only within the limit of its reply.
    pub(crate) async fn answer_meta(&mut self, asked: &Asked<'_>, call: MetaCall) -> String {
        let limited = self.guard.beyond_limit(asked.name, asked.position);
        match (call, limited) {
            // The guard judges what is called, the limit included.
            (MetaCall::Call { name, arguments }, _) => {
                let arguments = raw(&arguments);
                Box::pin(self.answer_tool(&Asked { name: &name, arguments: &arguments, ..*asked })).await
            }
            (_, Some(failure)) => self.refuse_aside(asked, &failure),
            (MetaCall::Search { queries, limit, category }, None) => {
                let (found, answer) = self.search(&queries, limit, category.as_deref());
                self.aside(asked, "ok", &found, answer)
            }
            (MetaCall::Details { names }, None) => {
                let answer = self.details(&names);
                self.aside(asked, "ok", &names.join(", "), answer)
            }
            (MetaCall::Ask { question, options }, None) => self.ask(asked, &question, &options).await,
        }
    }

    /// Looks each query up by itself and takes the hits in turns, so that each need gets a seat. A category adds the rest
    /// of itself, whatever the limit. Gives the ids that were found, and the answer.
    fn search(&mut self, queries: &[String], limit: Option<usize>, category: Option<&str>) -> (String, String) {
        let lists: Vec<Vec<ToolIx>> = queries.iter().map(|query| self.hits(query)).collect();
        let limit = limit.unwrap_or(meta::DEFAULT_LIMIT).max(1) * queries.len().max(1);
        let found = meta::within(&self.catalog(), in_turns(&lists, limit), category);
        let text = self.exposure.search_answer(&self.catalog(), &found, &queries.join("; ")).text;
        if self.exposure.searches_without_news() > 0 {
            let rises = self.exposure.learn(&self.catalog(), Signal::SearchWithoutNews);
            self.rose(&rises);
        }
        let ids: Vec<String> = found.iter().map(|tool| self.catalog().get(*tool).id.to_string()).collect();
        (ids.join(", "), text)
    }

    fn hits(&self, query: &str) -> Vec<ToolIx> {
        let query = Query { message: query, ..Query::default() };
        self.ranking.index.weigh(&self.catalog(), &query).hits.iter().map(|hit| hit.tool).collect()
    }

    fn details(&mut self, names: &[String]) -> String {
        let catalog = self.catalog();
        let resolved: Vec<(String, Resolution)> =
            names.iter().map(|name| (name.clone(), catalog.resolve(name))).collect();
        self.exposure.details_answer(&catalog, &resolved).text
    }

    async fn ask(&mut self, asked: &Asked<'_>, question: &str, options: &[String]) -> String {
        let answer = tokio::select! {
            answer = self.parts.front.ask(question, options) => answer,
            () = self.parts.cancel.cancelled() => None,
        };
        match answer {
            Some(answer) => self.aside(asked, "ok", &answer, Value::from(answer.clone()).to_string()),
            None => {
                let failure = Failure::unavailable(
                    "nobody can be asked here; decide by yourself with what you know, and say what you assumed",
                );
                self.refuse_aside(asked, &failure)
            }
        }
    }
}

/// Arguments of a bridged call as the text the guard reads; a string stays as the model wrote it.
fn raw(arguments: &Value) -> String {
    match arguments {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The first of each list, then the second of each, without repeats, up to `limit`.
fn in_turns(lists: &[Vec<ToolIx>], limit: usize) -> Vec<ToolIx> {
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let mut found: Vec<ToolIx> = Vec::new();
    for rank in 0..longest {
        for tool in lists.iter().filter_map(|list| list.get(rank)) {
            if found.len() < limit && !found.contains(tool) {
                found.push(*tool);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_query_gets_a_seat() {
        let lists = [vec![ToolIx(1), ToolIx(2), ToolIx(3)], vec![ToolIx(9), ToolIx(1)]];
        assert_eq!(in_turns(&lists, 3), [ToolIx(1), ToolIx(9), ToolIx(2)]);
        assert_eq!(in_turns(&[], 3), []);
    }
}
