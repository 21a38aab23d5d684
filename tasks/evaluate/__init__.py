"""Questions in, figures out: systems answer trials, answers are judged, figures and a report made (all five papers)."""
