from __future__ import annotations

import os
import subprocess
import sys

import pytest

import driftduel as dd
from driftduel.experiments import Results, Spec, cluster, read_spec, run_sweep
from driftduel.experiments.plan import make_plan
from driftduel.experiments.sweep import FailedTasksError
from driftduel.experiments.tasks import attempt
from tests.outside import GREEDY

pytestmark = pytest.mark.usefixtures("forgotten")

SPEC = """
horizon = 200
seeds = 2
points = 5
[[stream]]
world = "switching"
n_arms = 3
[[learner]]
name = "{module}:EpsilonGreedy"
epsilon = [0.1, 0.3]
[[learner]]
name = "Uniform"
"""


def written(folder, module, text=GREEDY, spec=SPEC):
    """Write a module and a spec beside it."""
    folder.mkdir(exist_ok=True)
    (folder / f"{module}.py").write_text(text)
    file = folder / "taste.toml"
    file.write_text(spec.format(module=module))
    return file


def refusal(file):
    with pytest.raises(ValueError, match=r"^taste\.toml") as caught:
        read_spec(file)
    return str(caught.value)


def test_a_learner_beside_the_spec_plays_in_a_sweep(tmp_path):
    spec = read_spec(written(tmp_path, "greedy_beside"))
    assert [entry.label for entry in spec.learners] == [
        "greedy_beside:EpsilonGreedy, epsilon = 0.1",
        "greedy_beside:EpsilonGreedy, epsilon = 0.3",
        "Uniform",
    ]
    assert run_sweep(spec, tmp_path / "results").runs == 6
    assert run_sweep(spec, tmp_path / "results").runs == 0
    found = Results.load(tmp_path / "results").regret
    assert set(found["name"]) == {"greedy_beside:EpsilonGreedy", "Uniform"}


def test_processes_that_work_find_it_too_and_give_the_same(tmp_path):
    spec = read_spec(written(tmp_path, "greedy_workers"))
    assert run_sweep(spec, tmp_path / "one").runs == 6
    assert run_sweep(spec, tmp_path / "two", workers=2).runs == 6
    one, two = (Results.load(tmp_path / name).regret for name in ("one", "two"))
    assert one.equals(two)


def test_it_can_be_inside_another_learner(tmp_path):
    inner = SPEC.partition("[[learner]]")[0] + (
        '[[learner]]\nname = "PeriodicRestart"\nevery = 50\n'
        'inner = [{{ name = "{module}:EpsilonGreedy", epsilon = 0.2 }}, {{ name = "Uniform" }}]\n'
    )
    spec = read_spec(written(tmp_path, "greedy_inside", spec=inner))
    assert spec.learners[0].parameters["inner"]["name"] == "greedy_inside:EpsilonGreedy"
    (task, *_) = make_plan(spec).tasks({})
    assert task.code
    assert run_sweep(spec, tmp_path / "results").runs == 4


def run_command(file):
    """Run a spec in a process of its own, which imports what the files say now."""
    command = [sys.executable, "-c", "import sys; from driftduel.cli import main; sys.exit(main())"]
    command += ["run", str(file), "--workers", "1"]
    command += ["--out", str(file.parent / "results")]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_tasks_are_known_by_its_code_and_by_that_of_files_it_imports(tmp_path):
    text = GREEDY.replace("import numpy as np\n", "import numpy as np\n\nimport greedy_part\n", 1)
    (tmp_path / "greedy_part.py").write_text("SIZE = 1\n")
    file = written(tmp_path, "greedy_cached", text)
    assert ": 6 runs in 3 tasks" in run_command(file)
    assert ": 0 runs in 0 tasks, 6 were there" in run_command(file)
    (tmp_path / "greedy_cached.py").write_text(text.replace("or somebody", "or anybody"))
    assert ": 0 runs in 0 tasks" in run_command(file)  # a docstring
    (tmp_path / "greedy_cached.py").write_text(text.replace("rng.random() <", "rng.random() <="))
    assert ": 4 runs in 2 tasks, 2 were there" in run_command(file)
    (tmp_path / "greedy_part.py").write_text("SIZE = 2\n")
    assert ": 4 runs in 2 tasks, 2 were there" in run_command(file)


def test_a_file_edited_while_the_sweep_runs_is_not_taken_for_what_was_planned(tmp_path):
    file = written(tmp_path, "greedy_edited")
    spec = read_spec(file)
    make_plan(spec)
    (tmp_path / "greedy_edited.py").write_text(GREEDY.replace("outcome - 0.5", "outcome - 0.4"))
    sentence = r"2 tasks failed, .* the learner greedy_edited:EpsilonGreedy has the code"
    with pytest.raises(FailedTasksError, match=sentence):
        run_sweep(spec, tmp_path / "results", workers=2)
    assert Results.load(tmp_path / "results").runs.height == 2


def test_a_worker_that_has_no_such_code_says_so(tmp_path, monkeypatch):
    (task, *_) = make_plan(read_spec(written(tmp_path, "greedy_missing"))).tasks({})
    monkeypatch.setattr("driftduel.experiments.tasks.version_from_outside", lambda *_: "other")
    failure = attempt(task)
    assert "OtherCodeError: the learner greedy_missing:EpsilonGreedy has the code other" in (
        failure.reason
    )


def test_tasks_of_the_package_alone_carry_no_code():
    spec = Spec.parse('[[stream]]\nworld = "switching"\n[[learner]]\nname = "Uniform"\n')
    assert {task.code for task in make_plan(spec).tasks({})} == {""}


@pytest.mark.slow
@pytest.mark.xdist_group("cluster")
def test_a_worker_of_a_cluster_without_the_same_code_is_refused(tmp_path):
    distributed = pytest.importorskip("distributed")
    settings = {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**settings, silence_logs=50) as local:
        spec = read_spec(written(tmp_path, "greedy_cluster"))
        with pytest.raises(cluster.ForeignWorkerError) as caught:
            run_sweep(spec, tmp_path / "results", dask=local.scheduler_address)
        assert "is refused, the learner greedy_cluster:EpsilonGreedy is missing" in str(
            caught.value
        )
    # Workers that are started now have the folder of the spec in their path.
    with distributed.LocalCluster(**settings, silence_logs=50) as local:
        assert run_sweep(spec, tmp_path / "results", dask=local.scheduler_address).runs > 0


def test_an_installed_package_hands_on_its_learners(tmp_path, package):
    package("greedy_installed")
    text = SPEC.replace("{module}:EpsilonGreedy", "EpsilonGreedy")
    assert run_sweep(Spec.parse(text), tmp_path / "results", workers=2).runs == 6
    learner = dd.learners.Learner._named("EpsilonGreedy")(3, epsilon=0.3)
    learner.save(tmp_path / "vote.json")
    assert dd.load_learner(tmp_path / "vote.json").epsilon == 0.3


def test_an_entry_point_has_the_name_of_its_class(package):
    package("greedy_renamed", name="Greedier")
    with pytest.raises(dd.BadParameter, match="the entry point Greedier must have the name of its"):
        dd.learners.Learner._named("Greedier")


@pytest.mark.parametrize(
    ("number", "text", "sentence"),
    [
        (
            0,
            GREEDY + "\n1 / 0\n",
            "cannot be imported, ZeroDivisionError: division by zero (wrong0",
        ),
        (1, "def (", "cannot be imported, SyntaxError: "),
        (
            2,
            "import nowhere_at_all",
            "ModuleNotFoundError: No module named 'nowhere_at_all' (wrong",
        ),
        (3, GREEDY.replace("EpsilonGreedy", "EpsilonGredy"), "did you mean EpsilonGredy?"),
        (4, "EpsilonGreedy = 3", "must be a class in a .py file that can be imported"),
        (5, "class EpsilonGreedy: pass", "wrong5:EpsilonGreedy is no learner, it must derive from"),
        (6, GREEDY.replace("best_of", "best"), "wrong6:EpsilonGreedy has no _best_of"),
        (7, GREEDY.replace("learn = static", "lear = static"), "EpsilonGreedy has no _learn"),
        (
            8,
            GREEDY.replace("epsilon: float", "epsilon: 'Foo'"),
            "name 'Foo' is not defined; the types",
        ),
    ],
)
def test_what_is_wrong_with_it_is_said_in_a_sentence(tmp_path, number, text, sentence):
    message = refusal(written(tmp_path, f"wrong{number}", text))
    assert message.startswith("taste.toml, line 9: learner[0].name: ")
    assert sentence in message


def test_its_parameters_are_checked_as_those_of_the_package(tmp_path):
    file = written(tmp_path, "greedy_parameters", spec=SPEC.replace("epsilon = [", "epsilom = ["))
    assert "epsilom: is no parameter (did you mean epsilon?), there are" in refusal(file)
    file = written(tmp_path, "greedy_parameters", spec=SPEC.replace("0.3]", "1.5]"))
    with pytest.raises(ValueError, match=r"line 10: learner\[0\]\.epsilon: is 1\.5, must be"):
        make_plan(read_spec(file))


def test_a_module_that_is_nowhere_is_named(tmp_path):
    (tmp_path / "taste.toml").write_text(SPEC.format(module="nobody"))
    assert refusal(tmp_path / "taste.toml").endswith(
        "no module is called 'nobody', here or installed"
    )


def test_a_module_of_a_name_that_is_taken_is_refused(tmp_path):
    assert "json is also the name of a module of" in refusal(written(tmp_path, "json"))
    first = written(tmp_path / "a", "greedy_twice")
    assert len(read_spec(first).learners) == 3
    second = refusal(written(tmp_path / "b", "greedy_twice"))
    assert f"module of {tmp_path / 'a' / 'greedy_twice.py'}, rename {tmp_path / 'b'}" in second


def test_a_script_that_runs_is_no_module_of_a_learner(tmp_path):
    (tmp_path / "taste.toml").write_text(SPEC.format(module="__main__"))
    assert "__main__" in refusal(tmp_path / "taste.toml")
