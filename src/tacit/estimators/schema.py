"""What a model file of one kind holds: one table per estimator, proved before anything is built.

An estimator declares ``_schema``: its parameters, its facts, and its parts with dtype, shape and range. Shapes are
written in named sizes. The first part that has a size states it, all others must agree:

    Schema(
        Ids("row_ids", "rows"),
        Array("row_factors", "f4", ("rows", "factors")),
        Csr("seen", "rows", "cols"),
        parameters={"factors": Whole(1)},
        facts={"history": History()},
    )

``_state`` returns facts and parts by these names and ``_restore`` gets them back, ids as ``Ids`` and matrices as
canonical CSR. Both ways go through the same proof, so a model that could not be loaded is not saved either. Nothing is
allocated that the file has no bytes for: a size that only a number in the header claims is refused.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tacit.errors import ModelFileError
from tacit.estimators.schema_parts import PERSONAL, Arrays, Part, Proof, opened, packed
from tacit.estimators.values import Since, Value, Whole

Rule = Callable[[Proof, dict[str, Any]], str | None]
"""What else must hold, given sizes, facts and parts: a few words on what does not, or None."""


class Schema:
    """The table of one estimator."""

    def __init__(
        self,
        *parts: Part,
        parameters: Mapping[str, Value],
        facts: Mapping[str, Value] | None = None,
        may_be_zero: tuple[str, ...] = (),
        rules: tuple[Rule, ...] = (),
    ) -> None:
        self.parts = parts
        self.parameters = parameters
        self.facts = facts or {}
        self.may_be_zero = may_be_zero
        self.rules = rules
        self.omissible = {PERSONAL[type(part)] for part in parts if getattr(part, "personal", False)}
        if any(getattr(part, "halves", False) for part in parts):
            self.omissible.add("single_precision")

    def read_parameters(self, given: Any, runtime: frozenset[str]) -> dict[str, Any]:
        """The parameters for the constructor; those of a run never come from a file."""
        if not isinstance(given, dict):
            raise ModelFileError("its parameters are not a table")
        for name in given:
            if name in runtime:
                raise ModelFileError(f"it sets {name}, which belongs to a run and not to a model")
            if name not in self.parameters:
                raise ModelFileError(f"it has an unknown parameter {name!r}")
        return {name: self.parameters[name].read(name, value) for name, value in given.items()}

    def open(
        self, model: Any, facts: Any, arrays: Arrays, sizes: Mapping[str, int] | None = None
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Facts and parts of a model, every one of them proved."""
        if not isinstance(facts, dict):
            raise ModelFileError("its facts are not a table")
        outer = dict(sizes or {})
        proof = Proof(model, dict(facts), dict(arrays), outer, self.may_be_zero, set(outer))
        self._read_facts(proof)
        parts = opened(self.parts, proof)
        if strange := sorted(set(proof.facts) - set(self.facts)):
            raise ModelFileError(f"it has an unknown fact {strange[0]!r}")
        self._apply_rules(proof, parts)
        proof.finish()
        return proof.facts, parts

    def pack(
        self, model: Any, facts: dict[str, Any], parts: Mapping[str, Any], left_out: frozenset[str] = frozenset()
    ) -> tuple[dict[str, Any], Arrays]:
        """Facts and arrays for a file; what ``open`` would refuse is refused here."""
        proof = Proof(model, dict(facts), {}, {}, self.may_be_zero, left_out=left_out)
        self._read_facts(proof)
        arrays = packed(self.parts, parts, proof)
        self._apply_rules(proof, dict(parts))
        return proof.facts, arrays

    def _read_facts(self, proof: Proof) -> None:
        """Parameters and facts in their ranges, and the sizes that they state."""
        for source, values in ((self.parameters, proof.model.get_params(deep=False)), (self.facts, proof.facts)):
            for name, kind in source.items():
                if isinstance(kind, Since):
                    values.setdefault(name, kind.before)
                if name not in values:
                    raise ModelFileError(f"the fact {name!r} is missing")
                values[name] = kind.read(name, values[name])
                if isinstance(kind, Whole) and kind.size is not None:
                    proof.bind(kind.size, values[name], name)

    def _apply_rules(self, proof: Proof, parts: dict[str, Any]) -> None:
        for rule in self.rules:
            if (problem := rule(proof, parts)) is not None:
                raise ModelFileError(problem)
