//! Asking the engine on behalf of a caller: what the table of operations lets over HTTP, in the projects that are served (H3).

use std::future::Future;

use orion_protocol::{
    Answer, Channel, Code, Declared, ErrorInfo, Op, Outcome, ProjectId, Query, RequestId, SearchPage,
    SessionId, Touched,
};

use crate::problem::Problem;
use crate::server::Server;

/// Places of a page of a search, as many as one can have.
const FOUND: u32 = 100;

/// Does this to its end. A caller who hangs up takes the request away, and would cut it in half.
pub(crate) async fn whole<T: Send + 'static>(
    work: impl Future<Output = Result<T, Problem>> + Send + 'static,
) -> Result<T, Problem> {
    tokio::spawn(work).await.unwrap_or_else(|_| Err(unexpected()))
}

impl Server {
    /// Does an operation, to its end even if the caller is gone.
    ///
    /// # Errors
    /// 403 for what is for the person at the computer, 404 for what is of another project, and the operation's own.
    pub(crate) async fn submit(&self, op: Op) -> Result<Outcome, Problem> {
        self.may(op.declared()).await?;
        let engine = self.engine.clone();
        whole(async move { Ok(engine.submit(op).await?) }).await
    }

    /// # Errors
    /// As [`Server::submit`].
    pub(crate) async fn query(&self, query: Query) -> Result<Answer, Problem> {
        self.may(query.declared()).await?;
        Ok(self.engine.query(query).await?)
    }

    /// The words of a text in the projects that are served: the first page after this place on which there are some. By the table of operations nobody
    /// searches everything over HTTP; what belongs to other projects is left out here.
    ///
    /// # Errors
    /// The database cannot be read.
    pub(crate) async fn search(&self, text: &str, mut after: Option<i64>) -> Result<SearchPage, Problem> {
        loop {
            let query = Query::Search { text: text.to_owned(), after, limit: FOUND };
            let Answer::Search { mut page } = self.engine.query(query).await? else {
                return Err(unexpected());
            };
            page.found.retain(|found| self.serves(found.session.project_id));
            if !page.found.is_empty() || page.next.is_none() {
                return Ok(page);
            }
            after = page.next;
        }
    }

    async fn may(&self, declared: Declared<'_>) -> Result<(), Problem> {
        if !declared.askers.has(Channel::Http) {
            return Err(Problem::forbidden(
                "This is for the person at the computer.",
                "Do it in Orion's window or on the command line.",
            ));
        }
        self.reach(declared.touches).await.map(drop)
    }

    async fn reach(&self, touched: Touched) -> Result<Option<ProjectId>, Problem> {
        let project = self.engine.belongs_to(touched).await?;
        match (touched, project) {
            (_, Some(project_id)) if self.serves(project_id) => Ok(project),
            (Touched::Nothing | Touched::Computer, None) => Ok(None),
            // As if it were not there: nobody learns what there is in other projects.
            (Touched::Turn(_), _) => Err(unknown(Code::TurnUnknown, "There is no such turn.")),
            (Touched::Session(_), _) => Err(unknown(Code::SessionUnknown, "There is no such session.")),
            _ => Err(unknown(Code::ProjectUnknown, "There is no such project.")),
        }
    }

    /// # Errors
    /// 404 for a turn of another project.
    pub(crate) async fn reach_turn(&self, request_id: RequestId) -> Result<(), Problem> {
        self.reach(Touched::Turn(request_id)).await.map(drop)
    }

    /// The project of a message: that of its session, or the one that is named.
    ///
    /// # Errors
    /// 404 for a session or a project that is not served, 400 where the session is of another project than the one that is named.
    pub(crate) async fn project_of(
        &self,
        session_id: Option<SessionId>,
        named: Option<&str>,
    ) -> Result<ProjectId, Problem> {
        let Some(session_id) = session_id else { return Ok(self.project(named)?.project_id) };
        let of_session = self.reach(Touched::Session(session_id)).await?.ok_or_else(unexpected)?;
        match named {
            Some(named) if self.project(Some(named))?.project_id != of_session => {
                Err(Problem::of_field("metadata.project", "the session is of another project"))
            }
            _ => Ok(of_session),
        }
    }
}

fn unknown(code: Code, message: &str) -> Problem {
    ErrorInfo::new(code, message, "Check the id.").into()
}

/// The engine answered something else than was asked.
pub(crate) fn unexpected() -> Problem {
    ErrorInfo::new(Code::Internal, "Orion hit an internal error.", "Try again.").into()
}
