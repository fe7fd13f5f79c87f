"""Progress as a bar of tqdm, or as lines without it."""

import sys as _sys


class Bars:
    """Draws one bar for each task. Call it as a progress function, and close() it at the end."""

    def __init__(self, make):
        self._make, self._bar, self._task = make, None, None

    def __call__(self, task, done, total):
        if (task, total) != self._task or done < self._bar.n:
            self.close()
            self._task, self._bar = (task, total), self._make(desc=task, total=total or None)
        self._bar.update(done - self._bar.n)

    def close(self):
        if self._bar is not None:
            self._bar.close()
            self._bar, self._task = None, None


class Lines:
    """Prints a line to standard error for each quarter of a task, and one for a task whose size is unknown."""

    def __init__(self):
        self._said = None

    def __call__(self, task, done, total):
        quarter = 4 * done // total if total else None
        if (task, quarter) != self._said:
            self._said = (task, quarter)
            print(task + (f": {done} of {total}" if total else " ..."), file=_sys.stderr, flush=True)

    def close(self):
        self._said = None


def shown():
    """Returns the progress function of progress=True."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return Lines()
    return Bars(tqdm)
