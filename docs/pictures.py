"""Makes the pictures of README.md: a conversation on the page, and one in a terminal.

Takes: nothing; it makes a home of its own, needs the extra `ui`, Playwright and Chromium.
Gives: talk.png and terminal.svg in docs/pictures, or in the folder that is named. Run it after the
looks have changed: `.venv/bin/python docs/pictures.py`.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
PATIENCE_SECONDS = 120
WIDTH, HEIGHT = 1180, 760
COLUMNS = 88
"""As wide as a README shows without scrolling."""

ADA = """# Ada Byrne

Ada Byrne keeps the lighthouse on Skerry Rock. She was born in Galway in 1861.

Ada's brother Thomas Byrne taught her to trim the lamp when she was nine. Everybody called him Tom.

Tom drowned in the gale of 1880. She took over the lamp the same night.
"""

TERMINAL = (
    'offbook create "Ada Byrne"',
    'offbook ingest "Ada Byrne" ada.md',
    'offbook ask "Ada Byrne" "When did Thomas drown?"',
    'offbook ask "Ada Byrne" "Who taught you to trim the lamp?"',
    'offbook ask "Ada Byrne" "Have you ever used a smartphone?"',
)
TALK = (
    "What did Sinbad the Sailor do for the house of Morrel?",
    "Have you ever flown in an aeroplane?",
)


def environment(home: Path) -> dict[str, str]:
    """Nothing of whoever runs this shows in the pictures."""
    known = {key: value for key, value in os.environ.items() if not key.startswith("OFFBOOK_")}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return known | {
        "PATH": path,
        "HOME": str(home),
        "OFFBOOK_HOME": str(home / "home"),
        "COLUMNS": str(COLUMNS),
    }


def run(words: list[str], home: Path) -> str:
    """Run a command; what it printed on standard output."""
    done = subprocess.run(
        words, cwd=home, env=environment(home), stdout=subprocess.PIPE, check=True, text=True
    )
    return done.stdout


def draw_terminal(home: Path, folder: Path) -> None:
    """Run the commands and draw what they print; what goes to standard error is left out."""
    (home / "ada.md").write_text(ADA, "utf-8")
    with (home / "printed").open("w") as nowhere:
        console = Console(record=True, width=COLUMNS, file=nowhere, force_terminal=True)
        for command in TERMINAL:
            printed = run(shlex.split(command), home)
            console.print(Text(f"$ {command}", style="bold green"))
            if printed:
                console.print(Text.from_ansi(printed.rstrip("\n")))
            console.print()
    # Fonts of the system: the usual form fetches one from elsewhere.
    form = re.sub(r"\s*@font-face \{\{.*?\}\}", "", CONSOLE_SVG_FORMAT, flags=re.S)
    form = form.replace("Fira Code", "ui-monospace, Menlo, Consolas").replace("arial", "sans-serif")
    svg = console.export_svg(title="offbook", code_format=form, unique_id="offbook")
    (folder / "terminal.svg").write_text(svg, "utf-8")


def draw_page(home: Path, folder: Path) -> None:
    """Ask the demo's character on the page, and take a picture with the reasons open."""
    run(["offbook", "demo"], home)
    browser = next(filter(None, map(shutil.which, BROWSERS)))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["offbook", "serve", "--port", str(port)]
    server = subprocess.Popen(command, env=environment(home), stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        arguments = ["--disable-gpu", *(["--no-sandbox"] if os.geteuid() == 0 else [])]
        with sync_playwright() as playwright:
            opened = playwright.chromium.launch(executable_path=browser, args=arguments)
            page = opened.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            page.set_default_timeout(PATIENCE_SECONDS * 1000)
            page.goto(f"http://127.0.0.1:{port}/")
            page.get_by_role("link", name="Edmond Dantès").first.click()
            why = page.locator(".exchange").get_by_role("button", name="Why this reply?")
            for number, question in enumerate(TALK, 1):
                field = page.locator(".composer textarea")
                field.fill(question)
                field.press("Enter")
                why.nth(number - 1).wait_for()
            why.first.click()
            page.get_by_role("complementary", name="Why").wait_for()
            page.mouse.move(0, 0)
            page.wait_for_timeout(500)  # until what slides has its place
            page.screenshot(path=folder / "talk.png")
            opened.close()
    finally:
        server.terminate()
        server.wait(PATIENCE_SECONDS)


def wait_for(port: int) -> None:
    """Return once something listens there."""
    ends = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < ends:
        with socket.socket() as line:
            if line.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise SystemExit("the server did not start")


if __name__ == "__main__":
    pictures = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("pictures")
    with TemporaryDirectory() as place:
        draw_terminal(Path(place), pictures)
        draw_page(Path(place), pictures)
