"""A report as notebooks show it, in a browser: the page is drawn, and its links stay in it. usage: test_notebook.py SOURCE"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from sample import MODEL, noise

import detent

NAMES = [os.environ.get("CHROMIUM", "chromium"), "chromium-browser", "google-chrome"]
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)

# Clicks on a link within the page, and tells where that led.
CLICK = """<script>
addEventListener("load", () => {
  const page = document.querySelector("iframe");
  page.contentDocument.querySelector('a[href="#graph"]').click();
  setTimeout(() => {
    document.title = `${page.contentWindow.location.href} ${page.contentWindow.scrollY > 0}`;
  }, 500);
});
</script>"""


class Notebook(unittest.TestCase):
    def title_after_click(self, shown):
        # The script may look into the page only without the sandbox.
        shown = re.sub(' sandbox="[^"]*"', "", shown)
        with tempfile.TemporaryDirectory() as folder:
            cell = pathlib.Path(folder, "cell.html")
            cell.write_text(f"<html><head>{CLICK}</head><body>{shown}</body></html>", encoding="utf-8")
            flags = ["--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile", "--dump-dom"]
            flags += ["--allow-file-access-from-files", "--virtual-time-budget=5000"]
            done = subprocess.run([BROWSER, *flags, cell.as_uri()], capture_output=True, text=True, timeout=120)
        return re.search("<title>(.*?)</title>", done.stdout)[1]

    def test_links_stay_in_the_page(self):
        with tempfile.TemporaryDirectory() as folder:
            shown = detent.quantize(MODEL, pathlib.Path(folder, "out.onnx"), noise(2), calibrator="max")._repr_html_()
        self.assertEqual(self.title_after_click(shown), "about:srcdoc#graph true")
        without_base = shown.replace("&lt;base href=&quot;about:srcdoc&quot;&gt;", "")
        self.assertNotIn("srcdoc", self.title_after_click(without_base))


if __name__ == "__main__":
    if not BROWSER:
        print("python.notebook SKIPPED: no browser")
        sys.exit(77)
    unittest.main()
