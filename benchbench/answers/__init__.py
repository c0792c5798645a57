"""What a good answer is: passages, spans, citations, terminology, format."""
