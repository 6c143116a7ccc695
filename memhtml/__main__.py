import sys

from memhtml.cli.main import run

if __name__ == "__main__":
    sys.exit(run())
