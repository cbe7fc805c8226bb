"""Options whose default is that of an estimator's parameter, so that help cannot go stale.

The default is read from the estimator's source: importing it would cost ``--help`` a second.
"""

import ast
import functools
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import click

import tacit

Function = Callable[..., Any]


@functools.cache
def defaults_of(estimator: str) -> dict[str, Any]:
    """Parameter → default of an estimator's constructor.

    >>> defaults_of("FactorRecommender")["factors"]
    64
    """
    module = tacit._HOMES[estimator]
    loader: Any = getattr(find_spec(module), "loader", None)
    tree = ast.parse(loader.get_source(module))
    (made,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == estimator)
    (init,) = (node for node in made.body if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    signature = init.args
    # Defaults of positional parameters belong to the last of them.
    pairs = [
        *zip(reversed(signature.args), reversed(signature.defaults)),
        *zip(signature.kwonlyargs, signature.kw_defaults),
    ]
    return {parameter.arg: ast.literal_eval(default) for parameter, default in pairs if default is not None}


class EstimatorOption(click.Option):
    """A parameter of an estimator, shown with the estimator's own default."""

    def __init__(self, *args: Any, estimator: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.estimator = estimator

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:
        return defaults_of(self.estimator)[str(self.name)]


def parameter_of(estimator: str) -> Callable[..., Callable[[Function], Function]]:
    """``click.option`` for the parameters of this estimator; an option's name is the parameter's."""
    return functools.partial(click.option, cls=EstimatorOption, estimator=estimator, show_default=True)
