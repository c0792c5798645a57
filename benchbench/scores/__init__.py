"""What all scores of answers share, by metrics, rubrics or pillars: gates, folders, the lowest ones, tables."""
