//! The result of `find_place`.

use winclaw_sdk::result;

use crate::geocode::Found;
use crate::report::{Candidate, SOURCE};

/// The places that a name may mean.
#[result]
pub struct Places {
    /// The places, the likeliest first.
    pub places: Vec<Listed>,
    /// How many places were found but not listed.
    pub left_out: usize,
    /// Where the data comes from.
    pub source: String,
}

/// A place that was found.
#[result]
pub struct Listed {
    /// What to give `forecast` as `place`, and how many live there.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// IANA zone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub timezone: Option<String>,
}

impl Places {
    /// The first `limit` of `found`.
    pub fn of(found: &[Found], limit: usize) -> Self {
        let listed = |place: &Found| Listed { candidate: Candidate::of(place), timezone: place.timezone.clone() };
        Places {
            places: found.iter().take(limit).map(listed).collect(),
            left_out: found.len().saturating_sub(limit),
            source: SOURCE.into(),
        }
    }
}
