"""``python -m faircast`` is the command line."""

from faircast.cli import main

main()
