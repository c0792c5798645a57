"""What "relevant" means: rules and labels, tasks as data, and how hits are judged by them."""
