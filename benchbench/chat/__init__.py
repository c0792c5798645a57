"""Asking a language model or an assistant: the session, its limits on rate, its prices."""
