"""The memory file format, pure: bytes in, values out."""
