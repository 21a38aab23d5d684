"""Would plain keyword search find a gold chunk?"""

from collections.abc import Mapping, Sequence

from rarefy.data_contracts.rows import Chunk, Question


def retrievable(questions: Sequence[Question], chunks: Mapping[str, Chunk], depth: int) -> dict[str, bool]:
    """By question id: is one of its gold chunks among the first `depth` of BM25 over all chunks?"""
    if not questions or not chunks:
        return {}
    import bm25s  # 0.3 s, and not when the stage is only looked up

    names = sorted(chunks)
    index = bm25s.BM25()
    index.index(_tokens([chunks[name].text for name in names]), show_progress=False)
    asked = _tokens([q.text for q in questions])
    found, _ = index.retrieve(asked, k=min(depth, len(names)), show_progress=False, backend_selection="numpy")
    return {
        q.question_id: not {names[i] for i in row}.isdisjoint(q.chunk_ids)
        for q, row in zip(questions, found, strict=True)
    }


def _tokens(texts: list[str]) -> list[list[str]]:
    import bm25s

    tokens: list[list[str]] = bm25s.tokenize(texts, stopwords="en", return_ids=False, show_progress=False)
    return tokens
