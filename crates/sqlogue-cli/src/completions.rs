//! `sqlogue completions`: what shells complete, and man pages.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use etcetera::BaseStrategy as _;

use super::args::Arguments;
use super::failure::{Exit, Failure};
use super::output::Output;
use sqlogue_base::files;

/// What `completions` takes.
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell
    shell: Shell,
    /// Write the completions and the man pages where the shell and `man` look for those of one person
    #[arg(long)]
    install: bool,
    /// Write the man pages into this folder
    #[arg(long, value_name = "DIR", conflicts_with = "install")]
    man: Option<PathBuf>,
}

/// Prints the script for the shell, or installs it.
pub(super) fn run(arguments: &CompletionsArguments) -> Result<Exit, Failure> {
    let mut command = Arguments::command();
    if let Some(folder) = &arguments.man {
        man_pages(&command, folder)?;
        return Ok(Exit::Answered);
    }
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "sqlogue", &mut script);
    if arguments.install {
        install(&command, arguments.shell, &script)?;
        return Ok(Exit::Answered);
    }
    let mut output = Output::standard();
    output.write_all(&script)?;
    output.flush()?;
    Ok(Exit::Answered)
}

/// Where a shell looks for the completions of one person, below their folder of data or of settings, and what else it has
/// to be told. None where the shell has no such place.
fn place(shell: Shell, data: &Path, settings: &Path) -> Option<(PathBuf, Option<String>)> {
    match shell {
        Shell::Bash => Some((data.join("bash-completion/completions/sqlogue"), None)),
        Shell::Fish => Some((settings.join("fish/completions/sqlogue.fish"), None)),
        Shell::Zsh => {
            let folder = data.join("zsh/site-functions");
            let told = format!("add `fpath=({} $fpath)` to ~/.zshrc, above `compinit`", folder.display());
            Some((folder.join("_sqlogue"), Some(told)))
        }
        _ => None,
    }
}

fn install(command: &clap::Command, shell: Shell, script: &[u8]) -> Result<(), Failure> {
    let folders = etcetera::choose_base_strategy()
        .map_err(|_| Failure::usage("nothing says whose home this is").hint("set `HOME`"))?;
    let (data, settings) = (folders.data_dir(), folders.config_dir());
    let Some((path, told)) = place(shell, &data, &settings) else {
        return Err(Failure::usage(format!("{shell} has no usual place for completions"))
            .hint(format!("`sqlogue completions {shell}` prints them; add them to your profile")));
    };
    write(&path, script)?;
    let manual = data.join("man/man1");
    man_pages(command, &manual)?;
    let mut stderr = io::stderr();
    writeln!(stderr, "installed {} and the man pages in {}", path.display(), manual.display())?;
    match told {
        Some(told) => writeln!(stderr, "hint: {told}")?,
        None => writeln!(stderr, "hint: new shells know them")?,
    }
    Ok(())
}

/// A page for the program and one for each command: `sqlogue.1`, `sqlogue-ask.1`.
fn man_pages(command: &clap::Command, folder: &Path) -> Result<(), Failure> {
    // Each `help` would have a page for every command that it explains.
    let command = command.clone().disable_help_subcommand(true);
    let written = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written.map_err(|error| {
        Failure::usage(format!("the man pages cannot be written into `{}`: {error}", folder.display()))
    })
}

fn write(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| files::replace(path, content))
        .map_err(|error| Failure::usage(format!("`{}` cannot be written: {error}", path.display())))
}
