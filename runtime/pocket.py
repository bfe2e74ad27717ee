"""Where the model lies that comes with Palaver."""

from pathlib import Path

POCKET_MODEL = Path(__file__).parent / "models" / "pocket"
