"""Settings: precedence, origins, masking, and errors that say how to mend them."""

import errno
from pathlib import Path

import pytest

from offbook import registry
from offbook.errors import ConfigurationError
from offbook.settings import load_settings
from offbook.settings.loading import environment_name
from offbook.settings.model import setting_names
from offbook.settings.presets import OF_METHODS


@pytest.fixture
def load(tmp_path):
    """Load from files with the given text, in a folder of their own."""

    def run(flags=None, environment=None, project=None, user=None):
        folder = tmp_path / "project" / "below"
        folder.mkdir(parents=True, exist_ok=True)
        if project is not None:
            (tmp_path / "project" / "offbook.toml").write_text(project)
        user_file = tmp_path / "config.toml"
        if user is not None:
            user_file.write_text(user)
        return load_settings(flags, environment or {}, folder, user_file)

    return run


def test_without_any_source_the_embedded_model_answers(load):
    settings = load(environment={"OPENAI_API_KEY": "sk-x", "OPENAI_BASE_URL": "http://elsewhere"})
    assert settings.values.chat.model == "offline"
    assert settings.values.embed.model == "builtin"
    assert settings.origin("chat.model").label == "default"


def test_a_list_is_written_with_commas_between(load):
    told = load(environment={"OFFBOOK_GRAPH_ENTITY_TYPES": "person, place,thing"})
    assert told.values.graph.entity_types == ("person", "place", "thing")
    with pytest.raises(ConfigurationError, match="entity_types"):
        load(environment={"OFFBOOK_GRAPH_ENTITY_TYPES": " , "})


def test_flag_beats_environment_beats_project_beats_user_beats_default(load):
    project, user = "[naive]\nk = 5\n", "[naive]\nk = 7\n"
    env = {"OFFBOOK_NAIVE_K": "6"}
    assert load({"naive.k": 4}, env, project, user).values.naive.k == 4
    assert load(None, env, project, user).values.naive.k == 6
    assert load(None, {}, project, user).values.naive.k == 5
    assert load(None, {}, "", user).values.naive.k == 7
    assert load(None, {}, "", "").values.naive.k == 3


def test_the_project_file_is_found_in_a_folder_above(load):
    assert load(project="method = 'profile'").origin("method").label.startswith("project ")


@pytest.mark.parametrize(
    ("name", "variable"),
    [
        ("limits.concurrency", "OFFBOOK_CONCURRENCY"),
        ("limits.budget_usd", "OFFBOOK_BUDGET_USD"),
        ("chat.base_url", "OFFBOOK_CHAT_BASE_URL"),
        ("extract.model", "OFFBOOK_EXTRACT_MODEL"),
        ("judge.model", "OFFBOOK_JUDGE_MODEL"),
        ("embed.model", "OFFBOOK_EMBED_MODEL"),
        ("database.url", "OFFBOOK_DATABASE_URL"),
        ("home", "OFFBOOK_HOME"),
        ("preset", "OFFBOOK_PRESET"),
    ],
)
def test_the_variables_of_the_contract(name, variable):
    assert name in setting_names()
    assert environment_name(name) == variable


def test_every_setting_has_a_meaning():
    assert [name for name, meaning in setting_names().items() if not meaning] == []


def test_the_faithful_preset_sets_what_nothing_else_sets(load):
    assert load({"preset": "faithful"}).values.retrieval.mode == "dense"
    assert load({"preset": "faithful"}).origin("retrieval.mode").label == "preset faithful"
    mixed = load({"preset": "faithful"}, {"OFFBOOK_RETRIEVAL_MODE": "lexical"})
    assert mixed.values.retrieval.mode == "lexical"


@pytest.mark.parametrize(
    ("method", "stance", "tokens"),
    [
        ("vanilla", "open", 30_000),
        ("profile", "open", 30_000),
        ("rolerag", "grounded", 30_000),
        ("amadeus", "in_character", 30_000),
        ("raptor", "in_character", 2_000),
        ("lightrag", "in_character", 12_000),
    ],
)
def test_faithful_sets_for_a_method_what_its_paper_says(load, method, stance, tokens):
    settings = load({"preset": "faithful", "method": method})
    assert settings.values.reply.stance == stance
    assert settings.values.context.budget_tokens == tokens
    assert settings.values.context.voice_samples == 0
    assert load({"method": method}).values.reply.stance == "in_character"
    chosen = load({"preset": "faithful", "method": method, "reply.stance": "open"})
    assert chosen.values.reply.stance == "open"
    other = settings.overlaid({"method": "naive"}).values
    assert (other.reply.stance, other.context.budget_tokens) == ("in_character", 30_000)


def test_what_a_preset_sets_for_a_method_is_a_setting_of_a_method_that_there_is():
    for of_method in OF_METHODS.values():
        assert set(of_method) <= set(registry.names("method"))
        assert {name for values in of_method.values() for name in values} <= set(setting_names())


def test_prices_take_model_names_with_dots(load):
    settings = load(user='[prices."gpt-4.1-mini"]\nprompt = 0.4\ncompletion = 1.6\n')
    assert settings.values.prices["gpt-4.1-mini"].completion == 1.6
    row = next(row for row in settings.rows() if row[0] == "prices.gpt-4.1-mini.prompt")
    assert row[1] == "0.4"
    assert row[2].startswith("user ")


def test_secrets_are_masked(load):
    env = {
        "OFFBOOK_CHAT_API_KEY": "sk-very-secret",
        "OFFBOOK_DATABASE_URL": "postgresql://me:hunter2@db.example:5433/book",
    }
    settings = load(None, env)
    shown = repr(settings.values) + str(settings.rows())
    assert "sk-very-secret" not in shown
    assert "hunter2" not in str(settings.rows())
    assert ("database.url", "postgresql://me:********@db.example:5433/book", "environment") in (
        settings.rows()
    )


def test_the_environment_is_not_shown_with_the_settings(load):
    settings = load(environment={"OPENAI_API_KEY": "sk-x", "AWS_SECRET": "s3", "HOME": "/here"})
    assert "sk-x" not in repr(settings)
    assert "s3" not in repr(settings)
    assert settings.openai == {"OPENAI_API_KEY": "sk-x"}


@pytest.mark.parametrize("name", ["database.url", "chat.base_url", "embed.base_url"])
@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:////home/me/x.db", "sqlite:////home/me/x.db"),
        ("postgresql://me@db/book", "postgresql://me@db/book"),
        ("postgresql://me:p@ss:w@db:1/book", "postgresql://me:********@db:1/book"),
        ("postgresql://me:hunter2@db:port/book", "postgresql://me:********@db:port/book"),
        ("postgresql://db/book?password=hunter2&x=1", "postgresql://db/book?password=********&x=1"),
        ("http://me:hunter2@h.example/v1", "http://me:********@h.example/v1"),
        ("http://hunter2@h.example/v1", "http://********@h.example/v1"),
        ("http://h.example/v1?a=b&api_key=hunter2", "http://h.example/v1?a=b&api_key=********"),
        ("postgresql://me:hunter two@db/book", "postgresql://me:********@db/book"),
        ("postgresql:me:hunter2@db", "postgresql:me:********@db"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1"),
    ],
)
def test_a_password_is_masked_wherever_it_stands(load, name, url, shown):
    settings = load({name: url})
    assert settings.plain(name) == shown
    assert (name, shown, "flag") in settings.rows()


def test_an_unknown_name_names_the_nearest(load):
    with pytest.raises(ConfigurationError) as caught:
        load({"chat.modle": "x"})
    assert "chat.modle" in caught.value.message
    assert "chat.model" in caught.value.hint
    with pytest.raises(ConfigurationError, match="nothing_like_it"):
        load(project="nothing_like_it_at_all = 1")


def test_an_unknown_variable_is_a_warning_not_an_error(load):
    settings = load(None, {"OFFBOOK_CHAT_MODLE": "x"})
    assert settings.warnings == (
        "environment variable OFFBOOK_CHAT_MODLE is not a setting;"
        " did you mean OFFBOOK_CHAT_MODEL?",
    )


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        ({"naive.k": "many"}, "naive.k"),
        ({"naive.k": 0}, "naive.k"),
        ({"preset": "best"}, "preset"),
        ({"limits.concurrency": 0}, "limits.concurrency"),
        ({"prices.m.prompt": -1, "prices.m.completion": 1}, "prices.m.prompt"),
        ({"prices.m.prompt": 1}, "prices.m.completion"),
    ],
)
def test_a_value_that_is_not_allowed_is_named_with_its_origin(load, flags, named):
    with pytest.raises(ConfigurationError) as caught:
        load(flags)
    assert named in caught.value.message
    meaning = setting_names().get(named, "`offbook config show` lists what can be set")
    assert caught.value.hint.endswith(meaning)
    assert caught.value.exit_code == 3


def test_a_bad_key_value_is_not_printed(load):
    with pytest.raises(ConfigurationError) as caught:
        load(user="[chat]\napi_key = 12345678\n")
    assert "12345678" not in caught.value.message


def test_a_file_that_is_not_toml_is_named(load):
    with pytest.raises(ConfigurationError, match="not valid TOML"):
        load(project="method = ")


def test_a_file_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    path = tmp_path / "config.toml"
    path.write_text("")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(type(path), "read_text", refuse)
    with pytest.raises(ConfigurationError, match="Permission denied"):
        load_settings({}, {}, tmp_path, path)


def test_the_users_file_may_be_elsewhere(tmp_path):
    (tmp_path / "mine.toml").write_text("method = 'vanilla'")
    settings = load_settings({}, {"OFFBOOK_CONFIG": str(tmp_path / "mine.toml")}, tmp_path)
    assert settings.values.method == "vanilla"
    assert settings.warnings == ()


@pytest.mark.parametrize("where", ["flag", "environment", "user"])
def test_a_second_source_is_named_by_the_person_and_not_by_a_projects_file(load, where):
    project = "[crag]\nsearcher = 'web'\n"
    with pytest.raises(ConfigurationError, match=r"crag\.searcher = 'web' from project") as error:
        load(project=project)
    assert "OFFBOOK_CRAG_SEARCHER" in error.value.hint
    assert error.value.exit_code == 3
    given = {
        "flag": {"flags": {"crag.searcher": "wiki"}},
        "environment": {"environment": {"OFFBOOK_CRAG_SEARCHER": "wiki"}},
    }.get(where, {"user": "[crag]\nsearcher = 'wiki'\n"})
    if where != "user":  # a project's file goes before the user's own
        assert load(project=project, **given).values.crag.searcher == "wiki"
    assert load(project="", **given).values.crag.searcher == "wiki"
    own = load(project="[crag]\nsearcher = 'documents'\nk = 7\n")
    assert (own.values.crag.searcher, own.values.crag.k) == ("documents", 7)
    with pytest.raises(ConfigurationError):
        load(project=project, user="[crag]\nsearcher = 'web'\n")
    assert own.overlaid({"crag.searcher": "web"}).values.crag.searcher == "web"


def test_a_folder_that_may_not_be_looked_into_is_named(load, monkeypatch):
    def is_file(path: Path) -> bool:
        raise PermissionError(errno.EACCES, "Permission denied", str(path))

    monkeypatch.setattr(Path, "is_file", is_file)
    with pytest.raises(
        ConfigurationError, match=r"offbook\.toml' cannot be looked for: Permission"
    ):
        load()
