"""Retrieval, generation and domain quality of one data set in one result, with an overall score."""
