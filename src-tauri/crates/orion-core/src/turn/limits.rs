//! The limits of a turn in tokens, seconds and money (T7): when a response is cut off, and when no further call begins.
//!
//! All of it is Orion's own count. What a provider says that it used changes none of it (T4).

use orion_protocol::{Code, ErrorInfo, Exhausted, NoticeCode, StopReason, Usd};

use super::Effect;
use super::course::Course;
use super::response::Allowance;
use super::session::WriteSession;
use super::state::Next;

/// The shortest answer for which a call is worth its money, in tokens: the least that `max_output_tokens` can be.
const WORTH_A_CALL: u64 = 256;

impl Course {
    /// When the seconds of the turn are used up, in milliseconds since the Unix epoch. None where nothing limits them.
    pub(super) fn deadline(&self) -> Option<i64> {
        let seconds = self.setup.policy.max_seconds?;
        Some(self.elapsed.deadline(u64::from(seconds) * 1_000))
    }

    /// The deadline has come: nothing begins any more.
    pub(super) fn is_late(&self) -> bool {
        self.deadline().is_some_and(|deadline| deadline <= self.now_ms)
    }

    /// What the answer to a request with so many bytes may have.
    ///
    /// # Errors
    /// The limit for which the call is not made: the seconds are used up, or the call could cost more than is left.
    pub(super) fn answer_allowance(&self, request_bytes: u64) -> Result<Allowance, Exhausted> {
        let limit = self.setup.policy.max_output_tokens;
        let Some(affordable) = self.affordable(request_bytes)? else {
            return Ok(Allowance { tokens: limit, bytes: self.setup.policy.most_answer_bytes() });
        };
        // An answer is cut off at half as much again as its limit.
        let affordable = u32::try_from(affordable / 3 * 2).unwrap_or(u32::MAX);
        let tokens = limit.map_or(affordable, |limit| limit.min(affordable));
        Ok(Allowance { tokens: Some(tokens), bytes: Some(u64::from(tokens) * 6) })
    }

    /// What a message with content may have, apart from what the file may have.
    ///
    /// # Errors
    /// As [`Course::answer_allowance`].
    pub(super) fn content_allowance(&self, request_bytes: u64) -> Result<Allowance, Exhausted> {
        let affordable = self.affordable(request_bytes)?;
        let tokens = affordable.map(|tokens| u32::try_from(tokens / 3 * 2).unwrap_or(u32::MAX));
        Ok(Allowance { tokens, bytes: affordable.map(|tokens| tokens.saturating_mul(4)) })
    }

    /// The tokens of a response that can still be paid for. None where nothing limits the cost, or the price is not known.
    fn affordable(&self, request_bytes: u64) -> Result<Option<u64>, Exhausted> {
        if self.is_late() {
            return Err(Exhausted::Seconds);
        }
        let (Some(most), Some(prices)) = (self.setup.policy.max_cost_usd, self.setup.numbers.prices) else {
            return Ok(None);
        };
        let sent = prices.prompt.of_tokens(request_bytes.div_ceil(4));
        let left = most.minus(self.spent).and_then(|left| left.minus(sent)).ok_or(Exhausted::Cost)?;
        match left.buys(prices.of_response()) {
            Some(tokens) if tokens / 3 * 2 < WORTH_A_CALL => Err(Exhausted::Cost),
            tokens => Ok(tokens),
        }
    }

    /// What a call has cost by Orion's own count, in which nothing was cached.
    pub(super) fn spend(&mut self, request_bytes: u64, answer_bytes: u64) {
        let Some(prices) = self.setup.numbers.prices else { return };
        let cost = prices.prompt.of_tokens(request_bytes.div_ceil(4));
        let cost = cost.plus(prices.of_response().of_tokens(answer_bytes.div_ceil(4)));
        self.spent = self.spent.plus(cost);
    }

    /// A limit on the cost holds only where the price is known.
    pub(super) fn tell_of_price(&mut self, effects: &mut Vec<Effect>) {
        if let (Some(most), None) = (self.setup.policy.max_cost_usd, self.setup.numbers.prices) {
            let message = format!(
                "The price of {} is not known, so this turn is not limited to {most}.",
                self.setup.model
            );
            self.notice(NoticeCode::PriceUnknown, message, effects);
        }
    }

    /// Ends the turn at a limit. What came is kept.
    pub(super) fn end_exhausted(&mut self, exhausted: Exhausted, effects: &mut Vec<Effect>) -> Next {
        self.tell_exhausted(exhausted, effects);
        if let Some(reason) = self.checked.end_of_repair() {
            return self.end(reason, None, effects); // V2: the checks have run, and say what they found.
        }
        self.leave_unchecked(exhausted);
        self.end(StopReason::BudgetExhausted, None, effects)
    }

    /// Says that a limit is reached.
    pub(super) fn tell_exhausted(&mut self, exhausted: Exhausted, effects: &mut Vec<Effect>) {
        let (code, message) = self.exhausted_words(exhausted);
        self.notice(code, message, effects);
        self.tally.exhaust(exhausted);
    }

    /// A limit is reached while a file is written: what came of it is shown to the person. Then the turn ends, unless another call
    /// is within its limits.
    pub(super) fn content_exhausted(
        &mut self,
        session: &mut WriteSession,
        exhausted: Exhausted,
        effects: &mut Vec<Effect>,
    ) -> Next {
        let (code, message) = self.exhausted_words(exhausted);
        let error = ErrorInfo::new(Code::WriteFaulty, message, "Ask for it again with a higher limit.");
        self.give_up(session, code, error, effects)
    }

    fn exhausted_words(&self, exhausted: Exhausted) -> (NoticeCode, String) {
        let policy = &self.setup.policy;
        match exhausted {
            Exhausted::Seconds => {
                let seconds = policy.max_seconds.unwrap_or_default();
                (NoticeCode::SecondsUsed, format!("The time of this turn is used up: {seconds} seconds."))
            }
            Exhausted::Cost => {
                let most = policy.max_cost_usd.unwrap_or(Usd::ZERO);
                let message = format!(
                    "The next model call could cost more than is left of {most}; {} is used, by Orion's count.",
                    self.spent
                );
                (NoticeCode::CostReached, message)
            }
            Exhausted::Tokens | Exhausted::Cycles => {
                (NoticeCode::BudgetExhausted, "The budget of this turn is used up.".to_owned())
            }
        }
    }
}
