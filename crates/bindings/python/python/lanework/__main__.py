"""The command `lanework` that comes with the package, with the libraries that it gives to programs."""

import os
import sys

from ._driver import folder


def main() -> None:
    """Becomes the command."""
    command = folder() / "lanework"
    if not command.exists():
        sys.exit(f"error: {command} is not there: this package was built without the command (scripts/python.sh builds it)")
    os.environ.setdefault("LANEWORK_DRIVER", str(folder()))
    os.execv(command, ["lanework", *sys.argv[1:]])


if __name__ == "__main__":
    main()
