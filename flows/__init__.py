"""The sentences: stages put together, run by Prefect and Dask."""
