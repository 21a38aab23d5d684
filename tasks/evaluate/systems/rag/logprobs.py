"""What is said where an endpoint tells no log-probabilities."""

NO_LOGPROBS = "no_logprobs"  # the error of a reply
NOT_AVAILABLE = "not available: this endpoint gives no logprobs"
