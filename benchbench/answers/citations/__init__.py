"""Citations of law in texts: one model of a citation, one grammar per jurisdiction."""
