"""Starts the package's command `lanework`, which uses the package's libraries."""

import os
import sys

from ._driver import folder


def main() -> None:
    """Replaces this process by the command."""
    command = folder() / "lanework"
    if not command.exists():
        sys.exit(f"error: {command} is not there: this package was built without the command (scripts/python.sh builds it)")
    os.environ.setdefault("LANEWORK_DRIVER", str(folder()))
    os.execv(command, ["lanework", *sys.argv[1:]])


if __name__ == "__main__":
    main()
