"""One renderer per format; each draws every layout."""
