"""Swarm-intelligence and covering learners that end in something a person can read."""

__version__ = "0.1.0"

from importlib import import_module

# Public names and the modules they live in. They are imported when first asked for, so that
# `import swarmlit` and `swarmlit --help` need not wait for numba, pandas and scikit-learn.
_HOMES = {
    "AntMinerClassifier": "antminer",
    "AntTreeMinerClassifier": "anttree",
    "C45Classifier": "c45",
    "C45Discretizer": "discretize",
    "CAIMDiscretizer": "discretize",
    "CARTClassifier": "baselines",
    "CLIP4Classifier": "clip4",
    "CN2Classifier": "baselines",
    "DataSqueezerClassifier": "datasqueezer",
    "FloorKFold": "multitree",
    "GARuleClassifier": "garules",
    "MDLPDiscretizer": "discretize",
    "MultiTreeClassifier": "multitree",
    "PARTClassifier": "baselines",
    "PSOACO2Classifier": "psoaco",
    "SwarmGPRegressor": "sbgp",
    "compare": "evaluate",
    "from_json": "export",
    "list_datasets": "read",
    "load_dataset": "read",
    "read_results": "evaluate",
    "read_table": "read",
    "warmup": "base",
}

__all__ = list(_HOMES)


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module 'swarmlit' has no attribute '{name}'")
    modules = {home: import_module(f"swarmlit.{home}") for home in _HOMES.values()}
    globals().update({public: getattr(modules[home], public) for public, home in _HOMES.items()})
    return globals()[name]


def __dir__():
    return [*__all__, "__version__"]
