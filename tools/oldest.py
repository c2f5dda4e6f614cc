"""Print the oldest versions that settings.ini admits, as a constraints file for pip.

    python tools/oldest.py > oldest.txt
    PIP_CONSTRAINT=$PWD/oldest.txt make distclean test
"""
import configparser
import re
from pathlib import Path

SETTINGS = Path(__file__).resolve().parent.parent / "settings.ini"


def main() -> None:
    settings = configparser.ConfigParser(delimiters=["="])
    settings.read(SETTINGS, encoding="utf-8")
    for line in settings["DEFAULT"]["requirements"].split("\n"):
        found = re.match(r"([\w-]+)>=([\w.]+)", line.strip())
        if found:
            print(f"{found[1]}=={found[2]}")


if __name__ == "__main__":
    main()
