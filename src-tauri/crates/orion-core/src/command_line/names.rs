//! The names that bash has for itself: the words of its language, and its own programs.
//!
//! Deliberately not here: programs on the disk.

/// The builtin that changes the folder.
pub(super) const CD: &str = "cd";

/// The words of the language (bash(1), RESERVED WORDS). One in the place of a program is not understood, even in quotes.
pub(super) const KEYWORDS: [&str; 22] = [
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if",
    "in", "select", "then", "time", "until", "while", "{", "}",
];

/// The builtins that change nothing for what comes after them but whether it runs, and that take each of their words as it is. With an option `printf`
/// writes into a variable, which may run something, so it has none here.
pub(super) const PLAIN: [&str; 6] = ["echo", "exit", "false", "printf", "pwd", "true"];

/// The other builtins of bash 5.2 (`compgen -b`): each of them changes what follows, or may run its words.
pub(super) const BUILTINS: [&str; 54] = [
    ".",
    ":",
    "[",
    "alias",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "declare",
    "dirs",
    "disown",
    "enable",
    "eval",
    "exec",
    "export",
    "fc",
    "fg",
    "getopts",
    "hash",
    "help",
    "history",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "popd",
    "pushd",
    "read",
    "readarray",
    "readonly",
    "return",
    "set",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "times",
    "trap",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unset",
    "wait",
];
