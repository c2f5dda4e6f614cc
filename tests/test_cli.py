"""The command line: what it prints where, what it writes, how it ends."""
import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest
from sklearn.base import is_classifier
from typer.testing import CliRunner

from swarmlit import AntMinerClassifier, compare, from_json, load_dataset, read_results, read_table
from swarmlit import cli

START = [sys.executable, "-m", "swarmlit"]
PLAIN = {k: v for k, v in os.environ.items()
         if "COLOR" not in k and k not in ("COLUMNS", "GITHUB_ACTIONS", "PYTHONIOENCODING")}

UGLY = """ward;age;body weight;smoker;état;state
1;57;74,1;no;x;well
3;46;81,9;yes;x;ill
1;unclear;87,5;no;x;well
1;84;75,2;?;x;
2;60;63,1;no;x;well
1;84;64,4;no;x;ill
3;35;76,2;yes;x;ill
2;33;91,0;no;x;well
"""


@pytest.fixture(autouse=True)
def desk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments, **options):
    """In this process: fast."""
    return CliRunner().invoke(cli.app, [str(a) for a in arguments], **options)


def spawn(*arguments, env=None, **options):
    """In a process of its own, as a shell would."""
    options = {"capture_output": True, "text": True, "timeout": 120} | options
    return subprocess.run([*START, *map(str, arguments)], env=PLAIN | (env or {}), **options)


def complains(result, *words):
    """One sentence on standard error, no traceback, exit code 1."""
    lines = [line for line in result.stderr.splitlines() if line.startswith("swarmlit: ")]
    assert result.exit_code == 1 and len(lines) == 1, result.output
    assert "Traceback" not in result.output
    assert result.stderr.splitlines()[-1] == lines[0]
    for word in words:
        assert word in lines[0]


# ---- help and usage


def test_help_is_quick_and_loads_nothing_heavy():
    code = ("import sys; sys.argv = ['swarmlit', '--help']\n"
            "from swarmlit.cli import main\n"
            "try: main()\nexcept SystemExit as end: assert not end.code\n"
            "print(sorted({m.split('.')[0] for m in sys.modules}), file=sys.stderr)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=PLAIN)
    assert done.returncode == 0
    for command in ("learn", "predict", "compare", "datasets", "learners"):
        assert command in done.stdout
    for heavy in ("numba", "sklearn", "pandas", "scipy", "matplotlib"):
        assert repr(heavy) not in done.stderr


@pytest.mark.parametrize("command", ["learn", "predict", "compare", "datasets", "learners"])
def test_every_option_is_explained(command):
    result = run(command, "--help", env={"TERMINAL_WIDTH": "80", "COLUMNS": "80"})
    assert result.exit_code == 0
    assert max(map(len, result.output.splitlines())) <= 80


def test_version():
    assert run("--version").output == f"swarmlit {__import__('swarmlit').__version__}\n"


@pytest.mark.parametrize("line", [
    "lern voting", "learn", "learn voting --cvv 3", "learn voting --cv ten", "learn voting --cv 1",
    "learn voting --cv -1", "learn voting --jobs 0", "learn voting --seed -1", "predict model.json",
    "compare", "compare zoo -l c45 --cv 1", "compare zoo -l c45 --repeats 0", "compare zoo -l c45 --jobs 0",
])
def test_usage_errors_end_with_2(line):
    result = run(*line.split())
    assert result.exit_code == 2
    assert "Traceback" not in result.output and not result.stdout


# ---- learn


def test_learn_tells_everything():
    result = run("learn", "voting", "--cv", 10)
    assert result.exit_code == 0
    for words in ("voting: 435 cases, 16 nominal attributes, 392 missing cells",
                  "class: democrat (267), republican (168)", "OTHERWISE class = ",
                  "rules  ", "and a default", "training accuracy", "of 435 cases",
                  "10-fold cross-validation", "±", "time to learn"):
        assert words in result.stdout
    assert "taking 'class' for the class" in result.stderr
    assert "cross-validation: accuracy" in result.stderr
    assert "Ant-Miner: rule 1" in result.stderr


def test_learn_says_what_the_estimator_says():
    X, y = load_dataset("voting", return_X_y=True)
    expected = str(AntMinerClassifier(random_state=5, n_ants=200).fit(X, y))
    result = run("learn", "voting", "--seed", 5, "-p", "n_ants=200", "--cv", 0, "--quiet")
    assert expected in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("learner", [name for name, kind in cli.all_learners().items()
                                     if is_classifier(kind())])
def test_every_learner_works_from_the_command_line(learner):
    result = run("learn", "weather-numeric", "-l", learner, "--cv", 3, "--save", "model.json")
    assert result.exit_code == 0, result.output
    again = run("predict", "model.json", "weather-numeric", "--proba", "--explain")
    assert again.exit_code == 0, again.output
    assert again.stdout.count("\n") == 15


def test_same_seed_same_output_for_any_number_of_threads():
    def results(*more):
        out = run("learn", "voting", "--cv", 5, "--quiet", *more).stdout
        return [line.split(" (")[0] for line in out.splitlines() if "time" not in line]
    assert results() == results("--jobs", 3)
    assert results() != results("--seed", 1)


def test_ugly_file():
    Path("ugly.csv").write_text(UGLY, encoding="utf-8")
    small = ["-p", "min_cases_per_rule=2", "-p", "max_uncovered_cases=1"]
    result = run("learn", "ugly.csv", "--cv", 0, *small)
    assert result.exit_code == 0
    assert "left out: 1 case without a class" in result.stderr
    assert "the last column" in result.stderr
    assert "--missing 'unclear'" in result.stderr and "--decimal ','" in result.stderr
    mended = run("learn", "ugly.csv", "-t", "state", "--missing", "unclear", "--decimal", ",",
                 "--categorical", "ward", "--cv", 2, "--verbose", "--sql", "out.sql",
                 "--save", "model.json", *small)
    assert mended.exit_code == 0 and "warning" not in mended.stderr
    assert "ugly.csv: 7 cases, 3 nominal and 2 continuous attributes, 1 missing cell" in mended.stdout
    assert "body weight" in mended.stdout and "1, 2, 3" in mended.stdout
    # the ward is 1 in the model, and stays 1 where a hole makes pandas read 1.0
    Path("new.csv").write_text("ward;age;body weight;smoker;état;note\n1;57;74,1;no;x;a\n?;;;;;b\n",
                               encoding="utf-8")
    told = run("predict", "model.json", "new.csv", "--decimal", ",")
    assert told.exit_code == 0 and "never seen" not in told.stderr
    assert told.stdout.count("\n") == 3


def test_whole_number_classes_stay_whole():
    Path("t.csv").write_text("a,b\n" + "x,0\ny,1\n" * 12 + "x,\n")
    result = run("learn", "t.csv", "--cv", 0)
    assert "b: 0 (12), 1 (12)" in result.stdout and "1.0" not in result.stdout.split("rules")[0]


@pytest.mark.parametrize("file, words", [
    ("", ["t.csv", "empty"]),
    ("a,b\n", ["t.csv", "no data"]),
    ("a,b\n1,x\n2\n", ["t.csv", "line 3", "'b'"]),
    ("a,a\n1,x\n", ["t.csv", "same name"]),
    ("b\nx\ny\n", ["no column beside its class 'b'"]),
    ("a,b\n1,\n2,\n", ["'b' is empty", "--target"]),
    ("a,b\n1,.5\n2,.7\n", ["'b' holds measurements", "--target"]),
])
def test_bad_files(file, words):
    Path("t.csv").write_text(file)
    complains(run("learn", "t.csv"), *words)


@pytest.mark.parametrize("line, words", [
    ("learn nowhere.csv", ["nowhere.csv", "no such file"]),
    ("learn votng", ["neither a file nor a dataset", "'voting'"]),
    ("learn .", ["this is a folder"]),
    ("learn voting -t clas", ["'clas'", "'class'"]),
    ("learn voting -l antmner", ["'antmner'", "'antminer'"]),
    ("learn voting -p n_ant=3", ["'n_ant'", "'n_ants'"]),
    ("learn voting -p n_ants=0", ["'n_ants'", "[1, inf)", "Got 0"]),
    ("learn voting -p n_ants=many", ["'n_ants'", "'many'"]),
    ("learn voting -p n_ants", ["n_ants=VALUE"]),
    ("learn voting -p random_state=3", ["--seed"]),
    ("learn voting -p callbacks=print", ["Python only"]),
    ("learn voting -p class_weight=heavy", ["heavy"]),
    ("learn voting --categorical crme", ["'crme'", "'crime'"]),
    ("learn voting --sep ;", ["not a file"]),
    ("learn voting --sql x.sql --dialect sqlit", ["sqlit"]),
    ("learn voting --save no/model.json", ["no/model.json", "no folder 'no'"]),
    ("learn voting --save .", ["folder"]),
    ("predict nowhere.json voting", ["nowhere.json", "No such file"]),
    ("datasets votng", ["'voting'", "'swarmlit datasets'"]),
    ("learners antmner", ["'antminer'"]),
])
def test_user_errors_are_one_sentence(line, words):
    complains(run(*line.split()), *words)
    assert os.listdir() == []


def test_one_class():
    Path("t.csv").write_text("a,b\n" + "1,x\n2,x\n" * 8)
    result = run("learn", "t.csv", "--cv", 10)
    assert result.exit_code == 0
    assert "All cases are of class 'x'" in result.stderr and "no cross-validation" in result.stderr
    assert "OTHERWISE b = x" in result.stdout and "1.000 (16 of 16 cases)" in result.stdout


def test_fewer_folds_than_wanted():
    result = run("learn", "weather", "--cv", 10)
    assert result.exit_code == 0
    assert "9 folds instead of 10" in result.stderr and "9-fold cross-validation" in result.stdout
    rare = run("learn", "zoo", "--cv", 10)
    assert "10-fold" in rare.stdout and "only 4 cases" in rare.stderr


# ---- what is written


def test_model_travels_and_agrees_with_the_estimator():
    frame = load_dataset("hepatitis")
    X, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    estimator = AntMinerClassifier(random_state=0).fit(X, y)
    assert run("learn", "hepatitis", "--cv", 0, "--save", "m.json").exit_code == 0
    told = run("predict", "m.json", "hepatitis", "--proba", "--explain", "--out", "p.csv")
    assert told.exit_code == 0 and told.stdout == ""
    answers = pd.read_csv("p.csv", dtype={"prediction": str})
    expected = estimator.predict(X)
    assert answers.prediction.tolist() == expected.tolist()
    chances = answers[[f"P({label})" for label in estimator.classes_]].to_numpy()
    assert abs(chances - estimator.predict_proba(X)).max() < 1e-6
    assert answers.condition.tolist() == estimator.explain(X).condition.tolist()
    right = int((expected == y).sum())
    assert f"accuracy {right / len(y):.3f} ({right} of {len(y)} cases)" in told.stderr


def test_columns_in_any_order_with_others_between():
    run("learn", "voting", "--cv", 0, "--save", "m.json")
    frame = load_dataset("voting")
    frame[frame.columns[::-1]].assign(extra="?!").to_csv("v.csv", index=False)
    assert run("predict", "m.json", "v.csv").stdout == run("predict", "m.json", "voting").stdout
    frame.drop(columns=["crime", "immigration"]).to_csv("short.csv", index=False)
    complains(run("predict", "m.json", "short.csv"), "'crime'", "'immigration'")
    frame.drop(columns="class").to_csv("open.csv", index=False)
    assert run("predict", "m.json", "open.csv").stderr == ""


def test_digits_that_are_words_in_the_model():
    """The shelf declares the legs of the zoo as words; a CSV file says nothing."""
    run("learn", "zoo", "--cv", 0, "--save", "m.json")
    load_dataset("zoo").to_csv("zoo.csv", index=False)
    told = run("predict", "m.json", "zoo.csv")
    assert told.stdout == run("predict", "m.json", "zoo").stdout and "never seen" not in told.stderr


def test_standard_input():
    run("learn", "voting", "--cv", 0, "--save", "m.json")
    rows = load_dataset("voting").head(3).to_csv(index=False)
    done = spawn("predict", "m.json", "-", input=rows)
    assert done.returncode == 0 and done.stdout.splitlines()[0] == "prediction"
    assert len(done.stdout.splitlines()) == 4


@pytest.mark.parametrize("name", ["voting", "credit-a", "iris"])
def test_sql_and_python_run(name):
    assert run("learn", name, "--cv", 0, "--sql", "q.sql", "--python", "p.py",
               "--save", "m.json").exit_code == 0
    frame = load_dataset(name)
    expected = from_json(Path("m.json").read_text()).predict(frame).tolist()
    with sqlite3.connect(":memory:") as database:
        frame.astype(object).where(frame.notna(), None).to_sql(name, database, index=False)
        answer = pd.read_sql(Path("q.sql").read_text(), database)
    assert answer[f"predicted {frame.columns[-1]}"].tolist() == expected
    space = {}
    exec(Path("p.py").read_text(), space)
    assert [space["predict"](row) for row in frame.to_dict("records")] == expected


def test_old_files_stay_when_writing_fails(monkeypatch):
    Path("m.json").write_text("old")

    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    monkeypatch.setattr(os, "replace", full)
    result = run("learn", "voting", "--cv", 0, "--save", "m.json")
    complains(result, "m.json", "No space left")
    assert Path("m.json").read_text() == "old" and os.listdir() == ["m.json"]
    assert "OTHERWISE" in result.stdout                     # the rules are not lost


def test_link_stays_a_link(desk):
    (desk / "real.json").write_text("old")
    os.symlink("real.json", "m.json")
    assert run("learn", "voting", "--cv", 0, "--save", "m.json").exit_code == 0
    assert os.path.islink("m.json") and json.loads(Path("real.json").read_text())


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_files_have_the_permissions_that_others_would_have():
    Path("plain").write_text("")
    Path("old.json").write_text("")
    os.chmod("old.json", 0o640)
    for name in ("new.json", "old.json"):
        assert run("learn", "voting", "--cv", 0, "--save", name).exit_code == 0
    assert os.stat("new.json").st_mode == os.stat("plain").st_mode
    assert os.stat("old.json").st_mode & 0o777 == 0o640


def test_devices_are_written_to():
    assert run("learn", "voting", "--cv", 0, "--save", os.devnull).exit_code == 0
    assert not Path(os.devnull).is_file()


def test_read_only_folder(desk, monkeypatch):
    (desk / "locked").mkdir(mode=0o500)
    if os.access("locked", os.W_OK):                        # root may write anywhere
        real = os.access
        monkeypatch.setattr(os, "access", lambda path, mode: real(path, mode) and
                            not (mode & os.W_OK and str(path).endswith("locked")))
    complains(run("learn", "voting", "--save", "locked/m.json"), "locked/m.json", "not writable")


def test_not_a_model():
    Path("m.json").write_text("{}")
    complains(run("predict", "m.json", "voting"), "m.json", "Not a model")


# ---- streams and signals


def test_results_and_talk_are_apart():
    done = spawn("learn", "voting", "--cv", 2)
    assert done.returncode == 0
    assert done.stdout.splitlines()[0].startswith("voting: 435 cases")
    assert "Ant-Miner: rule" not in done.stdout and "\r" not in done.stderr + done.stdout
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize("arguments", ["learn voting --cv 2", "datasets", "predict m.json voting"])
def test_closed_pipe(arguments):
    run("learn", "voting", "--cv", 0, "--save", "m.json")
    process = subprocess.Popen([*START, *arguments.split()], env=PLAIN, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()                                  # before anything was written
    talk = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 0
    assert "Traceback" not in talk and "BrokenPipe" not in talk


def test_a_model_with_a_byte_order_mark():
    "As some editors of Windows save it."
    run("learn", "zoo", "-l", "c45", "--cv", 0, "--save", "m.json")
    Path("bom.json").write_bytes(b"\xef\xbb\xbf" + Path("m.json").read_bytes())
    answers = [run("predict", model, "zoo", "-q") for model in ("m.json", "bom.json")]
    assert answers[1].exit_code == 0 and answers[1].stdout == answers[0].stdout
    piped = spawn("predict", "-", "zoo", "-q", input=Path("bom.json").read_text(encoding="utf-8"))
    assert piped.returncode == 0 and piped.stdout == answers[0].stdout


def test_closed_pipe_does_not_cost_the_model():
    process = subprocess.Popen([*START, "learn", "voting", "--save", "m.json"], env=PLAIN,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    assert process.stdout.readline().startswith(b"voting")
    process.stdout.close()
    assert process.wait(60) == 0
    assert len(from_json(Path("m.json").read_text())) > 1


def test_closed_stdout():
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *START, "learn", "voting", "--cv", "0"],
                          env=PLAIN, capture_output=True, text=True)
    assert done.returncode == 0 and "Traceback" not in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no such device here")
def test_full_disk_behind_stdout():
    with open("/dev/full", "w") as full:
        done = spawn("datasets", stdout=full, stderr=subprocess.PIPE, capture_output=False)
    assert done.returncode == 1
    assert "No space left" in done.stderr and "Traceback" not in done.stderr


def test_terminal_without_unicode():
    Path("köln.csv").write_text("größe,art\n" + "klein,weiß\ngroß,rot\n" * 12, encoding="utf-8")
    ascii_only = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0",
                  "PYTHONIOENCODING": "ascii"}
    done = spawn("learn", "köln.csv", "--cv", 2, "--save", "m.json", env=ascii_only)
    assert done.returncode == 0 and "+/-" in done.stdout and "gr\\xf6\\xdfe" in done.stdout
    told = spawn("predict", "m.json", "köln.csv", env=ascii_only, text=False)
    assert told.returncode == 0 and "weiß".encode() in told.stdout     # data are not escaped
    assert spawn("--help", env=ascii_only).returncode == 0


def interrupted(*arguments):
    """Sends SIGINT once the search has shown that it lives."""
    process = subprocess.Popen(
        [*START, *arguments], env=PLAIN, text=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    first = process.stderr.readline()
    while "rule 1" not in first and first:
        first = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    started = time.monotonic()
    rest = process.stderr.read()
    process.stderr.close()
    return process.wait(60), rest, time.monotonic() - started


@pytest.mark.skipif(os.name == "nt", reason="signals")
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_ctrl_c(jobs):
    code, talk, seconds = interrupted("learn", "nursery", "--cv", "50", "--jobs", jobs, "-p",
                                      "n_rules_converge=3000", "-p", "n_ants=100000")
    assert code == 130
    assert talk.rstrip().endswith("Stopped.") and "Traceback" not in talk
    assert seconds < 30


@pytest.mark.skipif(os.name == "nt", reason="pseudo-terminals")
def test_terminal():
    import fcntl
    import pty
    import struct
    import termios
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 60, 0, 0))
    process = subprocess.Popen([*START, "learn", "voting", "--cv", "3"], stdin=theirs, stdout=theirs,
                               stderr=theirs, env=PLAIN | {"TERM": "xterm"})
    os.close(theirs)
    seen = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:
            break
        if not piece:
            break
        seen += piece
    os.close(ours)
    assert process.wait(60) == 0
    text = seen.decode()
    assert "Ant-Miner:" in text and "it/s" in text                     # a bar
    rules = [line for line in text.replace("\r\n", "\n").split("\n") if "\r" not in line]
    assert max(map(len, rules)) <= 75 and any(line.startswith("    ") for line in rules)


# ---- lists


def test_datasets_in_a_pipe_are_whole():
    lines = run("datasets").stdout.splitlines()
    assert len(lines) > 60 and not any(line.endswith("...") for line in lines)
    told = run("datasets", "voting").stdout
    for words in ("Congressional votes of 1984", "435 cases", "citation:", "licence:", "crime"):
        assert words in told


def test_learners_show_their_defaults():
    assert "n_ants=3000" in run("learners").stdout
    told = run("learners", "antminer").stdout
    assert "min_cases_per_rule" in told and "cases a rule must cover" in told
    assert "callbacks" not in told


@pytest.mark.parametrize("file", ["weather.arff", "weather.dat", "weather.data"])
def test_declared_class(file):
    Path("weather.arff").write_text("@relation w\n@attribute o {a,b}\n@attribute p {y,n}\n@data\n"
                                    + "a,y\nb,n\n" * 11)
    Path("weather.dat").write_text("@relation w\n@attribute p {y,n}\n@attribute o {a,b}\n@inputs o\n"
                                   "@outputs p\n@data\n" + "y,a\nn,b\n" * 11)
    Path("weather.names").write_text("y, n.\no: a, b.\n")
    Path("weather.data").write_text("a,y\nb,n\n" * 11)
    target = read_table(file).columns[-1]
    result = run("learn", file, "--cv", 2)
    assert result.exit_code == 0, result.output
    assert f"taking '{target}' for the class" in result.stderr
    assert "22 of 22 cases" in result.stdout


# ---- names made of digits, numbers of other countries


SMALL = ["--cv", 0, "-p", "min_cases_per_rule=2", "-p", "max_uncovered_cases=1"]


def test_classes_and_categorical_columns_are_read_as_spelled():
    Path("t.csv").write_text("post,n,kind\n" + "01067,1,007\n1067,2,7\n" * 12)
    result = run("learn", "t.csv", "--categorical", "post", "-v", "--save", "m.json", *SMALL)
    assert "kind: 007 (12), 7 (12)" in result.stdout and "01067, 1067" in result.stdout
    assert from_json(Path("m.json").read_text()).classes.tolist() == ["007", "7"]
    told = run("predict", "m.json", "t.csv")
    assert told.stdout.split() == ["prediction", *["007", "7"] * 12]
    assert "1.000 (24 of 24 cases)" in told.stderr and "never seen" not in told.stderr


def test_predictions_do_not_depend_on_the_rest_of_the_file():
    Path("t.csv").write_text("code,x,kind\n" + "01,p,a\n1,p,b\nA,p,b\n" * 12)
    run("learn", "t.csv", "--save", "m.json", *SMALL)
    Path("digits.csv").write_text("code,x,kind\n01,p,a\n1,p,b\n")
    Path("more.csv").write_text("code,x,kind\n01,p,a\n1,p,b\nA,p,b\n")
    few, more = run("predict", "m.json", "digits.csv"), run("predict", "m.json", "more.csv")
    assert few.stdout.split()[1:] == more.stdout.split()[1:3] == ["a", "b"]
    assert "warning" not in few.stderr


def test_words_where_the_model_has_numbers():
    run("learn", "iris", "--cv", 0, "--save", "m.json")
    frame = load_dataset("iris").astype({load_dataset("iris").columns[0]: object})
    frame.iloc[3, 0] = "big"
    frame.to_csv("iris.csv", index=False)
    complains(run("predict", "m.json", "iris.csv"), frame.columns[0], "big")


def test_formats_with_types_keep_them():
    Path("t.arff").write_text("@relation r\n@attribute x {p,q}\n@attribute c numeric\n@data\n"
                              + "p,1\nq,2\n" * 12)
    result = run("learn", "t.arff", "--save", "m.json", *SMALL)
    assert "c: 1 (12), 2 (12)" in result.stdout
    assert run("predict", "m.json", "t.arff").stdout.split() == ["prediction", *["1", "2"] * 12]


def test_thousands():
    Path("t.csv").write_text('price,kind\n' + '"3,029",a\n112,b\n"1,016.69",a\n' * 8)
    plain = run("learn", "t.csv", *SMALL)
    assert "--thousands ','" in plain.stderr and "--decimal" not in plain.stderr
    mended = run("learn", "t.csv", "--thousands", ",", "-v", "--save", "m.json", *SMALL)
    assert "112 to 3029" in mended.stdout and "warning" not in mended.stderr
    assert run("predict", "m.json", "t.csv", "--thousands", ",").exit_code == 0
    complains(run("learn", "t.csv", "--thousands", "."), "--decimal")


@pytest.mark.parametrize("numbers", [("9223372036854775808", "9223372036854775809"), ("1e300", "1"),
                                     ("-1", "99999999999999999999999")])
@pytest.mark.parametrize("ending", ["csv", "arff"])
def test_huge_classes(numbers, ending):
    head = "a,class\n" if ending == "csv" else "@relation r\n@attribute a real\n@attribute c real\n@data\n"
    Path(f"t.{ending}").write_text(head + "".join(f"{i},{n}\n" for i in range(6) for n in numbers))
    result = run("learn", f"t.{ending}", "--cv", 0)
    if ending == "csv":
        assert result.exit_code == 0 and all(f"{n} (6)" in result.stdout for n in numbers)
    else: complains(result, "measurements")


# ---- nothing is overwritten, nothing is found out late


@pytest.mark.parametrize("line, words", [
    ("learn t.csv --save t.csv", ["--save", "the table 't.csv'"]),
    ("learn t.csv --sql ./t.csv", ["--sql", "the table"]),
    ("learn t.csv --python link.csv", ["--python", "the table"]),
    ("learn link.csv --python t.csv", ["--python", "the table"]),
    ("learn t.csv --save x --sql x", ["--sql", "--save"]),
    ("learn t.csv --sql x --python sub/../x", ["--python", "--sql"]),
    ("learn c.data --save c.names", ["--save", "c.names"]),
    ("learn c.names --sql c.data", ["--sql", "c.data"]),
    ("learn t.csv --sql -", ["--sql", "standard output"]),
    ("learn t.csv --python -", ["--python", "standard output"]),
    ("learn t.csv --save -", ["--save", "standard output"]),
    ("learn t.csv --dialect sqlit --sql x", ["sqlit", "sqlite"]),
    ("learn t.csv --dialect sqlit", ["sqlit", "sqlite"]),
    ("predict m.json t.csv --out m.json", ["--out", "the model"]),
    ("predict m.json t.csv -o t.csv", ["--out", "the table"]),
    ("predict m.json t.csv -o link.csv", ["--out", "the table"]),
])
def test_outputs_overwrite_nothing(line, words):
    Path("t.csv").write_text("a,b\n" + "x,0\ny,1\n" * 12)
    Path("c.names").write_text("0, 1.\na: x, y.\n")
    Path("c.data").write_text("x,0\ny,1\n" * 12)
    Path("sub").mkdir()
    os.symlink("t.csv", "link.csv")
    assert run("learn", "t.csv", "--save", "m.json", "--cv", 0).exit_code == 0
    before = {path: path.read_text() for path in Path().glob("*.*")}
    result = run(*line.split())
    complains(result, *words)
    assert not result.stdout
    assert {path: path.read_text() for path in Path().glob("*.*")} == before and not Path("x").exists()


def test_sql_keeps_line_breaks_in_words():
    table = pd.DataFrame({"place": ["up\nhill", "down\nhill"] * 20})
    table["answer"] = table["place"].map({"up\nhill": "yes\nindeed", "down\nhill": "no\nindeed"})
    table.to_csv("breaks.csv", index=False)
    assert run("learn", "breaks.csv", "--cv", 0, "--sql", "breaks.sql").exit_code == 0
    with sqlite3.connect(":memory:") as database:
        table.to_sql("breaks", database, index=False)
        found = pd.read_sql(Path("breaks.sql").read_text(encoding="utf-8"), database)
    assert found["predicted answer"].tolist() == table["answer"].tolist()


def test_sql_says_what_it_needs():
    run("learn", "iris", "--cv", 0, "--sql", "q.sql", "--dialect", "postgres")
    lines = Path("q.sql").read_text().splitlines()
    assert lines[0].startswith("-- ") and "numeric type" in lines[0]
    assert '"iris".*' in "\n".join(lines) and 'WHEN "iris"."' in "\n".join(lines)


def test_many_values_are_shortened_in_a_pipe():
    Path("t.csv").write_text("id,b\n" + "".join(f"case {i},{i % 2}\n" for i in range(500)))
    result = run("learn", "t.csv", "--cv", 0, "-v")
    row = next(line for line in result.stdout.splitlines() if line.startswith("id "))
    assert row.endswith("...") and len(row) < 110


def test_columns_without_a_cut_are_named_when_no_rule_is_found():
    Path("t.csv").write_text("size,b\n" + "".join(f"{i},{i * 7 % 5 % 2}\n" for i in range(8)))
    result = run("learn", "t.csv", "--cv", 0)
    assert "none, only the default" in result.stdout
    assert "cut nothing in size" in result.stderr and "-p discretizer=mdlp" in result.stderr


def test_time_tells_of_compiling(tmp_path):
    def time_to_learn():
        done = spawn("learn", "weather", "--cv", 0, env={"NUMBA_CACHE_DIR": str(tmp_path / "cache")})
        return next(line for line in done.stdout.splitlines() if line.startswith("time to learn"))
    assert "(kernels compiled" in time_to_learn()
    assert "compiled" not in time_to_learn()


# ---- compare

FEW = ["compare", "labor", "weather", "-l", "c45", "-l", "antminer:n_ants=20", "--cv", 3, "--repeats", 2]


def test_compare_tells_tables_ranks_and_tests():
    result = run(*FEW)
    assert result.exit_code == 0, result.output
    for words in ("accuracy, %", "c45", "antminer:n_ants=20", "labor ", "weather ", "mean rank", " ± ",
                  "antminer:n_ants=20 against c45: ", "corrected t-test", "rules  "):
        assert words in result.stdout
    assert "compare: 18 runs done" in result.stderr and "compare: " not in result.stdout
    assert run(*FEW, "--quiet").stderr == ""


def test_compare_is_the_function_compare():
    assert run(*FEW, "-q", "--csv", "runs.csv", "--store", "s.sqlite").exit_code == 0
    ours = read_results("runs.csv")
    theirs = compare({"c45": "c45", "antminer:n_ants=20": AntMinerClassifier(n_ants=20)},
                     ["labor", "weather"], cv=3, repeats=2)
    pd.testing.assert_frame_equal(ours.table().astype(float), theirs.table())
    before = Path("runs.csv").read_text()
    assert run(*FEW, "-q", "--csv", "again.csv", "--store", "s.sqlite").exit_code == 0
    assert Path("again.csv").read_text() == before             # times and dates too: nothing was done


def test_compare_writes_every_form():
    done = run(*FEW, "--markdown", "t.md", "--latex", "t.tex", "--plot", "p.svg", "--measure", "terms",
               "-m", "sensitivity", "-b", "antminer:n_ants=20")
    assert done.exit_code == 0, done.output
    assert Path("t.md").read_text().startswith("| terms | c45 |")
    assert "sensitivity, \\%" in Path("t.tex").read_text()
    assert "<svg" in Path("p.svg").read_text()
    assert "c45 against antminer:n_ants=20" in done.stdout
    assert "markdown written to t.md" in done.stderr


def test_compare_reads_files_as_learn_does():
    Path("clinic.csv").write_text(UGLY.replace("x;\n", "x;well\n") * 3)
    done = run("compare", "clinic.csv", "-l", "c45", "--cv", 2, "--decimal", ",", "--missing", "unclear",
               "--categorical", "ward", "--target", "state")
    assert done.exit_code == 0, done.output
    assert "clinic  " in done.stdout and "mean rank" not in done.stdout
    Path("other").mkdir()
    Path("other/clinic.csv").write_text(UGLY.replace("x;\n", "x;ill\n") * 3)
    done = run("compare", "clinic.csv", "other/clinic.csv", "-l", "c45", "--cv", 2)
    assert "other/clinic.csv  " in done.stdout
    assert "taking the last column for the class: 'state' in clinic.csv, 'state' in other" in done.stderr


@pytest.mark.parametrize("line, words", [
    ("zoo", ["--learner", "c45"]),
    ("zoo -l c54", ["Did you mean 'c45'?"]),
    ("zoo -l c45:confidense=1", ["Did you mean 'confidence'?"]),
    ("zoo -l c45 -l c45", ["twice"]),
    ("zoo zoo -l c45", ["twice"]),
    ("zooo -l c45", ["zooo", "Did you mean 'zoo'?"]),
    ("zoo -l c45 -t kind", ["zoo: ", "no column 'kind'"]),
    ("zoo -l c45 -m acuracy", ["Did you mean 'accuracy'"]),
    ("zoo -l c45 -b part", ["--baseline 'part'"]),
    ("zoo -l c45 --cv 99", ["Table 'zoo'", "--cv from 2 to 41"]),
    ("zoo -l c45 --plot ranks.doc", [".svg"]),
    ("zoo -l c45 --csv no/where.csv", ["no/where.csv"]),
    ("table.csv -l c45 --store table.csv", ["would overwrite"]),
    ("zoo -l c45 --store table.csv", ["Cannot use 'table.csv' as a store"]),
    ("zoo -l c45 --csv a --latex a", ["would overwrite"]),
])
def test_compare_complains_before_it_works(line, words):
    Path("table.csv").write_text("a,b\n" + "1,x\n2,y\n" * 200)
    result = run("compare", *line.split())
    complains(result, *words)
    assert not result.stdout


def test_compare_where_everything_fails(monkeypatch):
    from swarmlit import C45Classifier
    def fail(self, table, seed):
        raise MemoryError("too much")
    monkeypatch.setattr(C45Classifier, "_learn", fail)
    complains(run("compare", "labor", "-l", "c45", "--cv", 2), "All 2 runs",
              "MemoryError: C45Classifier needs more memory")
    done = run("compare", "labor", "-l", "c45", "-l", "antminer:n_ants=20", "--cv", 2, "--repeats", 1)
    assert done.exit_code == 0 and "failed" in done.stdout
    assert "2 of 4 runs ended with an error" in done.stdout


def test_compare_weighs_classes_that_are_numbers():
    "As learn does: JSON has words for names only, and a Parquet file has types."
    x = [i % 10 for i in range(60)]
    table = pd.DataFrame({"x": x, "noise": [(7 * i) % 11 for i in range(60)], "y": [int(v > 6 or i % 7 == 0)
                                                                                 for i, v in enumerate(x)]})
    table.to_parquet("t.parquet")
    table.astype({"y": bool}).to_parquet("b.parquet")
    for name, one in (("t", "1"), ("b", "true")):
        line = ["compare", f"{name}.parquet", "-l", f'c45:class_weight={{"{one}": 50}}', "-l", "c45", "--cv", 3]
        done = run(*line, "-m", "accuracy", "-m", "sensitivity", "--csv", "runs.csv")
        assert done.exit_code == 0, done.output
        runs = pd.read_csv("runs.csv")
        accuracy = runs.groupby("learner").accuracy.mean()
        assert accuracy.iloc[0] != accuracy.iloc[1]                  # the weight was heard
    complains(run("compare", "t.parquet", "-l", 'c45:class_weight={"2": 5}'), "t: class_weight names '2'",
              "There are: 1, 0.")


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_compare_interrupted_goes_on():
    line = ["compare", "letter", "-l", "antminer", "--cv", 2, "--repeats", 100, "--store", "s.sqlite"]
    process = subprocess.Popen([*START, *map(str, line)], env=PLAIN, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        if Path("s.sqlite").exists():
            with sqlite3.connect("s.sqlite", timeout=60) as db:
                try:
                    if db.execute("SELECT COUNT(*) FROM claims").fetchone()[0]:
                        break
                except sqlite3.OperationalError:
                    pass
        time.sleep(.05)
    time.sleep(.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and not out
    assert "kept in s.sqlite; the same command goes on" in err and "Traceback" not in err
    with sqlite3.connect("s.sqlite") as db:
        assert db.execute("SELECT COUNT(*) FROM claims").fetchone()[0] == 0


def processes_of(session):
    "Those of a session that have not ended, as (number, command line)."
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, _, _, of = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(of) == session and state != "Z":
                found.append((folder.name, (folder / "cmdline").read_text()))
        except OSError:
            pass                                            # it has just ended
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes as Linux lists them")
@pytest.mark.parametrize("delay", [0, .1, .3, .5, .8, 1.5])
def test_ctrl_c_reaches_all_processes_of_compare(delay):
    "As a terminal sends it: while workers start, load libraries, compile, work."
    line = ["compare", "letter", "-l", "antminer", "--cv", 2, "--repeats", 100, "-j", 2, "--store", "s.sqlite"]
    process = subprocess.Popen([*START, *map(str, line)], env=PLAIN, text=True, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    end = time.monotonic() + 60
    while time.monotonic() < end and not Path("s.sqlite").exists():
        time.sleep(.01)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130 and not out
    assert err == "\nStopped. The finished runs are kept in s.sqlite; the same command goes on.\n"
    end = time.monotonic() + 20
    while time.monotonic() < end and processes_of(process.pid):     # one clears away the others' files
        time.sleep(.05)
    assert not processes_of(process.pid)
    with sqlite3.connect("s.sqlite") as db:
        assert db.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        if db.execute("SELECT COUNT(*) FROM sqlite_master WHERE name = 'claims'").fetchone()[0]:
            assert db.execute("SELECT COUNT(*) FROM claims").fetchone()[0] == 0


# ---- learners of numbers


def curve(n=40):
    x = [i / n for i in range(n)]
    return pd.DataFrame({"x": x, "noise": [(7 * i) % 11 for i in range(n)],
                         "y": [3 * v * v + v for v in x]})


FORMULA = ("--learner", "sbgp", "-p", "population_size=100", "-p", "generations=5",
           "-p", "fitness=scaled_r2", "-p", "functions=+,-,*")


def test_a_formula_is_learned_saved_and_applied():
    curve().to_csv("curve.csv", index=False)
    done = run("learn", "curve.csv", "--target", "y", *FORMULA, "--cv", 3, "--save", "m.json",
               "--sql", "m.sql", "--python", "m.py")
    assert done.exit_code == 0, done.output
    for words in ("curve.csv: 40 cases, 2 attributes, no missing cells", "y: 0 to 3.8", "\ny = ",
                  "size  ", "training cases            R2 ", "mean absolute error",
                  "3-fold cross-validation   R2 "):
        assert words in done.stdout
    answers = pd.read_csv(StringIO(run("predict", "m.json", "curve.csv").stdout)).prediction
    model = from_json(Path("m.json").read_text())
    assert answers.tolist() == pytest.approx(model.predict(curve()).tolist())
    with sqlite3.connect(":memory:") as db:
        curve().to_sql("curve", db, index=False)
        found = pd.read_sql(Path("m.sql").read_text(), db)["predicted y"]
    assert found.tolist() == pytest.approx(answers.tolist())
    space = {}
    exec(Path("m.py").read_text(), space)
    by_python = [space["predict"](row) for row in curve().to_dict("records")]
    assert by_python == pytest.approx(answers.tolist())
    told = run("predict", "m.json", "curve.csv", "--out", "a.csv").stderr
    assert "R2 " in told and "mean absolute error" in told


def test_what_a_formula_cannot_do_is_said():
    curve().assign(word="a").to_csv("word.csv", index=False)
    curve().assign(x=lambda t: t.x.mask(t.noise == 3)).to_csv("holes.csv", index=False)
    curve().to_csv("curve.csv", index=False)
    complains(run("learn", "word.csv", "-t", "y", *FORMULA), "Column 'word' holds words", "--drop word.")
    assert run("learn", "word.csv", "-t", "y", *FORMULA, "--drop", "word", "--cv", 0).exit_code == 0
    complains(run("learn", "word.csv", *FORMULA), "'word' holds 'a'", "--target")
    complains(run("learn", "holes.csv", *FORMULA), "column 'x'", "of 40 cells")
    complains(run("learn", "curve.csv", *FORMULA, "--categorical", "noise"), "'noise'")
    complains(run("compare", "curve.csv", "-l", "sbgp"), "'sbgp' computes numbers")
    assert run("learn", "curve.csv", *FORMULA, "--cv", 0, "--save", "m.json", "-q").exit_code == 0
    for option in ("--proba", "--explain"):
        complains(run("predict", "m.json", "curve.csv", option), option, "a formula")
    complains(run("predict", "m.json", "iris"), "lacks the column(s)")
    assert "population_size" in run("learners", "sbgp").stdout
    assert "sbgp:" in run("learners").stdout


# ---- what strangers bring


def stranger(n=40):
    """A table with everything in it that cannot help, a code, a word for nothing and a class."""
    rows = [f'{i + 1},person {i},0{1000 + i % 3},{"NA" if i % 3 == 0 else i},,DE,{i % 28 + 1:02d}.01.2020,'
            f'{"yes" if i % 2 else "no"},{"ill" if i % 2 else "well"}' for i in range(n)]
    head = "id,name,post code,age,remark,country,born,smoker,state"
    Path("stranger.csv").write_text("\n".join([head, *rows]) + "\n")


def test_columns_that_cannot_help_are_named_once_a_kind():
    stranger()
    result = run("learn", "stranger.csv", "--cv", 0)
    lines = [line for line in result.stderr.splitlines() if line.startswith("hardly of help for rules about other cases: ")]
    assert [line.split(" (")[0].split(": ")[1] for line in lines] == ["'id', 'name'", "'remark'", "'country'", "'born'"]
    assert all("--drop" in line for line in lines) and "--drop id --drop name" in lines[0]
    quiet = run("learn", "stranger.csv", "--cv", 0, "-q")
    assert "hardly of help" not in quiet.stderr and "begins with a zero" in quiet.stderr       # warnings stay
    without_time = lambda result: [line for line in result.stdout.splitlines() if "time to learn" not in line]
    assert without_time(quiet) == without_time(result)                                  # and nothing else changes
    for name in ("voting", "iris", "weather-numeric", "zoo"):
        assert "'class" not in run("learn", name, "--cv", 0).stderr.partition("hardly of help")[2]
    assert "hardly of help" not in run("learn", "voting", "--cv", 0).stderr


@pytest.mark.parametrize("cell", ["1 {:03d}", "{},5", "{} kg", "−{}", "{}d3"])
def test_numbers_in_another_notation_are_told_once(cell):
    "With the way out that their warning has, not with --drop."
    lines = [f"{cell.format(i)};{'ab'[i % 2]}" for i in range(20)]
    Path("odd.csv").write_text("\n".join(["dose;kind", *lines]) + "\n", encoding="utf-8")
    told = run("learn", "odd.csv", "--cv", 0).stderr
    assert "column 'dose' holds" in told and "--drop" not in told


@pytest.mark.parametrize("cells", ["2020-01-31;31.1.2021", "12:30;9:05", "3. Mai 2020;4. Mai 2020"])
def test_dates_and_times_read_as_words(cells):
    words = cells.split(";")
    Path("t.csv").write_text("when,k\n" + "".join(f"{words[i % 2]},{'ab'[i % 2]}\n" for i in range(12)))
    lines = [line for line in run("learn", "t.csv", "--cv", 0).stderr.splitlines() if "hardly of help" in line]
    assert len(lines) == 1 and "'when' (dates or times read as words" in lines[0]


def test_an_id_is_seen_among_rows_without_a_class():
    Path("t.csv").write_text("id,x,k\n" + "".join(f"{i},{i % 3},{'?' if i % 5 == 0 else 'ab'[i % 2]}\n" for i in range(30)))
    assert "hardly of help for rules about other cases: 'id' " in run("learn", "t.csv", "--cv", 0).stderr


def test_drop():
    stranger()
    unhelpful = [w for name in ("id", "name", "remark", "country", "born") for w in ("--drop", name)]
    result = run("learn", "stranger.csv", *unhelpful, "--categorical", "post code", "--missing", "NA", "--cv", 0,
                 "-v", "--save", "m.json")
    assert "warning: " not in result.stderr and "hardly of help" not in result.stderr
    assert "stranger.csv: 40 cases, 2 nominal and 1 continuous attributes, 14 missing cells" in result.stdout
    names = [a.name for a in from_json(Path("m.json").read_text()).schema.attributes]
    assert names == ["post code", "age", "smoker"]
    # predict ignores what the model does not know, and says nothing about it
    told = run("predict", "m.json", "stranger.csv", "--missing", "NA")
    assert told.exit_code == 0 and "warning" not in told.stderr
    assert run("learn", "stranger.csv", "--drop", "state", "--cv", 0).stdout.splitlines()[1] == "smoker: no (20), yes (20)"
    done = run("compare", "stranger.csv", "zoo", "-l", "c45", "--cv", 2, "--drop", "id", "--drop", "legs", *unhelpful,
               "--missing", "NA")
    assert done.exit_code == 1 and "not a file" in done.stderr            # --missing goes with files only
    done = run("compare", "stranger.csv", "zoo", "-l", "c45", "--cv", 2, "--drop", "id", "--drop", "legs")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("line, words", [
    ("learn stranger.csv --drop nam", ["--drop names 'nam'", "Did you mean 'name'"]),
    ("learn stranger.csv --categorical nam", ["--categorical names 'nam'", "Did you mean 'name'"]),
    ("learn stranger.csv --numeric ag", ["--numeric names 'ag'", "Did you mean 'age'"]),
    ("learn voting --drop crme", ["--drop names 'crme'", "Did you mean 'crime'"]),
    ("compare stranger.csv zoo -l c45 --drop nam", ["--drop names 'nam'", "'name'"]),
    ("learn stranger.csv -t state --drop state", ["--target and --drop both name 'state'"]),
    ("learn stranger.csv --drop age --categorical age", ["--drop and --categorical both name 'age'"]),
    ("learn stranger.csv --numeric age", ["line 2", "'age'", "'NA' is not a number", "--missing 'NA'"]),
    ("learn voting --numeric crime", ["--numeric names 'crime'", "words"]),
    ("predict - -", ["both -", "Name a file"]),
    ("learn stranger", ["neither a file nor a dataset", "'stranger.csv'"]),
    ("learn strange.csv", ["no such file", "'stranger.csv'"]),
    ("learn voting.csv", ["no such file", "'voting', without folder and ending, is the table"]),
    ("learn nowhere/t.csv", ["no folder 'nowhere'"]),
    ("learn folder.csv", ["this is a folder"]),
    ("learn voting --save folder.csv", ["it is a folder"]),
    ("learn voting --sql /proc/x.sql", ["/proc/x.sql", "not writable"]),
    ("learn voting --python " + 300 * "x", ["name too long"]),
    ("learn voting --save=", ["--save needs the name of a file"]),
])
def test_strangers_hear_the_way_out(line, words, monkeypatch):
    stranger()
    Path("folder.csv").mkdir()
    monkeypatch.setattr(AntMinerClassifier, "fit", None)                  # all of it before learning
    complains(run(*line.split()), *words)


def test_codes_and_quantities_of_digits():
    rows = "".join(f"{i:04d},{'ab'[i > 20]}\n" for i in range(40))
    Path("t.csv").write_text("n,k\n" + rows)
    told = run("learn", "t.csv", "--cv", 0)
    assert "--categorical 'n'" in told.stderr and "--numeric 'n'" in told.stderr
    assert "1 nominal attribute" in told.stdout
    assert "begins with a zero" not in run("learn", "t.csv", "--cv", 0, "--categorical", "n").stderr
    numeric = run("learn", "t.csv", "--cv", 0, "--numeric", "n", "--save", "m.json")
    assert "1 continuous attribute" in numeric.stdout and "warning" not in numeric.stderr
    for cells in ("0007\n0030\n", "7\n30\n"):                           # the model says that they are numbers
        Path("new.csv").write_text("n\n" + cells)
        told = run("predict", "m.json", "new.csv")
        assert told.stdout.split() == ["prediction", "a", "b"] and not told.stderr


def test_the_class_column_is_doubted_as_others_are():
    def learn(cells, *more):
        Path("t.csv").write_text("x;k\n" + "".join(f"{i % 3};{c}\n" for i, c in enumerate(cells * 12)))
        return run("learn", "t.csv", "--cv", 0, *more)
    told = learn(["1", "2", "NA"])
    assert "column 'k'" in told.stderr and "--missing 'NA'" in told.stderr and "k: 1 (12), 2 (12), NA (12)" in told.stdout
    told = learn(["1", "2", "NA"], "--missing", "NA")
    assert "warning: t.csv" not in told.stderr and "left out: 12 cases" in told.stderr
    told = learn(["1,5", "2,5", "NA"])
    assert "--decimal ','" in told.stderr and told.exit_code == 1 and "measurements such as 1,5" in told.stderr
    told = learn(["ill", "well", "NA"])
    assert "column 'k' holds 'NA' as a value" in told.stderr and "--missing 'NA'" in told.stderr
    told = learn(["Yes", "yes", "no"])
    assert "'Yes' and 'yes'" in told.stderr
    told = learn(["1,5", "2,5"], *FORMULA)
    assert "--decimal ','" in told.stderr and "holds '1,5', and a formula" in told.stderr


def test_quiet_keeps_what_changes_the_result():
    Path("t.csv").write_text("x,k\n" + "1,a\n2,b\n" * 4 + "3,\n")
    told = run("learn", "t.csv", "-q", "--cv", 10)
    assert "left out: 1 case without a class" in told.stderr and "4 folds instead of 10" in told.stderr
    assert "taking" not in told.stderr
    Path("one.csv").write_text("x,k\n" + "1,a\n" * 9)
    assert "no cross-validation" in run("learn", "one.csv", "-q").stderr
    assert "left out of t: 1 case" in run("compare", "t.csv", "zoo", "-l", "c45", "--cv", 2, "-q").stderr
    curve(12).assign(y=lambda t: t.y.mask(t.x == 0)).to_csv("curve.csv", index=False)
    told = run("learn", "curve.csv", "-t", "y", *FORMULA, "-q")
    assert "left out: 1 case without a target" in told.stderr and "5 folds instead of 10" in told.stderr


def test_many_classes_and_line_breaks():
    Path("t.csv").write_text("x,k\n" + "".join(f"{i % 4},c{i % 30}\n" for i in range(61)))
    line = run("learn", "t.csv", "--cv", 0).stdout.splitlines()[1]
    assert line.startswith("k: c0 (3), c1 (2), ") and line.endswith(" and 20 more") and line.count(",") == 9
    Path("t.csv").write_text('"a\nb",k\n' + '"x\ny","p\nq"\n"z","r"\n' * 12)
    told = run("learn", "t.csv", "--cv", 0, "-v")
    head = told.stdout.split("\n\n")[0].splitlines()
    assert head[1] == r"k: p\nq (12), r (12)" and len(head) == 2
    assert [line.split()[0] for line in told.stdout.split("\n\n")[1].splitlines()] == ["attribute", r"a\nb"]
    assert r"x\ny" in told.stdout


def test_a_model_from_standard_input():
    run("learn", "voting", "--cv", 0, "--save", "m.json")
    told = run("predict", "-", "voting", "-q", input=Path("m.json").read_text())
    assert told.exit_code == 0 and told.stdout == run("predict", "m.json", "voting", "-q").stdout
    complains(run("predict", "-", "voting", input="no model"), "standard input: Not a model")
    told = spawn("predict", "m.json", "-", input="")
    assert told.returncode == 1 and told.stderr == "swarmlit: standard input: the file is empty.\n"


def test_more_than_one_word_to_call_missing():
    stranger()
    text = Path("stranger.csv").read_text().replace(",NA,", ",n/a,", 2)
    Path("stranger.csv").write_text(text)
    told = run("learn", "stranger.csv", "--cv", 0)
    assert "add them: --missing 'n/a' --missing 'NA'." in told.stderr


def test_other_separators():
    Path("t.csv").write_text("a|b|k\n" + "1|2|x\n2|1|y\n" * 12)
    complains(run("learn", "t.csv"), "'a|b|k'", "--sep MARK")
    complains(run("learn", "t.csv", *FORMULA), "'a|b|k'", "--sep MARK")
    assert run("learn", "t.csv", "--sep", "|", "--cv", 0).exit_code == 0
    Path("t.csv").write_text("sep=|\na|b|k\n" + "1|2|x\n2|1|y\n" * 12)
    assert run("learn", "t.csv", "--cv", 0).exit_code == 0
    Path("t.csv").write_text("Report of 2024\n\na,b,k\n" + "1,2,x\n2,1,y\n" * 12)
    complains(run("learn", "t.csv"), "line 3", "'Report of 2024' a title?")
    Path("t.csv").write_text("id Stadt k\n" + "1 Ulm x\n2 Bonn y\n" * 12)
    for command in (["learn", "t.csv"], ["learn", "t.csv", *FORMULA], ["compare", "t.csv", "-l", "c45"]):
        complains(run(*command), "'id Stadt k'", "--sep ' '")
    assert run("learn", "t.csv", "--sep", " ", "--cv", 0).exit_code == 0


def test_dates_of_parquet_can_be_left_out():
    pd.DataFrame({"day": pd.to_datetime(["2025-11-30"] * 20), "n": range(20), "k": list("ab") * 10}).to_parquet("d.parquet")
    complains(run("learn", "d.parquet"), "'day'", "--drop 'day'")
    assert run("learn", "d.parquet", "--drop", "day", "--cv", 0, "--save", "m.json").exit_code == 0
    assert run("predict", "m.json", "d.parquet").stdout.count("\n") == 21
    complains(run("learn", "d.parquet", "--drop", "day", "--drop", "n"), "no column beside its class 'k'")


def test_a_decimal_comma_in_quotes():
    Path("t.csv").write_text('x,y,k\n' + '"1,5","2,5",a\n"3,5","0,5",b\n' * 12)
    told = run("learn", "t.csv", "--decimal", ",", "--cv", 0, "--save", "m.json")
    assert told.exit_code == 0 and "2 continuous attributes" in told.stdout
    told = run("predict", "m.json", "t.csv", "--decimal", ",")
    assert told.stdout.split() == ["prediction", *"ab" * 12] and "accuracy 1.000" in told.stderr


def test_comparing_without_learners_or_cases():
    told = spawn("compare", "zoo")
    assert told.returncode == 1 and "there are: anttree, " in told.stderr.replace("antminer, ", "")
    assert "sbgp" not in told.stderr and "c45" in told.stderr
    for rows in ("1,x\n", "1,x\n2,y\n"):
        Path("t.csv").write_text("a,k\n" + rows)
        complains(run("compare", "t.csv", "-l", "c45"), "t.csv: ", "too few for a cross-validation")
    Path("t.csv").write_text("a,k\n1,x\n2,y\n3,x\n")
    complains(run("compare", "t.csv", "-l", "c45"), "choose --cv from 2 to 2")


@pytest.mark.parametrize("line, words", [
    ("learn voting -p categorical_features=x", ["'categorical_features' is not for --param: use --categorical."]),
    ("learn voting -p class_weight={x", ["{x is neither a dictionary nor a list", "JSON"]),
    ("learn voting -p class_weight={\"democat\":2}", ["class_weight names 'democat'", "Did you mean 'democrat'?"]),
    ("learn voting -p class_weight={\"x\":2}", ["There are: ", "republican"]),
    ("learn t.csv -t K", ["Did you mean 'k'?"]),
    ("learn VOTING", ["Did you mean 'voting'?"]),
    ("learn voting -l C45", ["Did you mean 'c45'?"]),
    ("learn t.xlsx", ["save the sheet as CSV first"]),
    ("predict t.csv t.xls", ["save the sheet as CSV first"]),
])
def test_more_ways_out(line, words):
    Path("t.csv").write_text("a,k\n1,x\n2,y\n")
    for name in ("t.xls", "t.xlsx"): Path(name).write_bytes(b"PK")
    complains(run(*line.split()), *words)


def test_weights_of_classes():
    Path("t.csv").write_text("a,k\n" + "1,ja\n1,nein\n1,nein\n2,nein\n" * 9)
    weighted = ("learn", "t.csv", "-l", "c45", "--cv", 0, "-p")
    told = run(*weighted, 'class_weight={"ja": 9, "nein": 0.5}')
    assert told.exit_code == 0 and "0.250 (9 of 36" in told.stdout
    assert "0.750 (27 of 36" in run(*weighted, 'class_weight={"ja": 1}').stdout
    told = run("compare", "t.csv", "-l", 'c45:class_weight={"ja": 9, "nein": 0.5},confidence=.2', "-l", "c45", "--cv", 2)
    assert told.exit_code == 0, told.output
    pd.read_csv("t.csv").assign(k=lambda t: (t.k == "ja").astype(int)).to_parquet("t.parquet")
    told = run("learn", "t.parquet", *weighted[2:], 'class_weight={"1": 9, "0": 0.5}')
    assert told.exit_code == 0 and "0.250 (9 of 36" in told.stdout


def test_truth_values_by_any_spelling():
    """Learned from one file, applied to all others: the same predictions to the letter."""
    bits = [bool(i % 3 % 2) for i in range(60)]
    table = pd.DataFrame({"b": bits, "n": [i % 5 for i in range(60)], "k": [["no", "yes"][b] for b in bits]})
    table.to_parquet("bool.parquet")
    files = ["bool.parquet"]
    for style in (str, lambda b: str(b).upper(), lambda b: str(b).lower()):
        files.append(f"{len(files)}.csv")
        table.assign(b=table.b.map(style)).to_csv(files[-1], index=False)
    for learned in files:
        assert run("learn", learned, "-l", "c45", "--cv", 0, "--save", "m.json").exit_code == 0
        for other in files:
            told = run("predict", "m.json", other)
            assert told.stdout.split() == ["prediction", *table.k], (learned, other)
            assert told.stderr == "accuracy 1.000 (60 of 60 cases)\n"


def test_classes_that_are_truth_values():
    table = pd.DataFrame({"n": list(range(9)) * 4, "k": [n > 4 for n in range(9)] * 4})
    table.to_parquet("t.parquet")
    table.assign(k=table.k.astype(str).str.upper()).to_csv("t.csv", index=False)
    for learned in ("t.parquet", "t.csv"):
        assert run("learn", learned, "-l", "c45", "--cv", 0, "--save", "m.json").exit_code == 0
        for other in ("t.parquet", "t.csv"):
            assert run("predict", "m.json", other).stderr == "accuracy 1.000 (36 of 36 cases)\n"


# ------------------------------------------------------------------------- classes that are numbers

def table_of(classes, name="t.csv"):
    "Word `a` means the first class, `b` the second."
    lines = [f"{'ab'[i % 2]},{i % 7},{classes[i % 2]}" for i in range(40)]
    Path(name).write_text("\n".join(["word,size,k", *lines]) + "\n")


@pytest.mark.parametrize("learner", ["antminer", "c45", "cn2", "clip4"])
def test_whole_numbers_as_classes_are_numbers_in_every_form(learner):
    table_of([1, -2])
    done = run("learn", "t.csv", "-l", learner, "--cv", 0, "--save", "m.json", "--sql", "m.sql", "--python", "m.py")
    assert done.exit_code == 0 and "k: -2 (20), 1 (20)" in done.stdout and "1.000 (40 of 40" in done.stdout
    X, space = read_table("t.csv"), {}
    assert (from_json(Path("m.json").read_text()).predict(X) == X.k).all()
    exec(Path("m.py").read_text(), space)
    assert [space["predict"](row) for row in X.to_dict("records")] == X.k.tolist()
    with sqlite3.connect(":memory:") as db:
        X.to_sql("t", db, index=False)
        query = "\n".join(line for line in Path("m.sql").read_text().splitlines() if not line.startswith("--"))
        assert [row[-1] for row in db.execute(query)] == X.k.tolist()
    told = run("predict", "m.json", "t.csv")
    assert "accuracy 1.000 (40 of 40 cases)" in told.stderr and told.stdout.split()[1:3] == ["1", "-2"]


@pytest.mark.parametrize("classes", [("01", "2"), ("1.0", "2.0"), ("1e3", "2"), ("1", "A")])
def test_other_spellings_of_classes_stay_words(classes):
    table_of(classes)
    assert run("learn", "t.csv", "--cv", 0, "--save", "m.json").exit_code == 0
    assert set(from_json(Path("m.json").read_text()).classes) == set(classes)
    assert "accuracy 1.000" in run("predict", "m.json", "t.csv").stderr


def test_classes_that_are_numbers_in_parameters_and_comparisons():
    table_of([1, 2])
    for more in (["rules_for=1"], ["rules_for=2"], ["on_unclassified=label", "-p", "unclassified_label=0"]):
        done = run("learn", "t.csv", "-l", "datasqueezer", "--cv", 2, "-p", *more)
        assert done.exit_code == 0, done.output
    weighted = ["-l", 'c45:class_weight={"1": 2}']
    for more in ([], weighted):
        line = ["compare", "t.csv", "-l", "c45", *more, "--cv", 2, "--repeats", 1, "--store", "s.sqlite", "--csv", "r.csv"]
        first, again = run(*line), run(*line)
        assert first.exit_code == again.exit_code == 0 and first.stdout == again.stdout
        assert "another state" not in again.stderr
    told = run("compare", "t.csv", "-l", "c45", "--cv", 2, "--store", "s.sqlite", "-t", "word")
    assert "another state of the table, or with another --target" in told.stderr


# ------------------------------------------------------------------------------ what a newcomer asks

def test_words_that_a_parameter_knows_stay_words():
    table_of("pq")
    assert run("learn", "t.csv", "--cv", 0, "-p", "heuristic=none").exit_code == 0
    complains(run("learn", "t.csv", "-p", "heuristic=None"), "{'entropy', 'majority', 'none'}. Got None")
    complains(run("learn", "t.csv", "-p", "heuristic=x"), "{'entropy', 'majority', 'none'}. Got 'x'")
    complains(run("learn", "t.csv", "-p", "prune=no"), "must be true or false. Got 'no'")
    complains(run("learn", "t.csv", "-p", "discretizer=[1,2]"), "'discretizer'", "[1, 2]")
    complains(run("learn", "t.csv", "-p", "brief"), "no parameter 'brief'", "psoaco has the presets paper, brief")
    assert "brief  min_rule_gain=3" in run("learners", "psoaco").stdout


def test_numeric_targets_are_shown_the_way_to_formulas():
    Path("t.csv").write_text("x,age,y\n" + "".join(f"{i % 5},{20 + i * 31 % 71},{i / 4}\n" for i in range(142)))
    complains(run("learn", "t.csv"), "'y' holds measurements", "swarmlit learn --learner sbgp")
    told = run("learn", "t.csv", "-t", "age", "--cv", 0).stderr
    assert "Class 'age' holds 71 different numbers" in told and "--learner sbgp" in told and "`y`" not in told


def test_small_things_on_the_command_line():
    table_of("pq")
    assert "'abc' is not a whole number" in run("learn", "t.csv", "--cv", "abc").stderr
    assert "--dialect mysql is for --sql" in run("learn", "t.csv", "--cv", 0, "--dialect", "mysql").stderr
    done = subprocess.run(" ".join([sys.executable, "-m swarmlit learn - <&-"]), shell=True, env=PLAIN,
                          capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.startswith("swarmlit: There is nothing to be read on standard input")


def test_formulas_have_no_answer_where_a_number_is_missing():
    Path("t.csv").write_text("x,z,y\n" + "".join(f"{i},{i % 3},{2 * i}\n" for i in range(30)))
    options = ["-p", "population_size=200", "-p", "generations=10", "-p", "fitness=scaled_r2"]
    assert run("learn", "t.csv", "-l", "sbgp", "--cv", 0, "--save", "f.json", *options).exit_code == 0
    used = from_json(Path("f.json").read_text()).features_used
    assert "x" in used
    Path("u.csv").write_text("x,z,y\n1,1,2\n,1,4\n3,1,6\n")
    told = run("predict", "f.json", "u.csv")
    lines = told.stdout.splitlines()
    assert told.exit_code == 0 and len(lines) == 4 and lines[2] in ("", '""') and "R2" in told.stderr
    assert told.stderr.count("No prediction for 1 case of 3") == 1 and "missing in 'x'" in told.stderr
    Path("u.csv").write_text('x,z,y\n"1,29",1,2\n')
    complains(run("predict", "f.json", "u.csv"), "'1,29' is not a number, and the model knows the column as numbers")
