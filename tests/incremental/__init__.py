"""Documents that change: small ones made up, what is done to them, a model that reads them and is counted."""
