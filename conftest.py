"""Loads the plugin in a bare checkout; beside an installed mmte it changes nothing."""

from mmte.plugin import model_option as pytest_addoption  # noqa: F401

pytest_plugins = ["mmte.plugin"]
