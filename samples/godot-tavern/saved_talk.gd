class_name SavedTalk
extends RefCounted
## The tavern's save file: what was said to whom, as the addon hands it over, in one JSON text.
##
## A game with more to save puts [method PalaverService.save_turns] into its own save data in the same way.

const VERSION := 1


static func write(path: String) -> Error:
	var file := FileAccess.open(path, FileAccess.WRITE)
	if file == null:
		return FileAccess.get_open_error()
	file.store_string(JSON.stringify({"tavern_save": VERSION, "turns": Palaver.save_turns()}, "\t"))
	return file.get_error()


## Takes up the talk where it was saved; answers that are still on their way are given up.
static func read(path: String) -> Error:
	if not FileAccess.file_exists(path):
		return ERR_FILE_NOT_FOUND
	var saved: Variant = JSON.parse_string(FileAccess.get_file_as_string(path))
	if saved is not Dictionary:
		return ERR_FILE_CORRUPT
	var fields: Dictionary = saved
	if fields.get("tavern_save") != VERSION or fields.get("turns") is not Dictionary:
		return ERR_FILE_UNRECOGNIZED
	var turns: Dictionary = fields["turns"]
	return Palaver.load_turns(turns)
