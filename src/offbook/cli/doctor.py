"""``offbook doctor``: whether everything that is configured works, and how to mend what does not.

Takes: the settings.  Gives: a line a check: database, structured answers, streaming, embeddings,
silent truncation.
"""

from __future__ import annotations

from offbook.cli.globals import BaseUrl, Json, Model, settings_for

_REAL_MODELS = """\
To use a real model, name it; nothing leaves this machine until you do:
  hosted   export OPENAI_API_KEY=...  OFFBOOK_CHAT_MODEL=gpt-4.1-mini
  Ollama   export OFFBOOK_CHAT_MODEL=qwen3:8b  OFFBOOK_CHAT_BASE_URL=http://localhost:11434/v1
  vLLM     export OFFBOOK_CHAT_MODEL=Qwen/Qwen3-8B  OFFBOOK_CHAT_BASE_URL=http://localhost:8000/v1
or write the same into {file} ([chat] model, base_url, api_key)."""


def command(as_json: Json = False, model: Model = None, base_url: BaseUrl = None) -> int:
    """Check the database and the model endpoints."""
    from offbook.cli.running import print_json, say, with_offbook, write
    from offbook.settings import user_config_file

    settings = settings_for(chat__model=model, chat__base_url=base_url)
    checks = with_offbook(settings, lambda book: book.doctor())
    offline = settings.values.chat.model == "offline"
    if as_json:
        print_json({"offline": offline, "checks": [check.as_json() for check in checks]})
    else:
        for check in checks:
            write(f"{'ok  ' if check.ok else 'FAIL'} {check.name}: {check.detail}\n")
            if check.hint:
                write(f"     {check.hint}\n")
        if offline:
            say(
                "chat is the offline backend: rules, no language model; its replies are sentences"
                " of the documents.\n" + _REAL_MODELS.format(file=user_config_file())
            )
    return max((check.exit_code for check in checks), default=0)
