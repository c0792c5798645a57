"""Citations of law in texts: one idea, a grammar a jurisdiction."""
