"""Bad values of the parameters of every learner, from the types and the bounds they declare."""

from __future__ import annotations

import inspect
import math
import pickle

import numpy as np
import pytest

import driftduel as dd
from driftduel._support.checks import BadParameter
from driftduel._support.params import parameters_of
from driftduel.learners import Calibration, Constants, all_learners
from driftduel.learners.contract.build import learner_from

UNLESS_TOLD = (
    "BordaETC",
    "BordaMaxing",
    "BordaRanking",
    "Knockout",
    "RRDB",
    "BordaSAVAGE",
    "CopelandSAVAGE",
    "SAVAGE",
    "SeqEliminate",
)
"""They need a horizon unless they are told something else."""
KINDS = {**all_learners(), "Calibration": Calibration, "Constants": Constants}
pytestmark = pytest.mark.once  # nothing of it is compiled


def numbers(name):
    """Return the parameters that are numbers."""
    return [
        parameter
        for parameter in parameters_of(KINDS[name]).values()
        if {int, float} & {kind.type for kind in parameter.kinds}
    ]


def options(name):
    """Return parameters that are fine, as every class takes them."""
    if name == "Calibration":
        return {}
    if name == "Constants":
        return {"scale": 1.0}
    return {"n_arms": 4, "horizon": 100}


def beyond(parameter):
    """Yield values that the bounds of a parameter exclude, just outside where there is a step."""
    bounds = parameter.bounds
    whole = any(kind.type is int for kind in parameter.kinds)
    step = 1 if whole else 1e-6
    for limit, sign in ((bounds.least, -1), (bounds.most, 1)):
        if math.isfinite(limit):
            yield limit + sign * step if whole else np.nextafter(limit, sign * math.inf)
    for limit in (bounds.above, bounds.below):
        if math.isfinite(limit):
            yield limit


def wrong_numbers(parameter):
    """Return values that a parameter must refuse."""
    wrong = [math.nan, math.inf, -math.inf, "1", True, [1], 10**400, *beyond(parameter)]
    if not parameter.optional:
        wrong.append(None)
    if any(kind.type is int for kind in parameter.kinds):
        wrong = [value for value in wrong if value != 10**400] + [1.5]
    return wrong


@pytest.mark.parametrize("name", KINDS)
def test_a_number_that_is_none_or_out_of_bounds_is_refused_by_name(name):
    for parameter in numbers(name):
        for value in wrong_numbers(parameter):
            with pytest.raises(BadParameter) as error:
                KINDS[name](**{**options(name), parameter.name: value})
            assert error.value.name == parameter.name, value
            assert str(error.value).startswith(f"{parameter.name} is "), value


@pytest.mark.parametrize("name", KINDS)
def test_a_number_is_kept_as_a_plain_one(name):
    made = KINDS[name](**options(name))
    for parameter in numbers(name):
        value = getattr(made, parameter.name)
        if value is not None:
            again = KINDS[name](**{**options(name), parameter.name: np.array([value])[0]})
            kept = getattr(again, parameter.name)
            assert (type(kept), kept) == (type(value), value), parameter.name
            assert type(value) is next(k.type for k in parameter.kinds if k.type in (int, float))


@pytest.mark.parametrize("name", all_learners())
def test_a_flag_or_a_word_that_is_none_is_refused_by_name(name):
    for parameter in parameters_of(KINDS[name]).values():
        types = {kind.type for kind in parameter.kinds}
        words = any(kind.words.startswith("'") for kind in parameter.kinds)
        if bool in types or words:
            for value in ("odd", 1, None, ["odd"]):
                with pytest.raises(BadParameter) as error:
                    KINDS[name](4, 100, **{parameter.name: value})
                assert error.value.name == parameter.name


@pytest.mark.parametrize("name", all_learners())
def test_a_learner_serves_what_it_says_and_by_default_the_first(name):
    kind = KINDS[name]
    wraps = "inner" in parameters_of(kind)
    assert wraps or type(kind(4, 100).criterion) is kind._criteria[0]
    for criterion in (dd.Borda(), dd.Condorcet(), dd.Copeland(), dd.Weighted([0.5, 0.3, 0.1, 0.1])):
        inner = {"inner": dd.learners.Uniform(4, criterion=criterion)} if wraps else {}
        if isinstance(criterion, kind._criteria):
            assert kind(4, 100, criterion=criterion, **inner).criterion == criterion
        else:
            with pytest.raises(BadParameter, match=f"{name} serves .* only$") as error:
                kind(4, 100, criterion=criterion, **inner)
            assert error.value.name == "criterion"


@pytest.mark.parametrize("name", all_learners())
def test_a_learner_that_needs_a_horizon_says_so(name):
    kind = KINDS[name]
    if kind._needs_horizon:
        with pytest.raises(BadParameter, match=f"^horizon is None, {name} must be told it$"):
            kind(4)
    elif name not in UNLESS_TOLD:
        assert kind(4).horizon is None


@pytest.mark.parametrize("value", ["abc", math.nan, -1, None])
def test_constants_that_make_no_sense_are_refused_at_once(value):
    with pytest.raises(BadParameter, match=r"^scale is .*, must be a positive number") as error:
        Constants(value)
    assert error.value.name == "scale"


def test_a_table_becomes_an_object_and_what_is_wrong_in_it_has_a_dotted_name():
    learner = dd.MetaBosse(3, constants={"scale": 1, "cap": 0.25})
    assert learner.constants == Constants(1.0, cap=0.25)
    for criterion in ("condorcet", dd.Condorcet(), np.array([0.3, 0.3, 0.4])):
        changed = dd.DriftDuel(3, criterion=criterion, calibration={"alarm": 3})
        assert changed.calibration == Calibration(alarm=3.0)
    for table, message in (
        ({"scale": -1}, "constants.scale is -1, must be a positive number"),
        ({"cap": 0.5}, "constants.scale is missing"),
        ({"scale": 1, "foo": 2}, "constants.foo is no parameter, there are scale, point"),
    ):
        with pytest.raises(BadParameter) as error:
            dd.MetaBosse(3, constants=table)
        assert str(error.value).startswith(message)
        assert error.value.name == message.partition(" ")[0]


def test_an_error_survives_being_sent_to_another_process():
    error = BadParameter("scale", "is -1, must be a positive number").inside("constants")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.name, again.reason) == (str(error), error.name, error.reason)
    assert isinstance(again, ValueError)


def test_a_criterion_may_be_given_as_the_weights_of_the_arms():
    assert dd.MetaBosse(2, criterion=[0.75, 0.25]).criterion == dd.Weighted([0.75, 0.25])
    with pytest.raises(BadParameter, match=r"^criterion.weight: sums to 1.5") as error:
        dd.MetaBosse(2, criterion=[0.75, 0.75])
    assert error.value.name == "criterion.weight"


def test_what_is_wrong_in_a_learner_inside_has_a_dotted_name():
    wrapped = {"inner": {"name": "PeriodicRestart", "inner": {"name": "MetaBosse"}}}
    assert type(learner_from("PeriodicRestart", wrapped, 3).inner.inner) is dd.MetaBosse
    for table, name in (
        ({"name": "Nobody"}, "inner.inner.name"),
        ({}, "inner.inner.name"),
        ({"name": "RUCB", "alpha": 0.5}, "inner.inner.alpha"),
        ({"name": "RUCB", "alpha": [1, 2]}, "inner.inner.alpha"),
        ({"name": "MetaBosse", "constants": {"scale": "much"}}, "inner.inner.constants.scale"),
        ({"name": "MetaBosse", "constants": 3}, "inner.inner.constants"),
        ({"name": "RUCB", "beta": 1}, "inner.inner.beta"),
        ({"name": "RUCB", "alpha": {"x": 1}}, "inner.inner.alpha"),
        ({"name": "RUCB", "criterion": "best"}, "inner.inner.criterion"),
    ):
        wrapped["inner"]["inner"] = table
        with pytest.raises(BadParameter) as error:
            learner_from("PeriodicRestart", wrapped, 3)
        assert error.value.name == name


@pytest.mark.parametrize("kind", all_learners().values())
def test_the_docstring_of_every_learner_has_its_sections(kind):
    text = inspect.getdoc(kind)
    for section in ("Parameters", "References", "Examples"):
        assert f"\n\n{section}\n{'-' * len(section)}\n" in text, section
    literature = kind._literature
    assert all((literature.bound, literature.needs, literature.cost))
