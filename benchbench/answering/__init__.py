"""Evaluations of answers: an assistant is asked, or its stored answers are read; the answers are scored."""
