"""The pytest plugin: measurements in tests."""
