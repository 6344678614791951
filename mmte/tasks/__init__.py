"""Tasks: what a task file says, and the pipeline that runs it."""
