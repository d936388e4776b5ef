"""`python -m histbench` is `histbench`."""

from histbench.cli import main

main(prog_name="histbench")
