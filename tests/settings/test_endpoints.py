"""Keys go only where the person who gave them, or someone more trusted, sent them."""

import pytest

from offbook.errors import ConfigurationError
from offbook.settings import load_settings
from offbook.settings.endpoints import endpoint_of
from offbook.settings.loading import OPENAI_ADDRESS


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


OPENAIS = {"OPENAI_API_KEY": "sk-1", "OFFBOOK_CHAT_MODEL": "m"}
TEAM = "[chat]\nmodel = 'm'\napi_key = 'sk-team'\n"
JUDGE = {
    "OFFBOOK_JUDGE_MODEL": "j",
    "OFFBOOK_JUDGE_API_KEY": "sk-j",
    "OFFBOOK_JUDGE_BASE_URL": "http://judge.example/v1",
}
LOCAL = "http://127.0.0.1:11434/v1"


@pytest.mark.parametrize(
    ("environment", "project", "role", "url", "key"),
    [
        (OPENAIS, "", "chat", OPENAI_ADDRESS, "sk-1"),
        ({**OPENAIS, "OPENAI_BASE_URL": f"{LOCAL}/"}, "", "chat", LOCAL, "sk-1"),
        ({**OPENAIS, "OFFBOOK_CHAT_BASE_URL": LOCAL}, "", "chat", LOCAL, None),
        # An embedder alone goes where chat would, not to OpenAI with OpenAI's key.
        (
            {**OPENAIS, "OFFBOOK_CHAT_BASE_URL": LOCAL, "OFFBOOK_EMBED_MODEL": "e"},
            "",
            "embed",
            LOCAL,
            None,
        ),
        # A project's own key may go to its own address, or to a more trusted one.
        ({}, f"{TEAM}base_url = '{LOCAL}'\n", "chat", LOCAL, "sk-team"),
        ({"OFFBOOK_CHAT_BASE_URL": LOCAL}, TEAM, "chat", LOCAL, "sk-team"),
        (JUDGE, "", "judge", "http://judge.example/v1", "sk-j"),
        (JUDGE, "", "chat", None, None),
    ],
)
def test_a_key_goes_to_the_address_that_it_was_given_for(
    load, environment, project, role, url, key
):
    endpoint = endpoint_of(load(environment, project), role)
    assert (endpoint.base_url, endpoint.api_key) == (url, key)


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


def test_openais_key_does_not_go_where_a_project_says_even_to_openai(load):
    project = f"[chat]\nmodel = 'm'\nbase_url = '{OPENAI_ADDRESS}'\n"
    with pytest.raises(ConfigurationError, match="environment"):
        endpoint_of(load({"OPENAI_API_KEY": "sk-1"}, project), "chat")


@pytest.mark.parametrize(
    "url",
    ["ftp://x", "localhost:1", "http://", "file:///etc/passwd", "http://me:secret@h.example/v1"],
)
def test_an_address_must_be_http_and_carries_no_password(load, url):
    settings = load({"OFFBOOK_CHAT_MODEL": "m", "OFFBOOK_CHAT_BASE_URL": url})
    with pytest.raises(ConfigurationError, match=r"chat\.base_url") as caught:
        endpoint_of(settings, "chat")
    assert "secret" not in str(caught.value)


def test_the_key_is_not_in_the_repr(load):
    env = {"OFFBOOK_CHAT_MODEL": "m", "OPENAI_API_KEY": "sk-1"}
    assert "sk-1" not in repr(endpoint_of(load(env), "chat"))


def test_an_address_that_nobody_can_read_is_named(load):
    settings = load({"OFFBOOK_CHAT_MODEL": "m", "OFFBOOK_CHAT_BASE_URL": "http://["})
    with pytest.raises(ConfigurationError, match=r"'http://\[', which is not an http"):
        endpoint_of(settings, "chat")
