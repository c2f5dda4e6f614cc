"""Swarm-intelligence and covering learners that end in something a person can read."""

__version__ = "0.1.0"

from swarmlit.antminer import AntMinerClassifier
from swarmlit.base import warmup
from swarmlit.c45 import C45Classifier
from swarmlit.discretize import C45Discretizer, MDLPDiscretizer
from swarmlit.export import from_json
from swarmlit.read import list_datasets, load_dataset, read_table

__all__ = [
    "AntMinerClassifier",
    "C45Classifier",
    "C45Discretizer",
    "MDLPDiscretizer",
    "from_json",
    "list_datasets",
    "load_dataset",
    "read_table",
    "warmup",
]
