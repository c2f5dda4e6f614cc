"""Packaging: everything that can change lives in settings.ini, which nbdev reads too."""
from configparser import ConfigParser
from pathlib import Path

from setuptools import setup

here = Path(__file__).parent
parser = ConfigParser(delimiters=["="])
parser.read(here / "settings.ini", encoding="utf-8")
cfg = parser["DEFAULT"]

newest_python = 13
oldest_python = int(cfg["min_python"].split(".")[1])

setup(
    name=cfg["lib_name"],
    version=cfg["version"],
    description=cfg["description"],
    long_description=(here / "README.md").read_text(encoding="utf-8"),
    long_description_content_type="text/markdown",
    author=cfg["author"],
    license="Apache-2.0",
    keywords=cfg["keywords"].split(),
    python_requires=">=" + cfg["min_python"],
    install_requires=cfg["requirements"].split(),
    extras_require={"dev": cfg["dev_requirements"].split(),
                    "formula": cfg["formula_requirements"].split()},
    entry_points={"console_scripts": cfg["console_scripts"].split()},
    # The tables in data/ are installed as swarmlit/_data.
    packages=["swarmlit", "swarmlit._data"],
    package_dir={"swarmlit._data": "data"},
    package_data={"swarmlit._data": ["*"]},
    include_package_data=False,
    zip_safe=False,
    classifiers=[
        "Development Status :: 3 - Alpha",
        "Intended Audience :: " + cfg["audience"],
        "Natural Language :: " + cfg["language"],
        "Topic :: Scientific/Engineering :: Artificial Intelligence",
        "Programming Language :: Python :: 3",
        *(f"Programming Language :: Python :: 3.{minor}"
          for minor in range(oldest_python, newest_python + 1)),
    ],
)
