//! Finds out which shape of a request an endpoint refuses, by what it takes (0084).
//!
//! An endpoint that refuses a request seldom says which field it means in a form that a program may rely on (J4). So the shapes that it has never taken
//! are changed one by one, and what it takes then is noted. Deliberately not here: what a shape is (`orion_core::model::Shape`), and sending ([`crate::call`]).

use orion_core::model::{ModelRequest, Profile, Shape, shape};
use orion_engine::learned::Facts;

use crate::error::Refused;

/// The most further requests of a call, in which a shape is changed. The bounds of a turn (T4) reckon with them.
pub(crate) const MOST: u32 = orion_protocol::Bounds::FURTHER_REQUESTS;

/// The tries of a call whose request was refused.
#[derive(Debug)]
pub(crate) struct Tries {
    /// The refusal of the request as it was meant. It is the one that is shown if nothing helps.
    pub(crate) first: Refused,
    original: (ModelRequest, Profile),
    /// Shapes that were never taken, in the order in which they are suspected.
    suspects: Vec<Shape>,
    /// Those that the endpoint itself has named. They stay changed.
    named: Vec<Shape>,
    /// Those of the last try.
    changed: Vec<Shape>,
    alone: usize,
    made: u32,
}

impl Tries {
    /// None where nothing in the request is suspected.
    pub(crate) fn begin(
        request: &ModelRequest,
        profile: &Profile,
        facts: &Facts,
        fixed: &[Shape],
        first: Refused,
    ) -> Result<Self, Refused> {
        let is_suspect = |shape: &Shape| {
            shape::is_in(*shape, request, profile)
                && !facts.has_taken(*shape, request)
                && !fixed.contains(shape)
        };
        let suspects: Vec<Shape> = Shape::ALL.into_iter().filter(is_suspect).collect();
        if suspects.is_empty() {
            return Err(first);
        }
        let original = (request.clone(), profile.clone());
        Ok(Self { first, original, suspects, named: Vec::new(), changed: Vec::new(), alone: 0, made: 0 })
    }

    /// The next request to try, after one was refused by an error that names these fields. First the shapes that it names; then each
    /// of the others alone; and at last all of them.
    pub(crate) fn next(&mut self, fields: &[String]) -> Option<(ModelRequest, Profile)> {
        if self.made == MOST {
            return None;
        }
        self.made += 1;
        let of_fields = fields.iter().flat_map(|field| Shape::of_field(field));
        let named =
            of_fields.filter(|shape| self.suspects.contains(shape)).find(|shape| !self.named.contains(shape));
        self.named.extend(named);
        let others = || self.suspects.iter().copied().filter(|shape| !self.named.contains(shape));
        let alone = others().nth(self.alone).filter(|_| self.made < MOST || others().count() == 1);
        let also: Vec<Shape> = match (named, alone) {
            (Some(_), _) => Vec::new(),
            (None, Some(alone)) => {
                self.alone += 1;
                vec![alone]
            }
            (None, None) => others().collect(),
        };
        let changed: Vec<Shape> = self.named.iter().copied().chain(also).collect();
        if changed == self.changed {
            return None;
        }
        let (mut request, mut profile) = self.original.clone();
        changed.iter().for_each(|changed| shape::change(*changed, &mut request, &mut profile));
        self.changed = changed;
        Some((request, profile))
    }

    /// What the request that goes out now has in other forms.
    pub(crate) fn changed(&self) -> &[Shape] {
        &self.changed
    }
}
