extends "suite.gd"
## A sidecar that somebody else has started, named by the environment.


func test_it_is_used_and_left_alone() -> void:
	var npc := PalaverNpc.new()
	npc.persona = petra()
	npc.deadline_ms = 0
	add_node(npc)
	Palaver.start()
	var line := await npc.ask("Hello", {"steps": 4})
	equal(line.source_name(), "model", "the source")
	equal(Palaver.sidecar_pid(), 0, "a process of its own")
