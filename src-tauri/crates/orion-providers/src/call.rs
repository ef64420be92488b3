//! One model call over HTTP: the request, its retries, the answer.
//!
//! A call is retried only while nothing of its answer was shown. Each retry is announced first, and the caller waits
//! out the pause. The whole call lives in the stream, and dropping the stream stops it. Only the question for the
//! window goes on by itself, for 10 s at most ([`crate::window`]). Not here: reading the answer ([`crate::answer`]).

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt};
use orion_core::model::{FinalTools, ModelDelta, ModelRequest, Profile, ResultsAs, Shape, Wire, shape};
use orion_core::signature::digest;
use orion_core::tool::ToolSet;
use orion_engine::endpoint::{ModelEndpoint, ModelEvent, Seen};
use orion_engine::learned::{Facts, OfModel, Server};
use orion_engine::received::Received;
use orion_protocol::{Code, ErrorInfo, FormSource, ModelInfo, PromptProgress, grouped};
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, DATE, HeaderMap, SERVER,
    TRANSFER_ENCODING,
};
use reqwest::{Client, RequestBuilder, Response, Version};
use tokio::time::Instant;

use crate::answer::{self, Ending};
use crate::body;
use crate::error::{Came, Refused, http_date};
use crate::models;
use crate::pace::Paces;
use crate::patience::Patience;
use crate::quirks::Quirks;
use crate::raw;
use crate::request;
use crate::shapes::Tries;
use crate::target::Target;
use crate::thinking;
use crate::tuning::{Tuning, Waits};

/// How much of the body of a failed request is read: 64 KiB; 2,000 bytes of it are shown.
const ERROR_BODY_LIMIT: usize = 64 << 10;

/// How long the body of a failed request is waited for after its headers: 2 s, many times what one takes to come. The status says most, and
/// some servers never end such a body.
const ERROR_BODY_PATIENCE: Duration = Duration::from_secs(2);

/// The longest wait for a server's own list of models: 1 s. It only adds to the shared list.
const OWN_LIST_PATIENCE: Duration = Duration::from_secs(1);

/// [`Tuning::retry_for`], where nothing else is set.
const RETRY_FOR: Duration = Duration::from_secs(60);

/// A model behind `POST {base}/chat/completions`.
#[derive(Debug, Clone)]
pub(crate) struct HttpEndpoint {
    pub(crate) name: String,
    pub(crate) model: String,
    pub(crate) quirks: Quirks,
    pub(crate) line: Arc<Line>,
    pub(crate) learned: OfModel,
    /// The form of results that the person set.
    pub(crate) results_as: Option<ResultsAs>,
    /// The window is to be found out.
    pub(crate) asks_window: bool,
}

/// What is needed to send a request.
#[derive(Debug)]
pub(crate) struct Line {
    pub(crate) client: Client,
    pub(crate) target: Target,
    pub(crate) tuning: Tuning,
    pub(crate) waits: Waits,
    pub(crate) paces: Arc<Paces>,
}

impl ModelEndpoint for HttpEndpoint {
    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn profile(&self) -> Profile {
        let facts = self.learned.facts();
        let mut profile = self.quirks.profile.clone();
        profile.final_tools = facts.final_tools.unwrap_or(profile.final_tools);
        let thinking = thinking::switch(&self.line.target, &self.quirks, &self.learned).ok();
        let reading_progress = facts.server == Some(Server::LlamaCpp);
        profile.wire = Some(Wire { thinking, reading_progress, ..self.quirks.wire });
        profile.origin = Some(digest(&format!("{}\n{}", self.line.target.base(), self.model)));
        profile.keeps_reasoning = facts.printed.is_some_and(|printed| printed.thoughts);
        profile.begins_in_thought = facts.printed.is_some_and(|printed| printed.ends_in_thought);
        let refused = facts.refused.iter().filter(|refused| !self.fixed().contains(refused));
        refused.for_each(|refused| shape::change_profile(*refused, &mut profile));
        let (form, source) = self.form(&facts);
        // Tool messages in both routes, or in none: a person who wants messages of the user gets no others, and a server is asked for tool messages
        // first. A form of the table, and `system` by a setting, leaves the unified route its tool messages until they are refused.
        profile.no_tool_messages |= match source {
            FormSource::Setting => form == ResultsAs::User,
            FormSource::Rendering => form != ResultsAs::Tool,
            FormSource::Learned | FormSource::Table | FormSource::Default => false,
        };
        profile.results_as = form;
        profile
    }

    fn form_source(&self) -> FormSource {
        self.form(&self.learned.facts()).1
    }

    fn find_out(&self, tools: ToolSet) -> BoxFuture<'_, ()> {
        Box::pin(async move { self.ask_now(&tools).await })
    }

    fn stream(
        &self,
        request: ModelRequest,
        profile: Profile,
        received: Received,
    ) -> BoxStream<'static, ModelEvent> {
        let tuning = &self.line.tuning;
        // Limited by the sum of the pauses, and by `attempts` where a long wait would be useless.
        let pauses = ExponentialBuilder::new()
            .with_min_delay(tuning.backoff)
            .with_max_delay(tuning.backoff_max)
            .without_max_times()
            .build();
        let (mut request, mut profile) = (request, profile);
        let facts = self.learned.facts();
        // A turn of an earlier version does not say how its requests are written.
        profile.wire.get_or_insert(self.quirks.wire);
        // The turn began before they were refused, or they are of its settings.
        let mut unsaid: VecDeque<Shape> =
            Shape::ALL.into_iter().filter(|shape| facts.has_refused(*shape, &request)).collect();
        unsaid.retain(|shape| shape::is_in(*shape, &request, &profile) && !self.fixed().contains(shape));
        unsaid.iter().for_each(|unsaid| shape::change(*unsaid, &mut request, &mut profile));
        let call = Call {
            body: body_of(&request, &profile),
            endpoint: self.clone(),
            request,
            profile,
            received,
            limit: None,
            tries: None,
            tries_are_spent: false,
            unsaid,
            pauses,
            paused: Duration::ZERO,
            attempt: 1,
            expects: true,
        };
        let step = |mut state| async move {
            loop {
                state = match state {
                    State::Sending(mut call) if !call.unsaid.is_empty() => {
                        let shape = call.unsaid.pop_front()?;
                        return Some((ModelEvent::Changed(shape), State::Sending(call)));
                    }
                    State::Sending(mut call) if call.expects => {
                        call.expects = false;
                        match call.expected() {
                            Some(progress) => {
                                return Some((ModelEvent::Reading(progress), State::Sending(call)));
                            }
                            None => State::Sending(call),
                        }
                    }
                    State::Sending(call) => {
                        let mut patience = Patience::begin(call.endpoint.line.waits);
                        match call.send(&mut patience).await {
                            Ok(response) => {
                                let opening = State::Opening(call, Box::new((response, patience)));
                                return Some((ModelEvent::Connected, opening));
                            }
                            Err(refused) => State::Refused(call, VecDeque::new(), refused),
                        }
                    }
                    State::Opening(call, opening) => {
                        let (response, patience) = *opening;
                        let begun = patience.begun();
                        match call.open(response, patience).await {
                            Ok(answer) => {
                                State::Beginning(call, Beginning { answer, begun, silent: VecDeque::new() })
                            }
                            Err(refused) => State::Refused(call, VecDeque::new(), refused),
                        }
                    }
                    State::Beginning(call, beginning) => match call.begin(beginning).await {
                        Begun::Reads(progress, beginning) => {
                            return Some((ModelEvent::Reading(progress), State::Beginning(call, beginning)));
                        }
                        Begun::Answer(answer) => State::Reading(answer),
                        Begun::Refused(silent, refused) => State::Refused(call, silent, refused),
                    },
                    State::Refused(mut call, silent, refused) => {
                        let Some(refused) = call.changes_shape(refused) else {
                            state = State::Sending(call);
                            continue;
                        };
                        let pause = call.pause_before_next(&refused);
                        let cause = call.told(refused);
                        match pause {
                            None => State::Failing(silent, cause),
                            Some(pause) => {
                                // A connection that broke says nothing of the server's taste.
                                if cause.code != Code::Connection {
                                    call.sends_as_meant();
                                }
                                call.attempt += 1;
                                let delay_ms = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
                                let event = ModelEvent::Retrying { attempt: call.attempt, delay_ms, cause };
                                return Some((event, State::Sending(call)));
                            }
                        }
                    }
                    State::Reading(mut answer) => {
                        return answer.next().await.map(|event| (event, State::Reading(answer)));
                    }
                    State::Failing(mut silent, cause) => {
                        return Some(match silent.pop_front() {
                            Some(event) => (event, State::Failing(silent, cause)),
                            None => (ModelEvent::Failed(cause), State::Over),
                        });
                    }
                    State::Over => return None,
                };
            }
        };
        stream::unfold(State::Sending(Box::new(call)), step).boxed()
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelInfo>, ErrorInfo>> {
        Box::pin(self.line.models())
    }
}

enum State {
    Sending(Box<Call>),
    /// The headers of the response are there.
    Opening(Box<Call>, Box<(Response, Patience)>),
    /// The answer is read, and nothing of it can be shown yet.
    Beginning(Box<Call>, Beginning),
    /// The request was refused, after events that showed nothing.
    Refused(Box<Call>, VecDeque<ModelEvent>, Refused),
    Reading(BoxStream<'static, ModelEvent>),
    /// The call failed, after events that showed nothing.
    Failing(VecDeque<ModelEvent>, ErrorInfo),
    Over,
}

/// An answer of which nothing can be shown yet.
struct Beginning {
    answer: BoxStream<'static, ModelEvent>,
    /// When the request went out.
    begun: Instant,
    /// The events so far.
    silent: VecDeque<ModelEvent>,
}

/// How a call began.
enum Begun {
    /// The server has read so much of the prompt.
    Reads(PromptProgress, Beginning),
    Answer(BoxStream<'static, ModelEvent>),
    /// It failed before anything was shown. These are the events up to then.
    Refused(VecDeque<ModelEvent>, Refused),
}

fn body_of(request: &ModelRequest, profile: &Profile) -> Bytes {
    let wire = profile.wire.unwrap_or(crate::quirks::PLAIN);
    Bytes::from(request::body(request, profile, wire))
}

impl HttpEndpoint {
    /// The form of results, and what says it: the first of these (R1).
    fn form(&self, facts: &Facts) -> (ResultsAs, FormSource) {
        let refused = |shape| facts.refused.contains(&shape);
        let table = self.quirks.profile.results_as;
        let learned = match table {
            ResultsAs::Tool if refused(Shape::ToolMessages) => Some(ResultsAs::User),
            ResultsAs::System if refused(Shape::LateSystem) => Some(ResultsAs::User),
            _ => None,
        };
        let printed = facts.printed.and_then(|printed| printed.form);
        let printed = printed.filter(|form| match form {
            ResultsAs::Tool => !refused(Shape::ToolMessages),
            ResultsAs::System => !refused(Shape::LateSystem),
            ResultsAs::User => true,
        });
        let of = |form: Option<ResultsAs>, source| form.map(|form| (form, source));
        of(self.results_as, FormSource::Setting)
            .or(of(learned, FormSource::Learned))
            .or(of(printed, FormSource::Rendering))
            .unwrap_or((table, if self.quirks.in_table { FormSource::Table } else { FormSource::Default }))
    }

    /// The shape that a person has set: it is never changed.
    fn fixed(&self) -> &'static [Shape] {
        match self.results_as {
            Some(ResultsAs::Tool) => &[Shape::ToolMessages],
            Some(ResultsAs::System) => &[Shape::LateSystem],
            Some(ResultsAs::User) | None => &[],
        }
    }
}

struct Call {
    endpoint: HttpEndpoint,
    request: ModelRequest,
    profile: Profile,
    /// The request as it is sent.
    body: Bytes,
    received: Received,
    /// The limit of the answer in the request that was refused.
    limit: Option<u32>,
    /// The request was refused, and goes out in other shapes.
    tries: Option<Tries>,
    /// Nothing helped: it goes out as it was meant, or not at all.
    tries_are_spent: bool,
    /// Shapes that were changed beforehand and that nobody was told of yet.
    unsaid: VecDeque<Shape>,
    pauses: ExponentialBackoff,
    /// The sum of the pauses so far, each as long as it was meant to be: skipping pauses does not lead to more tries.
    paused: Duration,
    attempt: u32,
    /// It is to be said how long the server is likely to read.
    expects: bool,
}

impl Call {
    /// Waits until something of the answer can be shown, or the response has ended. An error that a provider puts first into a response of
    /// status 200 is retried where a status of its meaning would be (P10). But only a status makes Orion leave out a part of the request, and
    /// a window that such an error names is not noted.
    async fn begin(&self, beginning: Beginning) -> Begun {
        let Beginning { mut answer, begun, mut silent } = beginning;
        let shows_nothing = |delta: &ModelDelta| {
            !matches!(
                delta,
                ModelDelta::Text { .. } | ModelDelta::Reasoning { .. } | ModelDelta::ToolCall { .. }
            )
        };
        loop {
            match answer.next().await {
                Some(ModelEvent::Reading(progress)) => {
                    return Begun::Reads(progress, Beginning { answer, begun, silent });
                }
                Some(ModelEvent::Deltas(deltas)) if deltas.iter().all(shows_nothing) => {
                    silent.push_back(ModelEvent::Deltas(deltas));
                }
                Some(ModelEvent::Failed(cause)) if cause.retryable && cause.code != Code::IdleTimeout => {
                    return Begun::Refused(silent, cause.into());
                }
                next => {
                    let changed = match &next {
                        Some(ModelEvent::Failed(_)) => Vec::new(),
                        _ => {
                            self.paced(begun.elapsed());
                            self.taken()
                        }
                    };
                    let changed = changed.into_iter().map(ModelEvent::Changed);
                    let first = changed.chain(silent).chain(next);
                    return Begun::Answer(stream::iter(first.collect::<Vec<_>>()).chain(answer).boxed());
                }
            }
        }
    }

    /// The time that the server is likely to read the request, by its last ones.
    fn expected(&self) -> Option<PromptProgress> {
        let Line { target, paces, .. } = &*self.endpoint.line;
        let left = paces.estimate(target.base().as_str(), &self.request.model, &self.body)?;
        let left_ms = u64::try_from(left.as_millis()).ok();
        Some(PromptProgress { left_ms, ..PromptProgress::default() })
    }

    /// The first piece of the answer came after so long.
    fn paced(&self, took: Duration) {
        let Line { target, paces, .. } = &*self.endpoint.line;
        paces.note(target.base().as_str(), &self.request.model, &self.body, took);
    }

    /// Sends the request and waits for the headers of its answer.
    async fn send(&self, patience: &mut Patience) -> Result<Response, Refused> {
        let Line { client, target, .. } = &*self.endpoint.line;
        let request = client
            .post(target.chat())
            .header(CONTENT_TYPE, "application/json")
            .header(ACCEPT, "text/event-stream")
            .body(self.body.clone());
        let sent = patience.wait(self.endpoint.line.send(request, &self.received)).await;
        let sent = sent.unwrap_or_else(|| Err(Refused::from(target.host.silent(patience.limit()))));
        if let Err(Refused { window: Some(window), .. }) = &sent {
            self.endpoint.learned.note(|facts| facts.says_window(Some(*window)));
        }
        sent
    }

    /// Waits for the first byte of the answer.
    async fn open(
        &self,
        response: Response,
        mut patience: Patience,
    ) -> Result<BoxStream<'static, ModelEvent>, Refused> {
        let Line { target, tuning, .. } = &*self.endpoint.line;
        let host = &target.host;
        let first = async {
            let (ending, headers) = (ending(&response), response.headers().clone());
            let mut body = raw::pieces(response, &self.received);
            match body.next().await {
                Some(Err(error)) => Err(Refused::from(host.cut_off(Some(&error), Came::Nothing))),
                first => {
                    if is_llama_cpp(&headers) {
                        self.endpoint.learned.note(|facts| {
                            facts.final_tools.get_or_insert(FinalTools::Forbidden);
                            facts.server = Some(Server::LlamaCpp);
                        });
                    }
                    self.endpoint.ask(
                        &headers,
                        first.as_ref().and_then(|first| first.as_deref().ok()).unwrap_or_default(),
                        &self.request.tools,
                    );
                    Ok((ending, stream::iter(first).chain(body)))
                }
            }
        };
        let opened = patience.wait(first).await;
        let (ending, body) = opened.unwrap_or_else(|| Err(Refused::from(host.silent(patience.limit()))))?;
        Ok(answer::read_with(body, ending, host.clone(), patience, tuning.after_finish).boxed())
    }

    /// Notes what of the request was taken, now that an answer to it has begun. Returns the shapes that were changed for it.
    fn taken(&self) -> Vec<Shape> {
        let (request, profile) = (&self.request, &self.profile);
        let changed = self.tries.as_ref().map(|tries| tries.changed().to_vec()).unwrap_or_default();
        let taken = Shape::ALL.into_iter().filter(|shape| shape::is_in(*shape, request, profile));
        self.endpoint.learned.note(|facts| {
            facts.took_shapes(taken, request.max_output_tokens);
            changed.iter().for_each(|shape| facts.refused_shape(*shape, self.limit));
        });
        changed
    }

    /// Sends the request once more, with something else in the place of what may have been refused. Returns the refusal that is shown where it is not sent
    /// again.
    fn changes_shape(&mut self, refused: Refused) -> Option<Refused> {
        if !refused.of_a_value || self.tries_are_spent {
            return Some(refused);
        }
        let fields = refused.fields.clone();
        let mut tries = match self.tries.take() {
            Some(tries) => tries,
            None => {
                let facts = self.endpoint.learned.facts();
                self.limit = self.request.max_output_tokens;
                match Tries::begin(&self.request, &self.profile, &facts, self.endpoint.fixed(), refused) {
                    Ok(tries) => tries,
                    Err(refused) => return Some(refused),
                }
            }
        };
        let next = tries.next(&fields);
        let given_up = next.is_none();
        (self.request, self.profile) = next.unwrap_or_else(|| tries.original().clone());
        self.body = body_of(&self.request, &self.profile);
        if given_up {
            self.tries_are_spent = true;
            return Some(tries.first);
        }
        tracing::info!(changed = ?tries.changed(), endpoint = %self.endpoint.name, "the request was refused and is sent again in another shape");
        self.tries = Some(tries);
        None
    }

    /// After a pause the server may be another one than before, so nothing follows from what was tried until then.
    fn sends_as_meant(&mut self) {
        if let Some(tries) = &mut self.tries {
            (self.request, self.profile) = tries.begin_anew();
            self.body = body_of(&self.request, &self.profile);
        }
    }

    /// A refusal as it is shown. One that is about payment names the limit that was asked for: a person can lower it.
    fn told(&self, refused: Refused) -> ErrorInfo {
        let limit = self.request.max_output_tokens.filter(|_| refused.of_payment);
        match limit {
            Some(limit) => {
                let action = format!(
                    "Read what the provider says: top the account up, or set max_output_tokens below the {} that were asked for.",
                    grouped(limit)
                );
                ErrorInfo { action: Some(action), ..refused.info }
            }
            None => refused.info,
        }
    }

    /// The pause before the next try. None when there is no further try.
    fn pause_before_next(&mut self, refused: &Refused) -> Option<Duration> {
        let cause = &refused.info;
        // After minutes of silence another try helps nobody.
        if !cause.retryable || cause.code == Code::IdleTimeout {
            return None;
        }
        let asked = Duration::from_secs(cause.retry_after_s.unwrap_or(0).into());
        let pause = self.pauses.next()?.max(asked);
        let Tuning { attempts, retry_for, .. } = self.endpoint.line.tuning;
        // What a server on this computer says of a request, it mostly says again.
        let again = match is_for_now(cause) && !refused.of_a_value {
            true => self.paused + pause <= retry_for.unwrap_or(RETRY_FOR),
            // A server that is not there is seldom there a minute later.
            false => usize::try_from(self.attempt).is_ok_and(|attempt| attempt < attempts),
        };
        self.paused += pause;
        again.then_some(pause)
    }
}

/// llama.cpp names itself in each answer. Its templates are given the tools also where none may be called, so the prompt begins as before (P12).
pub(crate) fn is_llama_cpp(headers: &HeaderMap) -> bool {
    headers.get(SERVER).is_some_and(|server| server.as_bytes().eq_ignore_ascii_case(b"llama.cpp"))
}

/// The provider is too busy, so waiting helps.
fn is_for_now(cause: &ErrorInfo) -> bool {
    cause.retryable && matches!(cause.code, Code::Overloaded | Code::RateLimited)
}

impl Line {
    pub(crate) async fn models(&self) -> Result<Vec<ModelInfo>, ErrorInfo> {
        let (mut listed, _) = self.listed().await?;
        if models::is_lm_studio(&listed) {
            models::complete(&mut listed, self.own_list().await);
        }
        Ok(listed)
    }

    /// LM Studio's own list of its models, in the newer and the earlier form; empty of every other server.
    pub(crate) async fn own_list(&self) -> Vec<ModelInfo> {
        for version in ["v1", "v0"] {
            let url = self.target.beside(&["api", version, "models"]);
            let asked = async {
                let response = self.send(self.client.get(url), &Received::default()).await.ok()?;
                models::read(&start_of_body(body::pieces(response), models::BODY_LIMIT).await)
            };
            let Ok(Some(own)) = tokio::time::timeout(OWN_LIST_PATIENCE, asked).await else { continue };
            if own.iter().any(|model| model.loaded.is_some()) {
                return own;
            }
        }
        Vec::new()
    }

    /// The number of its models, and what the server says the time is.
    pub(crate) async fn look(&self) -> Result<Seen, ErrorInfo> {
        self.listed().await.map(|(models, at_s)| Seen { models: models.len(), at_s })
    }

    /// The models, and the time of the server in seconds since the Unix epoch, where it says it.
    async fn listed(&self) -> Result<(Vec<ModelInfo>, Option<i64>), ErrorInfo> {
        let host = &self.target.host;
        let read = async {
            let response = self.send(self.client.get(self.target.models()), &Received::default()).await?;
            let at_s = said_time(response.headers());
            let body = start_of_body(body::pieces(response), models::BODY_LIMIT).await;
            let models = models::read(&body).ok_or_else(|| match crate::error::is_page(&body) {
                true => host.page(),
                false => host.malformed(""),
            })?;
            Ok((models, at_s))
        };
        let patience = self.waits.other;
        tokio::time::timeout(patience, read).await.unwrap_or_else(|_| Err(host.silent(Some(patience))))
    }

    /// A response with a status of success, or what is wrong. What comes is noted in `received`, but for the body of a success.
    pub(crate) async fn send(
        &self,
        request: RequestBuilder,
        received: &Received,
    ) -> Result<Response, Refused> {
        let host = &self.target.host;
        let request = match &self.target.authorization {
            Some(key) => request.header(AUTHORIZATION, key.clone()),
            None => request,
        };
        let request = request.header(ACCEPT_ENCODING, "gzip");
        let response = request.send().await.map_err(|error| host.unreachable(&error.without_url()))?;
        raw::begins(&response, received);
        if response.status().is_success() {
            return Ok(response);
        }
        let (asked, status, headers) =
            (response.url().clone(), response.status(), response.headers().clone());
        let patience = tokio::time::sleep(ERROR_BODY_PATIENCE);
        let body = raw::pieces(response, received).take_until(patience).boxed();
        let body = start_of_body(body, ERROR_BODY_LIMIT).await;
        Err(host.refused(&asked, status, &headers, &body))
    }
}

/// The header `Date` (RFC 9110, 6.6.1).
fn said_time(headers: &HeaderMap) -> Option<i64> {
    let said = headers.get(DATE)?.to_str().ok()?;
    http_date(said).map(|at| at.as_second())
}

/// A body up to its end, to where it broke off, or to so many bytes. What is no UTF-8 becomes U+FFFD.
pub(crate) async fn start_of_body(mut body: BoxStream<'static, io::Result<Bytes>>, limit: usize) -> String {
    let mut bytes = Vec::new();
    while let Some(Ok(piece)) = body.next().await {
        let room = limit - bytes.len();
        bytes.extend_from_slice(&piece[..piece.len().min(room)]);
        if bytes.len() == limit {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn ending(response: &Response) -> Ending {
    let headers = response.headers();
    let marked = headers.contains_key(CONTENT_LENGTH) || headers.contains_key(TRANSFER_ENCODING);
    if marked || response.version() >= Version::HTTP_2 { Ending::Marked } else { Ending::Unmarked }
}
