"""Run every benchmark of this package, or those named: python -m benchmarks [NAME ...] [OPTION]."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module
from itertools import takewhile

import benchmarks


def main() -> None:
    modules = [module for module in pkgutil.iter_modules(benchmarks.__path__) if not module.ispkg]
    found = (module.name for module in modules if not module.name.startswith("_"))
    names = sorted(name.replace("_", "-") for name in found)
    asked = list(takewhile(lambda word: not word.startswith("-"), sys.argv[1:]))
    unknown = sorted(set(asked) - set(names))
    if unknown:
        sys.exit(f"no benchmark is called {unknown[0]!r}; there are {', '.join(names)}")
    for name in asked or names:
        module = import_module(f"benchmarks.{name.replace('-', '_')}")
        if hasattr(module, "main"):
            print(f"== {name}", flush=True)
            module.main()


if __name__ == "__main__":
    main()
