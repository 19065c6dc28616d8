"""The page from a program: it is served, and ends."""

import http.cookiejar
import os
import urllib.error
import urllib.request

import pytest
from conftest import PENDULUM

import holonom


def test_the_page_is_served_until_it_is_closed():
    assert os.environ.get("HOLONOM"), "the variable HOLONOM must name the `holonom` command (cargo xtask python sets it)"
    sim = holonom.Simulation(holonom.loads(PENDULUM))
    with sim.show(open_browser=False) as page:
        assert page.is_served and page.url.startswith("http://127.0.0.1:") and page.url in page._repr_html_().replace("&amp;", "&")
        cookies = urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
        with urllib.request.build_opener(cookies).open(page.url, timeout=10) as answer:
            assert answer.status == 200 and "html" in answer.headers["Content-Type"]
    assert not page.is_served and "closed" in repr(page)
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(page.url, timeout=10)


def test_without_the_command_it_says_so(monkeypatch):
    monkeypatch.delenv("HOLONOM", raising=False)
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(holonom.UsageError, match="on the PATH"):
        holonom.loads(PENDULUM).show(open_browser=False)
