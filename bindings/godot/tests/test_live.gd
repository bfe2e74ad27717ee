extends "suite.gd"
## A real sidecar, started by the autoload. Each test leaves it running for the next one.


func started() -> void:
	if Palaver.state == PalaverService.State.STOPPED:
		Palaver.start()
	await until(Palaver.is_ready, "a sidecar that is ready (%s)" % Palaver.reason)


func new_npc(id := "petra") -> PalaverNpc:
	var npc := PalaverNpc.new()
	npc.persona = petra(id)
	npc.deadline_ms = 0
	add_node(npc)
	return npc


func test_the_autoload_starts_a_sidecar() -> void:
	equal([Palaver.state, Palaver.sidecar_pid()], [PalaverService.State.STOPPED, 0], "before")
	var states: Array[PalaverService.State] = []
	var note := func(state: PalaverService.State) -> void: states.append(state)
	Palaver.state_changed.connect(note)
	await started()
	Palaver.state_changed.disconnect(note)
	equal(states[0], PalaverService.State.STARTING, "first")
	equal(states[-1], PalaverService.State.READY, "last")
	check(Palaver.sidecar_pid() > 0, "no process id")
	equal(Palaver.reason, "", "the reason")
	equal(OS.get_environment("PALAVER_SECRET"), "", "the secret is left in the environment")
	equal(PalaverService.main(), Palaver, "the autoload by its class")
	print("SIDECAR %d" % Palaver.sidecar_pid())


func test_a_character_answers() -> void:
	await started()
	var npc := new_npc()
	var heard: Array[String] = []
	npc.asked.connect(func(text: String) -> void: heard.append("asked %s" % text))
	npc.line_drafted.connect(func(_draft: PalaverDraft) -> void: heard.append("draft"))
	npc.line_finished.connect(func(finished: PalaverLine) -> void: heard.append(finished.text))
	npc.draft_every_ms = 0
	var line := await npc.ask("What does a room cost?", {"seed": 11, "steps": 8, "record": false})
	equal(line.source_name(), "model", "the source")
	check(not line.text.is_empty(), "no text")
	equal([heard[0], heard[1], heard[-1]], ["asked What does a room cost?", "draft", line.text], "signals")
	equal(npc.is_asking(), false, "afterwards")
	var again := await npc.ask("What does a room cost?", {"seed": 11, "steps": 8, "record": false})
	equal(again.text, line.text, "the same seed")
	equal(npc.turns().size(), 0, "remembered")


func test_a_deadline_ends_in_a_line() -> void:
	await started()
	var npc := new_npc()
	var line := await npc.ask("What does a room cost?", {"deadline_ms": 1})
	equal([line.source_name(), line.finish_reason], ["fallback", "deadline"], "the line")
	check(line.is_authored() and line.text in npc.persona.fallbacks, "the text: %s" % line.text)


func test_a_line_holds_its_pins() -> void:
	await started()
	var npc := new_npc()
	var options := {"seed": 1, "steps": 4, "record": false, "template": "[b]Aye[/b], {*}", "escape": "bbcode"}
	var line := await npc.ask("What does a room cost?", options)
	check(line.text.begins_with("[b]Aye[/b], "), "a template: %s" % line.text)
	equal(line.bbcode(), line.text, "for a label")
	options = {"seed": 1, "steps": 4, "record": false, "must_include": ["the old mill"]}
	line = await npc.ask("What does a room cost?", options)
	check("the old mill" in line.text, "a phrase: %s" % line.text)
	npc.persona.situations["at night"] = PackedStringArray(["Come back at dawn."])
	line = await npc.ask("What does a room cost?", {"deadline_ms": 1, "situation": "at night"})
	equal([line.source_name(), line.text], ["fallback", "Come back at dawn."], "a situation")


func test_a_character_chooses() -> void:
	await started()
	var npc := new_npc()
	var heard: Array[PalaverChoice] = []
	npc.chosen.connect(func(told: PalaverChoice) -> void: heard.append(told))
	var answers := ["A room costs 5 gold.", "Wolves were seen near Foxhollow."]
	var choice := await npc.choose("What does a room cost?", answers)
	equal([choice.source_name(), choice.finish_reason], ["model", "stop"], "the choice")
	equal(choice.text(), answers[choice.index], "the answer")
	equal(heard, [choice] as Array[PalaverChoice], "signals")
	var again := await npc.choose("What does a room cost?", answers)
	equal(again.probabilities, choice.probabilities, "the same once more")
	equal([npc.turns().size(), npc.is_asking()], [0, false], "afterwards")
	tree.process_frame.connect(npc.cancel, CONNECT_ONE_SHOT)
	equal((await npc.choose("What does a room cost?", answers)).source_name(), "cancelled", "cancelled")


func test_an_action_is_one_of_those_that_were_declared() -> void:
	await started()
	var npc := new_npc()
	npc.persona.actions = ["ring_bell()", "give(item: room key|candle)"]
	var heard: Array[PalaverAction] = []
	npc.acted.connect(func(action: PalaverAction) -> void: heard.append(action))
	var line := await npc.ask("Ring the bell.", {"seed": 3, "record": false})
	if line.action == null:
		equal(heard.size(), 0, "signals")
	else:
		check(line.action.text() in ["ring_bell()", "give(room key)", "give(candle)"], line.action.text())
		equal(heard, [line.action] as Array[PalaverAction], "signals")


func test_what_the_model_reads() -> void:
	await started()
	var npc := new_npc("reader")
	npc.persona.secrets = PackedStringArray(["The key lies under the stove."])
	npc.persona.language = "English"
	equal(Palaver.put_world({"time": ["It is evening."]}), OK, "the world")
	npc.set_summary("You talked about the mill.")
	var prompt := await npc.prompt("Good evening")
	equal(prompt.failure_code, "", prompt.failure)
	for part: String in ["Petra", "English", "stove", "It is evening.", "about the mill.", "Good evening"]:
		check(part in prompt.text, "%s is missing: %s" % [part, prompt.text])
	check(prompt.tokens > 20, "few tokens")
	equal(Palaver.put_world({}), OK, "an empty world")
	check(not "It is evening." in (await npc.prompt("Good evening")).text, "the old world")


func test_an_ask_can_be_cancelled() -> void:
	await started()
	var npc := new_npc()
	var heard: Array[String] = []
	npc.cancelled.connect(func() -> void: heard.append("cancelled"))
	npc.line_finished.connect(func(_line: PalaverLine) -> void: heard.append("finished"))
	tree.process_frame.connect(npc.cancel, CONNECT_ONE_SHOT)
	var line := await npc.ask("Tell me of the room.")
	equal([line.source, line.text], [PalaverLine.Source.CANCELLED, ""], "the line")
	equal(heard, ["cancelled"], "signals")


func test_a_character_that_leaves_the_tree_is_cancelled() -> void:
	await started()
	var npc := PalaverNpc.new()
	npc.persona = petra()
	tree.root.add_child(npc)
	tree.process_frame.connect(npc.queue_free, CONNECT_ONE_SHOT)
	var line := await npc.ask("Tell me of the room.")
	equal(line.source, PalaverLine.Source.CANCELLED, "the line")


func test_budgets() -> void:
	await started()
	var npc := new_npc()
	Palaver.frame_budget_ms = 4.0
	var line := await npc.ask("Hello", {"seed": 1, "steps": 4, "record": false})
	equal(line.source_name(), "model", "with a budget for each frame")
	Palaver.set_load_budget(0.5)
	equal(Palaver.frame_budget_ms, 0.0, "the frame's budget")
	var paced := await npc.ask("Hello", {"seed": 1, "steps": 4, "record": false})
	equal(paced.source_name(), "model", "with a share of a core (%s)" % paced.finish_reason)
	Palaver.set_load_budget(1.0)


func test_no_compute_without_frames() -> void:
	await started()
	var npc := new_npc()
	Palaver.frame_budget_ms = 4.0
	tree.paused = true
	var line := await npc.ask("Hello", {"deadline_ms": 600})
	tree.paused = false
	equal([line.source_name(), line.steps_done], ["fallback", 0], "while the game is paused")
	Palaver.set_load_budget(1.0)


func test_what_was_said_is_saved_and_loaded() -> void:
	await started()
	var npc := new_npc("saver")
	var _first := await npc.ask("Hello", {"seed": 1, "steps": 4})
	var _second := await npc.ask("What does a room cost?", {"seed": 2, "steps": 4})
	equal(npc.turns().size(), 2, "turns")
	var saves := Palaver.save_turns()
	var third := await npc.ask("And the way to Oakvale?", {"seed": 3, "steps": 4})
	equal(Palaver.load_turns(saves), OK, "loading")
	equal(npc.turns().size(), 2, "turns after loading")
	var again := await npc.ask("And the way to Oakvale?", {"seed": 3, "steps": 4})
	equal(again.text, third.text, "the same past, the same answer")
	npc.forget()
	equal(npc.turns().size(), 0, "turns after forgetting")
	equal(npc.load_turns("no save"), ERR_PARSE_ERROR, "loading nonsense")


func test_stats() -> void:
	await started()
	var report := await Palaver.stats()
	equal(report["state"], "ready", "the state")
	var lines: int = report["lines_model"]
	check(lines > 0, "no lines were counted")


func test_a_sidecar_that_is_killed_comes_back() -> void:
	await started()
	var npc := new_npc()
	equal(Palaver.put_world({"time": ["It is evening."]}), OK, "the world")
	npc.set_summary("You talked about the mill.")
	var read := await npc.prompt("Good evening")
	var before := Palaver.sidecar_pid()
	tree.process_frame.connect(kill.bind(before), CONNECT_ONE_SHOT)
	var line := await npc.ask("What does a room cost?", {"seed": 11, "steps": 8, "record": false})
	equal(line.source_name(), "model", "the line comes from the next one")
	check(Palaver.sidecar_pid() != before and Palaver.sidecar_pid() > 0, "no new process")
	equal((await npc.prompt("Good evening")).text, read.text, "what it knows")
	equal(Palaver.put_world({}), OK, "an empty world")
	print("SIDECAR %d" % Palaver.sidecar_pid())


func test_a_deadline_is_kept_when_the_sidecar_is_killed() -> void:
	await started()
	var npc := new_npc()
	var codes: Array[String] = []
	npc.failed.connect(func(code: String, _message: String) -> void: codes.append(code))
	var before := Palaver.sidecar_pid()
	kill(before)
	var line := await npc.ask("What does a room cost?", {"deadline_ms": 50})
	equal([line.source_name(), line.finish_reason, codes], ["fallback", "unreachable", ["unreachable"]], "the line")
	await until(func() -> bool: return Palaver.is_ready() and Palaver.sidecar_pid() != before, "a new sidecar")
	print("SIDECAR %d" % Palaver.sidecar_pid())


func test_a_sidecar_that_is_stopped_stays_away() -> void:
	await started()
	var npc := new_npc()
	tree.process_frame.connect(Palaver.stop, CONNECT_ONE_SHOT)
	var line := await npc.ask("What does a room cost?")
	equal([line.source_name(), line.finish_reason], ["fallback", "unreachable"], "the line")
	await until(func() -> bool: return Palaver.sidecar_pid() == 0, "the end of the process")
	equal(Palaver.state, PalaverService.State.STOPPED, "the state")
	equal((await npc.ask("Hello")).source_name(), "fallback", "asked afterwards")
	await started()
	print("SIDECAR %d" % Palaver.sidecar_pid())


func test_a_game_may_end_in_the_middle_of_an_ask() -> void:
	await started()
	var npc := PalaverNpc.new()
	npc.persona = petra()
	tree.root.add_child(npc)
	var talk := func() -> void: await npc.ask("What does a room cost?", {"deadline_ms": 0})
	talk.call()
	equal(npc.is_asking(), true, "the ask is open")
