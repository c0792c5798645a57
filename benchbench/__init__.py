"""benchbench: how good, and how fast, is a retriever?"""

__version__ = "0.1.0"
