"""Merging memories as git asks for it."""

from memhtml.store.merge_driver import Driven, Manner, drive

__all__ = ["Driven", "Manner", "drive"]
