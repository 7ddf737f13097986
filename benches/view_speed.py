"""How many pictures a second the page of `meniscus view` plays, in headless Chromium.

Arguments: the program, the folder of a run, the speed to play at (0.1, 0.25, 0.5, 1 or 2), and Chromium (/usr/bin/chromium). Needs
the Python package playwright. Without a graphics card Chromium draws with the processor, which the output says.
"""

import re
import subprocess
import sys
import time

from playwright.sync_api import sync_playwright

program, folder, speed = sys.argv[1:4]
chromium = sys.argv[4] if len(sys.argv) > 4 else "/usr/bin/chromium"
SIZE = {"width": 1280, "height": 720}
FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
RENDERER = """() => { const gl = document.createElement('canvas').getContext('webgl2');
  return gl.getParameter(gl.getExtension('WEBGL_debug_renderer_info')?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER); }"""


def cpu(pid):
    """Processor seconds that a process has used."""
    words = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / 100


server = subprocess.Popen([program, "view", folder, "--port", "0"], stdout=subprocess.PIPE, text=True)
try:
    address = re.search(r"http://[0-9.:]+/", server.stdout.readline()).group()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        page = browser.new_page(viewport=SIZE)
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        started = time.monotonic()
        page.goto(address)
        page.wait_for_selector("body[data-ready=true]", timeout=120_000)
        print(f"ready after {time.monotonic() - started:.1f} s; {page.evaluate(RENDERER)}")
        page.select_option("#speed", speed)
        page.click("#play")
        last, at, used = 0, time.monotonic(), cpu(server.pid)
        for part in range(6):
            page.wait_for_timeout(4000)
            shown, now = int(page.evaluate("document.body.dataset.shown ?? 0")), time.monotonic()
            share, fineness = page.evaluate("[document.body.dataset.share, document.body.dataset.fineness]")
            print(
                f"{4 * part:2} to {4 * part + 4:2} s: {(shown - last) / (now - at):5.1f} pictures a second, {float(share):.1%} of the particles, "
                f"{float(fineness):.0%} of the pixels along a side, server {cpu(server.pid) - used:.2f} s of processor time"
            )
            last, at, used = shown, now, cpu(server.pid)
        page.click("#play")
        page.wait_for_timeout(3000)
        print(f"paused: {page.text_content('#now')}")
        page.screenshot(path="view-speed.png")
        assert not errors, errors
        browser.close()
finally:
    server.terminate()
