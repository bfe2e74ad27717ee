extends "suite.gd"


func test_every_script_of_the_addon_is_sound() -> void:
	check(load_all("res://addons/palaver") > 20, "scripts are missing")


func load_all(folder: String) -> int:
	var count := 0
	for file: String in DirAccess.get_files_at(folder):
		if file.get_extension() == "gd":
			count += 1
			var script: GDScript = load(folder.path_join(file))
			check(script != null and not script.source_code.is_empty(), "%s cannot be loaded" % file)
	for inner: String in DirAccess.get_directories_at(folder):
		count += load_all(folder.path_join(inner))
	return count
