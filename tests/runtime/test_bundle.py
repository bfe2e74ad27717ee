"""Loading a bundle: a copy of a real one, damaged in every way that copying and editing bring."""

import hashlib
import json
import shutil
from dataclasses import asdict, replace

import pytest

from runtime.bundle import BundleManifest, bundle_files, load_bundle, step_signature
from runtime.errors import BundleError
from runtime.palaver import load

FILES = bundle_files(slices=1)


@pytest.fixture
def bundle_copy(tiny_bundle, tmp_path):
    return shutil.copytree(tiny_bundle, tmp_path / "copy")


def edit_manifest(folder, **changes):
    """Replace entries of bundle.json; `geometry__vocab_size` means geometry.vocab_size, None removes."""
    path = folder / "bundle.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    for key, value in changes.items():
        *parents, last = key.split("__")
        target = manifest
        for parent in parents:
            target = target[parent]
        if value is None:
            del target[last]
        else:
            target[last] = value
    path.write_text(json.dumps(manifest), encoding="utf-8")


def error_of(folder):
    with pytest.raises(BundleError) as caught:
        load_bundle(folder)
    text = str(caught.value)
    assert "\n" not in text and caught.value.hint
    return text


class TestAWholeBundle:
    def test_it_loads(self, tiny_bundle):
        bundle = load_bundle(tiny_bundle)
        assert bundle.path == tiny_bundle
        assert bundle.manifest.signature == step_signature(bundle.manifest.geometry)
        assert bundle.tokenizer.token_to_id(bundle.manifest.tokens.bos) is not None
        assert bundle.tokenizer.token_to_id(bundle.eos_token) == bundle.manifest.generation.eos_token_ids[0]
        assert "messages" in bundle.chat_template

    def test_its_manifest_survives_being_written_and_read(self, tiny_bundle):
        manifest = load_bundle(tiny_bundle).manifest
        assert BundleManifest.from_data(json.loads(manifest.to_json())) == manifest

    def test_the_path_may_be_text(self, tiny_bundle):
        assert load_bundle(str(tiny_bundle)).manifest == load_bundle(tiny_bundle).manifest

    @pytest.mark.parametrize("name", ["with a space", "kovářka-日本-Ünï", "a'b & c%20d"])
    def test_any_folder_name_works_up_to_a_spoken_line(self, tiny_bundle, tmp_path, name, mira):
        folder = shutil.copytree(tiny_bundle, tmp_path / name / "model ü")
        assert load(folder).ask(mira, "Hello", seed=1, steps=2, max_tokens=4).seed == 1

    def test_facts_of_a_later_writer_are_ignored(self, bundle_copy):
        edit_manifest(bundle_copy, colour="blue", geometry__depth=3)
        load_bundle(bundle_copy)


class TestDamage:
    @pytest.mark.parametrize("name", FILES)
    def test_a_truncated_file_is_named(self, bundle_copy, name):
        content = (bundle_copy / name).read_bytes()
        (bundle_copy / name).write_bytes(content[: len(content) // 2])
        assert error_of(bundle_copy).startswith(f"{name} has {len(content) // 2} bytes instead of {len(content)}")

    @pytest.mark.parametrize("name", FILES)
    def test_one_flipped_bit_is_found(self, bundle_copy, name):
        content = bytearray((bundle_copy / name).read_bytes())
        content[len(content) // 2] ^= 1
        (bundle_copy / name).write_bytes(content)
        assert error_of(bundle_copy).startswith(f"{name} does not match its SHA-256 sum")

    @pytest.mark.parametrize("name", [*FILES, "bundle.json"])
    def test_a_missing_file_is_named(self, bundle_copy, name):
        (bundle_copy / name).unlink()
        assert error_of(bundle_copy).startswith(f"{name} is missing from ")

    def test_a_missing_folder_is_named(self, tmp_path):
        assert error_of(tmp_path / "nowhere").startswith(f"{tmp_path / 'nowhere'} is not a folder")

    def test_a_file_is_not_a_folder(self, bundle_copy):
        assert "is not a folder" in error_of(bundle_copy / "bundle.json")

    def test_an_empty_folder_is_no_bundle(self, tmp_path):
        assert error_of(tmp_path).startswith("bundle.json is missing from ")

    @pytest.mark.parametrize("keep", [0.0, 0.3, 0.9])
    def test_a_truncated_manifest_is_not_json(self, bundle_copy, keep):
        path = bundle_copy / "bundle.json"
        content = path.read_bytes()
        path.write_bytes(content[: int(len(content) * keep)])
        assert error_of(bundle_copy).startswith("bundle.json is not valid JSON")

    def test_a_manifest_that_is_not_text_is_named(self, bundle_copy):
        (bundle_copy / "bundle.json").write_bytes(b'{"format": "\xff"}')
        assert error_of(bundle_copy).startswith("bundle.json is not UTF-8 text")


class TestManifest:
    def test_a_newer_version_asks_for_an_update(self, bundle_copy):
        edit_manifest(bundle_copy, format_version=3, geometry=None)
        text = error_of(bundle_copy)
        assert text.startswith("bundle.json has format version 3, newer than version 2")
        assert "Update Palaver, or export the model again" in text

    def test_an_older_version_asks_for_an_export(self, bundle_copy):
        edit_manifest(bundle_copy, format_version=1)
        assert "format version 1, older than version 2" in error_of(bundle_copy)

    @pytest.mark.parametrize("version", ["1", True, 1.0])
    def test_a_version_is_a_whole_number(self, bundle_copy, version):
        edit_manifest(bundle_copy, format_version=version)
        assert "bundle.json has no whole number as format_version" in error_of(bundle_copy)

    @pytest.mark.parametrize("content", ["[]", '"palaver-bundle"', "{}", '{"format": "other"}'])
    def test_other_json_is_no_bundle(self, bundle_copy, content):
        (bundle_copy / "bundle.json").write_text(content, encoding="utf-8")
        assert 'bundle.json does not say "format": "palaver-bundle"' in error_of(bundle_copy)

    @pytest.mark.parametrize(
        ("change", "complaint"),
        [
            ({"geometry__vocab_size": None}, "manifest.geometry.vocab_size is missing"),
            ({"name": 3}, "manifest.name must be a string, not a number"),
            ({"generation__eos_token_ids": []}, "eos_token_ids is empty"),
            ({"generation__eos_token_ids": [-1]}, "lie outside the vocabulary"),
            ({"generation__entropy_bound": 0}, "entropy_bound and confidence_threshold must be positive"),
            ({"generation__t_max": 0.1, "generation__t_min": 0.2}, "t_min <= t_max"),
            ({"generation__max_denoising_steps": 0}, "max_denoising_steps and max_new_tokens must be at least 1"),
            ({"geometry__layers": []}, "layers must be at least 1"),
            ({"geometry__max_positions": 1}, "leaves no room for a prompt"),
            ({"quantisation__experts": "int3"}, "manifest.quantisation.experts is 'int3'"),
        ],
    )
    def test_what_is_incomplete_is_named_by_its_path(self, bundle_copy, change, complaint):
        edit_manifest(bundle_copy, **change)
        text = error_of(bundle_copy)
        assert text.startswith("bundle.json is not complete: ")
        assert complaint in text

    @pytest.mark.parametrize("name", FILES)
    def test_every_file_has_to_be_listed(self, bundle_copy, name):
        manifest = json.loads((bundle_copy / "bundle.json").read_text(encoding="utf-8"))
        del manifest["files"][name]
        (bundle_copy / "bundle.json").write_text(json.dumps(manifest), encoding="utf-8")
        assert f"bundle.json lists no file {name}" in error_of(bundle_copy)

    @pytest.mark.parametrize("name", ["../secret", "/etc/hostname", "C:\\boot.ini", "sub\\file"])
    def test_files_outside_the_folder_are_not_looked_at(self, bundle_copy, name):
        manifest = json.loads((bundle_copy / "bundle.json").read_text(encoding="utf-8"))
        manifest["files"][name] = {"bytes": 1, "sha256": ""}
        (bundle_copy / "bundle.json").write_text(json.dumps(manifest), encoding="utf-8")
        assert "which is not a plain file name" in error_of(bundle_copy)

    def test_the_signature_has_to_follow_from_the_geometry(self, bundle_copy):
        edit_manifest(bundle_copy, geometry__hidden_size=7)
        assert "signature in bundle.json does not follow from its geometry" in error_of(bundle_copy)

    def test_a_tokenizer_that_is_none_is_named(self, bundle_copy):
        replace_file(bundle_copy, "tokenizer.json", b'{"version": "1.0"}')
        assert error_of(bundle_copy).startswith("tokenizer.json cannot be used: ")

    def test_a_tokenizer_with_more_tokens_than_the_graph_is_refused(self, bundle_copy):
        manifest = load_bundle(bundle_copy).manifest
        tokenizer = load_bundle(bundle_copy).tokenizer
        tokenizer.add_tokens([f"word{index}" for index in range(manifest.geometry.vocab_size + 1)])
        replace_file(bundle_copy, "tokenizer.json", tokenizer.to_str().encode())
        assert f"the step graph only {manifest.geometry.vocab_size}" in error_of(bundle_copy)


class TestGraph:
    """Damage that the sums cannot show, because the manifest was written for it."""

    def test_a_file_that_is_no_graph_is_named(self, bundle_copy):
        replace_file(bundle_copy, "step.onnx", b"no graph at all")
        with pytest.raises(BundleError, match=r"^ONNX Runtime [\d.]+ cannot load step\.onnx"):
            load(bundle_copy)

    def test_a_graph_of_another_geometry_is_refused(self, bundle_copy):
        geometry = load_bundle(bundle_copy).manifest.geometry
        wider = replace(geometry, hidden_size=geometry.hidden_size + 1)
        edit_manifest(bundle_copy, geometry=asdict(wider), signature=asdict(step_signature(wider)))
        with pytest.raises(BundleError, match=r"not the graph that bundle\.json describes: input soft_embeddings has"):
            load(bundle_copy)

    def test_a_broken_template_is_named(self, bundle_copy):
        replace_file(bundle_copy, "chat_template.jinja", b"{% if %}")
        with pytest.raises(BundleError, match=r"^chat_template\.jinja fails"):
            load(bundle_copy)


def read_manifest(folder):
    return json.loads((folder / "bundle.json").read_text(encoding="utf-8"))


def replace_file(folder, name, content):
    """Write `content` and record it in the manifest, as a careless editor would."""
    (folder / name).write_bytes(content)
    files = read_manifest(folder)["files"] | {
        name: {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    }
    edit_manifest(folder, files=files)
