from __future__ import annotations

import io
import json
import signal
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Self

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from pagetide.cli import program
from pagetide.cli.reading import outcome
from pagetide.cli.reading.progress import Progress
from pagetide.cli.reading.sources import InputSource, find
from pagetide.cli.reading.targets import Existing, Names, Targets
from pagetide.document import (
    UNREAD_SCRIPT,
    Document,
    Failure,
    Line,
    ModelInfo,
    Notice,
    Page,
    SourceInfo,
    TextLayerDecision,
)
from pagetide.errors import (
    CannotWrite,
    Damaged,
    NotFound,
    PagetideError,
    PasswordNeeded,
    UnknownModel,
    WouldOverwrite,
)
from pagetide.geometry import polygon_of
from pagetide.reading import ReadOptions
from pagetide.system.stage import Stage

PDF = b"%PDF-1.7 stand-in"
WORD = "open sesame"
Source = str | bytes


def document(name: str, pages: int = 1, failed: Iterable[int] = ()) -> Document:
    return Document(
        source=SourceInfo(
            name=name, sha256="0" * 64, bytes=1, media_type="application/pdf", page_count=pages
        ),
        model=ModelInfo(name="stub", engine="stub", version="1", runtime="none", language="en"),
        pages=tuple(page(n, f"{name} {n}", n in set(failed)) for n in range(1, pages + 1)),
    )


def page(number: int, text: str, failed: bool) -> Page:
    line = Line(text=text, polygon=polygon_of((1, 1, 90, 11)), confidence=0.9)
    return Page(
        number=number,
        width=100,
        height=100,
        dpi=72,
        width_pt=100,
        height_pt=100,
        text_layer=TextLayerDecision(used=False, reason="no_text"),
        lines=() if failed else (line,),
        error=Failure(code="page_timeout", message="It took too long.") if failed else None,
    )


class StubReader:
    """Gives prepared results by file name, and remembers how it was asked."""

    def __init__(self, results: dict[str, Document | PagetideError]) -> None:
        self._results = results
        self.options: ReadOptions | None = None
        self.model = ""
        self.threads: int | None = None
        self.model_options: dict[str, str] = {}
        self.closed = False

    def __call__(self, model: str, *, options: dict[str, str], threads: int | None) -> Self:
        self.model, self.threads, self.model_options = model, threads, options
        return self

    def read_many(
        self,
        sources: Iterable[Source],
        options: ReadOptions,
        *,
        on_page: Callable[[Page, int], None],
    ) -> Iterator[tuple[Source, Document | PagetideError]]:
        self.options = options
        for source in sources:
            name = "-" if isinstance(source, bytes) else Path(source).name
            result = self._results.get(name, NotFound(f"{name} does not exist."))
            if isinstance(result, Document):
                for one in result.pages:
                    on_page(one, len(result.pages))
            yield source, result

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.closed = True


def run(
    *arguments: object,
    results: dict[str, Document | PagetideError] | None = None,
    stub: StubReader | None = None,
    stdin: bytes = b"",
) -> Result:
    stub = stub or StubReader(results or {})
    return CliRunner().invoke(program, [str(a) for a in arguments], obj=stub, input=stdin)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inputs = tmp_path / "in"
    (inputs / "deep").mkdir(parents=True)
    for name in ("a.pdf", "b.pdf", "deep/a.pdf", ".hidden.pdf"):
        (inputs / name).write_bytes(PDF)
    (inputs / "notes.txt").write_text("no document")
    return inputs


def test_text_goes_to_the_standard_output() -> None:
    result = run("read", "a.pdf", results={"a.pdf": document("a.pdf", 2)})
    assert result.exit_code == 0
    assert "a.pdf 1" in result.stdout
    assert "a.pdf 2" in result.stdout
    assert result.stderr == ""


def test_json_on_the_standard_output_is_one_line_for_each_document() -> None:
    both: dict[str, Document | PagetideError] = {
        "a.pdf": document("a.pdf"),
        "b.pdf": document("b.pdf", 2),
    }
    result = run("read", "a.pdf", "b.pdf", "-f", "json", results=both)
    first, second = map(Document.from_json, result.stdout.splitlines())
    assert (first, second) == (both["a.pdf"], both["b.pdf"])


def test_chunks_of_several_documents_are_lines_with_their_names() -> None:
    names = ("a.pdf", "b.pdf")
    results: dict[str, Document | PagetideError] = {name: document(name, 2) for name in names}
    result = run("read", *names, "-f", "chunks", "--chunk-tokens", "1", results=results)
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert {row["source"] for row in rows} == set(names)
    wanted = [one.chunks(max_tokens=1) for one in map(document, names, (2, 2))]
    assert [row["text"] for row in rows] == [each.text for some in wanted for each in some]
    refused = run("read", "a.pdf", "-f", "chunks", "--chunk-overlap", "400")
    assert refused.exit_code == 64 and "overlap must be from 0" in refused.stderr


def test_files_and_a_line_of_json_for_each_input(tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run(
        "read", "a.pdf", "-o", out, "-f", "json,txt", results={"a.pdf": document("a.pdf")}
    )
    assert json.loads(result.stdout) == {
        "source": "a.pdf",
        "status": "succeeded",
        "pages": 1,
        "failed_pages": [],
        "lines_left_out": 0,
        "files": [str(out / "a.pdf.json"), str(out / "a.pdf.txt")],
    }
    assert Document.from_json((out / "a.pdf.json").read_bytes()) == document("a.pdf")
    assert sorted(p.name for p in out.iterdir()) == ["a.pdf.json", "a.pdf.txt"]


def test_one_bad_input_does_not_stop_the_others(tmp_path: Path) -> None:
    results: dict[str, Document | PagetideError] = {
        "a.pdf": document("a.pdf"),
        "b.pdf": Damaged("The input is damaged."),
        "c.pdf": document("c.pdf"),
    }
    result = run("read", *results, "-o", tmp_path, results=results)
    statuses = [json.loads(line)["status"] for line in result.stdout.splitlines()]
    assert statuses == ["succeeded", "failed", "succeeded"]
    assert result.exit_code == Damaged.exit_code
    assert "pagetide: b.pdf is damaged." in result.stderr
    assert "2 read, 0 partial, 1 failed (1 damaged); " in result.stderr


def test_the_summary_counts_failures_by_kind_and_what_was_skipped() -> None:
    def one(status: str, code: str = "") -> outcome.Outcome:
        error = {"code": code, "message": "."} if code else None
        return outcome.Outcome(source="a.pdf", status=status, error=error)

    codes = ("damaged", "not_found", "damaged")
    failures = [one("failed", code) for code in codes]
    assert outcome.summary([one("succeeded"), one("skipped"), *failures]) == (
        "1 read, 0 partial, 3 failed (2 damaged, 1 not_found), 1 skipped"
    )


def test_quiet_says_only_what_went_wrong(tmp_path: Path) -> None:
    notice = Notice(code="missing_letters", message="Letters are missing.")
    results: dict[str, Document | PagetideError] = {
        "a.pdf": structs.replace(document("a.pdf", 2, failed=[2]), warnings=(notice,)),
        "b.pdf": Damaged("The input is damaged."),
    }
    (tmp_path / "notes.txt").write_text("no document")
    (tmp_path / "c.pdf").write_bytes(PDF)
    asked = ["read", "a.pdf", "b.pdf", tmp_path, "-o", tmp_path / "out", "--quiet"]
    done = run(*asked, results=results | {"c.pdf": document("c.pdf")})
    assert (done.exit_code, done.stdout) == (65, "")
    assert done.stderr.splitlines() == [
        "pagetide: a.pdf: page 2: It took too long.",
        "pagetide: b.pdf is damaged.",
    ]
    drawn = Terminal()
    Progress(drawn, 1, lambda: 0.0, quiet=True).draw()
    assert drawn.getvalue() == ""


def test_an_interrupt_that_python_loses_still_ends_it(tmp_path: Path) -> None:
    lost = []
    hook = sys.unraisablehook

    class Interrupted(StubReader):
        """Between two inputs it is interrupted while an object goes, as threads do there."""

        def read_many(
            self, *given: Any, **named: Any
        ) -> Iterator[tuple[Source, Document | PagetideError]]:
            for read in super().read_many(*given, **named):
                yield read
                threads = set[int]()
                gone = weakref.ref(threads, lambda _: signal.raise_signal(signal.SIGINT))
                del threads
                lost.append(gone() is None)

    results: dict[str, Document | PagetideError] = {
        name: document(name) for name in ("a.pdf", "b.pdf")
    }
    done = run("read", *results, "-o", tmp_path, stub=Interrupted(results))
    assert lost == [True]
    goes_on = "1 of 2 inputs are done; run the same command with --skip-existing to continue."
    assert done.exit_code == 130
    assert done.stderr == f"pagetide: {goes_on}\npagetide: Interrupted.\n"
    assert [path.name for path in tmp_path.iterdir()] == ["a.pdf.txt"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert sys.unraisablehook is hook


def test_the_line_of_a_failed_input_has_the_errors_code(tmp_path: Path) -> None:
    result = run("read", "b.pdf", "-o", tmp_path, results={"b.pdf": PasswordNeeded()})
    assert json.loads(result.stdout) == {
        "source": "b.pdf",
        "status": "failed",
        "error": {"code": "password_needed", "message": PasswordNeeded().message},
    }


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("nothing.pdf does not exist.", "nothing.pdf does not exist."),
        ("The input is empty.", "nothing.pdf is empty."),
        ("It took too long.", "nothing.pdf: It took too long."),
    ],
)
def test_an_input_is_named_once(message: str, said: str) -> None:
    done = run("read", "nothing.pdf", results={"nothing.pdf": NotFound(message)})
    assert done.stderr == f"pagetide: {said}\n"


def test_failures_of_different_kinds_end_with_1(tmp_path: Path) -> None:
    results: dict[str, Document | PagetideError] = {"a.pdf": Damaged(), "b.pdf": NotFound()}
    assert run("read", *results, results=results).exit_code == 1


def test_a_page_that_failed_is_named_and_ends_with_3(tmp_path: Path) -> None:
    some = document("a.pdf", 3, failed=[2])
    result = run("read", "a.pdf", "-o", tmp_path, results={"a.pdf": some})
    line = json.loads(result.stdout)
    assert (line["status"], line["failed_pages"]) == ("partial", [2])
    assert "pagetide: a.pdf: page 2: It took too long." in result.stderr
    assert result.exit_code == 3


def test_a_page_in_a_script_that_is_not_read_ends_with_3(tmp_path: Path) -> None:
    some = document("a.pdf", 1)
    notice = Notice(
        code=UNREAD_SCRIPT, message="It is in a script that the model does not read."
    )
    page = structs.replace(
        some.pages[0], warnings=(notice,), lines_unread=4, lines_below_confidence=1
    )
    some = structs.replace(some, pages=(page,))
    result = run("read", "a.pdf", "-o", tmp_path, results={"a.pdf": some})
    line = json.loads(result.stdout)
    assert (line["status"], line["failed_pages"], line["lines_left_out"]) == ("partial", [], 5)
    assert notice.message in result.stderr
    assert result.exit_code == 3


def test_warnings_are_told_once_with_their_pages_and_lines_left_out_are_counted(
    tmp_path: Path,
) -> None:
    plain = document("a.pdf", 8)
    pages = tuple(
        structs.replace(
            page,
            warnings=(Notice(code="text_layer_no_text", message="No text."),),
            lines_below_confidence=2,
        )
        for page in plain.pages[:7]
    )
    warned = structs.replace(
        plain,
        pages=(*pages, plain.pages[7]),
        warnings=(Notice(code="missing_letters", message="Letters are missing."),),
    )
    result = run("read", "a.pdf", "-o", tmp_path, results={"a.pdf": warned})
    assert result.stderr.splitlines() == [
        "pagetide: a.pdf: Letters are missing.",
        "pagetide: a.pdf: pages 1, 2, 3, 4, 5 and 2 more: No text.",
    ]
    assert json.loads(result.stdout)["lines_left_out"] == 14
    assert result.exit_code == 0


def test_a_failed_input_counts_more_than_a_failed_page() -> None:
    results: dict[str, Document | PagetideError] = {
        "a.pdf": document("a.pdf", 2, failed=[1]),
        "b.pdf": NotFound(),
    }
    assert run("read", *results, results=results).exit_code == NotFound.exit_code


def test_options_reach_the_reader(tmp_path: Path) -> None:
    stub = StubReader({"a.pdf": document("a.pdf")})
    (tmp_path / "secret").write_text(f"{WORD}\nrest\n")
    options = "--pages 1-3 --lang de --model fake --text-layer never --dpi 200 --threads 2"
    options += " --option slow=1"
    result = run(
        "read", "a.pdf", *options.split(), "--password-file", tmp_path / "secret", stub=stub
    )
    assert result.exit_code == 0
    assert stub.options == ReadOptions(
        language="de", pages="1-3", password=WORD, dpi=200, text_layer="never"
    )
    assert (stub.model, stub.threads, stub.closed) == ("fake", 2, True)
    assert stub.model_options == {"slow": "1"}


def test_the_password_can_be_asked_for_and_is_not_shown() -> None:
    stub = StubReader({"a.pdf": document("a.pdf")})
    result = run("read", "a.pdf", "--ask-password", stub=stub, stdin=f"{WORD}\n".encode())
    assert stub.options is not None
    assert stub.options.password == WORD
    assert WORD not in result.output


def test_a_dash_reads_the_standard_input() -> None:
    result = run("read", "-", results={"-": document("piped")}, stdin=PDF)
    assert "piped 1" in result.stdout


def test_a_dash_with_an_output_folder_is_called_stdin(tmp_path: Path) -> None:
    run("read", "-", "-o", tmp_path, results={"-": document("piped")}, stdin=PDF)
    assert (tmp_path / "stdin.txt").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        "read",
        "read a.pdf -f txt,json",
        "read a.pdf -f png",
        "read a.pdf -f docx",
        "read a.pdf b.pdf -f md",
        "read a.pdf --force",
        "read a.pdf --skip-existing",
        "read a.pdf -o out --skip-existing --force",
        "read a.pdf -o out --names short",
        "read a.pdf --dpi 20",
        "read a.pdf --dpi x",
        "read a.pdf --text-layer maybe",
        "read a.pdf --threads -1",
        "read a.pdf --password x --ask-password",
        "read a.pdf --frobnicate",
        "frobnicate",
    ],
)
def test_wrong_usage_is_one_line_and_ends_with_64(arguments: str) -> None:
    result = run(*arguments.split())
    assert result.exit_code == 64
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1
    assert result.stderr.startswith("pagetide: ")


def test_without_a_command_the_help_is_shown() -> None:
    result = run()
    assert result.exit_code == 64
    assert "Commands:" in result.stderr


def failing(error: Exception) -> Callable[..., StubReader]:
    def open_reader(*_: object, **__: object) -> StubReader:
        raise error

    return open_reader


def test_an_error_of_ours_is_one_line_with_its_exit_code() -> None:
    opener = failing(UnknownModel("There is no model 'x'."))
    result = CliRunner().invoke(program, ["read", "a.pdf"], obj=opener)
    assert (result.exit_code, result.stderr) == (64, "pagetide: There is no model 'x'.\n")


def test_a_bug_is_one_line_too_and_debug_shows_where() -> None:
    opener = failing(ZeroDivisionError("secret detail"))
    quiet = CliRunner().invoke(program, ["read", "a.pdf"], obj=opener)
    assert quiet.exit_code == 70
    assert "ZeroDivisionError in test_cli.py" in quiet.stderr
    assert "secret detail" not in quiet.stderr
    loud = CliRunner().invoke(program, ["--debug", "read", "a.pdf"], obj=opener)
    assert "Traceback" in loud.stderr


def test_an_output_folder_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    results: dict[str, Document | PagetideError] = {"a.pdf": document("a.pdf")}
    result = run("read", "a.pdf", "-o", tmp_path / "file", results=results)
    assert result.exit_code == 73
    assert "cannot be written" in result.stderr


def test_a_folder_is_walked_and_what_is_no_document_is_left_out(folder: Path) -> None:
    finding = find([str(folder)], bytes)
    assert [str(one.place) for one in finding.found] == ["a.pdf", "b.pdf", "deep/a.pdf"]
    assert finding.skipped == (str(folder / "notes.txt"),)


def test_results_below_the_folder_that_is_read_are_not_read(folder: Path) -> None:
    out = folder / "deep"
    for asked in (str(folder), f"{folder}/**/*.pdf"):
        found = find([asked], bytes, results=out).found
        assert [one.place.name for one in found] == ["a.pdf", "b.pdf"]
    assert len(find([str(out)], bytes, results=out).found) == 1


def test_a_pattern_and_a_folder_that_meet_give_each_file_once(folder: Path) -> None:
    finding = find([f"{folder}/*.pdf", str(folder), f"{folder}/a.pdf"], bytes)
    assert [Path(one.name).name for one in finding.found] == ["a.pdf", "b.pdf", "a.pdf"]


def test_a_file_named_outright_is_taken_whatever_it_is(folder: Path) -> None:
    assert len(find([f"{folder}/notes.txt"], bytes).found) == 1


def test_a_pattern_that_matches_nothing_is_left_to_be_not_found(folder: Path) -> None:
    assert find([f"{folder}/*.xyz"], bytes).found[0].name == f"{folder}/*.xyz"


def test_an_empty_folder_is_nothing_to_read(tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        find([str(tmp_path)], bytes)


def test_a_file_whose_name_is_a_pattern_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "scan[1].pdf").write_bytes(PDF)
    (tmp_path / "scan1.pdf").write_bytes(PDF)
    found = find([f"{tmp_path}/scan[1].pdf"], bytes).found
    assert [Path(one.name).name for one in found] == ["scan[1].pdf"]


class Endings:
    def __init__(self, *suffixes: str, patterns: Iterable[str] = ()) -> None:
        self.suffixes, self.patterns = list(suffixes), list(patterns)


def targets(
    folder: Path,
    *names: str,
    endings: Endings | None = None,
    called: Names = "full",
    existing: Existing = "refuse",
) -> Targets:
    """The targets of inputs that are named so below the folder `in`."""
    inputs = [
        InputSource(source=name, name=str(folder / "in" / name), place=Path(name))
        for name in names
    ]
    return Targets(
        inputs=inputs,
        folder=folder,
        endings=endings or Endings(".txt"),
        names=called,
        existing=existing,
    )


def test_names_are_those_of_the_inputs_whatever_lies_beside(tmp_path: Path) -> None:
    for names in (["scan.pdf"], ["scan.pdf", "scan.png"], ["scan.png", "scan.pdf"]):
        some = targets(tmp_path, *names)
        assert [some.stem(one) for one in some.to_do()[0]] == [tmp_path / n for n in names]


def test_stems_as_names_are_refused_where_two_would_be_one(tmp_path: Path) -> None:
    lone = targets(tmp_path, "scan.pdf", called="stem")
    assert [lone.stem(one).name for one in lone.to_do()[0]] == ["scan"]
    with pytest.raises(WouldOverwrite, match=r"scan.pdf and .*scan.png would both be"):
        targets(tmp_path, "scan.pdf", "scan.png", called="stem").to_do()


def test_a_result_takes_the_place_of_no_input_even_by_force(tmp_path: Path) -> None:
    for name in ("a", "a.pdf"):
        (tmp_path / name).write_bytes(PDF)
    inputs = [
        InputSource(source=str(tmp_path / n), name=str(tmp_path / n), place=Path(n))
        for n in ("a", "a.pdf")
    ]
    some = Targets(inputs=inputs, folder=tmp_path, endings=Endings(".pdf"), existing="replace")
    with pytest.raises(WouldOverwrite, match="is an input"):
        some.to_do()


def test_inputs_of_one_name_from_two_folders_are_refused_with_a_way_out(
    folder: Path, tmp_path: Path
) -> None:
    results: dict[str, Document | PagetideError] = {"a.pdf": document("a.pdf")}
    out = tmp_path / "out"
    both = folder / "a.pdf", folder / "deep" / "a.pdf"
    done = run("read", *both, "-o", out, results=results)
    assert done.exit_code == WouldOverwrite.exit_code == CannotWrite.exit_code
    assert "pass the folder that contains them" in done.stderr and not out.exists()
    run("read", f"{folder}/**/a.pdf", "-o", out, results=results)
    assert sorted(str(p.relative_to(out)) for p in out.rglob("*.txt")) == [
        *("a.pdf.txt", "deep/a.pdf.txt")
    ]


def test_nothing_is_overwritten_without_force_and_nothing_is_read_before(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.pdf.txt").write_text("mine")
    (tmp_path / "b.pdf-p4-t2.csv").write_text("mine")
    results: dict[str, Document | PagetideError] = {
        name: document(name) for name in ("a.pdf", "b.pdf")
    }
    stub = StubReader(results)
    asked = ["read", "a.pdf", "b.pdf", "-f", "txt,csv", "-o", tmp_path]
    done = run(*asked, stub=stub)
    assert (done.exit_code, done.stdout, stub.options) == (73, "", None)
    assert done.stderr == (
        f"pagetide: {tmp_path}/a.pdf.txt and 1 more are there already: --skip-existing leaves"
        " inputs out that are done, --force overwrites.\n"
    )
    assert (tmp_path / "a.pdf.txt").read_text() == "mine"
    assert run(*asked, "--force", stub=stub).exit_code == 0
    assert "a.pdf 1" in (tmp_path / "a.pdf.txt").read_text()


def test_what_is_done_is_skipped_and_of_the_rest_only_what_is_missing_is_written(
    tmp_path: Path,
) -> None:
    results: dict[str, Document | PagetideError] = {
        name: document(name) for name in ("a.pdf", "b.pdf")
    }
    asked = ["read", "a.pdf", "b.pdf", "-o", tmp_path, "--skip-existing", "-f"]
    (tmp_path / "a.pdf.txt").write_text("mine")
    lines = [
        json.loads(line) for line in run(*asked, "txt", results=results).stdout.split("\n")[:-1]
    ]
    assert lines[0] == {"source": "a.pdf", "status": "skipped"}
    assert lines[1]["files"] == [f"{tmp_path}/b.pdf.txt"]
    both = run(*asked, "txt,json", results=results)
    assert [json.loads(line)["files"] for line in both.stdout.splitlines()] == [
        [f"{tmp_path}/a.pdf.json"],
        [f"{tmp_path}/b.pdf.json"],
    ]
    assert (tmp_path / "a.pdf.txt").read_text() == "mine"
    stub = StubReader(results)
    again = run(*asked, "txt,json", stub=stub)
    assert (again.exit_code, stub.options) == (0, None)


def test_any_number_of_files_is_done_where_some_are_there(tmp_path: Path) -> None:
    tables = Endings(patterns=["-p*-t*.csv"])
    (tmp_path / "[a].pdf-p3-t1.csv").write_text("1")
    some = targets(tmp_path, "[a].pdf", "a.pdf", endings=tables, existing="skip")
    to_do, done = some.to_do()
    assert [one.place.name for one in to_do] == ["a.pdf"]
    assert [one.place.name for one in done] == ["[a].pdf"]


class Stopped(BaseException):
    """The process is interrupted."""


@pytest.mark.parametrize("error", [KeyboardInterrupt, Stopped, CannotWrite])
def test_files_of_a_document_are_all_there_or_none(
    tmp_path: Path, error: type[BaseException]
) -> None:
    def written(count: int) -> None:
        with Stage(lambda path: True) as stage:
            for number in range(count):
                stage.write(tmp_path / "out" / str(number), b"1")
            assert not [p for p in (tmp_path / "out").iterdir() if p.name.isdigit()]
            if count < 3:
                raise error

    with pytest.raises(error):
        written(2)
    assert list((tmp_path / "out").iterdir()) == []
    written(3)
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == ["0", "1", "2"]


NAMES = st.sets(st.sampled_from(["a.pdf", "a.png", "a", "a.pdf.pdf", "b/a.pdf"]))


@given(NAMES, st.sets(st.sampled_from([".txt", ".pdf", ".png"]), min_size=1))
def test_no_two_results_share_a_file(names: set[str], suffixes: set[str]) -> None:
    for called in ("full", "stem"):
        some = targets(Path("/out"), *sorted(names), endings=Endings(*suffixes), called=called)
        try:
            to_do, _ = some.to_do()
        except WouldOverwrite:
            assert called == "stem"
            continue
        files = [f"{some.stem(one)}{suffix}" for one in to_do for suffix in suffixes]
        assert len(set(files)) == len(files)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_the_progress_bar_shows_pages_a_minute() -> None:
    now = 0.0
    screen = Terminal()
    progress = Progress(screen, 2, lambda: now)
    for _ in range(4):
        now += 0.5
        progress.page(of=8)
    assert "25%" in screen.getvalue()
    assert screen.getvalue().endswith("0/2 files  4 pages  120 pages/min  0:00:06 left")


def test_nothing_is_drawn_where_no_terminal_is() -> None:
    quiet = io.StringIO()
    progress = Progress(quiet, 1, lambda: 0.0)
    progress.page(of=1)
    progress.document()
    progress.draw()
    progress.clear()
    assert quiet.getvalue() == ""
    assert progress.pages == 1


def test_the_bar_is_not_drawn_more_often_than_an_eye_sees() -> None:
    screen = Terminal()
    progress = Progress(screen, 1, lambda: 5.0)
    for _ in range(1000):
        progress.page(of=1000)
    assert screen.getvalue().count("\r") == 1


def test_models_lists_models_and_languages() -> None:
    shown = run("models").stdout
    assert "pp-ocrv6" in shown and "fake" not in shown
    listed = run("models", "--languages").stdout
    assert "korean_PP-OCRv5_mobile_rec" in listed
    assert "\nen " in listed


def test_what_is_for_tests_alone_is_shown_to_no_user() -> None:
    for wrong in ("fak", "fakes", "x"):
        refused = CliRunner().invoke(program, ["read", "a.pdf", "--model", wrong])
        assert refused.exit_code == 64 and f"no model '{wrong}'; known: auto" in refused.stderr
        assert "fake" not in refused.stderr.replace(repr(wrong), "")
    facts = CliRunner().invoke(program, ["doctor", "--no-self-test", "--parts", "store"])
    assert "structure-lite" in facts.stdout and "fake" not in facts.stdout
    helps = [CliRunner().invoke(program, [name, "--help"]).stdout for name in program.commands]
    assert not [shown for shown in helps if "fake" in shown]


@pytest.mark.parametrize(
    ("pool", "said"),
    [
        ("system", "The pool system has no workers: run `pagetide sweep` for its tasks."),
        ("Cpu", "--pool must be a name such as cpu, or cpu-next for a canary."),
        ("tpu-next", "PAGETIDE_POOLS has no pool 'tpu-next'; known: cpu, gpu"),
    ],
)
def test_a_worker_of_no_pool_does_not_begin(
    pool: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGETIDE_POOLS", '{cpu = "fake", gpu = "paddleocr-vl"}')
    monkeypatch.setenv("PAGETIDE_STORE", "nothing is opened")
    result = CliRunner().invoke(program, ["worker", "--pool", pool])
    assert (result.exit_code, result.stderr) == (64, f"pagetide: {said}\n")


class TestToldOutcome:
    def test_a_name_commands_no_terminal(
        self, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        named = "a\n\x1b[31m\u202e\udcff Größe.pdf"
        outcome.tell(outcome.failed(named, Damaged("It is damaged.")))
        told = capsysbinary.readouterr()
        assert told.out.decode() == "a\\n\\x1b[31m\\u202e\\udcff Größe.pdf: failed\n"
        assert told.err.count(b"\n") == 1 and b"\x1b" not in told.err

    def test_a_name_that_is_no_text_is_told_in_json(
        self, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        outcome.tell(outcome.Outcome(source="\udcff.pdf", status="queued", job="job1"))
        assert json.loads(capsysbinary.readouterr().out)["source"] == "\udcff.pdf"

    def test_results_are_told_with_their_job(
        self, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        one = outcome.Outcome(source="a.pdf", status="partial", job="job1", files=["a.pdf.md"])
        outcome.tell(one)
        told = json.loads(capsysbinary.readouterr().out)
        assert (told["job"], told["files"]) == ("job1", ["a.pdf.md"])
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        outcome.tell(one)
        assert capsysbinary.readouterr().out == b"a.pdf: partial -> a.pdf.md\n"
