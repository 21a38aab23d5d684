"""How stages are run: as Prefect tasks, over batches of documents or questions, here or on Dask, each table once."""
