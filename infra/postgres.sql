-- Beside Prefect's own database: replies of models and their ledger (--replies)
CREATE DATABASE replies;
