"""What "relevant" means: gold, accusation, article, imprisonment."""
