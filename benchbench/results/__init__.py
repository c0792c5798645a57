"""What was measured, as one record: its gates, its verdict, its folder."""
