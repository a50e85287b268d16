"""Keys go only where the person who gave them, or someone more trusted, sent them."""

import pytest

from offbook.errors import ConfigurationError
from offbook.settings import load_settings
from offbook.settings.endpoints import OPENAI_ADDRESS, endpoint_of


@pytest.fixture
def load(tmp_path):
    def run(environment=None, project="", user="", flags=None):
        (tmp_path / "offbook.toml").write_text(project)
        (tmp_path / "config.toml").write_text(user)
        return load_settings(flags, environment or {}, tmp_path, tmp_path / "config.toml")

    return run


def test_the_embedded_default_needs_no_address(load):
    settings = load({"OPENAI_API_KEY": "sk-1"})
    assert endpoint_of(settings, "chat").embedded
    assert endpoint_of(settings, "embed").embedded
    assert endpoint_of(settings, "judge").embedded
    assert endpoint_of(settings, "judge").api_key is None


def test_openais_key_goes_to_openais_address(load):
    endpoint = endpoint_of(load({"OPENAI_API_KEY": "sk-1", "OFFBOOK_CHAT_MODEL": "gpt-x"}), "chat")
    assert (endpoint.base_url, endpoint.api_key) == (OPENAI_ADDRESS, "sk-1")


def test_openais_key_goes_with_openais_base_url(load):
    env = {
        "OPENAI_API_KEY": "sk-1",
        "OPENAI_BASE_URL": "http://proxy.example/v1/",
        "OFFBOOK_CHAT_MODEL": "m",
    }
    endpoint = endpoint_of(load(env), "chat")
    assert (endpoint.base_url, endpoint.api_key) == ("http://proxy.example/v1", "sk-1")


def test_openais_key_does_not_go_to_another_address(load):
    env = {
        "OPENAI_API_KEY": "sk-1",
        "OFFBOOK_CHAT_MODEL": "m",
        "OFFBOOK_CHAT_BASE_URL": "http://127.0.0.1:11434/v1",
    }
    assert endpoint_of(load(env), "chat").api_key is None


@pytest.mark.parametrize("where", ["environment", "user", "flag"])
def test_a_project_file_cannot_send_a_key_elsewhere(load, where):
    project = "[chat]\nmodel = 'm'\nbase_url = 'http://collector.example/v1'\n"
    settings = load(
        {"OFFBOOK_CHAT_API_KEY": "sk-mine"} if where == "environment" else {},
        project,
        "[chat]\napi_key = 'sk-mine'\n" if where == "user" else "",
        {"chat.api_key": "sk-mine"} if where == "flag" else None,
    )
    with pytest.raises(ConfigurationError, match=r"collector\.example") as caught:
        endpoint_of(settings, "chat")
    assert "sk-mine" not in str(caught.value)
    assert caught.value.exit_code == 3


def test_a_project_file_cannot_send_chats_key_elsewhere_through_another_role(load):
    project = "[judge]\nmodel = 'm'\nbase_url = 'http://collector.example/v1'\n"
    env = {
        "OFFBOOK_CHAT_MODEL": "m",
        "OFFBOOK_CHAT_API_KEY": "sk-mine",
        "OFFBOOK_CHAT_BASE_URL": "http://good.example/v1",
    }
    assert endpoint_of(load(env, project), "judge").api_key is None
    embed = "[embed]\nmodel = 'e'\nbase_url = 'http://collector.example/v1'\n"
    assert endpoint_of(load(env, embed), "embed").api_key is None


def test_a_projects_own_key_may_go_to_its_own_address(load):
    project = "[chat]\nmodel = 'm'\nbase_url = 'http://team.example/v1'\napi_key = 'sk-team'\n"
    assert endpoint_of(load(project=project), "chat").api_key == "sk-team"


def test_a_projects_key_may_go_to_a_more_trusted_address(load):
    env = {"OFFBOOK_CHAT_BASE_URL": "http://mine.example/v1"}
    settings = load(env, "[chat]\nmodel='m'\napi_key='sk-team'\n")
    assert endpoint_of(settings, "chat").api_key == "sk-team"


def test_roles_take_over_what_chat_has(load):
    env = {
        "OFFBOOK_CHAT_MODEL": "big",
        "OFFBOOK_CHAT_API_KEY": "sk-1",
        "OFFBOOK_CHAT_BASE_URL": "http://h.example/v1",
        "OFFBOOK_EXTRACT_MODEL": "small",
    }
    extract = endpoint_of(load(env), "extract")
    assert (extract.model, extract.base_url, extract.api_key) == (
        "small",
        "http://h.example/v1",
        "sk-1",
    )
    assert endpoint_of(load(env), "judge").model == "big"
    # Whatever fails there is told with the settings that name it.
    assert [endpoint_of(load(env), role).section for role in ("extract", "judge")] == [
        "extract",
        "chat",
    ]


def test_an_embedder_alone_goes_where_chat_would(load):
    """Not to OpenAI, with OpenAI's key, where a server of one's own is named."""
    env = {
        "OPENAI_API_KEY": "sk-openai",
        "OFFBOOK_CHAT_BASE_URL": "http://127.0.0.1:11434/v1",
        "OFFBOOK_EMBED_MODEL": "e",
    }
    endpoint = endpoint_of(load(env), "embed")
    assert (endpoint.base_url, endpoint.api_key) == ("http://127.0.0.1:11434/v1", None)


def test_openais_key_does_not_go_where_a_project_says_even_to_openai(load):
    project = f"[chat]\nmodel = 'm'\nbase_url = '{OPENAI_ADDRESS}'\n"
    with pytest.raises(ConfigurationError, match="environment"):
        endpoint_of(load({"OPENAI_API_KEY": "sk-1"}, project), "chat")


def test_a_role_with_its_own_key(load):
    env = {
        "OFFBOOK_JUDGE_MODEL": "j",
        "OFFBOOK_JUDGE_API_KEY": "sk-j",
        "OFFBOOK_JUDGE_BASE_URL": "http://judge.example/v1",
    }
    settings = load(env)
    assert endpoint_of(settings, "judge").api_key == "sk-j"
    assert endpoint_of(settings, "chat").embedded


@pytest.mark.parametrize("url", ["ftp://x", "localhost:11434", "http://", "file:///etc/passwd"])
def test_an_address_must_be_http(load, url):
    settings = load({"OFFBOOK_CHAT_MODEL": "m", "OFFBOOK_CHAT_BASE_URL": url})
    with pytest.raises(ConfigurationError, match="http"):
        endpoint_of(settings, "chat")


def test_an_address_carries_no_password(load):
    env = {"OFFBOOK_CHAT_MODEL": "m", "OFFBOOK_CHAT_BASE_URL": "http://me:secret@h.example/v1"}
    with pytest.raises(ConfigurationError) as caught:
        endpoint_of(load(env), "chat")
    assert "secret" not in str(caught.value)


def test_the_key_is_not_in_the_repr(load):
    env = {"OFFBOOK_CHAT_MODEL": "m", "OPENAI_API_KEY": "sk-1"}
    assert "sk-1" not in repr(endpoint_of(load(env), "chat"))
