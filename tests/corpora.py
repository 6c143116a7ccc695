"""Where the tests find real corpora, benchmarks and hostile input: a `shared/data` folder beside the checkout."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

_CHECKOUT = Path(__file__).resolve().parent.parent


def data_dir() -> Path:
    """The folder of real data: `MEMHTML_TEST_DATA`, else `../shared/data` beside the checkout."""
    named = os.environ.get("MEMHTML_TEST_DATA")
    return Path(named) if named else _CHECKOUT.parent / "shared" / "data"


needs_data = pytest.mark.skipif(
    not data_dir().is_dir(), reason="the folder of real test data is not beside this checkout"
)


def read_jsonl(name: str) -> Iterator[dict[str, Any]]:
    """Yield the documents of one `.jsonl` file under the data folder."""
    with (data_dir() / name).open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)
