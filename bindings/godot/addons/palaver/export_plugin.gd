@tool
extends EditorExportPlugin
## Puts the sidecar and its model next to an exported game, where the game looks for them.
##
## The folder comes from [code]python -m tools.standalone OUT[/code], run on the platform that the game is exported for;
## the project setting [code]palaver/sidecar/standalone_folder[/code] names it. A setting with a feature tag, such as
## [code]standalone_folder.windows[/code], holds for that platform only.

const Command := preload("sidecar/command.gd")
const Settings := preload("settings.gd")


func _get_name() -> String:
	return "Palaver"


func _export_begin(features: PackedStringArray, _is_debug: bool, path: String, _flags: int) -> void:
	var folder := _standalone_folder(features)
	if not "pc" in features:
		push_warning("Palaver: a sidecar runs on desktop systems only, the game is exported without one.")
		return
	if folder.is_empty():
		push_warning("Palaver: no standalone folder is set, the game is exported without a sidecar.")
		return
	var program := Command.program_for("windows" in features)
	if not FileAccess.file_exists(folder.path_join(program)):
		push_error("Palaver: there is no %s in %s; make it with tools.standalone on that platform." % [program, folder])
		return
	var error := copy_folder(folder, path.get_base_dir().path_join(Command.FOLDER))
	if error != OK:
		push_error("Palaver: the sidecar could not be copied: %s." % error_string(error))


## Copy a folder with all that is in it; the permission to run a program is kept.
static func copy_folder(from: String, to: String) -> Error:
	var error := DirAccess.make_dir_recursive_absolute(to)
	for file: String in DirAccess.get_files_at(from):
		if error == OK:
			var source := from.path_join(file)
			error = DirAccess.copy_absolute(source, to.path_join(file), FileAccess.get_unix_permissions(source))
	for folder: String in DirAccess.get_directories_at(from):
		if error == OK:
			error = copy_folder(from.path_join(folder), to.path_join(folder))
	return error


static func _standalone_folder(features: PackedStringArray) -> String:
	for feature: String in features:
		var key := "%s.%s" % [Settings.STANDALONE_FOLDER, feature]
		if ProjectSettings.has_setting(key):
			return ProjectSettings.globalize_path(str(ProjectSettings.get_setting(key)))
	return ProjectSettings.globalize_path(Settings.text(Settings.STANDALONE_FOLDER))
