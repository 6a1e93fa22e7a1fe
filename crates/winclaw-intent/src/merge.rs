use winclaw_catalog::ToolIx;

/// A tool and its score.
pub(crate) type Scored = (ToolIx, f32);

/// One order out of the lists of several needs: their best in turn, `seats` rounds, then the rest of `all`.
///
/// `all` and each list are best first. Every tool of `all` comes once.
pub(crate) fn in_turn(all: &[Scored], needs: &[Vec<Scored>], seats: usize, size: usize) -> Vec<ToolIx> {
    let mut taken = vec![false; size];
    let mut order = Vec::with_capacity(all.len());
    let mut take = |ix: ToolIx| {
        let fresh = !std::mem::replace(&mut taken[ix.index()], true);
        if fresh {
            order.push(ix);
        }
        fresh
    };
    let mut lists: Vec<_> = needs.iter().map(|need| need.iter()).collect();
    for _ in 0..seats {
        for list in &mut lists {
            let _ = list.find(|scored| take(scored.0));
        }
    }
    for scored in all {
        take(scored.0);
    }
    order
}
