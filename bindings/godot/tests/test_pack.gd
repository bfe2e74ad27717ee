extends "suite.gd"
## An exported game: run from its pack, where res:// are no files.

const Command := preload("res://addons/palaver/sidecar/command.gd")


func test_the_sidecar_lies_next_to_the_game() -> void:
	var folder := OS.get_environment("PALAVER_TEST_GAME")
	equal(Command.new(folder).executable, folder.path_join("palaver").path_join("palaver-sidecar"), "found")
	var elsewhere := Command.new(folder.path_join("elsewhere"))
	equal(elsewhere.executable, "", "not found")
	check(folder.path_join("elsewhere/palaver/palaver-sidecar") in elsewhere.problem, elsewhere.problem)


func test_a_character_answers() -> void:
	OS.set_environment("PALAVER_EXECUTABLE", OS.get_environment("PALAVER_TEST_PYTHON"))
	var npc := PalaverNpc.new()
	npc.persona = petra()
	npc.deadline_ms = 0
	add_node(npc)
	Palaver.start()
	var line := await npc.ask("What does a room cost?", {"steps": 4})
	equal(line.source_name(), "model", "the source")
