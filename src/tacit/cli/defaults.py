"""Parameters of estimators as options: one declaration, the estimator's constructor and its docstring.

Names, types, defaults and help are read from the source of the estimator: importing it would cost ``--help`` a second,
and options typed by hand would go stale or be forgotten.
"""

import ast
import functools
import re
from collections.abc import Callable, Collection, Iterable
from importlib.util import find_spec
from typing import Any

import click

from tacit.estimators.homes import ESTIMATORS

Function = Callable[..., Any]

RUNNING = ("progress", "callback", "checkpoint")
"""Parameters of a run that have options of their own, or none."""
_OPTIONS = {
    "random_state": ("--seed",),
    "output": ("--vectors",),
    "propensity_weighted": ("--favour-rare",),
    "threshold_rule": ("--thresholds", "--threshold-rule"),
}
"""Parameter → its options, where they are not simply its name."""
_HELP = {"random_state": "Same seed, same bits.", "threads": "Cores to use; 0 is all."}


@functools.cache
def _tree(module: str) -> ast.Module:
    loader: Any = getattr(find_spec(module), "loader", None)
    tree: ast.Module = ast.parse(loader.get_source(module))
    return tree


@functools.cache
def _declared(estimator: str) -> tuple[dict[str, tuple[ast.expr | None, ast.expr | None]], str]:
    """Parameter → annotation and default of the constructor, and the docstring of the class."""
    tree = _tree(ESTIMATORS[estimator])
    (definition,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == estimator)
    (init,) = (node for node in definition.body if isinstance(node, ast.FunctionDef) and node.name == "__init__")
    arguments = init.args
    positional = arguments.args[1:]
    # Defaults of positional parameters belong to the last of them.
    first = [None] * (len(positional) - len(arguments.defaults)) + list(arguments.defaults)
    pairs = [*zip(positional, first), *zip(arguments.kwonlyargs, arguments.kw_defaults)]
    return {one.arg: (one.annotation, default) for one, default in pairs}, ast.get_docstring(definition) or ""


@functools.cache
def defaults_of(estimator: str) -> dict[str, Any]:
    """Parameter → default of an estimator's constructor.

    >>> defaults_of("FactorRecommender")["factors"]
    64
    """
    return {name: ast.literal_eval(value) for name, (_, value) in _declared(estimator)[0].items() if value is not None}


@functools.cache
def help_of(estimator: str) -> dict[str, str]:
    """Parameter → what the docstring says about it, as one line of plain text.

    >>> help_of("FactorRecommender")["biases"]
    "SVDFeature's biases of rows and columns (fBGD Eq. 11–13)."
    """
    result: dict[str, str] = {}
    text = _declared(estimator)[1].partition("Parameters\n---")[2].lstrip("-\n").partition("\n\n")[0]
    for entry in re.split(r"\n(?=\S)", text):
        names, colon, words = entry.partition(" : ")
        if not colon:
            continue
        plain = " ".join(words.replace("``", "").split()).rstrip(".")
        # A letter of the papers (k, δ) stays small.
        plain = plain if re.match(r"\W|\w\b|[^\x00-\x7f]", plain) else f"{plain[:1].upper()}{plain[1:]}"
        for name in names.split(", "):
            result[name.strip()] = f"{plain}."
    return result


class EstimatorOption(click.Option):
    """A parameter of an estimator, shown with the estimator's own default."""

    def __init__(self, *args: Any, estimator: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.estimator = estimator

    def get_default(self, ctx: click.Context, call: bool = True) -> Any:
        default = defaults_of(self.estimator)[str(self.name)]
        return "none" if default is None and isinstance(self.type, OrNone) else default

    def type_cast_value(self, ctx: click.Context, value: Any) -> Any:
        # A word in the place of several numbers is a default that nobody typed.
        return value if isinstance(value, str) and self.nargs != 1 else super().type_cast_value(ctx, value)


class OrNone(click.Choice):  # type: ignore[type-arg]
    """A choice in which ``none`` is None."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        return None if super().convert(value, param, ctx) == "none" else value


class Numbers(click.ParamType):  # type: ignore[type-arg]
    """One number, or several with a comma between them; also a word where the parameter takes one."""

    name = "number[,number]"

    def __init__(self, words: Collection[str] = (), lengths: Collection[int] = ()) -> None:
        self.words, self.lengths = words, lengths

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if not isinstance(value, str) or value in self.words:
            return value
        try:
            numbers = tuple(float(part) for part in value.split(","))
        except ValueError:
            numbers = ()
        if not numbers or (self.lengths and len(numbers) not in self.lengths):
            example = ",".join(["0.5", "0.15", "0.1"][: max(self.lengths, default=2)])
            also = f", nor one of {', '.join(self.words)}" if self.words else ""
            self.fail(
                f"{value!r} is neither a number nor several with commas between them, such as {example}{also}.",
                param,
                ctx,
            )
        return numbers[0] if len(numbers) == 1 else numbers


def parameters_of(
    estimator: str, *, leave: Collection[str] = (), only_given: bool = False
) -> tuple[list[str], list[Callable[[Function], Function]]]:
    """Names of the parameters that a command line can give, and an option for each.

    leave : parameters without an option here, because the verb has another way to say them
    only_given : let what is not typed be None, for verbs that choose between estimators
    """
    names: list[str] = []
    options: list[Callable[[Function], Function]] = []
    for name, (annotation, _) in _declared(estimator)[0].items():
        if name in leave or name in RUNNING:
            continue
        how = _how(name, annotation, ESTIMATORS[estimator])
        if how is None:
            continue
        if how.get("type") is str:
            # Where the annotation is bare text, the docstring lists the words.
            how["type"] = click.Choice(re.findall(r'"([a-z_0-9]+)"', help_of(estimator)[name]))
        names.append(name)
        flags = _OPTIONS.get(name, (f"--{name.replace('_', '-')}",))
        if how.pop("is_flag", False):
            flags = (f"{flags[0]}/--no-{flags[0].removeprefix('--')}", *flags[1:])
        help_text = _HELP.get(name) or help_of(estimator).get(name, "")
        if only_given and isinstance(how.get("type"), OrNone):
            # None is what was not typed.
            how["type"] = click.Choice(how["type"].choices)
        if only_given:
            options.append(click.option(*flags, name, default=None, help=help_text, **how))
        else:
            options.append(
                click.option(
                    *flags, name, cls=EstimatorOption, estimator=estimator, show_default=True, help=help_text, **how
                )
            )
    return names, options


def typed(given: dict[str, Any]) -> dict[str, Any]:
    """What was typed of options made with ``only_given``; the word ``none`` is None.

    >>> typed({"delta": None, "adaptation": "none"})
    {'adaptation': None}
    """
    return {name: None if value == "none" else value for name, value in given.items() if value is not None}


def _how(name: str, annotation: ast.expr | None, module: str) -> dict[str, Any] | None:
    """How click reads a parameter of this annotation; None where a command line cannot give it."""
    if name in ("random_state", "cv"):
        return {"type": int}
    kinds = list(_kinds(annotation, module))
    words = [word for kind, word in kinds if kind == "word"]
    plain = {kind for kind, _ in kinds}
    lengths = {length for kind, length in kinds if kind == "tuple"}
    if "sequence" in plain or (lengths == {2} and "float" in plain):
        return {"type": Numbers(words, {1, *lengths} if lengths else ())}
    if lengths:
        return {"nargs": lengths.pop(), "type": float}
    if words and "str" not in plain:
        return {"type": OrNone([*words, "none"]) if "none" in plain else click.Choice(words)}
    for kind, how in (("str", {"type": str}), ("bool", {"is_flag": True}), ("float", {"type": float})):
        if kind in plain:
            return dict(how)
    return {"type": int} if "int" in plain else None


def _kinds(annotation: ast.expr | None, module: str) -> Iterable[tuple[str, Any]]:
    """The plain parts of an annotation: names of types, words of literals, lengths of tuples."""
    match annotation:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            yield from _kinds(left, module)
            yield from _kinds(right, module)
        case ast.Constant(value=None):
            yield "none", None
        case ast.Subscript(value=ast.Name(id="Literal"), slice=chosen):
            for one in chosen.elts if isinstance(chosen, ast.Tuple) else [chosen]:
                yield "word", ast.literal_eval(one)
        case ast.Subscript(value=ast.Name(id="tuple"), slice=ast.Tuple(elts=parts)):
            yield "tuple", len(parts)
        case ast.Subscript(value=ast.Name(id="Sequence"), slice=ast.Name(id="float")):
            yield "sequence", None
        case ast.Name(id=("int" | "float" | "bool" | "str") as kind):
            yield kind, None
        case ast.Name(id=alias):
            yield from _alias(alias, module)
        case ast.Attribute(value=ast.Name(id=home), attr=alias):
            yield from _alias(alias, _imported(home, module))


def _alias(alias: str, module: str) -> Iterable[tuple[str, Any]]:
    """What a name for a type stands for, followed to the module that defines it."""
    for node in _tree(module).body if module.startswith("tacit") else ():
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == alias for to in node.targets):
            yield from _kinds(node.value, module)
            return
        if isinstance(node, ast.ImportFrom) and any((one.asname or one.name) == alias for one in node.names):
            yield from _alias(alias, str(node.module))
            return


def _imported(home: str, module: str) -> str:
    for node in _tree(module).body:
        if isinstance(node, ast.ImportFrom):
            for one in node.names:
                if (one.asname or one.name) == home:
                    return f"{node.module}.{one.name}"
    return ""
