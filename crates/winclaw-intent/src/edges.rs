use winclaw_catalog::evidence::Edge;
use winclaw_catalog::{Catalog, ToolIx};
use winclaw_tool::DependencyKind;

/// What using a tool says about others: what takes its result, and what goes with it.
pub(crate) struct Edges {
    /// The used tool, the other, and what they have to do with each other; sorted.
    list: Vec<(ToolIx, ToolIx, Edge)>,
}

impl Edges {
    pub(crate) fn of(catalog: &Catalog) -> Edges {
        let mut list = Vec::new();
        for ix in catalog.permitted() {
            list.extend(catalog.input_from(ix).iter().map(|&source| (source, ix, Edge::FollowsUsed)));
            for &other in catalog.often_with(ix).iter().filter(|&&other| catalog.get(other).permitted()) {
                let edge = if states(catalog, ix, other) { Edge::OftenWith } else { Edge::Mentioned };
                list.extend([(ix, other, edge), (other, ix, edge)]);
            }
        }
        list.sort_unstable();
        Edges { list }
    }

    /// The permitted tools that the use of `used` speaks for.
    pub(crate) fn after(&self, used: ToolIx) -> impl Iterator<Item = (ToolIx, Edge)> {
        let first = self.list.partition_point(|edge| edge.0 < used);
        self.list[first..].iter().take_while(move |edge| edge.0 == used).map(|edge| (edge.1, edge.2))
    }
}

/// Whether the manifest of `ix` itself says that it is often used with `other`; else its description names it.
fn states(catalog: &Catalog, ix: ToolIx, other: ToolIx) -> bool {
    let (tool, other) = (catalog.get(ix), &catalog.get(other).id);
    let names = |name: &str| name == other.as_str() || (name == other.name() && tool.id.source() == other.source());
    let stated = tool.manifest.depends_on.iter().filter(|edge| edge.kind == DependencyKind::OftenWith);
    stated.into_iter().any(|edge| names(&edge.tool))
}
