"""Opens a run that `meniscus view` serves in headless Chromium, plays with it, and compares what it shows with stored pictures.

Arguments: the address, the path of Chromium, and a folder for pictures of the page. With MENISCUS_GOLDEN=1 in the environment
the stored pictures, in .ci/golden, are written anew: look at them before they are kept.
"""

import base64
import os
import pathlib
import sys

from playwright.sync_api import sync_playwright
from similarity import greys, similarity

address, chromium, pictures = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
golden = pathlib.Path(__file__).parent / "golden"
# Renderers differ at edges; another frame, field or camera is far below.
ALIKE = 0.85
# The size of the stored pictures, and of a window that fits them about.
CANVAS, WINDOW = (640, 540), (1000, 620)


def until(page, expression):
    """Waits until an expression holds. The page allows no scripts but its own, so it is asked again and again from here."""
    for _ in range(200):
        if page.evaluate(expression):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"it never came true that {expression}")


def fit(page):
    """Makes the window so large that the canvas has the size of the stored pictures, whatever the fonts of the machine."""
    wide, high = WINDOW
    for _ in range(3):
        page.set_viewport_size({"width": round(wide), "height": round(high)})
        page.wait_for_timeout(200)
        has = page.evaluate("[document.getElementById('scene').clientWidth, document.getElementById('scene').clientHeight]")
        if has == list(CANVAS):
            return
        # Three quarters of what the window grows go to the canvas.
        wide, high = wide + (CANVAS[0] - has[0]) / 0.75, high + CANVAS[1] - has[1]
    raise AssertionError(f"the canvas cannot be made {CANVAS} large; it has {has}")


def canvas(page, name):
    """Stores what the canvas shows and tells its grey values."""
    page.wait_for_timeout(300)
    url = page.evaluate("document.getElementById('scene').toDataURL('image/png')")
    path = pictures / f"{name}.png"
    path.write_bytes(base64.b64decode(url.split(",")[1]))
    return greys(path)


def compare(page, name):
    """Compares the canvas with the stored picture of that name."""
    seen = canvas(page, name)
    stored = golden / f"{name}.png"
    if os.environ.get("MENISCUS_GOLDEN"):
        golden.mkdir(exist_ok=True)
        stored.write_bytes((pictures / f"{name}.png").read_bytes())
    alike = similarity(seen, greys(stored))
    print(f"similarity of {name}: {alike:.3f}")
    assert alike > ALIKE, f"{name} is like its stored picture by {alike:.3f} only; see CONTRIBUTING.md"
    return seen


with sync_playwright() as playwright:
    flags = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
    browser = playwright.chromium.launch(executable_path=chromium, args=flags)
    page = browser.new_page()
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(f"{said.text} {said.location}") if said.type == "error" else None)
    page.goto(address)
    page.wait_for_selector("body[data-ready=true]", timeout=60_000)
    until(page, "document.getElementById('high').textContent !== ''")
    assert not errors, errors
    fit(page)
    assert page.locator("#plots canvas").count() >= 4

    last = int(page.get_attribute("#time", "max"))
    assert last > 2
    page.fill("#time", str(last))
    until(page, f"document.getElementById('now').textContent.includes('{last + 1} of {last + 1}')")
    page.wait_for_timeout(1500)
    # The colours depend on what was seen so far: the first and the last frames.
    shown = compare(page, "view-speed")

    low = page.text_content("#high")
    page.select_option("#field", "1")
    page.wait_for_timeout(500)
    assert page.text_content("#high") != low, "another field has the same legend"
    pressure = compare(page, "view-pressure")
    page.select_option("#field", "0")

    page.check("#surface")
    page.uncheck("#particles")
    page.wait_for_timeout(4000)
    surface = compare(page, "view-surface")
    page.uncheck("#surface")
    page.check("#particles")

    # Wrong pictures do not pass: the first frame, another field, the surface, a turned camera, nothing at all.
    page.fill("#time", "0")
    page.wait_for_timeout(500)
    first = canvas(page, "view-first")
    page.fill("#time", str(last))
    page.mouse.move(300, 300)
    page.mouse.down()
    page.mouse.move(340, 310, steps=4)
    page.mouse.up()
    turned = canvas(page, "view-turned")
    page.uncheck("#particles")
    empty = canvas(page, "view-empty")
    page.check("#particles")
    stored = greys(golden / "view-speed.png")
    for name, other in [("first", first), ("pressure", pressure), ("surface", surface), ("turned", turned), ("empty", empty)]:
        alike = similarity(other, stored)
        print(f"similarity of another picture ({name}): {alike:.3f}")
        assert alike < ALIKE, f"{name} passes for the stored picture: {alike:.3f}"

    page.fill("#time", "0")
    page.click("#play")
    until(page, "document.getElementById('time').value !== '0'")
    page.wait_for_timeout(1000)
    # While it plays there may be fewer particles; a picture that stands still has all again.
    page.click("#play")
    until(page, "!document.getElementById('now').textContent.includes('%')")
    page.fill("#time", str(last))
    page.wait_for_timeout(500)
    assert not errors, errors
    page.screenshot(path=pictures / "page.png")
    # On a phone nothing is wider than the screen, and the controls are on it.
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth <= 390 && document.documentElement.scrollHeight <= 844")
    low_end = page.evaluate("document.querySelector('footer').getBoundingClientRect().bottom")
    assert low_end <= 844.5, f"the controls end at {low_end}"
    assert page.evaluate("document.getElementById('scene').clientHeight") >= 200
    browser.close()
print("the page loads, shows what it should, scrubs, colours, turns, plays and fits a phone")
