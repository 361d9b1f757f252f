from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from importlib.metadata import entry_points

import pytest
from typer.main import get_command

import driftduel
from driftduel.arena import service as arena
from driftduel.cli import _with_names_joined as names_joined
from driftduel.cli import main, streams
from driftduel.cli.app import app
from driftduel.cli.groups import EXAMPLES

COMMANDS = (
    *("analyse", "measure"),
    *("new", "ask", "tell", "undo", "status", "arena", "judge"),
    *("run", "report", "streams", "learners", "demo"),
)
CALL = "import sys; from driftduel.cli import main; sys.exit(main())"


def start(*arguments, **settings):
    """Start the command as a process of its own."""
    environment = {key: value for key, value in os.environ.items() if "COV" not in key}
    return subprocess.Popen(
        [sys.executable, "-c", CALL, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment | settings,
    )


def raiser(error):
    def fail(*arguments):
        raise error

    return fail


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_is_printed(run, option):
    assert run(option).out == f"driftduel {driftduel.__version__}\n"


def test_it_runs_as_a_module_too():
    done = subprocess.run(
        [sys.executable, "-m", "driftduel", "-V"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"driftduel {driftduel.__version__}\n"


def listed(text):
    """Return the commands that a help lists, by their headings."""
    found, heading = {}, None
    for line in text.splitlines():
        if line[:1].isalpha():
            heading = line.rstrip(":")
        elif heading in {"Votes", "Polls", "Research", "Serve", "Databases"} and line[2:3].strip():
            found.setdefault(heading, []).append(line.split()[0])
    found.get([*found][-1]).remove("Examples:")
    return found


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",)])
def test_help_names_every_command_under_a_heading(run, arguments):
    found = listed(run(*arguments).out)
    assert tuple(name for names in found.values() for name in names) == COMMANDS
    assert [*found] == ["Votes", "Polls", "Research"]


def test_the_arena_alone_prints_its_help_with_every_command(run):
    text = run("arena").out
    assert text == run("arena", "--help").out
    found = listed(text)
    commands = get_command(app).commands["arena"].commands
    assert sorted(name for names in found.values() for name in names) == sorted(commands)
    assert "..." not in text.partition("Serve:")[2]


@pytest.mark.parametrize(
    ("name", "line"), [(name, line) for name, lines in EXAMPLES.items() for line in lines]
)
def test_examples_stand_below_help_and_are_commands_that_can_be_run(run, name, line):
    command = [] if name == "driftduel" else name.split()
    assert line in run(*command, "--help").out
    program, *arguments = shlex.split(line)
    assert program == "driftduel"
    arguments = names_joined(arguments) or arguments
    found, context = get_command(app), None
    while hasattr(found, "commands"):
        context = found.make_context(program, arguments[:0], parent=context)
        found, (_, *arguments) = found.commands[arguments[0]], arguments
    assert found.make_context(found.name, arguments, parent=context).params


def test_every_command_has_an_example():
    commands = get_command(app).commands
    names = {name for name, one in commands.items() if not one.hidden}
    assert {"driftduel", *names, *(f"arena {one}" for one in commands["arena"].commands)} == {
        *EXAMPLES
    }


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("new a.db --arms tea coffee --json", ["new", "a.db", "--arms", "tea,coffee", "--json"]),
        ("new --arms tea,coffee a.db", None),
        ("new a.db --arms tea", None),
        ("new a.db", None),
        ("new a.db --json --arms tea milk", ["new", "a.db", "--json", "--arms", "tea,milk"]),
    ],
)
def test_names_after_arms_may_have_blanks_or_commas_between(said, meant):
    assert names_joined(said.split()) == meant


def test_a_poll_is_made_of_names_with_blanks_between(run, tmp_path):
    done = run("new", tmp_path / "a.db", "--arms", "green tea", "milk", "mate", "--json")
    assert done.json["arms"] == ["green tea", "milk", "mate"]


def test_a_comma_among_names_with_blanks_between_is_refused(refused, tmp_path):
    assert refused("new", tmp_path / "a.db", "--arms", "tea", "milk,", "mate") == (
        "--arms: 'milk,' has a comma, which separates names; leave it out"
    )


def test_a_shell_is_told_how_words_go_on():
    environment = {"COMP_WORDS": "driftduel ana", "COMP_CWORD": "1"}
    with start(**environment, _DRIFTDUEL_COMPLETE="complete_bash") as process:
        assert process.stdout.read() == b"analyse\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_whose_first_line_is_not_cut(run, command):
    assert f"Usage: driftduel {command}" in run(command, "--help").out
    lines = run("--help").out.splitlines()
    (line,) = [line for line in lines if line.startswith(f"  {command} ")]
    assert not line.endswith("...")


def test_help_imports_nothing_that_is_slow_to_import():
    script = (
        "import sys, json; from driftduel.cli import main; main(['--help'])\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True)
    loaded = {name.partition(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}
    assert loaded & {"altair", "numba", "numpy", "polars", "vl_convert"} == set()


MODULES = """
import json, sys
from driftduel.cli import main
code = main()
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


def test_commands_that_play_a_round_at_most_do_without_numba(tmp_path):
    """And without SQLAlchemy, but for new; what they know is the same to the bit."""

    def command(*arguments):
        done = subprocess.run(
            [sys.executable, "-c", MODULES, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
        )
        loaded = {name.partition(".")[0] for name in json.loads(done.stderr.splitlines()[-1])}
        slow = {"altair", "llvmlite", "numba", "polars", "psycopg"}
        assert arguments[0] == "new" or loaded & slow == set()
        return done.stdout

    environment = {key: value for key, value in os.environ.items() if "COV" not in key}
    file = tmp_path / "drinks.db"
    command("new", file, "--arms", "tea,coffee,milk", "--seed", 3)
    for _ in range(2):
        command("tell", file, command("ask", file).split()[0], "left")
    assert "2 votes" in command("status", file)
    assert "RUCB" in command("learners", "RUCB")
    with arena.Service.open(f"sqlite:{file}") as service:
        assert arena.status(service, "drinks").votes == 2


def test_a_caller_of_main_keeps_compiled_kernels(tmp_path):
    script = (
        "import sys; from driftduel.cli import main; main(['new', sys.argv[1], '--arms', 'a,b'])\n"
        "from driftduel.learners import RUCB; print(hasattr(RUCB._choose, 'py_func'))"
    )
    environment = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "ab.db")],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert done.stdout.splitlines()[-1] == "True"


def test_the_installed_command_is_main():
    (entry,) = entry_points(group="console_scripts", name="driftduel")
    assert entry.load() is main


def test_an_unknown_command_is_refused(refused):
    assert refused("measur") == "No such command 'measur'. Did you mean 'measure'?"


@pytest.mark.parametrize("name", ["reproduce", "benchmark"])
@pytest.mark.parametrize("options", [(), ("--help",), ("--out", "here", "--workers", "2", "-x")])
def test_a_command_that_left_the_package_says_where_it_is(refused, name, options):
    assert refused(name, *options) == (
        f"driftduel {name} is now python -m studies {name}, with the same options, in a clone of "
        "the repository: the installed package no longer has it"
    )


def test_an_unknown_option_is_refused(refused):
    assert refused("streams", "--jason").startswith("No such option")


def test_a_missing_argument_is_refused(refused):
    assert refused("measure") == (
        "Missing argument 'FILE...'. For example: driftduel measure votes.csv --bandwidth 30"
    )
    assert refused("new", "d.db") == (
        "Missing option '--arms'. For example: driftduel new drinks.db --arms tea coffee cocoa"
    )


def test_an_interrupt_is_exit_code_130(monkeypatch, capsys):
    monkeypatch.setattr(streams, "_list", raiser(KeyboardInterrupt()))
    assert main(["streams"]) == 130
    assert capsys.readouterr() == ("", "driftduel: interrupted\n")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (ValueError("three\n  lines\nhere"), "three lines here"),
        (OSError(28, "No space left on device", "f1.npz"), "f1.npz: no space left on device"),
        (FileNotFoundError("the folder x does not exist"), "the folder x does not exist"),
        (OSError(28, "No space left on device"), "no space left on device"),
        (RecursionError("maximum"), "what was given is nested too deeply"),
        (ValueError("a \x1b[31mname"), r"a \x1b[31mname"),
        (MemoryError("Unable to allocate 7 TiB"), "not enough memory: Unable to allocate 7 TiB"),
        (MemoryError(), "not enough memory"),
    ],
)
def test_what_goes_wrong_is_one_sentence(monkeypatch, refused, error, sentence):
    monkeypatch.setattr(streams, "_list", raiser(error))
    assert refused("streams") == sentence


def test_a_mistake_of_ours_is_not_hidden(monkeypatch):
    monkeypatch.setattr(streams, "_list", raiser(ZeroDivisionError("bug")))
    with pytest.raises(ZeroDivisionError, match="bug"):
        main(["streams"])


def test_a_reader_that_goes_away_is_met_with_silence():
    with start("streams") as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_a_terminal_without_unicode_gets_a_table_too():
    process = start("streams", PYTHONIOENCODING="ascii")
    out, err = process.communicate()
    assert (process.returncode, err) == (0, b"")
    assert b"formula-1" in out
    assert out.isascii()


def test_bad_input_in_a_process_of_its_own_is_exit_code_2_without_a_traceback():
    process = start("measure", "nowhere.npz")
    out, err = process.communicate()
    assert (process.returncode, out) == (2, b"")
    assert err == b"driftduel: nowhere.npz: there is no such file\n"


@pytest.mark.parametrize(
    ("redirection", "code", "sentence"),
    [
        (">&-", 2, "driftduel: standard output is closed\n"),
        ("2>&-", 0, ""),
        (">&- 2>&-", 2, ""),
        (">/dev/full", 2, "driftduel: no space left on device\n"),
    ],
)
def test_a_closed_or_full_output_is_no_traceback(redirection, code, sentence):
    command = f'exec "$0" -c "$1" streams {redirection}'
    done = subprocess.run(
        ["/bin/sh", "-c", command, sys.executable, CALL],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (code, sentence)
