"""`--collect-only -v`: what each item would ask, before anything is asked."""

from __future__ import annotations

import pytest

from mmte.plugin.collect import case_of


class Preview:
    """Adds a line for each of our items to `--collect-only -v`."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    @pytest.hookimpl(trylast=True)
    def pytest_report_collectionfinish(self, config: pytest.Config, items: list[pytest.Item]) -> list[str]:
        """The lines; none without -v, or where no item is ours."""
        ours = [item for item in items if case_of(item) is not None]
        if config.option.verbose < 1 or not ours:
            return []
        from mmte.errors import MmteError
        from mmte.plugin.session import build_runtime
        from mmte.report.preview import preview_lines

        try:
            runtime = build_runtime(config, ours)
        except MmteError as error:
            raise pytest.UsageError(str(error)) from None
        try:
            return preview_lines(runtime, [case_of(item) for item in ours])
        finally:
            runtime.close()
