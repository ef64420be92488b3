//! `list_files`: the entries of a folder, with sizes, in pages.

use globset::{GlobBuilder, GlobMatcher};
use orion_core::tool::{Reveals, Seen};
use orion_protocol::{Code, ErrorInfo};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::page::{Page, count, halted, left_out, size};
use super::{Context, Output, Reads, seen, stopped};
use orion_files::workspace::{Entry, Halt, Kind, Node, Project, ProjectPath, View, Walk};

/// The name of the tool that lists a folder.
pub(crate) const LIST_FILES: &str = "list_files";

pub(super) struct ListFiles;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Arguments {
    /// Folder in the project
    #[schemars(extend("format" = "path"))]
    path: String,
    /// List subfolders too
    recursive: bool,
    /// Only names or paths that match, e.g. *.rs or src/**/*.ts
    glob: Option<String>,
    /// Show what .gitignore hides
    include_ignored: bool,
    /// Entries to skip
    offset: u64,
    /// Most entries
    #[schemars(range(min = 1, max = 1000))]
    limit: u64,
}

impl Default for Arguments {
    fn default() -> Self {
        Self { path: ".".into(), recursive: false, glob: None, include_ignored: false, offset: 0, limit: 200 }
    }
}

impl Reads for ListFiles {
    type Arguments = Arguments;
    const NAME: &'static str = LIST_FILES;
    const REVEALS: Reveals = Reveals::Names;
    const DESCRIPTION: &'static str = "List a folder of the project: names, sizes, folders end in /.";

    fn read(arguments: Arguments, context: &Context) -> Result<Output, ErrorInfo> {
        let project = &context.project;
        let named = project.path(&arguments.path)?;
        let folder = folder(project, &named)?;
        let glob = arguments.glob.as_deref().map(Glob::new).transpose()?;
        let recursive =
            arguments.recursive || arguments.glob.as_deref().is_some_and(|glob| glob.contains("**"));
        let view = View { recursive, include_ignored: arguments.include_ignored };
        let mut walk = Walk::new(project, &folder, view, context.budget());

        // Room for the heading, which is known last.
        let mut page = Page::new(context.limits.body_bytes.saturating_sub(600));
        let (mut total, mut shown) = (0_u64, 0_u64);
        let mut whole_bytes = 0_u64;
        for entry in walk.by_ref() {
            if glob.as_ref().is_some_and(|glob| !glob.matches(&entry.path, &folder)) {
                continue;
            }
            if total >= arguments.offset && shown < arguments.limit && shown == total - arguments.offset {
                let line = line_of(project, &entry);
                whole_bytes += line.len() as u64 + 1;
                shown += u64::from(page.line(&line));
            }
            total += 1;
        }
        let left = walk.left_out();
        if left.halt == Some(Halt::Cancelled) {
            return Err(stopped());
        }
        if arguments.offset > 0 && arguments.offset >= total {
            return Err(ErrorInfo::new(
                Code::ToolArguments,
                format!(
                    "list_files: `offset` {} is past the end: there are {total} entries.",
                    arguments.offset
                ),
                "Use a smaller offset.",
            ));
        }

        let at_least = if left.halt.is_some() { "at least " } else { "" };
        let mut heading = vec![format!("{folder}: {at_least}{}", count(total, "entry", "entries"))];
        heading.extend(left_out(&left));
        heading.extend(left.halt.map(|halt| halted(halt).to_owned()));
        let next = arguments.offset + shown;
        let first_cut = page.first_cut;
        let read_on = (next < total).then(|| {
            let mut call = json!({ "path": folder.to_string(), "offset": next });
            if arguments.limit != Arguments::default().limit {
                call["limit"] = arguments.limit.into();
            }
            if recursive {
                call["recursive"] = true.into();
            }
            if let Some(glob) = &arguments.glob {
                call["glob"] = glob.as_str().into();
            }
            if arguments.include_ignored {
                call["include_ignored"] = true.into();
            }
            format!(
                "Entries {}-{next} of {at_least}{total} are shown{}; read on with list_files {call}",
                arguments.offset + 1,
                if first_cut { ", the first one cut" } else { "" }
            )
        });
        let cut =
            read_on.or_else(|| first_cut.then(|| "The first entry shown is cut for lack of room".to_owned()));
        Ok(Output {
            summary: format!("{at_least}{}", count(total, "entry", "entries")),
            body: format!("{}\n{}", heading.join("; "), page.into_text()),
            bytes: cut.is_some().then_some(whole_bytes),
            cut,
            seen: seen(if recursive { Seen::Tree } else { Seen::Path }, &named, &folder),
            ..Output::default()
        })
    }
}

/// A folder to list or search.
fn folder(project: &Project, named: &ProjectPath) -> Result<ProjectPath, ErrorInfo> {
    let Node { path, kind, .. } = project.find(named)?;
    match kind {
        Kind::Folder => Ok(path),
        Kind::File | Kind::Link | Kind::Special => Err(ErrorInfo::new(
            Code::PathWrongKind,
            format!("`{path}` is not a folder."),
            format!("Use read_file {}.", json!({ "path": path.to_string() })),
        )),
    }
}

fn line_of(project: &Project, Entry { path, kind, .. }: &Entry) -> String {
    match kind {
        Kind::Folder => format!("{path}/"),
        Kind::File => match project.metadata(path) {
            Ok(metadata) => format!("{path}  {}", size(metadata.len())),
            Err(_) => format!("{path}  unreadable"),
        },
        Kind::Link => match project.link_target(path) {
            Some(target) => format!("{path}  link to {target}"),
            None => format!("{path}  link, closed or leading nowhere in the project"),
        },
        Kind::Special => format!("{path}  device, pipe or socket"),
    }
}

/// A glob as models write them: without a `/` it is about names, with one about paths, from the project or the folder.
#[derive(Debug)]
pub(super) struct Glob {
    matcher: GlobMatcher,
    names: bool,
}

impl Glob {
    pub(super) fn new(pattern: &str) -> Result<Self, ErrorInfo> {
        let invalid = |what: String| {
            ErrorInfo::new(
                Code::PatternInvalid,
                format!("`glob` is not a valid pattern: {what}."),
                "Write it like *.rs, src/**/*.ts or *.{js,ts}.",
            )
        };
        if pattern.len() > 1_000 {
            return Err(invalid("it is longer than 1,000 bytes".into()));
        }
        let matcher = GlobBuilder::new(pattern.trim_start_matches("./"))
            .literal_separator(true)
            .build()
            .map_err(|cause| invalid(cause.kind().to_string()))?
            .compile_matcher();
        Ok(Self { matcher, names: !pattern.contains('/') })
    }

    pub(super) fn matches(&self, path: &ProjectPath, folder: &ProjectPath) -> bool {
        let path = path.as_path();
        if self.names {
            return path.file_name().is_some_and(|name| self.matcher.is_match(name));
        }
        self.matcher.is_match(path)
            || path.strip_prefix(folder.as_path()).is_ok_and(|inside| self.matcher.is_match(inside))
    }
}
