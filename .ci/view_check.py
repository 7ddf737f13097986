"""Opens a run that `meniscus view` serves in headless Chromium, plays with it, and looks at what it shows.

Arguments: the address, the path of Chromium, and where to put a picture of the page.
"""

import sys

from playwright.sync_api import sync_playwright

address, chromium, picture = sys.argv[1:4]

# Different colours in the middle of the canvas, and the sum of its pixels.
LOOK = """() => {
    const canvas = document.getElementById("scene"), copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const pen = copy.getContext("2d");
    pen.drawImage(canvas, 0, 0);
    const pixels = pen.getImageData(0, 0, copy.width, copy.height).data;
    const colours = new Set();
    let sum = 0;
    for (let k = 0; k < pixels.length; k += 4) {
        colours.add(pixels[k] << 16 | pixels[k + 1] << 8 | pixels[k + 2]);
        sum = (sum * 31 + pixels[k] + 2 * pixels[k + 1] + 3 * pixels[k + 2]) % 1000000007;
    }
    return [colours.size, sum];
}"""

with sync_playwright() as playwright:
    flags = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
    browser = playwright.chromium.launch(executable_path=chromium, args=flags)
    page = browser.new_page(viewport={"width": 1200, "height": 700})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(f"{said.text} {said.location}") if said.type == "error" else None)
    page.goto(address)
    page.wait_for_selector("body[data-ready=true]", timeout=60_000)
    page.wait_for_timeout(1500)
    assert not errors, errors
    colours, first = page.evaluate(LOOK)
    assert colours > 50, f"the canvas has {colours} colours"
    assert page.locator("#plots canvas").count() >= 4

    last = int(page.get_attribute("#time", "max"))
    assert last > 2
    page.fill("#time", str(last))
    page.wait_for_timeout(1500)
    assert f"{last + 1} of {last + 1}" in page.text_content("#now")
    _, second = page.evaluate(LOOK)
    assert second != first, "scrubbing changes nothing"

    low = page.text_content("#high")
    page.select_option("#field", "1")
    page.wait_for_timeout(500)
    _, third = page.evaluate(LOOK)
    assert third != second and page.text_content("#high") != low, "another field changes nothing"

    page.check("#surface")
    page.wait_for_timeout(4000)
    _, fourth = page.evaluate(LOOK)
    assert fourth != third, "the surface changes nothing"
    page.screenshot(path=picture)

    page.fill("#time", "0")
    page.click("#play")
    page.wait_for_timeout(2500)
    assert page.input_value("#time") != "0", "it does not play"
    assert not errors, errors
    browser.close()
print("the page loads, shows, scrubs, colours and plays")
