"""`doxeval navigations`: list the navigation models, explain one, or compare some on a log of readers."""

from __future__ import annotations

import click

from doxeval.cli.support import option, refuse_idle


@click.command(name="navigations")
@click.argument("names", nargs=-1, metavar="[MODEL]...")
@option("--log FILE", "Readers' sessions: JSON Lines with doc and route.")
@option("--docs -d FILE", "The documents the sessions are about.")
@option("--folds", "Number of parts to split the log into.", 5, least=2)
@option("--seed", "Random seed for splitting the log.", 0)
def command(names: tuple[str, ...], log: str | None, docs: str | None, folds: int, seed: int) -> None:
    """List the navigation models, or explain the one called MODEL.

    With --log and --docs, compare MODELs by how well they predict the log: the mean log-likelihood of a
    step that the model has not seen. A model that learns from the log itself is trained on the other parts.

    \b
    doxeval navigations --log log.jsonl --docs docs.dox hierarchical "routes(file=log.jsonl,partition=tag)"
    """
    if log is None:
        from doxeval.reader.navigation.tables import list_models

        refuse_idle("docs folds seed", "models are compared only on a log of readers (--log)")
        click.echo("\n\n".join(list_models(name) for name in names) if names else list_models())
        return
    if docs is None or not names:
        raise click.UsageError("to compare models on a log, name the models and give --docs")
    from doxeval.cli.support import finish
    from doxeval.io.read import read_documents
    from doxeval.reader.navigation.base import navigation_named
    from doxeval.reader.navigation.files import read_sessions
    from doxeval.reader.navigation.likelihood import held_out

    documents = read_documents(docs)
    sessions = read_sessions(log, documents)
    width = max(map(len, names))
    click.echo(f"{'model':<{width}}  log-likelihood  steps  ruled out")
    for name in names:
        found = held_out(navigation_named(name, documents), sessions, folds, seed)
        click.echo(f"{name:<{width}}  {found.mean:14.4f}  {found.steps:5}  {found.impossible:9}")
    finish(sessions.notices, strict=False)
