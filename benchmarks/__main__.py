"""Run every benchmark of this package, or those named: python -m benchmarks [NAME ...]."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module

import benchmarks


def main() -> None:
    names = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    names = [name for name in names if not name.startswith("_")]
    asked = [word for word in sys.argv[1:] if not word.startswith("-")]
    unknown = sorted(set(asked) - set(names))
    if unknown:
        sys.exit(f"no benchmark is called {unknown[0]!r}; there are {', '.join(names)}")
    for name in asked or names:
        module = import_module(f"benchmarks.{name}")
        if hasattr(module, "main"):
            print(f"== {name}", flush=True)
            module.main()


if __name__ == "__main__":
    main()
