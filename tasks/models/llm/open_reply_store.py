"""Opens the reply store that a URL names: a file of SQLite, or a database of PostgreSQL."""

from pathlib import Path

from rarefy.tasks.models.llm.reply_store import ReplyStore
from rarefy.tasks.private import make_folder


def open_reply_store(url: str, cache: Path) -> ReplyStore:
    """The reply store at a URL, made where there is none; in the folder `cache` for "".

    As everywhere, sqlite:///file is relative to the working folder and sqlite:////file is not. ValueError for a URL
    that is none of these or a library that is not installed, OSError (ConnectionError) where they cannot be opened.
    """
    scheme, _, rest = url.partition("://")
    if not url:
        from rarefy.tasks.models.llm.reply_store_sqlite import SQLiteReplyStore

        make_folder(cache)
        return SQLiteReplyStore(cache / "replies.sqlite")
    if scheme == "sqlite" and len(rest) > 1 and rest.startswith("/"):
        from rarefy.tasks.models.llm.reply_store_sqlite import SQLiteReplyStore

        file = Path(rest[1:])
        if not file.parent.is_dir():
            raise ValueError(f"{url}: there is no folder {file.parent}; an absolute path has four slashes")
        return SQLiteReplyStore(file)
    if scheme in ("postgresql", "postgres"):
        from rarefy.tasks.models.llm.reply_store_postgres import PostgresReplyStore

        return PostgresReplyStore(url)
    raise ValueError(f"{scheme or url}: books are at sqlite:///file or postgresql://user@host/database")
