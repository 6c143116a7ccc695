"""Telling git to call memhtml: before a commit of the person's, and after HEAD has moved."""

import sys

from memhtml.app.wire import Store
from memhtml.errors import RepoUnsupported
from memhtml.git import hooks
from memhtml.git.discover import Location, find_repository
from memhtml.git.hooks import Installed, Uninstalled

__all__ = ["Installed", "Uninstalled", "install_hooks", "uninstall_hooks"]


def install_hooks(store: Store) -> Installed:
    """Put our hooks beside the person's. Errors: see `git.hooks.install`; `RepoUnsupported` for a bare repository."""
    return hooks.install(_location(store), (sys.executable, "-m", "memhtml"))


def uninstall_hooks(store: Store) -> Uninstalled:
    """Take our hooks away again. Errors: see `git.hooks.uninstall`."""
    return hooks.uninstall(_location(store))


def _location(store: Store) -> Location:
    location = find_repository(store.root)
    if location.work_dir is None:
        raise RepoUnsupported("nobody commits in a bare repository, so it needs no hooks")
    return location
