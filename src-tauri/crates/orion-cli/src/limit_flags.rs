//! The limits of a turn as flags: one for each limit that is declared with a flag.

use clap::{Arg, ArgMatches, Args, Command, Error, FromArgMatches};
use orion_protocol::setting::SettingValue;
use orion_protocol::{Setting, SettingsChange, TurnLimits};

/// What the flags say.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LimitFlags(pub(crate) TurnLimits);

impl Args for LimitFlags {
    fn augment_args(command: Command) -> Command {
        TurnLimits::all().filter_map(flag).fold(command, Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LimitFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        let mut layer = SettingsChange { limits: self.0, ..SettingsChange::default() };
        for setting in TurnLimits::all().filter(|setting| setting.facts.flag.is_some()) {
            if let Some(value) = matches.get_one::<SettingValue>(setting.key) {
                setting.set(&mut layer, Some(value));
            }
        }
        self.0 = layer.limits;
        Ok(())
    }
}

fn flag(setting: &'static Setting) -> Option<Arg> {
    let parse = |text: &str| setting.parse(text).ok_or_else(|| format!("expected {}", setting.expected()));
    let flag = setting.facts.flag?;
    Some(Arg::new(setting.key).long(flag).value_name("N").help(setting.about()).value_parser(parse))
}
