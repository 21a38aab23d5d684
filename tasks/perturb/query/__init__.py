"""Rules that change questions: a case with the question comes in, drafts of it go out (RARE §5.1, C.1; IBM §3)."""
