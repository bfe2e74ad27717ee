@tool
extends RefCounted
## The project settings of Palaver, their defaults, and what the environment may put in their place.

const AUTOSTART := "palaver/sidecar/autostart"
const EXECUTABLE := "palaver/sidecar/executable"
const ARGUMENTS := "palaver/sidecar/arguments"
const STANDALONE_FOLDER := "palaver/sidecar/standalone_folder"
const MODEL := "palaver/sidecar/model"
const THREADS := "palaver/sidecar/threads"
const MS_PER_FRAME := "palaver/budget/ms_per_frame"
const MAX_LOAD := "palaver/budget/max_load"
const FPS := "palaver/budget/fps"

static var _defaults := {
	AUTOSTART: true,
	EXECUTABLE: "",
	ARGUMENTS: PackedStringArray(),
	STANDALONE_FOLDER: "",
	MODEL: "",
	THREADS: 1,
	MS_PER_FRAME: 0.0,
	MAX_LOAD: 1.0,
	FPS: 60.0,
}
const _HINTS := {
	EXECUTABLE: [PROPERTY_HINT_GLOBAL_FILE, ""],
	STANDALONE_FOLDER: [PROPERTY_HINT_GLOBAL_DIR, ""],
	MODEL: [PROPERTY_HINT_GLOBAL_DIR, ""],
	THREADS: [PROPERTY_HINT_RANGE, "1,64"],
	MS_PER_FRAME: [PROPERTY_HINT_RANGE, "0,1000,0.1,suffix:ms"],
	MAX_LOAD: [PROPERTY_HINT_RANGE, "0.001,1,0.001"],
	FPS: [PROPERTY_HINT_RANGE, "1,1000,1"],
}


## Show the settings in the editor's project settings.
static func define() -> void:
	for key: String in _defaults:
		var default: Variant = _defaults[key]
		if not ProjectSettings.has_setting(key):
			ProjectSettings.set_setting(key, default)
		ProjectSettings.set_initial_value(key, default)
		ProjectSettings.set_as_basic(key, true)
		var hint: Array = _HINTS.get(key, [PROPERTY_HINT_NONE, ""])
		ProjectSettings.add_property_info(
			{"name": key, "type": typeof(default), "hint": hint[0], "hint_string": hint[1]}
		)


## The setting's value, or its default; of the setting's type.
static func value(key: String) -> Variant:
	var default: Variant = _defaults[key]
	if not ProjectSettings.has_setting(key):
		return default
	var found: Variant = ProjectSettings.get_setting_with_override(key)
	return type_convert(found, typeof(default))


## A setting that is text.
static func text(key: String) -> String:
	return value(key)


## An environment variable that stands in for a setting; empty in a release build, which takes none.
static func environment(name: String) -> String:
	return OS.get_environment(name) if OS.is_debug_build() else ""
