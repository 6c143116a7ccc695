"""Where things stand in a source: tags, comments and text with their places in the bytes.

The tree builder keeps no positions and gives no bytes back, so head edits and the lines of findings come from here.
"""

from memhtml.format.complexity import Complexity, prescan

__all__ = ["Complexity", "prescan"]
