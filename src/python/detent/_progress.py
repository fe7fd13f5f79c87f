"""Progress as a bar of tqdm."""


class Bars:
    """Draws one bar for each task. Call it as a progress function, and close() it at the end."""

    def __init__(self):
        try:
            from tqdm.auto import tqdm
        except ImportError as error:
            raise ImportError("progress=True needs tqdm; or give a function progress(task, done, total)") from error
        self._make, self._bar, self._task = tqdm, None, None

    def __call__(self, task, done, total):
        if (task, total) != self._task or done < self._bar.n:
            self.close()
            self._task, self._bar = (task, total), self._make(desc=task, total=total or None)
        self._bar.update(done - self._bar.n)

    def close(self):
        if self._bar is not None:
            self._bar.close()
            self._bar, self._task = None, None
