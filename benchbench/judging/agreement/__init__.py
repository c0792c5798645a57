"""How far judges agree with people, and what that is worth."""
