"""The health check of a container: its address answers, or, where it has none, the package can be imported."""

import os
import sys
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

PATIENCE = 10  # seconds


def main() -> int:
    """The exit code: 0 for healthy, 1 for not, with a line on why."""
    url = os.environ.get("RAREFY_HEALTH", "")
    try:
        if url:
            build_opener(ProxyHandler({})).open(url, timeout=PATIENCE).close()
        else:
            import rarefy.tasks.store.recipe  # noqa: F401
    except (ImportError, URLError, OSError, ValueError) as error:
        print(f"{url or 'rarefy'}: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
