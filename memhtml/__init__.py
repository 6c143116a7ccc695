"""Long-term memory for AI agents that people can review: HTML files in git, a disposable index beside them."""

__version__ = "0.1.0"
