"""Rules that change gold chunks: a case with the chunk comes in, drafts of it go out (RARE §5.2, C.2; SURE §3.2)."""
