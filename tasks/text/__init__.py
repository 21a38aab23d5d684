"""Read any text: quantities, dates, names, sentences, stems, refusals and answers, each by one parser for all tasks."""
