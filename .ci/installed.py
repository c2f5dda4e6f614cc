"""Run where only the wheel is installed: every module imports, the tables came along, a learner
fits and predicts."""
import importlib
import pkgutil
from pathlib import Path

import swarmlit
from swarmlit import AntMinerClassifier, list_datasets, load_dataset

home = Path(swarmlit.__file__).parent
assert "site-packages" in home.parts, f"not the installed package: {home}"
modules = sorted(m.name for m in pkgutil.iter_modules(swarmlit.__path__))
for name in modules:
    importlib.import_module(f"swarmlit.{name}")
for name in swarmlit.__all__:
    getattr(swarmlit, name)

tables = list_datasets()
X, y = load_dataset("voting", return_X_y=True)
model = AntMinerClassifier(random_state=0).fit(X, y)
accuracy = (model.predict(X) == y).mean()
assert accuracy > 0.9, accuracy

try:
    importlib.import_module("nbdev")
except ModuleNotFoundError:
    print(f"{len(modules)} modules, {len(tables)} tables, training accuracy on voting {accuracy:.3f}")
else:
    raise SystemExit("nbdev is installed: the environment is not the user's")
