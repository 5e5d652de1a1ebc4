"""verl/__init__.py: from v0.6.0 (line 40) on it imports the modules of VERL_USE_EXTERNAL_MODULES."""
import os

from common import VERSION

if VERSION >= (0, 6) and os.environ.get("VERL_USE_EXTERNAL_MODULES"):
    import importlib
    for name in os.environ["VERL_USE_EXTERNAL_MODULES"].split(","):
        importlib.import_module(name)
