"""The only source of randomness."""

import secrets

__all__ = ["new_id"]


def new_id() -> str:
    """Return 32 random hex digits."""
    return secrets.token_hex(16)
