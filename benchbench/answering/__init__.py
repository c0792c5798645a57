"""The one place that joins for answers: an assistant is asked or its stored answers are read, and scored."""
