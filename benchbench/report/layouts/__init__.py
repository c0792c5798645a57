"""One layout per kind of record: a module of the kind's name with a function `layout(result, …) -> Layout`."""
