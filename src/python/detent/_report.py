"""Reports as objects, and as pages in notebooks."""

import html as _html

from ._detent import Error


class Report(dict):
    """A report, or a part of one: the JSON document of the command, whose members are also attributes.

    `report.values` is the member "values", and not the method of dicts, if the document has it.
    """

    _pages = ()
    _failed = None
    _text = None

    def __getattribute__(self, name):
        if not name.startswith("_") and dict.__contains__(self, name):
            return self[name]
        return super().__getattribute__(name)

    def __str__(self):
        return self._text() if self._text else super().__str__()

    def __repr__(self):
        """Three lines: what it is about, the verdict or the next line of the text, and where the rest is."""
        if not self._text:
            return super().__repr__()  # a part of a report, or one that was copied
        lines = [" ".join(line.split()) for line in self._text().splitlines() if line.strip()]
        verdict = next((line for line in lines if line.startswith("verdict: ")), None)
        members = ", ".join(self)
        lines = [lines[0], verdict or "".join(lines[1:2]), f"print() shows the text; members: {members}"]
        return "\n".join(line if len(line) <= 80 else line[:77] + "..." for line in lines)

    def __dir__(self):
        return [*super().__dir__(), *self]

    def __reduce__(self):
        return type(self), (dict(self),)

    @property
    def failure(self):
        """What the command line exits 1 for: an unmet bound, a broken model, errors of a strict lint. Else None."""
        return self._failed and self._failed[0]

    def raise_for_failure(self):
        """Raises Error with code 1 if there is a failure; returns the report."""
        if self._failed:
            error = Error(self._failed[0])
            error.code, error.hint = 1, self._failed[1]
            raise error
        return self

    def to_html(self):
        """Returns the page of the command's --html."""
        if len(self._pages) != 1:
            raise TypeError("this report has no page" + ("; those of its targets have one each" if self._pages else ""))
        return self._pages[0]()

    def _repr_html_(self):
        if len(self._pages) != 1:
            return None  # notebooks show the text
        # Without a base, links within the page would lead to the notebook.
        page = _html.escape(self.to_html().replace("<head>", '<head><base href="about:srcdoc">', 1))
        style = "width:100%;height:640px;border:1px solid #ccc;resize:vertical"
        return f'<iframe srcdoc="{page}" sandbox="allow-scripts allow-popups" style="{style}"></iframe>'


def with_pages(report, failed, pages, text):
    """Gives a report its failure, its pages and its text. Of several pages, each is for one of its targets."""
    report._failed, report._pages, report._text = failed, pages, text
    if len(pages) > 1:
        for one, page in zip(report["targets"], pages):
            one._pages = [page]
    return report
