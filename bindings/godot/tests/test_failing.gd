extends "suite.gd"
## Sidecars that cannot be started: the game goes on with the lines that were written for it.


func asked_while(executable: String, arguments: String) -> PalaverLine:
	OS.set_environment("PALAVER_EXECUTABLE", executable)
	OS.set_environment("PALAVER_ARGUMENTS", arguments)
	var npc := PalaverNpc.new()
	npc.persona = petra()
	npc.deadline_ms = 0
	add_node(npc)
	Palaver.start()
	return await npc.ask("Hello")


func test_a_program_that_is_not_there() -> void:
	var line := await asked_while("/nowhere/palaver-sidecar", "")
	equal([line.source_name(), line.finish_reason], ["fallback", "unreachable"], "the line")
	equal(Palaver.state, PalaverService.State.FAILED, "the state")
	check("/nowhere/palaver-sidecar" in Palaver.reason, Palaver.reason)
	var npc := PalaverNpc.new()
	npc.persona = petra()
	add_node(npc)
	var frame := Engine.get_process_frames()
	equal((await npc.ask("Hello")).source_name(), "fallback", "asked afterwards")
	check(Engine.get_process_frames() - frame <= 2, "it took more than a frame")


func test_a_program_that_is_none() -> void:
	var line := await asked_while(OS.get_environment("PALAVER_TEST_PYTHON"), "-P -m runtime.nothing")
	equal([line.source_name(), line.finish_reason], ["fallback", "unreachable"], "the line")
	equal(Palaver.state, PalaverService.State.FAILED, "the state")
	check("exit code 1" in Palaver.reason and "runtime.nothing" in Palaver.reason, Palaver.reason)


func test_a_model_that_is_not_there() -> void:
	OS.set_environment("PALAVER_MODEL", "/nowhere/model")
	var line := await asked_while(OS.get_environment("PALAVER_TEST_PYTHON"), "-P -m runtime.serve")
	equal(line.source_name(), "fallback", "the line")
	await until(func() -> bool: return Palaver.state == PalaverService.State.FAILED, "giving up")
	check("/nowhere/model" in Palaver.reason, Palaver.reason)
	OS.unset_environment("PALAVER_MODEL")
