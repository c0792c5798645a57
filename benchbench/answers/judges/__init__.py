"""Judges: rubrics, the prompts made of them, and how a verdict is read. The model call is handed in."""
