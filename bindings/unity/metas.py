"""The .meta files of the Unity package: `python bindings/unity/metas.py` writes what is missing and removes the rest.

Unity ignores files without one in a package that was installed from git or a registry, and refers to scripts and assets
by the identifier in them. It is made from the path, so that it is the same whoever runs this.
"""

import hashlib
from pathlib import Path

PACKAGE = Path(__file__).parent / "com.palaver.npc"
IMPORTERS = {
    ".cs": "MonoImporter:\n  externalObjects: {}\n  serializedVersion: 2\n  defaultReferences: []\n  executionOrder: 0",
    ".asmdef": "AssemblyDefinitionImporter:\n  externalObjects: {}",
    ".json": "PackageManifestImporter:\n  externalObjects: {}",
    ".md": "TextScriptImporter:\n  externalObjects: {}",
}
FOLDER = "folderAsset: yes\nDefaultImporter:\n  externalObjects: {}"


def metas(package: Path) -> dict[Path, str]:
    """Where each .meta file of the package belongs, and what it holds.

    Folders that end with "~" are hidden from Unity and have none; what is in a sample's folder is copied into the
    game's assets, and has.
    """
    wanted = {}
    for path in sorted(package.rglob("*")):
        relative = path.relative_to(package)
        hidden = path.name.endswith("~") or path.parent.name.endswith("~")
        if path.suffix != ".meta" and not hidden:
            guid = hashlib.md5(f"{package.name}/{relative.as_posix()}".encode(), usedforsecurity=False).hexdigest()
            importer = FOLDER if path.is_dir() else IMPORTERS[path.suffix]
            wanted[path.with_name(f"{path.name}.meta")] = f"fileFormatVersion: 2\nguid: {guid}\n{importer}\n"
    return wanted


def main() -> None:
    wanted = metas(PACKAGE)
    for path in set(PACKAGE.rglob("*.meta")) - wanted.keys():
        path.unlink()
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
