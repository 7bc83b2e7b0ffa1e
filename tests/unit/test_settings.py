"""Settings: four places, later wins; what is wrong is told without a secret."""

from __future__ import annotations

import inspect
import json
import logging
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from pagetide.errors import BadOption
from pagetide.server import wiring
from pagetide.server.stores.notifications.memory import MemoryNotifications
from pagetide.settings import Settings
from pagetide.settings import sources as settings_sources

SECRET = "pt_geheim"  # noqa: S105
HOW_TO = Path(__file__).parents[2] / "docs" / "how-to" / "settings.md"


def read(**environment: object) -> Settings:
    return Settings.from_environment({name: str(value) for name, value in environment.items()})


def refused(**environment: object) -> str:
    with pytest.raises(BadOption) as refusal:
        read(**environment)
    assert SECRET not in refusal.value.message
    assert len(refusal.value.message.splitlines()) == 1
    return refusal.value.message


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "pagetide.toml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "secrets"
    made.mkdir()
    return made


@pytest.fixture(autouse=True)
def nothing_was_warned_of() -> None:
    settings_sources._warn.cache_clear()


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment in which nothing of ours is set."""
    for name in [name for name in os.environ if name.startswith("PAGETIDE_")]:
        monkeypatch.delenv(name)
    return monkeypatch


# Where they come from.


def test_with_nothing_set_all_have_their_defaults() -> None:
    assert read() == Settings()


def test_a_later_place_wins(config: Path, folder: Path, tmp_path: Path) -> None:
    config.write_text('host = "a"\nversion = "a"\nkey = "a"\nserver = "a"\n')
    for name in ("version", "key", "server"):
        (folder / name).write_text("b")
    (tmp_path / "c").write_text("c")
    got = read(
        PAGETIDE_CONFIG=config,
        PAGETIDE_SECRETS_DIR=folder,
        PAGETIDE_KEY_FILE=tmp_path / "c",
        PAGETIDE_SERVER="d",
    )
    assert (got.host, got.version, got.key, got.server) == ("a", "b", "c", "d")


def test_a_file_has_types(config: Path) -> None:
    config.write_text("cache = false\nport = 80\nidle_s = 5\nlink_s = 1.5\nmin_workers = 2\n")
    got = read(PAGETIDE_CONFIG=config)
    assert (got.cache, got.port, got.idle_s, got.link_s) == (False, 80, 5.0, 1.5)
    assert isinstance(got.idle_s, float)
    assert got.least_workers("cpu") == 2


def test_a_folder_as_kubernetes_mounts_it(folder: Path) -> None:
    inside = folder / "..2026_11_21"
    inside.mkdir()
    (inside / "store").write_text("memory:\n")
    (inside / "PAGETIDE_KEY").write_text(SECRET)
    (folder / "..data").symlink_to(inside)
    (folder / "kubernetes.io").mkdir()
    for name in ("store", "PAGETIDE_KEY"):
        (folder / name).symlink_to(f"..data/{name}")
    got = read(PAGETIDE_SECRETS_DIR=folder)
    assert (got.store, got.key) == ("memory:", SECRET)


@pytest.mark.parametrize(
    ("content", "meant"),
    [("x", "x"), ("x\n", "x"), ("x\r\n", "x"), ("x\n\n", "x\n"), (" x ", " x "), ("", "")],
)
def test_one_line_end_behind_a_secret_is_none_of_it(
    tmp_path: Path, content: str, meant: str
) -> None:
    (tmp_path / "key").write_bytes(content.encode())
    assert read(PAGETIDE_KEY_FILE=tmp_path / "key").key == meant


def test_a_file_may_hold_any_setting(tmp_path: Path) -> None:
    (tmp_path / "port").write_text("81\n")
    assert read(PAGETIDE_PORT_FILE=tmp_path / "port").port == 81


def test_no_setting_is_called_as_another_ones_file() -> None:
    assert not [name for name in Settings.known() if name.endswith("_file")]
    assert not {"config", "secrets_dir"} & set(Settings.known())


def test_what_kubernetes_says_of_a_service_sets_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    got = read(
        PAGETIDE_PORT="tcp://10.0.0.7:80",
        PAGETIDE_HEALTH_PORT="udp://10.0.0.7:81",
        PAGETIDE_SERVICE_HOST="10.0.0.7",
        PAGETIDE_SERVICE_PORT_HTTP="80",
        PAGETIDE_PORT_80_TCP_ADDR="10.0.0.7",
        PAGETIDE_REDIS_PORT="tcp://10.0.0.8:6379",
    )
    assert (got.port, got.health_port) == (8000, 0)
    assert not caplog.records


# What is wrong with them.


def test_an_unknown_name_is_refused_with_the_nearest(config: Path) -> None:
    config.write_text('stroe = "memory:"')
    told = refused(PAGETIDE_CONFIG=config)
    assert "'stroe'; did you mean store?" in told
    assert str(config) in told


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("port = '80'", "a whole number in port, not text."),
        ("port = true", "a whole number in port, not yes or no."),
        ("port = 80.0", "a whole number in port, not a number."),
        ("idle_s = nan", "a number in idle_s, not a number."),
        ("cache = 1", "yes or no in cache, not a number."),
        ("host = 1", "text in host, not a number: write it in quotes."),
        ("host = [1]", "not a list, a table or a date"),
        ("min_workers = [1]", "gpu = 0} in min_workers."),
        ("[pools]\ncpu = []", "in pools: see 'cpu'."),
        ("[compat]\ntextract = 1", "in compat: see 'textract'."),
        ("[store]\nurl = 'pt_geheim'", "text in store, not a list, a table or a date"),
        ("key = 'pt_geheim\\u0000'".replace("'", '"'), "text in key, not text"),
        ("key = ['pt_geheim']", "text in key, not a list"),
    ],
)
def test_a_wrong_type_is_refused(config: Path, line: str, told: str) -> None:
    config.write_text(line)
    assert told in refused(PAGETIDE_CONFIG=config)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"host = 'x'\nkey = pt_geheim", "is not TOML: line 2."),
        (b"key = 'pt_geheim'\nkey = 'pt_geheim'\n", "is not TOML: line 2."),
        (b"key = 'pt_geheim", "is not TOML: its end."),
        (b"port = " + b"1" * 5000, "is not TOML: its end."),
        (b"pools = " + b"[" * 5000, "is not TOML: its end."),
        (b"\xff\xfe", "is not UTF-8."),
        (b"#" * (1 << 20) + b"x", "is longer than 1 MiB."),
    ],
)
def test_what_is_no_settings_file_is_told_in_a_sentence(
    config: Path, content: bytes, told: str
) -> None:
    config.write_bytes(content)
    message = refused(PAGETIDE_CONFIG=config)
    assert message == f"The file {config}, named by PAGETIDE_CONFIG, {told}"


def test_files_and_folders_that_are_not_there_are_told_of(tmp_path: Path) -> None:
    gone = tmp_path / SECRET  # as if somebody put the secret where its file belongs
    missing = "cannot be read: No such file or directory."
    assert refused(PAGETIDE_CONFIG=tmp_path / "gone").endswith(missing)
    assert refused(PAGETIDE_KEY_FILE=gone) == f"The file that PAGETIDE_KEY_FILE names {missing}"
    assert refused(PAGETIDE_SECRETS_DIR=gone) == (
        f"The folder named by PAGETIDE_SECRETS_DIR {missing}"
    )
    assert refused(PAGETIDE_CONFIG=tmp_path).endswith("is not a file.")


def test_a_value_and_a_file_for_it_is_one_too_many(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(SECRET)
    told = refused(PAGETIDE_KEY="x", PAGETIDE_KEY_FILE=tmp_path / "key")
    assert told == "Set PAGETIDE_KEY or PAGETIDE_KEY_FILE, not both."


def test_a_folder_with_two_files_of_one_setting_is_refused(folder: Path) -> None:
    (folder / "key").write_text(SECRET)
    (folder / "PAGETIDE_KEY").write_text(SECRET)
    assert refused(PAGETIDE_SECRETS_DIR=folder).endswith("contains key twice.")


def test_a_value_that_a_setting_cannot_have_names_it(tmp_path: Path, folder: Path) -> None:
    assert refused(PAGETIDE_PORT="x") == "PAGETIDE_PORT must be a whole number, not 'x'."
    assert refused(PAGETIDE_IDLE_S="nan") == "PAGETIDE_IDLE_S must be a number, not 'nan'."
    (tmp_path / "x").write_text(SECRET)
    assert refused(PAGETIDE_PORT_FILE=tmp_path / "x") == (
        "The file that PAGETIDE_PORT_FILE names must hold a whole number."
    )
    (folder / "cache").write_text(SECRET)
    assert "The file cache in the folder" in refused(PAGETIDE_SECRETS_DIR=folder)
    assert refused(PAGETIDE_KEY=f"{SECRET}\0") == "PAGETIDE_KEY must be text."


def test_no_secret_is_shown(folder: Path) -> None:
    secret = [each for each in Settings.known().values() if each.secret]
    for each in secret:
        given = f"{SECRET}-{each.name}"
        table = f'{{gpu = "{given}"}}' if each.name == "queues" else f"a.b = '{given}'"
        (folder / each.name).write_text(table if each.shape else given)
    got = read(PAGETIDE_SECRETS_DIR=folder)
    assert got.azure_connection == f"{SECRET}-azure_connection"
    assert SECRET not in repr(got)
    named = {each.name for each in secret}
    assert {"store", "queue", "queues", "compat", "key", "vl_key", "azure_key"} <= named


# What is none.


def test_a_variable_that_is_no_setting_is_logged_once(
    caplog: pytest.LogCaptureFixture, folder: Path
) -> None:
    (folder / "stroe").write_text(SECRET)
    (folder / "unlike-any").write_text(SECRET)
    told = {
        "PAGETIDE_STROE": SECRET,
        "PAGETIDE_STROE_FILE": SECRET,
        "PAGETIDE_SECRETS_DIR": folder,
        "PAGETIDE_TEST_REQUIRE": "all",
        "PAGETIDE_XYZZY": SECRET,
        "STORE": "x",
    }
    assert read(**told) == read(**told) == Settings()
    assert [record.getMessage() for record in caplog.records] == [
        "PAGETIDE_STROE is not a setting; did you mean PAGETIDE_STORE?",
        "PAGETIDE_STROE_FILE is not a setting",
        "PAGETIDE_XYZZY is not a setting",
        "PAGETIDE_SECRETS_DIR contains stroe, which is not a setting; did you mean store?",
        "PAGETIDE_SECRETS_DIR contains unlike-any, which is not a setting",
    ]
    assert {record.levelno for record in caplog.records} == {logging.WARNING}


# What a child gets.

CHANGED = Settings(
    threads=3,
    idle_s=float("inf"),
    cache=False,
    offline=True,
    host="::1",
    store="memory:",
    key="a=b\n c",
    min_workers={"cpu": 1, "gpu": 0},
    languages=("ru", "ko"),
    queues={"gpu": "redis://:a\\'\"b\x7f@h"},
    aliases={"PaddleOCR-VL-1.5 ü\n": "paddleocr-vl?version=1.5"},
    compat={
        "textract": {"buckets": {"scans@ab": "s3://b"}, "some": [1, 0.5, True, {"a": "b"}]}
    },
)


def test_a_child_gets_the_same_settings(alone: pytest.MonkeyPatch) -> None:
    assert Settings.from_environment(CHANGED.as_environment()) == CHANGED
    code = (
        "import dataclasses, json; from pagetide.settings import Settings;"
        "print(json.dumps(dataclasses.asdict(Settings.from_environment())))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=CHANGED.as_environment(), capture_output=True
    )
    assert done.stderr == b""
    again = json.loads(done.stdout)
    assert again == json.loads(json.dumps(asdict(CHANGED)))


@pytest.fixture
def by_files(
    alone: pytest.MonkeyPatch, config: Path, folder: Path, tmp_path: Path
) -> Mapping[str, Path]:
    """Secrets of this process that come from a config, a folder, and a file each."""
    config.write_text(f'port = 81\nqueue = "redis://:{SECRET}@h/0"\nblobs = "file:///b"\n')
    (folder / "store").write_text(f"postgresql://u:{SECRET}@h/d")
    (tmp_path / "key").write_text(SECRET)
    (tmp_path / "host").write_text("::1")
    files = {
        "PAGETIDE_CONFIG": config,
        "PAGETIDE_SECRETS_DIR": folder,
        "PAGETIDE_KEY_FILE": tmp_path / "key",
        "PAGETIDE_HOST_FILE": tmp_path / "host",
    }
    for name, file in files.items():
        alone.setenv(name, str(file))
    return files


def test_a_secret_in_a_file_stays_there(by_files: Mapping[str, Path]) -> None:
    settings = Settings.from_environment()
    environment = settings.as_environment()
    assert SECRET not in "".join(environment.values())
    assert "PAGETIDE_HOST_FILE" not in environment
    assert Settings.from_environment(environment) == settings


@pytest.mark.parametrize("name", ["key", "store", "queue", "port", "host"])
def test_what_a_child_is_given_goes_before_the_files(
    by_files: Mapping[str, Path], name: str
) -> None:
    value = 82 if name == "port" else "memory:"
    changed = replace(Settings.from_environment(), **{name: value})  # type: ignore[arg-type]
    assert Settings.from_environment(changed.as_environment()) == changed


@pytest.mark.parametrize("content", [b"rotated", b"\xff", None])
@pytest.mark.parametrize("file", ["key", "secrets/store", "pagetide.toml"])
def test_a_file_that_has_changed_changes_no_child(
    by_files: Mapping[str, Path], tmp_path: Path, file: str, content: bytes | None
) -> None:
    settings = Settings.from_environment()
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_bytes(content)
    assert Settings.from_environment(settings.as_environment()) == settings


def test_a_child_does_not_warn_again(
    alone: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    alone.setenv("PAGETIDE_STROE", "x")
    environment = Settings.from_environment().as_environment()
    assert environment["PAGETIDE_STROE"] == "x"
    settings_sources._warn.cache_clear()
    Settings.from_environment(environment)
    assert len(caplog.records) == 1


# What is no URL.


@pytest.mark.parametrize("name", ["store", "blobs", "results", "queue"])
@pytest.mark.parametrize(
    "value",
    [
        SECRET,
        f"DefaultEndpointsProtocol=https;AccountName=ada;AccountKey={SECRET};",
        f"AccountName=ada;AccountKey={SECRET};BlobEndpoint=https://a.example",
    ],
)
def test_what_is_no_url_is_refused_unseen(name: str, value: str) -> None:
    given = {"store": "memory:", "blobs": "memory:", name: value}
    settings = Settings(**given)  # type: ignore[arg-type]
    with pytest.raises(BadOption) as refusal:
        _opener(name)(settings)
    assert refusal.value.message.startswith(f"PAGETIDE_{name.upper()} is no URL; known: ")
    assert SECRET not in refusal.value.message


def test_a_kind_that_is_not_known_is_named_with_those_that_are() -> None:
    for opened in (wiring.open_store, wiring.migrate_store):
        with pytest.raises(BadOption, match=r"'postgres', which is not known; .* postgresql"):
            opened(Settings(store=f"postgres://ada:{SECRET}@db/pagetide"))


def _opener(name: str) -> Callable[[Settings], object]:
    if name == "queue":
        return lambda settings: wiring.open_queue(settings, MemoryNotifications())
    return wiring.open_store if name == "store" else wiring.open_blobs


# More than one value.

POOLS = {"cpu": ("structure-lite", "pp-ocrv6"), "gpu": ("paddleocr-vl",)}


@pytest.mark.parametrize(
    "text",
    [
        '{cpu = ["structure-lite", "pp-ocrv6"], gpu = ["paddleocr-vl"]}',
        '  {cpu = "structure-lite, pp-ocrv6", gpu = "paddleocr-vl"}  # by pool',
        'cpu = "structure-lite,pp-ocrv6"\ngpu = ["paddleocr-vl"]',
        '\n# by pool\ncpu = [\n  "structure-lite",\n  "pp-ocrv6",\n]\ngpu = "paddleocr-vl"\n',
    ],
)
def test_a_table_is_the_same_in_a_variable_and_in_files(
    text: str, config: Path, folder: Path
) -> None:
    (folder / "pools").write_text(text)
    found = [
        read(PAGETIDE_POOLS=text),
        read(PAGETIDE_SECRETS_DIR=folder),
        read(PAGETIDE_POOLS_FILE=folder / "pools"),
    ]
    config.write_text(f"[pools]\n{text}" if "{" not in text else f"pools = {text.strip()}")
    found.append(read(PAGETIDE_CONFIG=config))
    assert [each.pools for each in found] == [POOLS] * 4


@pytest.mark.parametrize("text", ["ru,ko", " ru, ko, ", '["ru", "ko"]', '[\n"ru",\n"ko",\n]'])
def test_a_list_is_words_split_by_commas_or_toml(text: str) -> None:
    settings = read(
        PAGETIDE_LANGUAGES=text, PAGETIDE_WARM_MODELS=text, PAGETIDE_ALLOW_HOSTS=text
    )
    assert settings.languages == settings.warm_models == settings.allow_hosts == ("ru", "ko")
    assert settings.languages_of("gpu") == ("ru", "ko")


def test_a_model_with_options_is_a_word() -> None:
    settings = read(PAGETIDE_WARM_MODELS="fake?slow=5,paddleocr-vl?version=1.5&tables=no")
    assert settings.warm_models == ("fake?slow=5", "paddleocr-vl?version=1.5&tables=no")


def test_what_is_by_pool_is_that_pools_alone() -> None:
    by_pool = read(PAGETIDE_LANGUAGES='{gpu = "ru"}', PAGETIDE_MIN_WORKERS="{gpu = 2}")
    assert (by_pool.languages_of("gpu-next"), by_pool.languages_of("cpu")) == (("ru",), ())
    assert (by_pool.least_workers("gpu"), by_pool.least_workers("cpu")) == (2, 0)
    assert read(PAGETIDE_MIN_WORKERS="2").least_workers("cpu") == 2


@pytest.mark.parametrize(
    "name", [name for name, each in Settings.known().items() if each.shape]
)
def test_nothing_is_the_default_as_kubernetes_and_compose_set_it(name: str) -> None:
    assert read(**{f"PAGETIDE_{name.upper()}": ""}) == Settings()


def test_names_of_other_services_may_hold_anything() -> None:
    text = '{PP-StructureV3 = "structure-lite", "PaddleOCR-VL-1.5" = "paddleocr-vl"}'
    settings = read(PAGETIDE_ALIASES=text)
    assert settings.model_named("pp-structurev3") == "structure-lite"
    assert settings.model_named("PaddleOCR-VL-1.5") == "paddleocr-vl"
    assert settings.model_named("PaddleOCR-VL") is None


def test_a_canary_is_a_pool_and_a_share() -> None:
    assert read(PAGETIDE_CANARY="{cpu-v2 = 0.25}").canary_share == ("cpu-v2", 0.25)
    assert read().canary_share is None


WRONG = [
    ("POOLS", "cpu", ": it is not a table."),
    ("POOLS", "cpu=fake;gpu=fake", ": it is not TOML."),
    ("POOLS", '{cpu = "fake"', ": it is not TOML."),
    ("POOLS", '{cpu = "fake"}\nlease_s = 1', ": it is more than one table."),
    ("POOLS", 'cpu = "fake"\n[gpu]', ": it is more than one table."),
    ("POOLS", "[" * 5000, ": it is not TOML."),
    ("POOLS", '{cpu = "fake", cpu = "fake"}', ": it is not TOML."),
    ("POOLS", '["cpu"]', ": it is not a table."),
    ("POOLS", "{cpu = 1}", ": see 'cpu'."),
    ("POOLS", "{cpu = [1]}", ": see 'cpu'."),
    ("POOLS", '{cpu = [""]}', ": see 'cpu'."),
    ("POOLS", '{cpu = " , "}', ": see 'cpu'."),
    ("POOLS", '{"" = "fake"}', ": one of its keys cannot be a key."),
    ("POOLS", '{Cpu = "fake"}', ": 'Cpu' cannot be a key."),
    ("POOLS", '{cpu-next = "fake"}', ": 'cpu-next' cannot be a key."),
    ("POOLS", f'{{{"a" * 17} = "fake"}}', f": '{'a' * 17}' cannot be a key."),
    ("LANGUAGES", "gpu=ru;cpu=ko", ": it is not TOML."),
    ("LANGUAGES", '{gpu = {a = "ru"}}', ": see 'gpu'."),
    ("LANGUAGES", '{GPU = "ru"}', ": 'GPU' cannot be a key."),
    ("ALIASES", "vlm=paddleocr-vl", ": it is not TOML."),
    ("ALIASES", '{vlm = " "}', ": see 'vlm'."),
    ("ALIASES", '{" " = "paddleocr-vl"}', ": one of its keys cannot be a key."),
    ("ALIASES", '{VL-1.5 = "paddleocr-vl"}', ": see 'VL-1'."),
    ("CANARY", "{cpu = 0.5}", ": 'cpu' cannot be a key."),
    ("CANARY", "{cpu-Next = 1}", ": 'cpu-Next' cannot be a key."),
    ("CANARY", "{cpu-next = nan}", ": see 'cpu-next'."),
    ("CANARY", "{cpu-next = true}", ": see 'cpu-next'."),
    ("CANARY", "{cpu-next = 10}", ": see 'cpu-next'."),
    ("MIN_WORKERS", "x", "."),
    ("MIN_WORKERS", "-1", "."),
    ("MIN_WORKERS", "1" * 5000, "."),
    ("MIN_WORKERS", "{cpu = true}", ": see 'cpu'."),
    ("MIN_WORKERS", "{cpu = 1.5}", ": see 'cpu'."),
    ("QUEUES", f"gpu=redis://:{SECRET}@h", ": it is not TOML."),
    ("QUEUES", f'{{"redis://:{SECRET}@h" = "gpu"}}', ": one of its keys cannot be a key."),
    ("QUEUES", f'{{gpu = ["{SECRET}"]}}', ": see 'gpu'."),
    ("COMPAT", f'{{textract = "{SECRET}"}}', ": see 'textract'."),
    ("COMPAT", f'{{"a b" = {{a = "{SECRET}"}}}}', ": one of its keys cannot be a key."),
    ("WARM_MODELS", '{a = "b"}', "."),
    ("ALLOW_HOSTS", "[1]", "."),
]


@pytest.mark.parametrize(("name", "text", "told"), WRONG)
def test_what_a_setting_of_several_values_cannot_be_is_told(
    name: str, text: str, told: str, tmp_path: Path
) -> None:
    variable = f"PAGETIDE_{name}"
    wanted = Settings.known()[name.lower()].wanted
    said = refused(**{variable: text})
    assert said == f"{variable} must be {wanted}{told}"
    (tmp_path / "given").write_text(text)
    said = refused(**{f"{variable}_FILE": tmp_path / "given"})
    assert said == f"The file that {variable}_FILE names must hold {wanted}{told}"


def test_a_canary_is_one_pool() -> None:
    told = refused(PAGETIDE_CANARY="{cpu-a = 0.1, cpu-b = 0.1}")
    assert told == "PAGETIDE_CANARY must name at most one pool."


@pytest.mark.parametrize("name", ["PAGETIDE_REVIEW_BELOW", "PAGETIDE_REVIEW_SAMPLE"])
def test_a_share_is_between_0_and_1(name: str) -> None:
    assert refused(**{name: "80"}) == f"{name} must be between 0 and 1."
    assert refused(**{name: "-0.1"}).startswith(name)


# What is written about them.


def test_every_setting_is_described() -> None:
    topics = Settings.__mro__[1:-1]
    described = [
        name
        for each in topics
        for name in re.findall(r"^    (\w+): ", inspect.cleandoc(each.__doc__ or ""), re.M)
    ]
    named = [name for each in topics for name in inspect.get_annotations(each)]
    assert described == named and set(named) == set(Settings.known())


def test_the_examples_of_the_how_to_can_be_read(config: Path) -> None:
    text = HOW_TO.read_text(encoding="utf-8")
    examples = re.findall(r"```toml\n(.*?)```", text, re.S)
    assert examples
    for example in examples:
        config.write_text(example, encoding="utf-8")
        got = read(PAGETIDE_CONFIG=config)
        given = tomllib.loads(example)
        read_back = {name: getattr(got, name) for name in given}
        assert json.loads(json.dumps(read_back)) == given


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("PAGETIDE_CONCURRENCY", "0", "PAGETIDE_CONCURRENCY must be more than 0, not 0."),
        ("PAGETIDE_LEASE_S", "0", "PAGETIDE_LEASE_S must be more than 0, not 0."),
        ("PAGETIDE_LEASE_S", "-3.5", "PAGETIDE_LEASE_S must be more than 0, not -3.5."),
        ("PAGETIDE_MAX_WORKERS", "-1", "PAGETIDE_MAX_WORKERS must be 0 or more, not -1."),
    ],
)
def test_a_number_with_which_nothing_could_be_done_is_refused(
    variable: str, value: str, told: str
) -> None:
    with pytest.raises(BadOption) as refused:
        Settings.from_environment({variable: value})
    assert refused.value.message == told


def test_a_number_may_be_0_where_that_means_something() -> None:
    settings = Settings.from_environment({"PAGETIDE_MAX_WORKERS": "0", "PAGETIDE_IDLE_S": "0"})
    assert (settings.max_workers, settings.idle_s) == (0, 0.0)
