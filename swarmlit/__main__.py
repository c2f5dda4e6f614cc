"""`python -m swarmlit` is the command `swarmlit`."""
from swarmlit.cli import main

if __name__ == "__main__":
    main()
