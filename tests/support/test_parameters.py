from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

from driftduel import BadParameter
from driftduel._support.checks import Bounds, as_count, as_horizon, as_number, one_of
from driftduel._support.params import bounded, build, check_fields, nested, parameters_of, resolve
from driftduel.matrix.criteria import Borda, Condorcet, Criterion

if TYPE_CHECKING:
    from decimal import Decimal


@dataclass(frozen=True)
class Inner:
    size: float = bounded(above=0)
    kind: Literal["round", "square"] = "round"

    def __post_init__(self):
        check_fields(self)


@dataclass(frozen=True)
class Outer:
    count: int = bounded(3, least=1, most=9)
    rate: float | None = bounded(None, least=0, below=1)
    flag: bool = False
    name: str = ""
    inner: Inner | None = None
    criterion: Criterion = field(default_factory=Borda)
    notes: dict[str, int] = field(default_factory=dict)
    anything: Any = None

    def __post_init__(self):
        check_fields(self)


def world(
    kind: str = "a",
    /,
    *,
    n_arms: int = 3,
    weight: ArrayLike | None = None,
    names: Sequence[str] | None = None,
    link: str | Callable[[float], float] = "logistic",
    seed: int | np.random.Generator | None = 0,
) -> dict[str, Any]:
    return {"n_arms": n_arms, "weight": weight, "names": names, "link": link, "seed": seed}


@dataclass(frozen=True)
class Unresolved:
    price: Decimal | None = None

    def __post_init__(self):
        check_fields(self)


def test_fields_are_kept_as_the_types_they_should_have():
    outer = Outer(np.int8(4), 0, np.True_, "x", {"size": 2}, "condorcet", {"a": 1}, [1])
    assert outer == Outer(4, 0.0, True, "x", Inner(2.0), Condorcet(), {"a": 1}, [1])
    assert [type(value) for value in (outer.count, outer.rate, outer.flag)] == [int, float, bool]
    assert type(outer.inner.size) is float


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"count": 0}, "count is 0, must be at least 1"),
        ({"count": 10}, "count is 10, must be at most 9"),
        ({"count": "3"}, "count is '3', must be a whole number"),
        ({"count": None}, "count is None, must be a whole number"),
        ({"rate": 1}, "rate is 1, must be at least 0 and below 1"),
        ({"rate": "x"}, "rate is 'x', must be a number or none"),
        ({"rate": -math.inf}, "rate is -inf, must be at least 0 and below 1"),
        ({"flag": 1}, "flag is 1, must be true or false"),
        ({"name": b"x"}, "name is b'x', must be text"),
        ({"inner": 3}, "inner is 3, must be a Inner or none"),
        ({"inner": {"size": 0}}, "inner.size is 0, must be a positive number"),
        ({"inner": {"size": math.inf}}, "inner.size is inf, must be a positive number and finite"),
        ({"inner": {}}, "inner.size is missing"),
        ({"inner": {"size": 1, "kind": "odd"}}, "inner.kind is 'odd', must be 'round' or 'square'"),
        ({"inner": {"size": 1, "x": 1}}, "inner.x is no parameter, there are size, kind"),
        (
            {"criterion": "best"},
            "criterion is 'best', must be 'borda', 'condorcet', 'copeland', 'von",
        ),
        ({"criterion": ["a"]}, "criterion.weight: must be numbers in rows of equal length"),
        ({"criterion": [1, 1]}, "criterion.weight: sums to 2, must sum to 1"),
        ({"criterion": {"weight": [1]}}, "criterion is {'weight': [1]}, must be a criterion"),
    ],
)
def test_what_does_not_fit_is_named(values, sentence):
    with pytest.raises(BadParameter) as error:
        Outer(**values)
    assert str(error.value).startswith(sentence)
    assert error.value.name == sentence.split()[0].rstrip(":")


def test_texts_are_read_as_the_types_they_should_have():
    texts = {"count": "5", "rate": "none", "flag": "True", "name": "none", "criterion": "0.5,0.5"}
    tables = {**texts, "inner": {"size": "2", "kind": "square"}}
    values = resolve(Outer, tables, texts=True)
    assert values["inner"] == {"size": 2.0, "kind": "square"}
    assert Outer(**values) == Outer(5, None, True, "none", Inner(2.0, "square"), [0.5, 0.5])


@pytest.mark.parametrize(
    ("texts", "sentence"),
    [
        ({"count": "3.0"}, "count is '3.0', must be a whole number"),
        ({"count": "10"}, "count is 10, must be at most 9"),
        ({"rate": ""}, "rate is '', must be a number or none"),
        ({"flag": "yes"}, "flag is 'yes', must be true or false"),
        ({"inner": "round"}, "inner is 'round', must be none"),
        (
            {"inner": {"kind": "odd", "size": "1"}},
            "inner.kind is 'odd', must be 'round' or 'square'",
        ),
        ({"anything": "x"}, "anything is 'x', cannot be given as text"),
        ({"count": {"x": "1"}}, "count is a table, must be a whole number"),
        ({"size": "1"}, "size is no parameter, there are count, rate, flag, name, inner"),
    ],
)
def test_texts_that_mean_no_value_are_named(texts, sentence):
    with pytest.raises(BadParameter) as error:
        resolve(Outer, texts, texts=True)
    assert str(error.value).startswith(sentence)


def test_hidden_parameters_cannot_be_given():
    with pytest.raises(BadParameter, match=r"^count is no parameter, there are rate, "):
        resolve(Outer, {"count": 1}, hidden=("count",))


def test_none_is_a_word_where_it_is_allowed():
    assert resolve(Outer, {"rate": "none", "name": "none"}) == {"rate": None, "name": "none"}


def test_functions_have_parameters_too():
    world_b = partial(world, "b")
    assert list(parameters_of(world_b)) == ["n_arms", "weight", "names", "link", "seed"]
    rng = np.random.default_rng(0)
    values = {"n_arms": np.int64(2), "weight": np.ones(2), "names": ["x"], "link": abs, "seed": rng}
    assert build(world_b, values) == values
    texts = {"weight": "1,2", "names": "a, b", "link": "probit", "seed": "none"}
    assert resolve(world_b, texts, texts=True) == {
        "weight": [1.0, 2.0],
        "names": ["a", "b"],
        "link": "probit",
        "seed": None,
    }
    for bad, words in (
        ({"weight": 3}, "weight is 3, must be a list of numbers or none"),
        ({"names": "ab"}, "names is 'ab', must be a list of names or none"),
        ({"link": 3}, "link is 3, must be text or a function"),
        ({"seed": 0.5}, "seed is 0.5, must be a whole number or a generator or none"),
    ):
        with pytest.raises(BadParameter) as error:
            build(world_b, bad)
        assert str(error.value) == words


def test_types_that_do_not_exist_when_the_code_runs_are_said_so():
    with pytest.raises(TypeError, match=r"Decimal.* must be known when it runs"):
        Unresolved()


def test_a_key_cannot_be_a_value_and_a_table():
    for pairs in ({"a": "1", "a.b": "2"}, {"a.b": "1", "a": "2"}):
        with pytest.raises(BadParameter, match=r"^a is given as a value and as a table$"):
            nested(pairs)


def test_bounds_in_words():
    assert Bounds(least=2).words == "at least 2"
    assert Bounds(most=2, above=0.5).words == "a number above 0.5 and at most 2"
    assert Bounds().words == "finite"


def test_a_number_may_be_larger_than_a_float_holds():
    for value in (10**400, -(10**400)):
        with pytest.raises(BadParameter, match=r"must be finite$"):
            as_number(value, "x")
    with pytest.raises(BadParameter, match=f"^horizon is .*, must be at most {2**62}$"):
        as_horizon(10**400)


def test_counts_and_words():
    assert type(as_count(np.uint8(3), "x")) is int
    assert one_of("b", "x", ("a", "b")) == "b"
    for value in (["a"], None, "c"):
        with pytest.raises(BadParameter, match=r"must be one of a, b$"):
            one_of(value, "x", ("a", "b"))


def test_an_annotation_that_nobody_knows_is_for_its_class_to_check():
    def function(table: NDArray[np.float64]) -> None: ...

    (kind,) = parameters_of(function)["table"].kinds
    assert kind.takes("anything")
