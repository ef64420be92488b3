//! Asking the engine on behalf of a caller: what the table of operations lets over HTTP, in the projects that are served (H3).

use orion_protocol::{
    Answer, Channel, Code, Declared, ErrorInfo, Op, Outcome, Query, RequestId, SessionId, Touched,
};

use crate::problem::Problem;
use crate::server::Server;

impl Server {
    /// # Errors
    /// 403 for what is for the person at the computer, 404 for what is of another project, and the operation's own.
    pub(crate) async fn submit(&self, op: Op) -> Result<Outcome, Problem> {
        self.may(op.declared()).await?;
        Ok(self.engine.submit(op).await?)
    }

    /// # Errors
    /// As [`Server::submit`].
    pub(crate) async fn query(&self, query: Query) -> Result<Answer, Problem> {
        self.may(query.declared()).await?;
        Ok(self.engine.query(query).await?)
    }

    async fn may(&self, declared: Declared<'_>) -> Result<(), Problem> {
        if !declared.askers.has(Channel::Http) {
            return Err(Problem::forbidden(
                "This is for the person at the computer.",
                "Do it in Orion's window or on the command line.",
            ));
        }
        self.reach(declared.touches).await
    }

    async fn reach(&self, touched: Touched) -> Result<(), Problem> {
        let project = self.engine.belongs_to(touched).await?;
        match (touched, project) {
            (_, Some(project_id)) if self.serves(project_id) => Ok(()),
            (Touched::Nothing | Touched::Computer, None) => Ok(()),
            // As if it were not there: nobody learns what there is in other projects.
            (Touched::Turn(_), _) => Err(unknown(Code::TurnUnknown, "There is no such turn.")),
            (Touched::Session(_), _) => Err(unknown(Code::SessionUnknown, "There is no such session.")),
            _ => Err(unknown(Code::ProjectUnknown, "There is no such project.")),
        }
    }

    /// # Errors
    /// 404 for a turn of another project.
    pub(crate) async fn reach_turn(&self, request_id: RequestId) -> Result<(), Problem> {
        self.reach(Touched::Turn(request_id)).await
    }

    /// # Errors
    /// 404 for a session of another project.
    pub(crate) async fn reach_session(&self, session_id: SessionId) -> Result<(), Problem> {
        self.reach(Touched::Session(session_id)).await
    }
}

fn unknown(code: Code, message: &str) -> Problem {
    ErrorInfo::new(code, message, "Check the id.").into()
}

/// The engine answered something else than was asked.
pub(crate) fn unexpected() -> Problem {
    ErrorInfo::new(Code::Internal, "Orion hit an internal error.", "Try again.").into()
}
