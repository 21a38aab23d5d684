"""Runs stages as Prefect tasks over batches of documents or questions, here or on Dask; each table is made once.

In come a config and a corpus, a benchmark or a result; out come tables in the store and folders of results.
"""
