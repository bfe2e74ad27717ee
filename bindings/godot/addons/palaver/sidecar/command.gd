extends RefCounted
## How the sidecar is started: which program, with which arguments, and where it was looked for.

const Settings := preload("../settings.gd")

## The folder next to an exported game into which the export plugin puts the sidecar.
const FOLDER := "palaver"
## The program in a standalone folder.
const PROGRAM := "palaver-sidecar"
const _PYTHON_ARGUMENTS: PackedStringArray = ["-P", "-m", "runtime.serve"]

## The program; empty where none was found.
var executable := ""
## What it is given before the addon's own arguments.
var arguments := PackedStringArray()
## Why none was found.
var problem := ""


## Looks for the command of the game in [param game_folder]: in the environment (debug builds), the project settings,
## and the folder that the export plugin made.
func _init(game_folder := OS.get_executable_path().get_base_dir()) -> void:
	_look(game_folder)


## The program's name in a standalone folder.
static func program_for(is_windows: bool) -> String:
	return PROGRAM + ".exe" if is_windows else PROGRAM


func _look(game_folder: String) -> void:
	var named := Settings.environment("PALAVER_EXECUTABLE")
	if named.is_empty():
		named = Settings.text(Settings.EXECUTABLE)
	if not named.is_empty():
		executable = ProjectSettings.globalize_path(named)
		arguments = _named_arguments()
		if executable.is_absolute_path() and not FileAccess.file_exists(executable):
			problem = "There is no %s, which should start the sidecar." % executable
		return
	var tried := PackedStringArray()
	for folder: String in _folders(game_folder):
		var candidate := folder.path_join(program_for(OS.has_feature("windows")))
		if FileAccess.file_exists(candidate):
			executable = candidate
			return
		tried.append(candidate)
	problem = "The sidecar was not found; looked for %s." % ", ".join(tried)


func _named_arguments() -> PackedStringArray:
	var given := Settings.environment("PALAVER_ARGUMENTS").split(" ", false)
	if given.is_empty():
		given = Settings.value(Settings.ARGUMENTS)
	if given.is_empty() and executable.get_file().begins_with("python"):
		return _PYTHON_ARGUMENTS
	return given


func _folders(game_folder: String) -> PackedStringArray:
	var folders := PackedStringArray()
	folders.append(game_folder.path_join(FOLDER))
	if OS.has_feature("macos"):
		# The game is inside of its .app; the folder lies beside that.
		folders.append(game_folder.path_join("../../..").path_join(FOLDER).simplify_path())
	if OS.has_feature("editor") and not Settings.text(Settings.STANDALONE_FOLDER).is_empty():
		folders.append(ProjectSettings.globalize_path(Settings.text(Settings.STANDALONE_FOLDER)))
	return folders
