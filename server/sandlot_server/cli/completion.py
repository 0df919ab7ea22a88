"""``sandlot completion``: the script that lets a shell complete what is typed."""

from __future__ import annotations

from typing import Final

import click
from click.shell_completion import get_completion_class

INSTALL: Final = {
    "bash": "~/.bashrc",
    "zsh": "~/.zshrc",
    "fish": "~/.config/fish/completions/sandlot.fish",
}
"""Where each shell reads such a script when it starts."""


@click.command()
@click.argument("shell", type=click.Choice(list(INSTALL)))
def completion(shell: str) -> None:
    """Print the script that lets your shell complete.

    Then the Tab key completes commands, options, house bots, files of the right kind and the
    tournaments of the store. To have it in every new shell:

    \b
      sandlot completion bash >> ~/.bashrc
      sandlot completion zsh >> ~/.zshrc
      sandlot completion fish > ~/.config/fish/completions/sandlot.fish
    """
    from sandlot_server.cli.commands import COMPLETE_VARIABLE, sandlot

    found = get_completion_class(shell)
    assert found is not None  # click has these three
    click.echo(f"# Tab completion of sandlot for {shell}; belongs into {INSTALL[shell]}")
    click.echo(found(sandlot, {}, "sandlot", COMPLETE_VARIABLE).source())
