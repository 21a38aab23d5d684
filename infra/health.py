"""Is the service of this container well? What its address says, or, where it has none, that the package is whole."""

import os
import sys
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

PATIENCE = 10  # seconds


def main() -> int:
    """0 for yes, 1 for no, with a line on why."""
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
