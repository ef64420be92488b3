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
    /// The request goes out unchanged once more: a server that failed may have failed by chance.
    confirms: bool,
    /// Shapes that were never taken, in the order in which they are suspected.
    suspects: Vec<Shape>,
    /// Those that the endpoint itself has named. They stay changed.
    named: Vec<Shape>,
    /// Those that were changed alone.
    alone: Vec<Shape>,
    /// Those of the last try.
    changed: Vec<Shape>,
    made: u32,
}

/// Shapes that a chat template refuses, which is a failure of the server.
const OF_A_TEMPLATE: [Shape; 4] =
    [Shape::NoReasoning, Shape::Reasoning, Shape::ToolMessages, Shape::LateSystem];

impl Tries {
    /// Suspects the shapes that were never taken, but for those that are fixed.
    ///
    /// # Errors
    /// The refusal itself, where nothing in the request is suspected.
    pub(crate) fn begin(
        request: &ModelRequest,
        profile: &Profile,
        facts: &Facts,
        fixed: &[Shape],
        first: Refused,
    ) -> Result<Self, Refused> {
        let confirms = first.has_failed;
        let is_suspect = |shape: &Shape| {
            shape::is_in(*shape, request, profile)
                && !facts.has_taken(*shape, request)
                && !fixed.contains(shape)
                && (!confirms || OF_A_TEMPLATE.contains(shape))
        };
        let suspects: Vec<Shape> = Shape::ALL.into_iter().filter(is_suspect).collect();
        if suspects.is_empty() {
            return Err(first);
        }
        Ok(Self {
            first,
            original: (request.clone(), profile.clone()),
            confirms,
            suspects,
            named: Vec::new(),
            alone: Vec::new(),
            changed: Vec::new(),
            made: 0,
        })
    }

    /// The next request to try, after one was refused by an error that names these fields. First the shapes that it names; then each
    /// of the others alone; and at last all of them.
    pub(crate) fn next(&mut self, fields: &[String]) -> Option<(ModelRequest, Profile)> {
        if self.made == MOST {
            return None;
        }
        self.made += 1;
        if std::mem::take(&mut self.confirms) {
            return Some(self.original.clone());
        }
        let of_fields = fields.iter().flat_map(|field| Shape::of_field(field));
        let is_new = |shape: &Shape| {
            let nameless = *shape == Shape::LimitName && self.named.contains(&Shape::Limit);
            self.suspects.contains(shape) && !self.named.contains(shape) && !nameless
        };
        let named = of_fields.filter(is_new).find(|shape| !excluded(*shape, &self.named));
        self.named.extend(named);
        // Without a limit its name means nothing.
        if self.named.contains(&Shape::Limit) {
            self.named.retain(|shape| *shape != Shape::LimitName);
        }
        let others = || {
            let open = |shape: &Shape| !self.named.contains(shape) && !excluded(*shape, &self.named);
            self.suspects.iter().copied().filter(open)
        };
        let left = others().filter(|shape| !self.alone.contains(shape)).count();
        let alone = others().find(|shape| !self.alone.contains(shape));
        // The last try is of all of them, unless one is left.
        let alone = alone.filter(|_| self.made < MOST || left == 1);
        self.alone.extend(alone.filter(|_| named.is_none()));
        let also: Vec<Shape> = match (named, alone) {
            (Some(_), _) => Vec::new(),
            (None, Some(alone)) => vec![alone],
            (None, None) => others().collect(),
        };
        let mut changed = self.named.clone();
        for shape in also {
            if !excluded(shape, &changed) {
                changed.push(shape);
            }
        }
        if changed.contains(&Shape::Limit) {
            changed.retain(|shape| *shape != Shape::LimitName);
        }
        if changed == self.changed {
            return None;
        }
        let (mut request, mut profile) = self.original.clone();
        changed.iter().for_each(|changed| shape::change(*changed, &mut request, &mut profile));
        self.changed = changed;
        Some((request, profile))
    }

    /// The request as it was meant, with nothing changed. The further requests so far count on.
    pub(crate) fn begin_anew(&mut self) -> (ModelRequest, Profile) {
        self.named.clear();
        self.alone.clear();
        self.changed.clear();
        self.original.clone()
    }

    /// The request as it was meant.
    pub(crate) fn original(&self) -> &(ModelRequest, Profile) {
        &self.original
    }

    /// The shapes that are changed in the request that goes out now.
    pub(crate) fn changed(&self) -> &[Shape] {
        &self.changed
    }
}

/// It is the opposite of one of these: reasoning cannot go back and stay away.
fn excluded(shape: Shape, others: &[Shape]) -> bool {
    match shape {
        Shape::Reasoning => others.contains(&Shape::NoReasoning),
        Shape::NoReasoning => others.contains(&Shape::Reasoning),
        _ => false,
    }
}
