"""Nothing is sent but to the configured address."""

from __future__ import annotations

import pytest
from openai import APIConnectionError

from offbook.errors import ConfigurationError, ModelError
from offbook.models.clients import client_for, close_clients, forbid_requests
from offbook.models.openai_compatible import OpenAICompatible
from offbook.prompts.ask import ask
from offbook.prompts.profile import PROFILE, ProfileInputs


async def test_a_request_to_another_address_is_stopped(loopback):
    client = client_for(loopback.base_url, "sk-key")
    elsewhere = client.with_options(base_url="http://127.0.0.1:9/v1")
    # Older versions of the SDK wrap what a hook raises.
    with pytest.raises((ConfigurationError, APIConnectionError)) as caught:
        await elsewhere.models.list()
    assert "does not go to" in f"{caught.value} {caught.value.__cause__}"
    assert loopback.count() == 0


async def test_a_redirect_is_not_followed(loopback):
    loopback.always("redirect")
    model = OpenAICompatible(loopback.base_url, "m", "sk-key")
    with pytest.raises(ModelError, match="307"):
        await ask(model, PROFILE, ProfileInputs("Ada", ("Ada counts.",)))


async def test_clients_are_made_anew_after_they_were_closed(loopback):
    first = client_for(loopback.base_url, None)
    await close_clients()
    assert client_for(loopback.base_url, None) is not first


async def test_a_ban_ends_where_it_ends(loopback):
    with forbid_requests(), pytest.raises(ConfigurationError, match="forbidden"):
        client_for(loopback.base_url, None)
    assert client_for(loopback.base_url, None)
