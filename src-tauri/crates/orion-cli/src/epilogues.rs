//! The ends of the help of commands.

pub(crate) const EXIT_CODES: &str = "\
Exit codes: 0 answered, 1 failed, 2 wrong usage, 3 waits for a person, 4 a budget was used up, 5 the answer may be incomplete, \
130 stopped.

The key of an endpoint is read from the environment, never from an argument. Without --base-url and settings, Orion uses \
DEEPSEEK_API_KEY, OPENAI_API_KEY (with OPENAI_BASE_URL) or OPENROUTER_API_KEY, else a model server on this computer, else the \
built-in demo model.";

pub(crate) const COMPLETIONS: &str = "\
For one person: bash reads ~/.local/share/bash-completion/completions/orion, fish ~/.config/fish/completions/orion.fish, and zsh a \
file _orion in a folder that fpath names. Packages bring them.";

pub(crate) const CHAT_KEYS: &str = "\
Enter sends, Alt+Enter or Ctrl+J begins a new line. Ctrl-C stops the turn, and at an empty prompt pressed twice it leaves; so does Ctrl-D. \
/help lists the commands. In scripts use orion run.";

pub(crate) const CHECK: &str = "\
Exit codes: 0 all passed, 1 one failed, 2 wrong usage, 3 one needs you, 5 nothing ran, or not all could be started, 130 stopped.

A check runs with the script that you accepted, in a sandbox, without network. What a file of the project proposes never runs before you accept it.";

pub(crate) const DOCTOR: &str =
    "Exit codes: 0 all works, perhaps with warnings, 1 something does not work, 2 wrong usage.";
